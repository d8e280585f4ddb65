#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace roofline {

/// Finds the call that enqueued a kernel by the id that both records carry, whichever is read
/// first, in bounded memory: the last kSlots ids or so are remembered. Calls nested in one another
/// (runtime and driver) share an id: the longest counts, being the outer one.
template <class Waiting>
class CorrelationJoin {
 public:
  static constexpr std::size_t kSlots = std::size_t{1} << 18;
  struct Call {
    std::uint64_t start = 0, duration = 0, thread = 0;
  };

  /// The kernel that waits for this call, if one does.
  std::optional<Waiting> call(std::uint64_t id, const Call& call) {
    auto& waiting = kernels_[id % kSlots];
    if (waiting.id == id && id != 0) {
      waiting.id = 0;
      return waiting.kernel;
    }
    auto& slot = calls_[id % kSlots];
    if (slot.id != id || slot.call.duration < call.duration) slot = {id, call};
    return std::nullopt;
  }

  /// The call that enqueued this kernel, if it was read already; else the kernel waits for it.
  std::optional<Call> kernel(std::uint64_t id, const Waiting& kernel) {
    const auto& slot = calls_[id % kSlots];
    if (slot.id == id && id != 0) return slot.call;
    kernels_[id % kSlots] = {id, kernel};
    return std::nullopt;
  }

 private:
  struct CallSlot {
    std::uint64_t id = 0;
    Call call;
  };
  struct KernelSlot {
    std::uint64_t id = 0;
    Waiting kernel{};
  };
  std::vector<CallSlot> calls_ = std::vector<CallSlot>(kSlots);
  std::vector<KernelSlot> kernels_ = std::vector<KernelSlot>(kSlots);
};

}  // namespace roofline
