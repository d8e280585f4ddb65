#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// SIMULATED CUPTI: what its range profiler and its sampler share.
namespace roofline::sim {

/// A counter data image: which kernels its ranges were, or which times its samples.
class CounterImage {
 public:
  struct Entry {
    char name[256];
    std::uint64_t start, end;
  };
  static std::size_t bytes(std::size_t entries) { return sizeof(Head) + entries * sizeof(Entry); }

  explicit CounterImage(std::uint8_t* bytes) : head_(reinterpret_cast<Head*>(bytes)) {}
  void initialize(std::size_t size) {
    std::memcpy(head_->mark, kMark, sizeof kMark);
    head_->used = 0;
    head_->room = static_cast<std::uint32_t>((size - sizeof(Head)) / sizeof(Entry));
  }
  bool valid() const { return std::memcmp(head_->mark, kMark, sizeof kMark) == 0; }
  std::size_t size() const { return head_->used; }
  /// False: full.
  bool add(std::string_view name, std::uint64_t start = 0, std::uint64_t end = 0) {
    if (head_->used == head_->room) return false;
    Entry& entry = entries()[head_->used++];
    const auto length = name.copy(entry.name, sizeof entry.name - 1);
    entry.name[length] = '\0';
    entry.start = start;
    entry.end = end;
    return true;
  }
  const char* name(std::size_t i) const { return entries()[i].name; }
  const Entry& entry(std::size_t i) const { return entries()[i]; }

 private:
  static constexpr char kMark[8] = {'S', 'I', 'M', 'U', 'L', 'A', 'T', 'E'};
  struct Head {
    char mark[8];
    std::uint32_t used, room;
  };
  Entry* entries() const { return reinterpret_cast<Entry*>(head_ + 1); }
  Head* head_;
};

/// What SIMCUPTI_COUNTERS says of a kernel's metric: lines `kernel metric value`, `*` for any
/// kernel. NaN: nothing.
double simulated_value(std::string_view kernel, std::string_view metric);

/// A kernel ran: a range, while its context is profiled.
void count_launch(const char* name, std::uint32_t context);

/// The real library crashes when a target call is made after its start failed; so do we.
void must_be_initialised();

}  // namespace roofline::sim
