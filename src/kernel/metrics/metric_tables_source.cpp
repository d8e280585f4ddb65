#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernel/metrics/metrics_file.hpp"

namespace roofline {
namespace {

/// Lists of names, each written once however many sets share it.
class ListPool {
 public:
  std::string list(const std::vector<std::string>& names) {
    if (names.empty()) return "{}";
    const auto [row, is_new] = numbers_.emplace(names, numbers_.size());
    if (is_new) {
      text_ += fmt::format("constexpr const char* kList{}[] = {{\n", row->second);
      for (const auto& name : names) text_ += fmt::format("    \"{}\",\n", name);
      text_ += "};\n";
    }
    return fmt::format("kList{}", row->second);
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::vector<std::string>, std::size_t> numbers_;
  std::string text_;
};

std::string set_text(ListPool& pool, const MetricsFile::Set& set) {
  return fmt::format("{{{}, {}}}", pool.list(set.hw), set.hw_passes);
}

std::string tensor_table(ListPool& pool, const MetricsFile::Family& family) {
  if (family.tensor.empty()) return {};
  std::string text = fmt::format("constexpr TensorMetricSet kTensor{}[] = {{\n", family.name);
  for (const auto& row : family.tensor)
    text += fmt::format("    {{\"{}\", {}u, \"{}\", {}}},\n", row.name, row.types, row.path,
                        set_text(pool, row.set));
  return text + "};\n";
}

std::string family_row(ListPool& pool, const MetricsFile::Family& family) {
  return fmt::format("    {{\"{}\", {}, \"{}\", {}, {}, {}, {}, {}, {}, {}}},\n", family.name,
                     pool.list(family.chips), family.compute_capability, pool.list(family.sass),
                     set_text(pool, family.core),
                     family.tensor.empty() ? "{}" : "kTensor" + family.name,
                     set_text(pool, family.tensor_all), set_text(pool, family.memory),
                     pool.list(family.peaks), pool.list(family.sampling));
}

std::string meanings_table(const MetricsFile& file) {
  std::map<std::string, std::string> rows;
  for (const auto& [metric, role] : file.roles)
    rows[metric] = fmt::format("Role::{}, {{}}", kRoleNames[static_cast<std::size_t>(role)]);
  for (const auto& [metric, pipe] : file.tensor_pipes)
    rows[metric] = fmt::format("std::nullopt, \"{}\"", pipe);
  std::string text = "constexpr MetricMeaning kMeanings[] = {\n";
  for (const auto& [metric, row] : rows) text += fmt::format("    {{\"{}\", {}}},\n", metric, row);
  return text + "};\n";
}

}  // namespace

std::string metric_tables_source(const MetricsFile& file) {
  ListPool pool;
  std::string tensors, families;
  for (const auto& family : file.families) {
    tensors += tensor_table(pool, family);
    families += family_row(pool, family);
  }
  return "// Generated from specs/cupti/metrics.yaml. Do not edit.\n"
         "#include \"kernel/metrics/metric_tables.hpp\"\n\n"
         "namespace roofline::metric_tables {\nnamespace {\n\n" +
         pool.text() + tensors + "constexpr MetricFamily kFamilies[] = {\n" + families + "};\n" +
         meanings_table(file) +
         fmt::format(
             "\n}}  // namespace\n\n"
             "std::span<const MetricFamily> families() {{ return kFamilies; }}\n"
             "std::span<const MetricMeaning> meanings() {{ return kMeanings; }}\n"
             "std::string_view toolkit() {{ return \"{}\"; }}\n\n"
             "}}  // namespace roofline::metric_tables\n",
             file.toolkit);
}

}  // namespace roofline
