#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace roofline::testing {

/// Tensor memory of an SM of 10.x and what tcgen05.mma does in it, by the PTX ISA ("TensorCore 5th
/// Generation Family Instructions"). What a kernel gets wrong is thrown as std::runtime_error.
class TensorMemory {
 public:
  /// Address of so many columns of 128 lanes, filled with NaN.
  std::uint32_t allocate(std::uint64_t columns);
  void give_back(std::uint64_t address, std::uint64_t columns);
  bool allocated() const { return columns_ > 0; }
  /// An address holds a lane in its upper and a column in its lower half.
  std::uint32_t& cell(std::uint64_t address, unsigned lane, unsigned column);

  struct Product {
    std::string name;  ///< "tcgen05.mma.cta_group::1.kind::f16"
    std::uint64_t sums = 0, a = 0, b = 0, instruction = 0;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> scales;  ///< of A, of B
    bool adds = false;
  };
  /// C = A B^T or C += A B^T, A and B^T by their descriptors in `shared`, which starts at
  /// `shared_address`.
  void multiply(const Product& product, std::span<const unsigned char> shared,
                std::uint64_t shared_address);

 private:
  static constexpr unsigned kLanes = 128, kColumns = 512;
  std::vector<std::uint32_t> cells_;
  unsigned first_ = 0, columns_ = 0;
};

}  // namespace roofline::testing
