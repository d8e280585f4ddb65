#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace roofline {

/// Which kernel of the table a launch of one file is of, by the ids of its shape and operation.
class LaunchedKernels {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t kernel = kNone;
    std::uint64_t device = 0;
  };
  void set(std::uint64_t shape, Slot slot);
  void set(std::uint64_t shape, std::uint64_t operation, std::uint32_t kernel);
  const Slot* shape(std::uint64_t id) const;  ///< nullptr: the file does not name it
  std::uint32_t of(std::uint64_t shape, std::uint64_t operation) const;  ///< kNone: not known
  const std::vector<Slot>& shapes() const { return shapes_; }

 private:
  std::vector<Slot> shapes_;                                   // by id
  std::unordered_map<std::uint64_t, std::uint32_t> variants_;  // by both ids
};

}  // namespace roofline
