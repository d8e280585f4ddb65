#include "profile/plugin/kernel_codes.hpp"

#include <functional>

#include "roofline/kernel/machine_code.hpp"

namespace roofline::profile::plugin {
namespace {

std::uint64_t key_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

capture::Code code_of(const machine_code::Image& image, const machine_code::Function& function) {
  capture::Code code;
  code.sm = image.sm;
  code.tensor_types = function.tensor;
  code.hash = function.hash;
  code.registers = function.registers;
  code.local_bytes = function.local_bytes;
  code.spill_bytes = function.spills_known ? function.spill_bytes() : 0;
  code.static_shared_bytes = function.static_shared_bytes;
  return code;
}

}  // namespace

std::size_t KernelCodes::add_module(std::string_view cubin) {
  if (!machine_code::is_cubin(cubin)) return 0;
  const auto image = machine_code::read_cubin(cubin);
  std::size_t without_room = 0;
  const std::lock_guard lock(mutex_);
  for (const auto& function : image.functions) {
    if (!function.entry) continue;
    if (by_name_.size() >= kMost && !by_name_.contains(key_of(function.name)))
      ++without_room;
    else
      by_name_.insert_or_assign(key_of(function.name), code_of(image, function));
  }
  return without_room;
}

std::optional<capture::Code> KernelCodes::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(key_of(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

}  // namespace roofline::profile::plugin
