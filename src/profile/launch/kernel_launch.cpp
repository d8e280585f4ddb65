#include "roofline/profile/kernel_launch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profile/driver/session.hpp"
#include "profile/launch/l2_flush.hpp"
#include "profile/launch/tensors.hpp"

namespace roofline::profile {
namespace {

constexpr std::size_t kMostParameters = 1000;
constexpr int kDefaultSharedLimit = 48 << 10;  // beyond it a kernel must ask

/// The arguments of a launch: their bytes, and pointers to them as the driver wants.
class Arguments {
 public:
  Arguments(const LaunchRecipe& recipe, const DeviceTensors& tensors) {
    for (const auto& argument : recipe.arguments)
      values_.push_back(argument_bytes(argument, tensors.address(argument.tensor)));
    for (auto& value : values_) pointers_.push_back(value.bytes);
  }
  Arguments(const Arguments&) = delete;  // the pointers are those of its own bytes
  Arguments& operator=(const Arguments&) = delete;
  Arguments(Arguments&&) noexcept = default;
  Arguments& operator=(Arguments&&) = delete;
  void** data() { return pointers_.data(); }
  const std::vector<ArgumentBytes>& values() const { return values_; }

 private:
  std::vector<ArgumentBytes> values_;
  std::vector<void*> pointers_;
};

/// The sizes of the kernel's parameters, where the driver tells (since CUDA 12.4).
std::vector<std::size_t> parameter_sizes(const cuda::Api& api, cuda::Function function) {
  std::vector<std::size_t> sizes;
  if (!api.parameter_info) return sizes;
  std::size_t offset = 0, size = 0;
  while (sizes.size() < kMostParameters &&
         api.parameter_info(function, sizes.size(), &offset, &size) == 0)
    sizes.push_back(size);
  return sizes;
}

/// Too few arguments, or one of the wrong size, would make the driver read whatever stands behind
/// them.
Result<void> check_parameters(const cuda::Api& api, cuda::Function function,
                              const std::string& name, const LaunchRecipe& recipe,
                              const std::vector<ArgumentBytes>& given) {
  const auto sizes = parameter_sizes(api, function);
  if (sizes.empty()) return {};
  if (sizes.size() != given.size())
    return fail(
        Code::operands_disagree, {},
        fmt::format("{} takes {} arguments, and args has {}", name, sizes.size(), given.size()),
        "args: lists them in the order of the kernel's parameters");
  for (std::size_t i = 0; i < given.size(); ++i)
    if (sizes[i] != given[i].size)
      return fail(
          Code::operands_disagree, {},
          fmt::format("parameter {} of {} has {} bytes, and its argument ({}) has {}", i + 1, name,
                      sizes[i], argument_type_name(recipe.arguments[i].type), given[i].size),
          "name the type: {i64: N}, {f64: 2.0}, {bf16: 0.5}");
  return {};
}

Result<void> allow_shared(const cuda::Api& api, cuda::Function function,
                          const LaunchRecipe& recipe) {
  const auto bytes = static_cast<int>(recipe.shared_bytes.to_int64());
  if (bytes <= kDefaultSharedLimit) return {};
  const auto status = api.set_function_attribute(
      function, static_cast<int>(cuda::FunctionAttribute::max_dynamic_shared_bytes), bytes);
  return cuda::check(api, status, fmt::format("asking for {} bytes of shared memory", bytes));
}

int attribute(const cuda::Api& api, cuda::Function function, cuda::FunctionAttribute which) {
  int value = 0;
  return api.function_attribute(&value, static_cast<int>(which), function) == 0 ? value : 0;
}

/// One launch, and everything that repeats it.
class Launcher {
 public:
  Launcher(const cuda::Api& api, cuda::Function function, const LaunchRecipe& recipe,
           Arguments arguments, const L2Flush* flush)
      : api_(api),
        function_(function),
        recipe_(recipe),
        arguments_(std::move(arguments)),
        flush_(flush) {}

  Result<void> launch() {
    const auto& r = recipe_;
    const auto size = [](Count value) { return static_cast<unsigned>(value.to_int64()); };
    return cuda::check(api_,
                       api_.launch(function_, size(r.grid[0]), size(r.grid[1]), size(r.grid[2]),
                                   size(r.block[0]), size(r.block[1]), size(r.block[2]),
                                   size(r.shared_bytes), nullptr, arguments_.data(), nullptr),
                       "cuLaunchKernel");
  }

  Result<void> warm_up() {
    for (Count i = 0; i < recipe_.warmups; i += 1)
      if (auto done = launch(); !done) return done;
    return cuda::check(api_, api_.synchronize(), "the first launches");
  }

