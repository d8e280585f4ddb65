#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ingest/mapping/description.hpp"

namespace roofline::mapping {

/// The arguments of a PyTorch operator as the profiler records them: "Input Dims", "Input type",
/// "Input Strides", "Concrete Inputs".
class Arguments {
 public:
  Arguments(const Operation& operation, std::string_view kernel_name)
      : operation_(operation), kernel_name_(kernel_name) {}

  std::size_t size() const { return operation_.operands.size(); }
  bool is_tensor(std::size_t i) const;  ///< of rank 1 or more
  const Sizes& shape(std::size_t i) const;
  std::size_t rank(std::size_t i) const { return shape(i).size(); }
  std::uint64_t elements(std::size_t i) const;
  /// The shape with the axes that were expanded (stride 0) at size 1: what is in memory.
  Sizes stored_shape(std::size_t i) const;
  bool strides_known(std::size_t i) const;
  /// The dtype in our names ("bf16"); nullopt: not told, or not a tensor's.
  std::optional<std::string_view> dtype(std::size_t i) const;
  /// The dtype of a matrix product's operand: FP32 that the kernel's name shows on tensor cores is
  /// "tf32".
  std::optional<std::string_view> matrix_dtype(std::size_t i) const;

  bool told(std::size_t i) const;  ///< the value of a scalar or a list was recorded
  std::string_view value(std::size_t i) const;
  bool truth(std::size_t i) const { return value(i) == "True" || value(i) == "true"; }
  std::optional<Sizes> list(std::size_t i) const;  ///< "[2, 2]"; nullopt: none, or negative
  std::optional<std::vector<Sizes>> lists(std::size_t i) const;  ///< "[[2, 3], [4]]"
  std::optional<long long> whole(std::size_t i) const;
  std::string_view kernel_name() const { return kernel_name_; }

 private:
  const Operand* at(std::size_t i) const {
    return i < operation_.operands.size() ? &operation_.operands[i] : nullptr;
  }
  const Operation& operation_;
  std::string_view kernel_name_;
};

/// FP32 of a matrix product whose kernel's name shows it on tensor cores is "tf32"; other types are
/// as they are.
std::string_view matrix_dtype_of(std::string_view dtype, std::string_view kernel_name);

/// Product of sizes; saturates.
std::uint64_t product(const Sizes& sizes, std::size_t from = 0);
std::uint64_t product(const Sizes& sizes, std::size_t from, std::size_t to);
/// The shape of a broadcast result; nullopt: they do not broadcast.
std::optional<Sizes> broadcast(const Sizes& a, const Sizes& b);
/// A framework's name of a type ("c10::BFloat16", "float", "bf16", "BFLOAT16") in ours.
std::optional<std::string_view> dtype_name(std::string_view foreign);
/// The type of a result of two operands by PyTorch's promotion, for the types that occur.
std::string_view promoted(std::string_view a, std::string_view b);

}  // namespace roofline::mapping
