// A capture of many launches, each with its call, read into a profile: rate and memory.
//
// Target: at least 2 million launches a second, and at most 1.2 times the memory for 10 million launches that 1 million
// take (usage: capture_bench [LAUNCHES]).
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "roofline/profile/collect.hpp"
#include "side_by_side.hpp"

namespace {

using namespace roofline;

/// As the plug-in writes them: buffers of kernels and of calls by turns, 20 distinct kernels on 4 streams.
std::uintmax_t write_capture(const std::string& path, std::uint64_t launches) {
  constexpr std::uint64_t kBuffer = 20'000;
  std::ofstream file(path, std::ios::binary);
  file << "{\"schema\": \"roofline.capture/1\", \"host\": \"bench\", \"pid\": 1, \"mode\": \"trace\"}\n";
  std::string bytes;
  capture::Last last;
  for (std::uint64_t k = 1; k <= 20; ++k) {
    capture::append(bytes, last, capture::Text{k, fmt::format("_Z{}kernel{}Pf", 6 + (k > 9 ? 2 : 1), k)});
    capture::Shape shape;
    shape.id = shape.name = k;
    shape.grid = {132, 1, 1};
    shape.block = {256, 1, 1};
    capture::append(bytes, last, shape);
  }
  for (std::uint64_t from = 0; from < launches; from += kBuffer) {
    const auto to = std::min(from + kBuffer, launches);
    for (auto i = from; i < to; ++i) capture::append(bytes, last, capture::Api{0, 307, 1, 7, 1'000'000 + 4000 * i, 1'002'100 + 4000 * i, i + 1});
    for (auto i = from; i < to; ++i)
      capture::append(bytes, last, capture::Launch{1 + i % 20, 7 + i % 4, 1'003'000 + 4000 * i, 1'006'000 + 4000 * i + i % 97, i + 1, 0, 0});
    file << bytes;
    bytes.clear();
  }
  capture::append(bytes, last, capture::End{0});
  file << bytes;
  file.close();
  return std::filesystem::file_size(path);
}

struct Reading {
  double seconds = 0;
  long peak_kb = 0;
  bool right = false;
};

/// In a process of its own, so that its peak memory is its own.
Reading read_apart(const std::string& path, std::uint64_t launches) {
  int ends[2];
  Reading reading;
  if (::pipe(ends) != 0) return reading;
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string files[] = {path};
    Checked<Profiled> profile;
    reading.seconds = bench::seconds_of([&] { profile = read_profile(files); });
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    reading.peak_kb = usage.ru_maxrss;
    reading.right = profile && profile->launches() == launches && profile->kernels.size() == 20 && profile->complete &&
                    profile->kernels[0].launch_cost.count() == launches / 20;
    ::_exit(::write(ends[1], &reading, sizeof reading) == static_cast<ssize_t>(sizeof reading) ? 0 : 1);
  }
  if (::read(ends[0], &reading, sizeof reading) != static_cast<ssize_t>(sizeof reading)) reading.right = false;
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return reading;
}

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t many = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 10'000'000, few = many / 10;
  const auto path = (std::filesystem::temp_directory_path() / fmt::format("roofline_bench_{}.rlf", ::getpid())).string();
  write_capture(path, few);
  const auto small = read_apart(path, few);
  const auto bytes = write_capture(path, many);
  const auto large = read_apart(path, many);
  std::filesystem::remove(path);
  const double rate = large.seconds > 0 ? static_cast<double>(many) / large.seconds : 0;
  bool good = small.right && large.right;
  good = bench::report("read a capture", "million launches/s", rate / 1e6, 2, false) && good;
  good = bench::report("memory of ten times the launches", "times", static_cast<double>(large.peak_kb) / static_cast<double>(small.peak_kb), 1.2, true) && good;
  std::printf("%-44s %.1f MB for %.0f million launches, %.1f bytes a launch in the file\n", "", static_cast<double>(large.peak_kb) / 1024,
              static_cast<double>(many) / 1e6, static_cast<double>(bytes) / static_cast<double>(many));
  return good ? 0 : 1;
}
