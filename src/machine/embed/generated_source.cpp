#include <fmt/format.h>

#include "machine/embed/spec_tree.hpp"

namespace roofline {
namespace {

constexpr std::size_t kBytesPerLine = 96;

/// Bytes as a C++ string literal over several lines. Octal escapes end after three digits, whatever follows.
std::string literal(std::string_view bytes) {
  std::string text = "\"";
  std::size_t in_line = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte >= 0x20 && byte < 0x7f && c != '?') {  // "??" would start a trigraph
      text += c;
    } else {
      text += fmt::format("\\{:03o}", byte);
    }
    if (++in_line == kBytesPerLine) {
      text += "\"\n    \"";
      in_line = 0;
    }
  }
  return text + "\"";
}

std::string view(std::string_view bytes) { return fmt::format("{{{}, {}}}", literal(bytes), bytes.size()); }

/// `constexpr T name[] = {...};` and the function that returns it as a span.
template <class Rows, class Write>
std::string table(std::string_view type, std::string_view name, const Rows& rows, Write write) {
  std::string text = fmt::format("namespace {{\nconstexpr {} k_{}[] = {{\n", type, name);
  for (const auto& row : rows) text += fmt::format("  {},\n", write(row));
  if (rows.empty()) text += "  {}\n";
  text += fmt::format("}};\n}}\nstd::span<const {}> {}() {{ return {{k_{}, {}}}; }}\n\n", type, name, name, rows.size());
  return text;
}

constexpr std::string_view kView = "std::string_view";

std::string views(std::string_view name, const std::vector<PackedSpec>& rows, std::string PackedSpec::*field) {
  return table(kView, name, rows, [&](const PackedSpec& row) { return view(row.*field); });
}

}  // namespace

std::string generated_source(const SpecTree& tree) {
  std::string text = "// Generated from specs/ by roofline_embed. Do not edit.\n"
                     "#include \"machine/embedded_tables.hpp\"\n\nnamespace roofline::embedded {\n\n";
  text += views("gpu_ids", tree.gpus, &PackedSpec::id);
  text += views("gpu_blobs", tree.gpus, &PackedSpec::bytes);
  text += table("NameRow", "gpu_names", tree.names,
                [](const PackedName& row) { return fmt::format("{{{}, {}}}", view(row.key), row.gpu); });
  text += table(kView, "spelled_names", tree.spelled, [](const std::string& name) { return view(name); });
  text += views("architecture_ids", tree.architectures, &PackedSpec::id);
  text += views("architecture_blobs", tree.architectures, &PackedSpec::bytes);
  text += views("source_keys", tree.sources, &PackedSpec::id);
  text += views("source_blobs", tree.sources, &PackedSpec::bytes);
  text += table("Blob", "files", tree.files,
                [](const PackedSpec& row) { return fmt::format("{{{}, {}}}", view(row.id), view(row.bytes)); });
  text += fmt::format("std::string_view defaults_blob() {{ return {}; }}\n", view(tree.defaults));
  text += fmt::format("std::string_view revision() {{ return {}; }}\n", view(tree.revision));
  return text + "\n}  // namespace roofline::embedded\n";
}

}  // namespace roofline
