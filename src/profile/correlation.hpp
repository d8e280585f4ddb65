#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>

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
    auto& waiting = kernels_.of(id);
    if (waiting.id == id && id != 0) {
      waiting.id = 0;
      return waiting.kernel;
    }
    auto& slot = calls_.of(id);
    if (slot.id != id || slot.call.duration < call.duration) slot = {id, call};
    return std::nullopt;
  }

  /// The call that enqueued this kernel, if it was read already; else the kernel waits for it.
  std::optional<Call> kernel(std::uint64_t id, const Waiting& kernel) {
    const auto& slot = calls_.of(id);
    if (slot.id == id && id != 0) return slot.call;
    kernels_.of(id) = {id, kernel};
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
  /// Zeroed by the system page by page, when an id first comes to it: to write all of 8 MB would
  /// take longer than to read a small trace. What a slot of id 0 holds is not looked at.
  template <class Slot>
  class Slots {
   public:
    static_assert(std::is_aggregate_v<Slot> && std::is_trivially_copyable_v<Slot>);
    Slots() {
      if (!slots_) throw std::bad_alloc();
    }
    Slot& of(std::uint64_t id) { return slots_[id % kSlots]; }

   private:
    struct Free {
      void operator()(Slot* slots) const { std::free(slots); }
    };
    std::unique_ptr<Slot[], Free> slots_{static_cast<Slot*>(std::calloc(kSlots, sizeof(Slot)))};
  };
  Slots<CallSlot> calls_;
  Slots<KernelSlot> kernels_;
};

}  // namespace roofline
