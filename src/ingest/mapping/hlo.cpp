#include <charconv>

#include "ingest/mapping/families.hpp"

/// Instructions of XLA: bytes and operations were counted where their program was read.
namespace roofline::mapping {
namespace {

/// Reasons that the count may have had, as the constants that the answer is made of.
constexpr std::string_view kReasons[] = {unmapped::kNotModelled, unmapped::kNoShapes,
                                         unmapped::kNoArguments, unmapped::kNoDtype,
                                         unmapped::kLengths,     unmapped::kContradiction};

std::string tensor(std::string_view name, std::uint64_t bytes, std::string_view access) {
  return std::string("{\"name\": \"") + std::string(name) + "\", \"shape\": [" +
         std::to_string(bytes) + "], \"dtype\": \"uint8\", \"access\": \"" + std::string(access) +
         "\"}";
}

}  // namespace

Mapped map_hlo(const Operation& operation, std::string_view kernel_name) {
  for (const auto reason : kReasons)
    if (operation.attribute("unknown") == reason) return no(reason);
  const auto read = attribute_number(operation, "read_bytes"),
             written = attribute_number(operation, "written_bytes");
  if (!read || !written) return no(unmapped::kNoShapes);
  std::string work;
  auto rest = operation.attribute("work");
  while (!rest.empty()) {
    const auto entry = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) return no(unmapped::kContradiction);
    std::string path(entry.substr(0, equals));
    constexpr std::string_view kMatmul = "matmul.";
    if (path.starts_with(kMatmul)) {
      const auto type = path.substr(kMatmul.size());
      path = std::string(kMatmul) + std::string(matrix_dtype_of(type, kernel_name));
    }
    work += (work.empty() ? "\"" : ", \"") + path + "\": " + std::string(entry.substr(equals + 1));
  }
  if (work.empty()) work = "\"vector.fp32\": 0";
  Description op("generic");
  op.text("work", '{' + work + '}');
  op.text("tensors", '[' + tensor("inputs", *read, "read") + ", " +
                         tensor("results", *written, "write") + ']');
  return op;
}

}  // namespace roofline::mapping
