#include "ingest/mapping/description.hpp"

#include <fmt/format.h>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"

namespace roofline::mapping {
namespace {

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }
std::string list(const Sizes& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

void put(std::string& out, const std::vector<std::pair<std::string, std::string>>& fields) {
  for (const auto& [key, value] : fields) {
    if (out.back() != '{') out += ',';
    out += quoted(key) + ": " + value;
  }
}

}  // namespace

Description& Description::text(std::string_view key, std::string json) {
  fields_.emplace_back(key, std::move(json));
  return *this;
}
Description& Description::count(std::string_view key, std::uint64_t value) {
  return text(key, std::to_string(value));
}
Description& Description::sizes(std::string_view key, const Sizes& values) {
  return text(key, list(values));
}
Description& Description::size_lists(std::string_view key, const std::vector<Sizes>& lists) {
  std::string all = "[";
  for (const auto& sizes : lists) all += (all.size() > 1 ? "," : "") + list(sizes);
  return text(key, all + ']');
}
Description& Description::word(std::string_view key, std::string_view value) {
  return text(key, quoted(value));
}
Description& Description::flag(std::string_view key, bool value) {
  return text(key, value ? "true" : "false");
}
Description& Description::dtype(std::string_view operand, std::string_view name) {
  dtypes_.emplace_back(operand, quoted(name));
  return *this;
}
Description& Description::dtypes(std::string_view operand,
                                 const std::vector<std::string_view>& names) {
  std::string all = "[";
  for (const auto name : names) all += (all.size() > 1 ? "," : "") + quoted(name);
  dtypes_.emplace_back(operand, all + ']');
  return *this;
}

std::optional<Kernel> Description::kernel() const {
  std::string json = "{";
  put(json, {{"name", quoted("operation")}, {"op", quoted(op_)}});
  put(json, fields_);
  if (!dtypes_.empty()) {
    std::string types = "{";
    put(types, dtypes_);
    json += ", \"dtypes\": " + types + '}';
  }
  const auto document = read_yaml("{\"kernels\": [" + json + "}]}", "operation");
  if (!document) return std::nullopt;
  const auto file = KernelFile::read(*document);
  Workload workload;
  if (!file || !file->evaluate(0, workload).empty() || workload.kernels.size() != 1)
    return std::nullopt;
  return std::move(workload.kernels.front());
}

}  // namespace roofline::mapping
