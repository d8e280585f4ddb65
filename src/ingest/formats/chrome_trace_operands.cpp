#include "ingest/formats/chrome_trace_operands.hpp"

#include <algorithm>

#include "ingest/formats/chrome_trace_event.hpp"
#include "ingest/formats/json_fields.hpp"

namespace roofline {
namespace {

/// Types of elements. Other types are of scalars and lists, which have no shape.
constexpr std::string_view kElements[] = {
    "float",        "double",         "int",           "long int",      "long",
    "short",        "short int",      "signed char",   "unsigned char", "char",
    "bool",         "Half",           "BFloat16",      "c10::Half",     "c10::BFloat16",
    "unsigned int", "unsigned short", "unsigned long", "long long",     "__int64",
};
bool is_element(std::string_view type) {
  return type.starts_with("c10::") ||
         std::find(std::begin(kElements), std::end(kElements), type) != std::end(kElements);
}

/// The elements of a JSON array as they stand there.
std::vector<std::string_view> elements(std::string_view list) {
  std::vector<std::string_view> all;
  if (list.size() < 2 || list.front() != '[') return all;
  JsonIndex index;
  index.extend(list.data(), list.size(), true);
  JsonFields fields(list.data(), index, 0, list.size());
  while (fields.next()) all.push_back(fields.value());
  return all;
}

std::string text_of(std::string_view value) {
  std::string text;
  if (value.size() >= 2 && value.front() == '"')
    unescape_json(value.substr(1, value.size() - 2), text);
  else
    text = value;
  return text;
}

/// "struct c10::Half", as compilers on Windows name it.
std::string plain_type(std::string type) {
  for (const std::string_view keyword : {"struct ", "class "})
    if (type.starts_with(keyword)) type.erase(0, keyword.size());
  return type;
}

std::string without_space(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (static_cast<unsigned char>(c) > ' ') out += c;
  return out;
}

/// False: it is a list of shapes, or none at all.
bool read_sizes(std::string_view list, std::vector<std::uint64_t>& sizes) {
  if (list.empty() || list.front() != '[') return false;
  for (const auto element : elements(list)) {
    const auto size = whole_number(element);
    if (!size) return false;
    sizes.push_back(*size);
  }
  return true;
}

}  // namespace

std::vector<Operand> trace_operands(std::string_view shapes, std::string_view types,
                                    std::string_view strides, std::string_view values) {
  constexpr std::size_t kMost = 1000;  // arguments of one operator
  const auto all_shapes = elements(shapes), all_types = elements(types),
             all_strides = elements(strides), all_values = elements(values);
  std::vector<Operand> operands(std::min(kMost, std::max({all_shapes.size(), all_types.size(),
                                                          all_strides.size(), all_values.size()})));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    auto& operand = operands[i];
    if (i < all_types.size()) operand.type = plain_type(text_of(all_types[i]));
    if (i < all_values.size()) operand.value = text_of(all_values[i]);
    if (i >= all_shapes.size()) continue;
    std::vector<std::uint64_t> shape;
    if (read_sizes(all_shapes[i], shape)) {
      operand.tensor = !shape.empty() || is_element(operand.type);
      operand.shape = std::move(shape);
    } else if (operand.value.empty()) {
      operand.value = without_space(all_shapes[i]);
    }
    if (operand.tensor && i < all_strides.size() && !read_sizes(all_strides[i], operand.strides))
      operand.strides.clear();
  }
  return operands;
}

}  // namespace roofline
