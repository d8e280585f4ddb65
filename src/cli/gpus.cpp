#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/gpu_choice.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "report/gpu_report.hpp"

namespace roofline::cli {
namespace {

Error no_names() {
  return {
      Code::missing_argument, {}, "no GPU was named", "roofline gpus list prints the names", {}};
}

std::string one_array(const std::vector<std::string>& documents) {
  if (documents.size() == 1) return documents.front();
  std::string text = "[";
  for (const auto& document : documents) text += (text.size() > 1 ? ",\n" : "") + document;
  return text + "]\n";
}

}  // namespace

int run_gpus_list(Words words) {
  const auto args = parse<GpusListArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  const auto gpus = all_gpus();
  if (!gpus) return report_errors(gpus.error(), style->errors);
  const auto found = matching_gpus(*gpus, {args->text, args->vendor, args->architecture});
  return print(args->json ? list_gpus_json(found) : list_gpus(found, style->width));
}

int run_gpus_show(Words words) {
  const auto args = parse<GpusShowArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (args->names.empty()) return report_error(no_names(), style->errors);
  auto gpus = find_gpus(args->names);
  if (!gpus) return report_errors(gpus.error(), style->errors);
  for (auto& gpu : *gpus)
    if (const auto errors = show_calibration(gpu); !errors.empty())
      return report_errors(errors, style->errors);
  std::vector<std::string> documents;
  std::string text;
  for (const auto& gpu : *gpus) {
    if (args->json)
      documents.push_back(show_gpu_json(gpu));
    else
      text += (text.empty() ? "" : "\n") + show_gpu(gpu, style->width);
  }
  return print(args->json ? one_array(documents) : text);
}

int run_gpus_why(Words words) {
  const auto args = parse<GpusWhyArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (args->names.empty()) return report_error(no_names(), style->errors);
  const auto gpus = find_gpus(args->names);
  if (!gpus) return report_errors(gpus.error(), style->errors);
  std::string text;
  for (const auto& gpu : *gpus) text += (text.empty() ? "" : "\n") + why_gpu(gpu);
  return print(text);
}

int run_gpus_verify(Words words) {
  const auto args = parse<GpusVerifyArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  const auto gpus = args->names.empty() ? all_gpus() : find_gpus(args->names);
  if (!gpus) return report_errors(gpus.error(), style->errors);
  const auto verified = verify_gpus(*gpus);
  const int written = print(args->json ? verify_report_json(verified) : verify_report(verified));
  return written != 0 ? written : all_passed(verified) ? 0 : 1;
}

int run_gpus_template(Words words) {
  const auto args = parse<GpusTemplateArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  return print(gpu_template());
}

}  // namespace roofline::cli
