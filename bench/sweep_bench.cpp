// A GEMM sweep of a million points, evaluated, judged and written, on one core.
//
// The reference, timed by turns with ours, prints 32 numbers a point: about the figures of a row,
// and nothing else.
//
// Targets:
//   evaluate and judge           >= 1e6 points/s; at most 1.3 times the reference
//   evaluate, judge, JSON lines  >= 2e5 rows/s;   at most 6 times the reference
//   memory                       1e6 points need at most 1.05 times the memory of 1e4
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/report/report.hpp"
#include "side_by_side.hpp"

namespace {

using namespace roofline;

constexpr long kSide = 1000;  // of the square of points
constexpr long kPoints = kSide * kSide;

KernelFile sweep_of(long points) {
  const std::string text =
      "params: {M: 1:" + std::to_string(points / kSide) + ", N: 1:" + std::to_string(kSide) +
      "}\nkernels: [{name: up, op: gemm, m: M, n: 8*N, k: 4096, dtype: bf16}]\n";
  auto document = read_yaml(text, "sweep.yaml");
  auto file = KernelFile::read(document.value());
  return std::move(file.value());
}

/// What is left of a report when nothing is written.
class Nothing final : public ReportWriter {
 public:
  void kernel(const KernelReport& report) override { sum += report.verdict.floor.time.value(); }
  double sum = 0;
};

void judge_all(const KernelFile& file, const Gpu& gpu) {
  Nothing writer;
  const auto errors = analyze(file, {&gpu, 1}, {.remarks = false}, writer);
  if (!errors.empty()) std::fputs(format_errors(errors, false).c_str(), stderr);
  bench::keep(writer.sum);
}

/// Rows as JSON lines to a sink that counts bytes: what `--format jsonl > /dev/null` does, less the
/// system calls.
std::size_t write_all(const KernelFile& file, const Gpu& gpu) {
  std::size_t bytes = 0;
  const auto writer = find_output_format("jsonl")->make(
      [&](std::string_view piece) { bytes += piece.size(); }, {.tool_version = "bench"});
  const auto errors = analyze(file, {&gpu, 1}, {.remarks = false}, *writer);
  if (!errors.empty()) std::fputs(format_errors(errors, false).c_str(), stderr);
  return bytes;
}

/// Digits of 32 figures a point, as a row of a sweep has them: counts and fractions by turns.
void print_figures() {
  std::array<char, 40> digits;
  std::size_t length = 0;
  for (long point = 1; point <= kPoints; ++point)
    for (long figure = 1; figure <= 16; ++figure) {
      const long count = point * figure * 4096;
      const double fraction = static_cast<double>(count) / 3.35e12;
      length += static_cast<std::size_t>(std::to_chars(digits.begin(), digits.end(), count).ptr -
                                         digits.begin());
      length += static_cast<std::size_t>(std::to_chars(digits.begin(), digits.end(), fraction).ptr -
                                         digits.begin());
    }
  bench::keep(length);
}

/// Peak memory of a child that writes a sweep of this many points, in bytes.
double memory_of(long points, const Gpu& gpu) {
  const pid_t child = fork();
  if (child == 0) {
    write_all(sweep_of(points), gpu);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// Only one part, again and again: for a profiler.
void repeat_part(std::string_view part, const Gpu& gpu) {
  const auto file = sweep_of(kPoints);
  for (int i = 0; i < 5; ++i) {
    if (part == "judge") judge_all(file, gpu);
    if (part == "jsonl") write_all(file, gpu);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto gpu = find_gpu("h100-sxm5-80gb").value();
  if (argc > 1) {
    repeat_part(argv[1], gpu);
    return 0;
  }
  // Children first: they inherit what their parent has allocated.
  const double small = memory_of(10'000, gpu), large = memory_of(kPoints, gpu);
  const auto file = sweep_of(kPoints);
  bool good = true;

  const auto judging = bench::compare([&] { judge_all(file, gpu); }, print_figures, 5);
  good &= bench::report("evaluate and judge", "points/s", kPoints / judging.ours, 1e6, false);
  good &= bench::report("evaluate and judge", "times the reference", judging.ratio, 1.3, true);

  std::size_t bytes = 0;
  const auto writing = bench::compare([&] { bytes = write_all(file, gpu); }, print_figures, 5);
  good &=
      bench::report("evaluate, judge, JSON lines", "rows/s", kPoints / writing.ours, 2e5, false);
  good &=
      bench::report("evaluate, judge, JSON lines", "times the reference", writing.ratio, 6, true);
  std::printf("%-44s %.3g MB/s, %.0f B a row\n", "",
              static_cast<double>(bytes) / writing.ours / 1e6,
              static_cast<double>(bytes) / kPoints);

  good &= bench::report("memory of 1e6 points", "times that of 1e4", large / small, 1.05, true);
  std::printf("%-44s %.1f MB\n", "", large / 1e6);
  return good ? 0 : 1;
}
