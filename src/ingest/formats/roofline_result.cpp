// Results of roofline itself: what `profile` saved, to be held against another description or GPU.
#include <fmt/format.h>

#include "ingest/formats/formats.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/kernel/result.hpp"

namespace roofline::formats {
namespace {

std::uint64_t count_of(const std::optional<std::int64_t>& value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

std::array<std::uint64_t, 3> sizes_of(const std::optional<Extent>& extent) {
  std::array<std::uint64_t, 3> sizes{};
  if (extent)
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = static_cast<std::uint64_t>((*extent)[i]);
  return sizes;
}

std::uint64_t add_shape(const ResultKernel& kernel, ImportSink& sink) {
  capture::Shape shape;
  shape.name = sink.text(kernel.full_name.empty() ? kernel.name : kernel.full_name);
  shape.grid = sizes_of(kernel.grid);
  shape.block = sizes_of(kernel.block);
  shape.static_shared_bytes = count_of(kernel.shared_bytes);
  shape.registers = count_of(kernel.registers);
  shape.local_bytes_per_thread = count_of(kernel.local_bytes);
  return sink.shape(shape);
}

/// A run as its launches' sum: a result keeps the quartiles of each run, so that the sum is the
/// median times the number of launches.
void add_run(std::uint64_t shape, const RunTimes& run, ImportSink& sink) {
  const auto launches = count_of(run.launches);
  if (launches == 0 || !run.median) return;
  constexpr double kUnknown = -1;
  const auto seconds = [](const std::optional<Seconds>& time) {
    return time ? time->value() : kUnknown;
  };
  capture::Summary summary;
  summary.shape = shape;
  summary.launches = launches;
  summary.seconds = {run.median->value() * static_cast<double>(launches),
                     kUnknown,
                     run.median->value(),
                     seconds(run.min),
                     seconds(run.max),
                     seconds(run.q1),
                     seconds(run.q3)};
  sink.add(summary);
}

void add_counters(std::uint64_t shape, const NamedFigures& figures, ImportSink& sink) {
  if (figures.empty()) return;
  capture::Counters counters;
  counters.shape = shape;
  for (const auto& [metric, value] : figures) {
    counters.metrics.push_back(sink.text(metric));
    counters.values.push_back(value);
  }
  sink.add(counters);
}

std::size_t add_kernel(const ResultKernel& kernel, ImportSink& sink) {
  if (!kernel.measured || kernel.measured->runs.empty()) return 0;
  const auto shape = add_shape(kernel, sink);
  for (const auto& run : kernel.measured->runs) add_run(shape, run, sink);
  add_counters(shape, kernel.measured->counters, sink);
  return 1;
}

void tell_machine(const ResultRecord& result, ImportSink& sink) {
  sink.tool(std::string(kOwnTool) + result.tool_version);
  if (result.program) sink.command(result.program->command);
  capture::Device device;
  device.name = sink.text(result.gpu.name);
  device.simulated = result.simulated ? 1 : 0;
  sink.add(device);
  for (const auto& loss : result.lost)
    sink.lose(loss.reason, static_cast<std::uint64_t>(std::max<std::int64_t>(loss.count, 0)));
  if (!result.complete && result.lost.empty())
    sink.truncated("before the program's end, as the result says");
}

}  // namespace

bool is_roofline_result(const FileHead& head) {
  return head.bytes.substr(0, 256).find("\"roofline.result/1\"") != std::string::npos;
}

Result<void> read_roofline_result(const std::string& path, const ImportOptions&, ImportSink& sink) {
  const auto results = read_result_file(path);
  if (!results) return tl::unexpected(results.error().front());
  const auto file = path == "-" ? std::string("<stdin>") : path;
  if (results->size() != 1)
    return fail(Code::wrong_type, {file, 0, 0, 1, {}, 0},
                fmt::format("this file holds {} results: one is read again", results->size()),
                "roofline report draws all of them");
  const auto& result = results->front();
  tell_machine(result, sink);
  std::size_t kernels = 0;
  for (const auto& kernel : result.kernels) kernels += add_kernel(kernel, sink);
  if (kernels == 0)
    return fail(Code::wrong_type, {file, 0, 0, 1, {}, 0},
                "this result holds no launches: it is what analyze said of a description",
                "roofline report shows it; roofline analyze takes the description itself");
  return {};
}

}  // namespace roofline::formats
