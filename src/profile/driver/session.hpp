#pragma once

#include <cstddef>
#include <utility>

#include "roofline/profile/cuda_api.hpp"

/// What is taken from the driver and given back at the end of a scope. Each is made by a function
/// that says why not.
namespace roofline::cuda {

/// The primary context of a device, current on this thread.
class Session {
 public:
  static Result<Session> open(const Api& api, int ordinal);
  Session(Session&& other) noexcept
      : api_(std::exchange(other.api_, nullptr)), device_(other.device_) {}
  Session& operator=(Session&&) = delete;
  ~Session();
  Device device() const { return device_; }

 private:
  Session(const Api& api, Device device) : api_(&api), device_(device) {}
  const Api* api_;
  Device device_;
};

/// Memory of the device.
class Memory {
 public:
  static Result<Memory> allocate(const Api& api, std::size_t bytes);
  Memory(Memory&& other) noexcept
      : api_(std::exchange(other.api_, nullptr)), address_(other.address_), bytes_(other.bytes_) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory();
  Address address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Memory(const Api& api, Address address, std::size_t bytes)
      : api_(&api), address_(address), bytes_(bytes) {}
  const Api* api_;
  Address address_;
  std::size_t bytes_;
};

/// Two events around work on the default stream.
class Stopwatch {
 public:
  static Result<Stopwatch> make(const Api& api);
  Stopwatch(Stopwatch&& other) noexcept
      : api_(std::exchange(other.api_, nullptr)), start_(other.start_), end_(other.end_) {}
  Stopwatch& operator=(Stopwatch&&) = delete;
  ~Stopwatch();
  Result<void> start();
  Result<void> stop();
  Result<double> seconds();  ///< waits for the end

 private:
  Stopwatch(const Api& api, Event start, Event end) : api_(&api), start_(start), end_(end) {}
  const Api* api_;
  Event start_, end_;
};

class LoadedModule {
 public:
  /// `image`: PTX (NUL-terminated) or a cubin. The log of the driver's compiler is the note of an
  /// error.
  static Result<LoadedModule> load(const Api& api, const std::string& image);
  LoadedModule(LoadedModule&& other) noexcept
      : api_(std::exchange(other.api_, nullptr)), module_(other.module_) {}
  LoadedModule& operator=(LoadedModule&&) = delete;
  ~LoadedModule();
  Result<Function> function(const std::string& name) const;

 private:
  LoadedModule(const Api& api, Module module) : api_(&api), module_(module) {}
  const Api* api_;
  Module module_;
};

/// The answer of a call as a Result: "cuMemAlloc of 3 GB failed: CUDA_ERROR_OUT_OF_MEMORY (2):
/// ...".
Result<void> check(const Api& api, Status status, std::string_view call);

}  // namespace roofline::cuda
