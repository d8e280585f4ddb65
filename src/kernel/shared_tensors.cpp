#include "kernel/shared_tensors.hpp"

#include <algorithm>

#include "kernel/quoted.hpp"
#include "roofline/kernel/tensor.hpp"

namespace roofline {

std::optional<DType> read_dtype(Reading& reading, const YamlNode& node) {
  if (!node.is_scalar()) {
    reading.report_kind(node, "a dtype", "a name", "for example bf16");
    return std::nullopt;
  }
  if (const auto dtype = find_dtype(node.text)) return dtype;
  std::string near = did_you_mean(node.text, dtype_names());
  reading.report(Code::unknown_dtype, node, "unknown dtype " + quoted(node.text),
                 near.empty() ? "fp64, fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8 and others"
                              : std::move(near));
  return std::nullopt;
}

void SharedTensors::read(Reading& reading, const YamlNode* node, const Scope& scope,
                         std::optional<DType> dtype) {
  if (node == nullptr || node->is_null()) return;
  if (!node->is_map())
    return reading.report_kind(*node, "tensors", "a map of names",
                               "tensors: {x: {shape: [8192, 8192], dtype: bf16}}");
  for (std::size_t i = 0; i < node->keys.size() && !reading.has_enough(); ++i)
    read_tensor(reading, node->keys[i], node->items[i], scope, dtype);
}

void SharedTensors::read_tensor(Reading& reading, const YamlNode& key, const YamlNode& node,
                                const Scope& scope, std::optional<DType> dtype) {
  Declared tensor;
  tensor.name = key.text;
  tensor.size_name = "a size of " + key.text;
  tensor.line = key.line;
  tensor.column = key.column;
  YamlMap map(reading.document(), node, "tensor " + quoted(key.text), reading.errors());
  const auto* shape = map.need("shape");
  if (const auto* own = map.find("dtype"))
    dtype = read_dtype(reading, *own);
  else if (map.ok() && !dtype)
    reading.report(Code::missing_key, key, "tensor " + quoted(key.text) + " needs a dtype",
                   "write dtype: bf16, or defaults: {dtype: bf16}");
  if (const auto* flag = map.find("intermediate"))
    tensor.intermediate =
        read_flag(reading.document(), *flag, "intermediate", reading.errors()).value_or(false);
  for (const auto* text : {"note", "description"}) map.find(text);
  map.close();
  tensor.dtype = dtype.value_or(DType::fp32);
  const std::span<const YamlNode> sizes = shape == nullptr ? std::span<const YamlNode>()
                                          : shape->is_list()
                                              ? std::span<const YamlNode>(shape->items)
                                              : std::span<const YamlNode>(shape, 1);
  for (const auto& size : sizes)
    if (auto expression = read_expression(reading, size, tensor.size_name, scope)) {
      tensor.varies = tensor.varies || expression->varies;
      tensor.shape.push_back(std::move(*expression));
    }
  by_name_.emplace(tensor.name, tensors_.size());  // also after a mistake: its uses are none
  tensors_.push_back(std::move(tensor));
}

std::optional<std::size_t> SharedTensors::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void SharedTensors::report_unknown(Reading& reading, const YamlNode& node) const {
  constexpr std::size_t kMostCompared = 1000;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min(tensors_.size(), kMostCompared); ++i)
    names.push_back(tensors_[i].name);
  std::string near = did_you_mean(node.text, names);
  reading.report(
      Code::unknown_name, node, "unknown tensor " + quoted(node.text),
      near.empty()
          ? "shared tensors are declared at the top: tensors: {x: {shape: [N], dtype: bf16}}"
          : std::move(near));
}

std::optional<Error> SharedTensors::evaluate(std::span<const Count> values, bool varying_only,
                                             std::vector<SharedTensor>& tensors,
                                             const YamlDocument& places) const {
  if (!varying_only) tensors.resize(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto& declared = tensors_[i];
    auto& tensor = tensors[i];
    if (varying_only && !declared.varies) continue;
    if (!varying_only) {
      tensor.name = declared.name;
      tensor.dtype = declared.dtype;
      tensor.intermediate = declared.intermediate;
      tensor.where = where(i, places);
      tensor.shape.resize(declared.shape.size());
    }
    Count elements = 1;
    bool empty = false;
    for (std::size_t axis = 0; axis < declared.shape.size(); ++axis) {
      auto size = roofline::evaluate(declared.shape[axis], declared.size_name, 0, values, places);
      if (!size) return std::move(size.error());
      tensor.shape[axis] = *size;
      elements *= *size;
      empty = empty || *size == Count(0);
    }
    tensor.bytes = tensor_bytes(empty ? Count(0) : elements, declared.dtype);
    if (tensor.bytes.overflowed())
      return Error{Code::out_of_range,
                   where(i, places),
                   "the bytes of tensor " + quoted(declared.name) + " pass 2^127",
                   {},
                   {}};
  }
  return std::nullopt;
}

Location SharedTensors::where(std::size_t i, const YamlDocument& places) const {
  const auto& tensor = tensors_[i];
  return places.where(tensor.line, tensor.column, static_cast<int>(tensor.name.size()));
}

}  // namespace roofline
