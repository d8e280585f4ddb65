#include "profile/driver/session.hpp"

#include <fmt/format.h>

#include "roofline/quantities/units.hpp"

namespace roofline::cuda {

Result<void> check(const Api& api, Status status, std::string_view call) {
  if (status == 0) return {};
  return tl::unexpected(call_error(api, status, call));
}

Result<Session> Session::open(const Api& api, int ordinal) {
  Device device = 0;
  if (auto done =
          check(api, api.device_get(&device, ordinal), fmt::format("cuDeviceGet({})", ordinal));
      !done)
    return tl::unexpected(std::move(done.error()));
  Context context = nullptr;
  if (auto done = check(api, api.primary_context(&context, device), "cuDevicePrimaryCtxRetain");
      !done)
    return tl::unexpected(std::move(done.error()));
  Session session(api, device);
  if (auto done = check(api, api.set_context(context), "cuCtxSetCurrent"); !done)
    return tl::unexpected(std::move(done.error()));
  return session;
}

Session::~Session() {
  if (api_) api_->release_primary_context(device_);
}

Result<Memory> Memory::allocate(const Api& api, std::size_t bytes) {
  Address address = 0;
  const auto status = api.allocate(&address, bytes);
  if (status != 0)
    return tl::unexpected(call_error(
        api, status, fmt::format("cuMemAlloc of {}", format_bytes(static_cast<double>(bytes)))));
  return Memory(api, address, bytes);
}

Memory::~Memory() {
  if (api_) api_->free(address_);
}

Result<Stopwatch> Stopwatch::make(const Api& api) {
  Event start = nullptr, end = nullptr;
  if (auto done = check(api, api.create_event(&start, 0), "cuEventCreate"); !done)
    return tl::unexpected(std::move(done.error()));
  if (auto done = check(api, api.create_event(&end, 0), "cuEventCreate"); !done) {
    api.destroy_event(start);
    return tl::unexpected(std::move(done.error()));
  }
  return Stopwatch(api, start, end);
}

Stopwatch::~Stopwatch() {
  if (!api_) return;
  api_->destroy_event(start_);
  api_->destroy_event(end_);
}

Result<void> Stopwatch::start() {
  return check(*api_, api_->record_event(start_, nullptr), "cuEventRecord");
}
Result<void> Stopwatch::stop() {
  return check(*api_, api_->record_event(end_, nullptr), "cuEventRecord");
}

Result<double> Stopwatch::seconds() {
  // A kernel that failed is reported here, at the first wait after it.
  if (auto done = check(*api_, api_->synchronize_event(end_), "waiting for the kernel"); !done)
    return tl::unexpected(std::move(done.error()));
  float milliseconds = 0;
  if (auto done = check(*api_, api_->elapsed_ms(&milliseconds, start_, end_), "cuEventElapsedTime");
      !done)
    return tl::unexpected(std::move(done.error()));
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<LoadedModule> LoadedModule::load(const Api& api, const std::string& image) {
  constexpr int kErrorLog = 5, kErrorLogSize = 6;  // CU_JIT_ERROR_LOG_BUFFER and its size
  std::string log(8192, '\0');
  int keys[] = {kErrorLog, kErrorLogSize};
  void* values[] = {log.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(log.size()))};
  Module module = nullptr;
  const auto status = api.load_module_with(&module, image.c_str(), 2, keys, values);
  if (status == 0) return LoadedModule(api, module);
  auto error = call_error(api, status, "loading the module");
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  if (!log.empty()) error.note = "log of the driver's compiler:\n" + log;
  return tl::unexpected(std::move(error));
}

LoadedModule::~LoadedModule() {
  if (api_) api_->unload_module(module_);
}

Result<Function> LoadedModule::function(const std::string& name) const {
  Function function = nullptr;
  const auto status = api_->module_function(&function, module_, name.c_str());
  if (status != 0)
    return tl::unexpected(
        call_error(*api_, status, fmt::format("looking for the function \"{}\"", name)));
  return function;
}

}  // namespace roofline::cuda