  Result<std::vector<double>> repeat() {
    auto watch = cuda::Stopwatch::make(api_);
    if (!watch) return tl::unexpected(std::move(watch.error()));
    std::vector<double> seconds;
    for (Count i = 0; i < recipe_.repeats; i += 1) {
      auto one = time_one(*watch);
      if (!one) return tl::unexpected(std::move(one.error()));
      seconds.push_back(*one);
    }
    return seconds;
  }

 private:
  Result<double> time_one(cuda::Stopwatch& watch) {
    if (flush_)
      if (auto done = flush_->run(); !done) return tl::unexpected(std::move(done.error()));
    if (auto done = watch.start(); !done) return tl::unexpected(std::move(done.error()));
    if (auto done = launch(); !done) return tl::unexpected(std::move(done.error()));
    if (auto done = watch.stop(); !done) return tl::unexpected(std::move(done.error()));
    return watch.seconds();
  }

  const cuda::Api& api_;
  cuda::Function function_;
  const LaunchRecipe& recipe_;
  Arguments arguments_;
  const L2Flush* flush_;
};

Result<cuda::DeviceInfo> choose_device(const cuda::Api& api, int ordinal) {
  auto devices = cuda::list_devices(api);
  if (!devices) return tl::unexpected(std::move(devices.error()));
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices->size())
    return fail(Code::no_device, {},
                fmt::format("there is no GPU {}: this process sees {}", ordinal, devices->size()),
                "roofline gpus detect lists them");
  return (*devices)[static_cast<std::size_t>(ordinal)];
}

int driver_major(const cuda::Api& api) {
  int version = 0;
  return api.driver_version(&version) == 0 ? version / 1000 : 0;
}

Result<LaunchOutcome> run(const cuda::Api& api, const LaunchJob& job, LaunchOutcome outcome,
                          const LaunchImage& image) {
  auto module = cuda::LoadedModule::load(api, image.bytes);
  if (!module) return tl::unexpected(std::move(module.error()));
  const auto function = module->function(image.function);
  if (!function) return tl::unexpected(function.error());
  outcome.registers = attribute(api, *function, cuda::FunctionAttribute::registers);
  outcome.local_bytes = attribute(api, *function, cuda::FunctionAttribute::local_bytes);
  outcome.static_shared_bytes = attribute(api, *function, cuda::FunctionAttribute::shared_bytes);

  const auto tensors = DeviceTensors::make(api, job);
  if (!tensors) return tl::unexpected(tensors.error());
  outcome.allocated_bytes = tensors->bytes();
  Arguments arguments(job.recipe, *tensors);
  if (auto fits =
          check_parameters(api, *function, job.recipe.entry, job.recipe, arguments.values());
      !fits)
    return tl::unexpected(std::move(fits.error()));
  if (auto allowed = allow_shared(api, *function, job.recipe); !allowed)
    return tl::unexpected(std::move(allowed.error()));

  std::optional<L2Flush> flush;
  if (job.recipe.cold) {
    auto made = L2Flush::make(api, outcome.device);
    if (!made) return tl::unexpected(std::move(made.error()));
    outcome.flushed_bytes = made->bytes();
    flush.emplace(std::move(*made));
  }
  Launcher launcher(api, *function, job.recipe, std::move(arguments), flush ? &*flush : nullptr);
  if (auto warm = launcher.warm_up(); !warm) return tl::unexpected(std::move(warm.error()));
  auto seconds = launcher.repeat();
  if (!seconds) return tl::unexpected(std::move(seconds.error()));
  outcome.seconds = std::move(*seconds);
  auto written = tensors->written(api);
  if (!written) return tl::unexpected(std::move(written.error()));
  outcome.written = std::move(*written);
  return outcome;
}

}  // namespace

Result<LaunchOutcome> launch_kernel(const cuda::Api& api, const LaunchJob& job) {
  if (const auto status = api.init(0); status != 0)
    return tl::unexpected(cuda::init_error(api, status));
  const auto device = choose_device(api, job.device);
  if (!device) return tl::unexpected(device.error());
  const int capability = 10 * device->capability_major + device->capability_minor;
  const auto image = load_image(job, capability, driver_major(api));
  if (!image) return tl::unexpected(image.error());
  LaunchOutcome outcome;
  outcome.device = *device;
  outcome.function = image->function;
  outcome.compile_log = image->log;
  const auto session = cuda::Session::open(api, job.device);
  if (!session) return tl::unexpected(session.error());
  return run(api, job, std::move(outcome), *image);
}

}  // namespace roofline::profile
