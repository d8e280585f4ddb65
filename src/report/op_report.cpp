#include "report/op_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/json_writer.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

std::string_view type_name(ParamType type) {
  constexpr std::string_view kNames[] = {"count",
                                         "number",
                                         "flag",
                                         "choice",
                                         "sizes",
                                         "lists of sizes",
                                         "names with counts",
                                         "tensors",
                                         "steps",
                                         "names",
                                         "work by datapath"};
  return kNames[static_cast<std::size_t>(type)];
}

/// Families in the order of their first op.
std::vector<std::string_view> families() {
  std::vector<std::string_view> list;
  for (const auto& op : ops())
    if (std::find(list.begin(), list.end(), op.family) == list.end()) list.push_back(op.family);
  std::sort(list.begin(), list.end());
  return list;
}

std::string choices_of(const ParamSpec& param) {
  std::string text;
  for (const auto choice : param.choices) text += (text.empty() ? "" : ", ") + std::string(choice);
  return text;
}

std::string param_doc(const ParamSpec& param) {
  std::string text(param.doc);
  if (!param.choices.empty())
    text += fmt::format("{}one of {}", text.empty() ? "" : "; ", choices_of(param));
  if (!param.required && !param.default_value.empty())
    text += fmt::format("; default {}", param.default_value);
  return text;
}

std::string operand_dtype(const OperandSpec& operand) {
  if (operand.default_dtype.empty()) return "the entry's dtype";
  if (operand.default_dtype.starts_with('='))
    return fmt::format("as {}", operand.default_dtype.substr(1));
  return std::string(operand.default_dtype);
}

std::string alias_text(const ParamAlias& alias) {
  if (alias.value_if_true.empty()) return fmt::format("{} = {}", alias.alias, alias.targets);
  return fmt::format("{}: true = {}: {}", alias.alias, alias.targets, alias.value_if_true);
}

std::string aliases_of(const OpEntry& op) {
  std::string text;
  for (const auto& alias : op.aliases) text += (text.empty() ? "" : ", ") + alias_text(alias);
  return text;
}

/// Rows of a label and a text that is filled at `width`.
class Definitions {
 public:
  /// `column`: the least width of the labels, so that several lists align.
  explicit Definitions(std::size_t width, std::size_t column = 0)
      : width_(width), column_(column) {}
  void add(std::string label, std::string text) {
    rows_.emplace_back(std::move(label), std::move(text));
  }
  std::string text() const {
    std::size_t column = column_;
    for (const auto& [label, doc] : rows_) column = std::max(column, display_width(label));
    const auto indent = column + 4;
    const auto room = width_ > indent + 24 ? width_ - indent : 24;
    std::string result;
    for (const auto& [label, doc] : rows_) {
      result += "  " + padded(label, column) + "  ";
      for (const char c : wrapped(doc, room, 0)) {
        result += c;
        if (c == '\n') result += std::string(indent, ' ');
      }
      result += '\n';
    }
    return result;
  }

 private:
  std::size_t width_, column_;
  std::vector<std::pair<std::string, std::string>> rows_;
};

