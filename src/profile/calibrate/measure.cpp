#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "profile/calibrate/buffers.hpp"
#include "profile/driver/session.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::profile {
namespace {

constexpr int kMostSettling = 20'000;  // samples; a simulated GPU does not get through a second
constexpr unsigned kStreamLaunches = 2000, kGraphNodes = 1000;
constexpr std::size_t kCopied = std::size_t{256} << 20;

using Step = std::function<Result<void>()>;

/// Pinned memory of the host.
class PinnedMemory {
 public:
  static Result<PinnedMemory> allocate(const cuda::Api& api, std::size_t bytes) {
    void* address = nullptr;
    const auto status = api.allocate_host(&address, bytes);
    if (auto done = cuda::check(api, status, "cuMemAllocHost"); !done)
      return tl::unexpected(std::move(done.error()));
    return PinnedMemory(api, address);
  }
  PinnedMemory(PinnedMemory&& other) noexcept
      : api_(std::exchange(other.api_, nullptr)), address_(other.address_) {}
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory() {
    if (api_) api_->free_host(address_);
  }
  void* data() const { return address_; }

 private:
  PinnedMemory(const cuda::Api& api, void* address) : api_(&api), address_(address) {}
  const cuda::Api* api_;
  void* address_;
};

Result<void> fill(const cuda::Api& api, const cuda::Memory& memory,
                  const std::vector<unsigned char>& block) {
  for (std::size_t at = 0; at < memory.bytes(); at += block.size()) {
    const auto part = std::min(block.size(), memory.bytes() - at);
    const auto status = api.copy_to_device(memory.address() + at, block.data(), part);
    if (auto done = cuda::check(api, status, "cuMemcpyHtoD"); !done) return done;
  }
  return {};
}

/// Works for a while, then takes two rounds of samples of `step`.
Result<void> take_samples(const cuda::Api& api, const CalibrationPace& pace, const Step& step,
                          CeilingMeasurement& result) {
  auto watch = cuda::Stopwatch::make(api);
  if (!watch) return tl::unexpected(std::move(watch.error()));
  const auto sample = [&]() -> Result<double> {
    if (auto done = watch->start(); !done) return tl::unexpected(std::move(done.error()));
    if (auto done = step(); !done) return tl::unexpected(std::move(done.error()));
    if (auto done = watch->stop(); !done) return tl::unexpected(std::move(done.error()));
    return watch->seconds();
  };
  double settled = 0;
  for (int i = 0; i < 3 || (settled < pace.settle_s && i < kMostSettling); ++i) {
    const auto seconds = sample();
    if (!seconds) return tl::unexpected(seconds.error());
    settled += *seconds;
  }
  for (int i = 0; i < 2 * pace.samples; ++i) {
    const auto seconds = sample();
    if (!seconds) return tl::unexpected(seconds.error());
    result.seconds.push_back(*seconds);
  }
  return {};
}

Result<cuda::LoadedModule> load(const cuda::Api& api, const CeilingRow& row, int capability) {
  return cuda::LoadedModule::load(api, ceiling_code(row.test, capability));
}

Result<void> run_kernel(const cuda::Api& api, const CeilingRow& row, const cuda::DeviceInfo& device,
                        const CalibrationPace& pace, CeilingMeasurement& result) {
  const int capability = 10 * device.capability_major + device.capability_minor;
  const auto module = load(api, row, capability);
  if (!module) return tl::unexpected(module.error());
  const auto function = module->function(kernel_name(row));
  if (!function) return tl::unexpected(function.error());
  std::size_t free_bytes = 0, total = 0;
  if (auto done = cuda::check(api, api.memory_info(&free_bytes, &total), "cuMemGetInfo"); !done)
    return done;
  const auto data = test_data(row, device, free_bytes);
  if (data.input_bytes + data.output_bytes > free_bytes)
    return fail(Code::out_of_range, {},
                fmt::format("{} takes {} of memory, and {} are free on this GPU", row.test.name,
                            format_bytes(static_cast<double>(data.input_bytes + data.output_bytes)),
                            format_bytes(static_cast<double>(free_bytes))),
                "end what else uses the GPU");
  const auto input = cuda::Memory::allocate(api, data.input_bytes),
             output = cuda::Memory::allocate(api, data.output_bytes);
  if (!input) return tl::unexpected(input.error());
  if (!output) return tl::unexpected(output.error());
  if (auto done = fill(api, *input, data.input); !done) return done;

  cuda::Address from = input->address(), to = output->address();
  auto count = data.count;
  auto iterations = data.iterations;
  void* arguments[] = {&from, &to, &count, &iterations};
  result.work = data.work;
  const Step launch = [&] {
    return cuda::check(
        api,
        api.launch(*function, data.blocks, 1, 1, row.threads, 1, 1, 0, nullptr, arguments, nullptr),
        "cuLaunchKernel");
  };
  if (auto done = take_samples(api, pace, launch, result); !done) return done;
  if (device.simulated) return {};  // nothing was executed, so nothing was written
  std::vector<unsigned char> seen(checked_bytes(row, data));
  if (auto done = cuda::check(
          api, api.copy_from_device(seen.data(), output->address(), seen.size()), "cuMemcpyDtoH");
      !done)
    return done;
  result.fault = output_fault(row, data, seen);
  result.verified = result.fault.empty();
  return {};
}

Result<void> run_launches(const cuda::Api& api, const CeilingRow& row,
                          const cuda::DeviceInfo& device, const CalibrationPace& pace,
                          CeilingMeasurement& result) {
  const auto module = load(api, row, 10 * device.capability_major + device.capability_minor);
  if (!module) return tl::unexpected(module.error());
  const auto function = module->function(kernel_name(row));
  if (!function) return tl::unexpected(function.error());
  cuda::Address none = 0;
  std::uint64_t count = 0;
  unsigned iterations = 0;
  void* arguments[] = {&none, &none, &count, &iterations};
  const auto enqueue = [&](cuda::Stream stream, unsigned launches) -> Result<void> {
    for (unsigned i = 0; i < launches; ++i) {
      const auto status =
          api.launch(*function, 1, 1, 1, row.threads, 1, 1, 0, stream, arguments, nullptr);
      if (status != 0) return tl::unexpected(cuda::call_error(api, status, "cuLaunchKernel"));
    }
    return {};
  };
  result.work = row.method == Method::stream_launch ? kStreamLaunches : kGraphNodes;
  if (row.method == Method::stream_launch)
    return take_samples(
        api, pace, [&] { return enqueue(nullptr, kStreamLaunches); }, result);

  if (!api.begin_capture || !api.end_capture || !api.instantiate_graph || !api.launch_graph ||
      !api.destroy_graph || !api.destroy_graph_exec)
    return fail(Code::driver_failed, {}, "this driver has no graphs that can be captured");
  cuda::Stream stream = nullptr;
  if (auto done = cuda::check(api, api.create_stream(&stream, 1), "cuStreamCreate"); !done)
    return done;
  cuda::Graph graph = nullptr;
  cuda::GraphExec exec = nullptr;
  Result<void> done = cuda::check(api, api.begin_capture(stream, 0), "cuStreamBeginCapture");
  if (done) {
    done = enqueue(stream, kGraphNodes);
    // Also after a failed launch: a stream must not stay in capture.
    const auto ended = cuda::check(api, api.end_capture(stream, &graph), "cuStreamEndCapture");
    if (done) done = ended;
  }
  if (done) done = cuda::check(api, api.instantiate_graph(&exec, graph, 0), "cuGraphInstantiate");
  if (done)
    done = take_samples(
        api, pace,
        [&] { return cuda::check(api, api.launch_graph(exec, nullptr), "cuGraphLaunch"); }, result);
  if (exec) api.destroy_graph_exec(exec);
  if (graph) api.destroy_graph(graph);
  api.destroy_stream(stream);
  return done;
}

Result<void> run_copies(const cuda::Api& api, const CeilingRow& row, const CalibrationPace& pace,
                        CeilingMeasurement& result) {
  const auto memory = cuda::Memory::allocate(api, kCopied);
  if (!memory) return tl::unexpected(memory.error());
  const auto host = PinnedMemory::allocate(api, kCopied);
  if (!host) return tl::unexpected(host.error());
  result.work = static_cast<double>(kCopied);
  const bool in = row.method == Method::copy_to_device;
  // A second of settling is for clocks and power, which a copy hardly moves.
  const CalibrationPace short_pace{std::min(pace.settle_s, 0.1), pace.samples};
  return take_samples(
      api, short_pace,
      [&] {
        return in ? cuda::check(
                        api,
                        api.copy_to_device_async(memory->address(), host->data(), kCopied, nullptr),
                        "cuMemcpyHtoDAsync")
                  : cuda::check(api,
                                api.copy_from_device_async(host->data(), memory->address(), kCopied,
                                                           nullptr),
                                "cuMemcpyDtoHAsync");
      },
      result);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace

double CeilingMeasurement::median_s() const { return median(seconds); }

double CeilingMeasurement::value(const CeilingTest& test) const {
  const double time = median_s();
  if (test.is_time()) return work > 0 ? time / work : 0;
  return time > 0 ? work / time : 0;
}

double CeilingMeasurement::spread() const {
  auto sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const double middle = median_s();
  if (sorted.size() < 4 || middle <= 0) return 0;
  return (sorted[3 * sorted.size() / 4] - sorted[sorted.size() / 4]) / middle;
}

double CeilingMeasurement::rounds_differ() const {
  const auto half = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  const double a = median({seconds.begin(), half}), b = median({half, seconds.end()});
  return std::min(a, b) > 0 ? std::max(a, b) / std::min(a, b) - 1 : 0;
}

Result<CeilingMeasurement> measure_ceiling(const cuda::Api& api, const cuda::DeviceInfo& device,
                                           const CeilingTest& test, const CalibrationPace& pace) {
  const auto& row = row_of(test);
  CeilingMeasurement result;
  GpuWatch watch;  // before our own context: it counts who uses the GPU already
  const auto session = cuda::Session::open(api, device.ordinal);
  if (!session) return tl::unexpected(session.error());
  Result<void> done;
  switch (row.method) {
    case Method::stream_launch:
    case Method::graph_launch: done = run_launches(api, row, device, pace, result); break;
    case Method::copy_to_device:
    case Method::copy_to_host: done = run_copies(api, row, pace, result); break;
    default: done = run_kernel(api, row, device, pace, result); break;
  }
  result.load = watch.stop(device.uuid);
  if (!done) return tl::unexpected(std::move(done.error()));
  return result;
}

}  // namespace roofline::profile
