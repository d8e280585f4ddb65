#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/schemas.hpp"
#include "cli/style.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/embedded.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kSchemas[] = {"kernel",      "result",      "gpu",
                                         "gate",        "gate-result", "error",
                                         "baseline",    "history",     "compare",
                                         "calibration", "doctor",      "detected-gpus"};

std::string_view schema_text(std::string_view name) {
  return embedded_file(fmt::format("schemas/{}.json", name));
}

}  // namespace

std::vector<std::string_view> schema_names() { return {std::begin(kSchemas), std::end(kSchemas)}; }

int run_schema(Words words) {
  const auto args = parse<SchemaArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (args->name.empty()) {
    std::string names;
    for (const auto name : kSchemas) names += fmt::format("{}\n", name);
    return print(names);
  }
  if (const auto known = check_choice("NAME", args->name, kSchemas); !known)
    return report_error(known.error(), style->errors);
  const auto text = schema_text(args->name);
  return print(text.ends_with('\n') ? std::string(text) : std::string(text) + "\n");
}

}  // namespace roofline::cli
