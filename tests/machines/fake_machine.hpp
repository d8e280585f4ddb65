#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "roofline/profile/machine_state.hpp"

/// Machines made of a folder of files and of libraries that answer what a test tells them to.
namespace roofline::profile::fake {

using Files = std::map<std::string, std::string>;  ///< "/proc/driver/nvidia/params" -> content

/// A folder that stands for a machine's root, gone at the end of the test.
class Root {
 public:
  explicit Root(const Files& files) {
    std::string name =
        (std::filesystem::temp_directory_path() / "roofline-machine-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
    for (const auto& [file, content] : files) add(file, content);
  }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  ~Root() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
  }
  HostView view(std::map<std::string, std::string> environment = {}) const {
    return {path_.string(), std::move(environment)};
  }

 private:
  void add(const std::string& file, const std::string& content) {
    const auto path = path_ / std::filesystem::path(file).relative_path();
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  std::filesystem::path path_;
};

/// What the driver answers: one GPU, an H100 SXM unless a test says otherwise.
struct Device {
  int init = 0, version = 13000, count = 1;
  std::string name = "NVIDIA H100 80GB HBM3";
  int major = 9, minor = 0, sms = 132, bus = 5120, l2 = 50 << 20, compute_mode = 0;
  int pci = 0x233010de;
  std::size_t memory = std::size_t{81079} << 20;
  int launch = 0;  ///< the status of every launch
};
inline Device device;  ///< asked by the functions below

inline cuda::Status init(unsigned) { return device.init; }
inline cuda::Status version(int* value) { return *value = device.version, 0; }
inline cuda::Status count(int* value) { return *value = device.count, 0; }
inline cuda::Status get(cuda::Device* value, int ordinal) { return *value = ordinal, 0; }
inline cuda::Status name(char* text, int size, cuda::Device) {
  return device.name.copy(text, static_cast<std::size_t>(size)), 0;
}
inline cuda::Status memory(std::size_t* bytes, cuda::Device) { return *bytes = device.memory, 0; }
inline cuda::Status attribute(int* value, int which, cuda::Device) {
  const std::map<int, int> values = {
      {16, device.sms},   {20, device.compute_mode}, {32, 1},
      {36, 2619000},      {37, device.bus},          {38, device.l2},
      {75, device.major}, {76, device.minor},        {139, device.pci}};
  const auto found = values.find(which);
  if (found == values.end()) return 1;
  return *value = found->second, 0;
}
inline cuda::Status unnamed(cuda::Status, const char** text) { return *text = nullptr, 1; }

inline cuda::Api driver() {
  cuda::Api api;
  api.path = "/usr/lib/libcuda.so.580.65.06";
  api.init = init;
  api.driver_version = version;
  api.device_count = count;
  api.device_get = get;
  api.device_name = name;
  api.device_memory = memory;
  api.device_attribute = attribute;
  api.error_name = unnamed;
  api.error_text = unnamed;
  return api;
}

}  // namespace roofline::profile::fake
