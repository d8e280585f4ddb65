#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "roofline/report/report.hpp"

/// A GPU, kernels and reports made by hand, so that a format is tested without files.
namespace roofline::hand_made {

/// H100 SXM5, the figures of its data sheet that these tests need.
inline Gpu h100() {
  Gpu gpu;
  gpu.id = "h100-sxm5-80gb";
  gpu.name = "NVIDIA H100 SXM5 80GB";
  gpu.dram_bandwidth = {
      {.value = ByteRate(3.35e12), .origin = {.sources = {"h100-ds", "h100-wp"}}}};
  gpu.l2_capacity = {{.value = Bytes(50.0 * 1024 * 1024), .origin = {}}};
  gpu.tensor_clock = {{.value = Hertz(1830e6), .origin = {}}};
  gpu.boost_clock = {{.value = Hertz(1980e6), .origin = {}}};
  const auto peak = [](double rate, ClockKind clock) {
    return Peak{.dense = FlopRate(rate), .clock = clock, .origin = {.sources = {"h100-wp"}}};
  };
  gpu.tensor[static_cast<std::size_t>(RateType::bf16)] = peak(989.4e12, ClockKind::tensor);
  gpu.vector[static_cast<std::size_t>(RateType::fp32)] = peak(66.9e12, ClockKind::boost);
  gpu.mma_sync[static_cast<std::size_t>(RateType::bf16)] =
      Peak{.dense = FlopRate(659.6e12),
           .clock = ClockKind::tensor,
           .origin = {.sources = {"mma"}, .derived = true}};
  return gpu;
}

inline constexpr ParamSpec kGemmParams[] = {{.name = "m"}, {.name = "n"}, {.name = "k"}};
inline constexpr OperandSpec kGemmOperands[] = {{.name = "a"}, {.name = "b"}, {.name = "d"}};
inline constexpr OpEntry kGemm = {
    .name = "gemm", .family = "gemm", .params = kGemmParams, .operands = kGemmOperands};

/// A bf16 product of square matrices: 3 n^2 elements of 2 bytes, 2 n^3 FLOP.
inline Kernel square_gemm(Count n, std::string name = "qkv") {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.op = &kGemm;
  for (const char* param : {"m", "n", "k"}) kernel.input.set(param, Value{n});
  for (const char* operand : {"a", "b", "d"}) kernel.input.set_dtype(operand, DType::bf16);
  kernel.work = Work(Work::Headline::matmul, {PipeKind::tensor, RateType::bf16});
  kernel.work.matmul(Count(2) * n * n * n);
  kernel.work.read("a", n * n * 2).read("b", n * n * 2).write("d", n * n * 2);
  kernel.where = {.file = "block.yaml", .line = 9};
  return kernel;
}

/// A copy of n bytes: no arithmetic, no intensity worth the name.
inline Kernel copy(Count n, std::string name = "move") {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.work.read("x", n).write("y", n);
  return kernel;
}

/// Writes `kernels` as one point each of a file without sweeps (`swept` empty) or with them, on
/// every GPU.
struct Script {
  std::vector<Gpu> gpus = {h100()};
  std::vector<std::string> swept;
  std::vector<std::vector<Kernel>> points;  ///< kernels of each point
  std::vector<std::vector<Binding>> bindings;
  std::optional<Seconds> launch_cost;

  template <class Make>
  std::string write(Make make) const {
    std::string text;
    ReportOptions options{.gpu_count = gpus.size(), .tool_version = "0.1.0"};
    const auto writer = make([&text](std::string_view piece) { text += piece; }, options);
    writer->begin();
    for (const auto& gpu : gpus) write_gpu(gpu, *writer);
    writer->end();
    return text;
  }

 private:
  void write_gpu(const Gpu& gpu, ReportWriter& writer) const {
    const Ceilings ceilings(gpu);
    writer.begin_gpu({.ceilings = &ceilings,
                      .source_file = "block.yaml",
                      .swept = swept,
                      .points = Count(static_cast<long long>(points.size())),
                      .kernels_per_point = points.empty() ? 0 : points.front().size(),
                      .launch_cost = launch_cost});
    for (std::size_t i = 0; i < points.size(); ++i) write_point(i, ceilings, writer);
    writer.end_gpu();
  }

  void write_point(std::size_t index, const Ceilings& ceilings, ReportWriter& writer) const {
    PointReport summary;
    if (index < bindings.size()) summary.point = bindings[index];
    std::vector<Verdict> verdicts;
    for (const auto& kernel : points[index]) {
      KernelReport report{
          .kernel = &kernel, .point = summary.point, .verdict = judge(kernel, ceilings).value()};
      report.levers = {{"fewer_bytes", "fewer bytes", Seconds(1e-6)}};
      report.notes = {{"fits_l2", "fits the L2"}};
      verdicts.push_back(report.verdict);
      summary.totals.time_floor += report.verdict.floor.time;
      summary.totals.launches += kernel.repeat;
      summary.totals.flops += report.verdict.flops * kernel.repeat;
      summary.totals.bytes += report.verdict.bytes() * kernel.repeat;
      ++summary.totals.kernels;
      summary.bound = report.verdict.bound;
      writer.kernel(report);
    }
    if (auto steps = steps_of(points[index], verdicts, launch_cost))
      summary.sequence = run_sequence(*steps);
    writer.point(summary);
  }
};

struct HostileName {
  const char* name;
  std::string text;
  std::string readable;  ///< what a JSON reader gets back
  friend void PrintTo(const HostileName& row, std::ostream* out) { *out << row.name; }
};

inline std::vector<HostileName> hostile_names() {
  const std::string replacement = "\xEF\xBF\xBD";
  return {
      {"quotes_and_backslash", R"(a "b" \ c)", R"(a "b" \ c)"},
      {"newline_tab_return", "a\nb\tc\rd", "a\nb\tc\rd"},
      {"escape_sequence", "\x1b[31mred\x1b[0m\x07", "\x1b[31mred\x1b[0m\x07"},
      {"delete_and_c1",
       "a\x7f"
       "b\xC2\x9B"
       "31m",
       "a\x7f"
       "b\xC2\x9B"
       "31m"},
      {"nul", std::string("a\0b", 3), std::string("a\0b", 3)},
      {"bidi_override",
       "abc\xE2\x80\xAE"
       "fed\xE2\x81\xA6",
       "abc\xE2\x80\xAE"
       "fed\xE2\x81\xA6"},
      {"line_separators",
       "a\xE2\x80\xA8"
       "b\xE2\x80\xA9"
       "c",
       "a\xE2\x80\xA8"
       "b\xE2\x80\xA9"
       "c"},
      {"script", "</script><script>alert(1)</script>", "</script><script>alert(1)</script>"},
      {"formula", "=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"},
      {"stray_bytes",
       "a\xFF\xFE"
       "b",
       "a" + replacement + replacement + "b"},
      {"cut_character", "gr\xC3", "gr" + replacement},
      {"surrogate", "\xED\xA0\x80", replacement + replacement + replacement},
      {"wide_and_emoji", "\xE8\xA1\x8C\xE5\x88\x97 \xF0\x9F\x98\x80",
       "\xE8\xA1\x8C\xE5\x88\x97 \xF0\x9F\x98\x80"},
      {"hundred_kilobytes", std::string(100'000, 'k'), std::string(100'000, 'k')},
      {"empty", "", ""},
  };
}

}  // namespace roofline::hand_made
