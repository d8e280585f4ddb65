#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

/// Two things timed in turn in one run (A B B A ...), so that a slow machine slows both: the ratio
/// is what is asked for, the absolute figure says on what machine it was. Times are processor time
/// of one thread: what others run does not count, except for the caches that it takes.
namespace bench {

template <class Work>
double seconds_of(Work work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  double ours = 0, reference = 0;  ///< seconds, medians
  double ratio = 0;                ///< median of the ratios of neighbouring runs
};

template <class Ours, class Reference>
Comparison compare(Ours ours, Reference reference, int rounds) {
  std::vector<double> our_times, reference_times, ratios;
  ours(), reference();  // warm
  for (int round = 0; round < rounds; ++round) {
    const bool ours_first = round % 2 == 0;
    double a = ours_first ? seconds_of(ours) : 0;
    const double b = seconds_of(reference);
    if (!ours_first) a = seconds_of(ours);
    our_times.push_back(a);
    reference_times.push_back(b);
    ratios.push_back(a / b);
  }
  return {median(our_times), median(reference_times), median(ratios)};
}

/// One line of the report. True when the target holds.
inline bool report(const std::string& what, const std::string& figure, double value, double target,
                   bool at_most) {
  const bool holds = at_most ? value <= target : value >= target;
  std::printf("%-44s %-26s %10.3g   target %s %-8.3g %s\n", what.c_str(), figure.c_str(), value,
              at_most ? "<=" : ">=", target, holds ? "ok" : "MISSED");
  return holds;
}

/// A result that the compiler must not throw away.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace bench