std::string indented(std::string_view text, std::string_view indent) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    result += fmt::format("{}{}\n", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string markdown_cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

void markdown_op(const OpEntry& op, std::string& out) {
  out += fmt::format("\n### {}\n\n{}\n\n| parameter | type | |\n|---|---|---|\n", op.name,
                     markdown_cell(op.doc));
  for (const auto& param : op.params)
    out += fmt::format("| `{}`{} | {} | {} |\n", param.name, param.required ? "" : " (optional)",
                       type_name(param.type), markdown_cell(param_doc(param)));
  out += "\n| operand | dtype | |\n|---|---|---|\n";
  for (const auto& operand : op.operands)
    out +=
        fmt::format("| `{}`{} | {} | {} |\n", operand.name, operand.optional ? " (optional)" : "",
                    operand_dtype(operand), markdown_cell(operand.doc));
  if (!op.aliases.empty()) out += fmt::format("\nAlso accepted: `{}`\n", aliases_of(op));
  out += fmt::format("\n- FLOPs: `{}`\n- bytes: `{}`\n- intensity: `{}`\n- source: {}\n", op.work,
                     op.bytes, op.intensity, markdown_cell(op.source));
  if (!op.example.empty())
    out += fmt::format("\n```yaml\n{}{}```\n", op.example, op.example.ends_with('\n') ? "" : "\n");
}

void json_op(JsonWriter& json, const OpEntry& op) {
  json.begin_object();
  json.text("name", op.name);
  json.text("family", op.family);
  json.text("doc", op.doc);
  json.begin_array("params");
  for (const auto& param : op.params) {
    json.begin_object();
    json.text("name", param.name);
    json.text("type", type_name(param.type));
    json.flag("required", param.required);
    json.text("doc", param.doc);
    if (!param.default_value.empty()) json.text("default", param.default_value);
    if (!param.choices.empty()) {
      json.begin_array("choices");
      for (const auto choice : param.choices) json.text(choice);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
  json.begin_array("operands");
  for (const auto& operand : op.operands) {
    json.begin_object();
    json.text("name", operand.name);
    json.text("doc", operand.doc);
    json.text("dtype", operand_dtype(operand));
    json.flag("optional", operand.optional);
    json.end_object();
  }
  json.end_array();
  json.begin_array("aliases");
  for (const auto& alias : op.aliases) {
    json.begin_object();
    json.text("alias", alias.alias);
    json.text("for", alias.targets);
    if (!alias.value_if_true.empty()) json.text("value_if_true", alias.value_if_true);
    json.end_object();
  }
  json.end_array();
  json.text("flops", op.work);
  json.text("bytes", op.bytes);
  json.text("intensity", op.intensity);
  json.text("source", op.source);
  json.text("example", op.example);
  json.end_object();
}

}  // namespace

std::string list_ops(std::size_t width) {
  std::size_t column = 0;
  for (const auto& op : ops()) column = std::max(column, op.name.size());
  std::string out;
  for (const auto family : families()) {
    Definitions rows(width, column);
    for (const auto& op : ops())
      if (op.family == family) rows.add(std::string(op.name), std::string(op.doc));
    out += fmt::format("{}\n{}\n", family, rows.text());
  }
  return out +
         fmt::format(
             "{} operations. Parameters, closed forms and an example: roofline ops show gemm\n",
             ops().size());
}

std::string show_op(const OpEntry& op, std::size_t width) {
  std::string out = fmt::format("{}  {}\n\nparameters\n", op.name, op.doc);
  Definitions params(width), operands(width), forms(width);
  for (const auto& param : op.params)
    params.add(fmt::format("{}{}", param.name, param.required ? "" : "?"),
               fmt::format("{}: {}", type_name(param.type), param_doc(param)));
  out += params.text() + "\noperands (dtype: for all of them, dtypes: {NAME: ...} for each)\n";
  for (const auto& operand : op.operands)
    operands.add(fmt::format("{}{}", operand.name, operand.optional ? "?" : ""),
                 fmt::format("{}; dtype: {}", operand.doc, operand_dtype(operand)));
  out += operands.text();
  if (!op.aliases.empty())
    out += "\nalso accepted\n  " + wrapped(aliases_of(op), width > 2 ? width - 2 : width, 2) + "\n";
  forms.add("FLOPs", std::string(op.work));
  forms.add("bytes", std::string(op.bytes));
  forms.add("intensity", std::string(op.intensity));
  forms.add("source", std::string(op.source));
  out += "\ncounts (s: bytes per element; 1 FMA = 2 FLOP)\n" + forms.text();
  if (!op.example.empty()) out += "\nexample\n" + indented(op.example, "  ");
  return out;
}

std::string ops_json(std::span<const OpEntry> list) {
  std::string out;
  JsonWriter json([&](std::string_view text) { out += text; }, {.indented_levels = 3});
  json.begin_object();
  json.text("schema", "roofline.op-list/1");
  json.begin_array("ops");
  for (const auto& op : list) json_op(json, op);
  json.end_array();
  json.end_object();
  json.flush();
  return out.ends_with('\n') ? out : out + "\n";
}

std::string ops_markdown() {
  std::string out =
      "# Operations\n\nWhat `op:` may be in a kernel description: a copy of `roofline ops list "
      "--format markdown`. "
      "`s` is bytes per element; 1 FMA = 2 FLOP. The conventions behind the counts: model.md.\n";
  for (const auto family : families()) {
    out += fmt::format("\n## {}\n", family);
    for (const auto& op : ops())
      if (op.family == family) markdown_op(op, out);
  }
  return out;
}

}  // namespace roofline
