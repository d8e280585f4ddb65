#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/mapping/description.hpp"

namespace roofline::mapping {

/// Work that is no operation of ours: what crosses DRAM, and the arithmetic, as an entry `generic`.
class OwnWork {
 public:
  OwnWork& read(std::string_view name, const Sizes& shape, std::string_view dtype);
  OwnWork& write(std::string_view name, const Sizes& shape, std::string_view dtype);

  /// On the vector units; `sfu`: exponentials, roots and their like.
  Description vector(std::uint64_t flops, std::uint64_t sfu = 0) const;
  /// Products: `flops` is an expression, `dtype` that of the multiplication.
  Description matmul(std::string flops, std::string_view dtype) const;

 private:
  Description described() const;
  OwnWork& tensor(std::string_view name, const Sizes& shape, std::string_view dtype,
                  std::string_view access);
  std::string tensors_;
};

}  // namespace roofline::mapping
