#include "kernel/ops/models.hpp"

#include <fmt/format.h>

namespace roofline::op_models {

const ValueList* list_of(const OpInput& input, std::string_view name) {
  const auto* value = input.find(name);
  return value ? std::get_if<ValueList>(&value->data) : nullptr;
}

Count count_of(const Value& value) {
  const auto* count = std::get_if<Count>(&value.data);
  return count ? *count : Count(0);
}

std::string_view text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  return text ? std::string_view(*text) : std::string_view();
}

const Value* field(const ValueMap& map, std::string_view name) {
  for (const auto& [known, value] : map)
    if (known == name) return &value;
  return nullptr;
}

namespace {
/// The product of sizes; empty as soon as one is 0, however large the others.
class Product {
 public:
  void times(Count size) {
    product_ *= size;
    empty_ = empty_ || size == Count(0);
  }
  Count value() const { return empty_ ? Count(0) : product_; }

 private:
  Count product_ = 1;
  bool empty_ = false;
};
}  // namespace

Count elements(const ValueList& shape) {
  Product product;
  for (const auto& size : shape) product.times(count_of(size));
  return product.value();
}

Count elements(std::span<const Count> shape) {
  Product product;
  for (const auto size : shape) product.times(size);
  return product.value();
}

Count elements(const OpInput& input, std::string_view name) {
  const auto* shape = list_of(input, name);
  return shape ? elements(*shape) : Count(1);
}

std::string shape_text(std::span<const Count> shape) {
  std::string text = "[";
  for (const auto size : shape) text += (text.size() > 1 ? ", " : "") + size.to_string();
  return text + "]";
}

std::string shape_text(const ValueList& shape) {
  std::vector<Count> sizes;
  for (const auto& size : shape) sizes.push_back(count_of(size));
  return shape_text(sizes);
}

tl::expected<Pipe, OpError> contraction_pipe(const OpInput& input, std::string_view a,
                                             std::string_view b) {
  const auto left = input.dtype(a), right = input.dtype(b);
  const auto pipe = matmul_pipe(left, right);
  if (pipe.kind != PipeKind::none) return pipe;
  const bool left_decides = describe(left).bits >= describe(right).bits;
  return refuse(left_decides ? a : b,
                fmt::format("no datapath multiplies matrices of {}",
                            describe(left_decides ? left : right).name),
                "matrix products take fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, int8, int4 or "
                "complex operands");
}

}  // namespace roofline::op_models
