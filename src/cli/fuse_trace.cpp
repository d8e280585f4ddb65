#include "cli/fuse_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "cli/gpu_choice.hpp"
#include "cli/launch_inputs.hpp"
#include "cli/profile_gpu.hpp"
#include "report/trace_fusion/trace_fusion_report.hpp"
#include "roofline/ingest/mapping.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

/// Launches of several files in order, operations by content.
class LaunchOrder final : public CaptureVisitor {
 public:
  void begin_file() {
    texts_.clear();
    operations_.clear();
    shapes_.clear();
    ++file_;
  }
  void record(const capture::Text& text) override { texts_[text.id] = text.value; }
  void record(const capture::Shape& shape) override { shapes_[shape.id] = shape; }
  void record(const capture::Device& device) override {
    devices_.push_back({.facts = device,
                        .name = texts_[device.name],
                        .uuid = texts_[device.uuid],
                        .simulated = device.simulated != 0});
  }
  void record(const capture::Operation& record) override {
    Operation content;
    if (!unpack(
            record.content, [&](std::uint64_t id) -> const std::string& { return texts_[id]; },
            content))
      return;
    std::string key = operation_key(record.content);
    const auto [at, is_new] = index_.try_emplace(std::move(key), contents_.size());
    if (is_new) contents_.push_back({std::move(content), {}});
    operations_[record.id] = at->second;
  }
  void record(const capture::Launch& launch) override {
    if (launch.start == 0 || launch.end < launch.start) return;
    const auto& shape = shapes_[launch.shape];
    Row row{{file_, shape.device, launch.stream},
            launch.start,
            launch.end - launch.start,
            launch.part,
            kNone};
    if (const auto known = operations_.find(launch.operation); known != operations_.end()) {
      row.operation = known->second;
      auto& name = contents_[row.operation].kernel_name;
      if (name.empty()) name = demangle(texts_[shape.name]);
    }
    rows_.push_back(row);
  }

  /// Those that were used first.
  std::vector<ProfiledDevice> devices() const {
    auto devices = devices_;
    for (auto& device : devices)
      device.used = std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
        return std::get<1>(row.stream) == device.facts.ordinal;
      });
    std::stable_partition(devices.begin(), devices.end(),
                          [](const ProfiledDevice& device) { return device.used; });
    return devices;
  }
  std::uint64_t launches() const { return rows_.size(); }

  /// Executions in order, and the work of their operations.
  void take(std::vector<TracedExecution>& executions, std::vector<Kernel>& works) {
    std::vector<std::optional<std::size_t>> work_of;
    for (const auto& content : contents_) {
      auto kernel = map_operation(content.operation, content.kernel_name);
      work_of.push_back(kernel ? std::optional(works.size()) : std::nullopt);
      if (kernel) works.push_back(std::move(*kernel));
    }
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return std::tie(a.stream, a.start) < std::tie(b.stream, b.start);
    });
    std::map<Stream, std::size_t> numbers;
    const Row* before = nullptr;
    for (const auto& row : rows_) {
      const auto stream = numbers.try_emplace(row.stream, numbers.size()).first->second;
      const Seconds time(static_cast<double>(row.duration) / 1e9);
      const bool same = before && row.part > 0 && row.operation != kNone &&
                        before->operation == row.operation && before->stream == row.stream;
      if (same) {
        executions.back().time += time;
        executions.back().operation.reset();  // of several kernels: it is no single pass
      } else {
        executions.push_back(
            {stream, row.operation == kNone ? std::nullopt : work_of[row.operation], time});
      }
      before = &row;
    }
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  using Stream = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;  // file, device, stream
  struct Row {
    Stream stream;
    std::uint64_t start = 0, duration = 0, part = 0;
    std::size_t operation = kNone;
  };
  struct Content {
    Operation operation;
    std::string kernel_name;
  };
  /// Ids differ from file to file, texts do not.
  std::string operation_key(const std::vector<std::uint64_t>& numbers) {
    Operation content;
    unpack(
        numbers, [&](std::uint64_t id) -> const std::string& { return texts_[id]; }, content);
    std::string key;
    const auto put = [&](std::string_view text) {
      key += std::to_string(text.size()) + ':';
      key += text;
    };
    for (const auto number : pack(content, [&](std::string_view text) {
           put(text);
           return std::uint64_t{1};
         }))
      key += std::to_string(number) + ',';
    return key;
  }

  std::size_t file_ = 0;
  std::unordered_map<std::uint64_t, std::string> texts_;
  std::unordered_map<std::uint64_t, capture::Shape> shapes_;
  std::unordered_map<std::uint64_t, std::size_t> operations_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<Content> contents_;
  std::vector<Row> rows_;
  std::vector<ProfiledDevice> devices_;
};

Errors read_all(const std::vector<std::string>& inputs, LaunchOrder& order) {
  const auto sources = capture_sources(inputs, {});
  if (!sources) return sources.error();
  for (const auto& source : *sources) {
    auto file = CaptureFile::open(source);
    if (!file) return file.error();
    order.begin_file();
    if (const auto tally = file->read(order); !tally) return {tally.error()};
  }
  return {};
}

/// The GPU that is asked for, else the one of the files.
Checked<Gpu> gpu_for(const FuseArgs& args, const Settings& settings, const LaunchOrder& order) {
  const auto names = split_names(args.gpus);
  if (names.size() > 1)
    return tl::unexpected(Errors{{Code::contradiction,
                                  {},
                                  "a trace is held against one GPU: the one it was made on",
                                  "give one --gpu",
                                  {}}});
  if (!names.empty()) return find_gpu(names.front());
  auto found = gpu_of(order.devices(), false, meant_gpu(settings));
  if (!found) return tl::unexpected(std::move(found.error()));
  if (!found->gpu) return tl::unexpected(Errors{*found->unknown});
  return std::move(*found->gpu);
}

}  // namespace

int fuse_traces(const FuseArgs& args, const Frame& frame, const AnalyzeOptions& options,
                SmallFormat format) {
  LaunchOrder order;
  if (const auto errors = read_all(args.inputs, order); !errors.empty())
    return report_errors(errors, frame.style);
  const auto gpu = gpu_for(args, frame.settings, order);
  if (!gpu) return report_errors(gpu.error(), frame.style);
  const Ceilings ceilings(*gpu, options.ceilings);
  std::vector<TracedExecution> executions;
  TraceFusionReport report;
  order.take(executions, report.works);
  report.chains = fusible_chains(executions, report.works, ceilings);
  report.launches = order.launches();
  for (const auto& execution : executions) report.time += execution.time;
  report.ceilings = &ceilings;
  return write_report(frame, args.output, [&](Output& output, bool colour) -> Errors {
    const TextSink sink = [&](std::string_view text) { output.write(text); };
    if (format == SmallFormat::json)
      write_trace_fusion_json(sink, report);
    else
      write_trace_fusion_page(*small_page(format, sink, colour, frame.width, args.quiet), report,
                              args.verbose > 0);
    return {};
  });
}

}  // namespace roofline::cli
