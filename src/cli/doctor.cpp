#include "cli/command.hpp"
#include "cli/diagnosis.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "cli/version.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kRequirable[] = {"analyze", "profile", "counters"};
constexpr int kCannotAnswer = 3;

bool has(const DoctorReport& report, std::string_view required) {
  if (required == "profile") return report.profile;
  return required != "counters" || report.counters;
}

}  // namespace

int run_doctor(Words words) {
  const auto args = parse<DoctorArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (!args->require.empty())
    if (const auto known = check_choice("--require", args->require, kRequirable); !known)
      return report_error(known.error(), style->errors);
  const auto table = all_gpus();
  if (!table) return report_errors(table.error(), style->errors);
  const auto state = profile::examine_machine(profile::HostView::of_this_machine(), !args->quick);
  const auto report = diagnose(state, *table, std::string(version_number()));
  const int written =
      print(args->json ? doctor_json(report)
                       : doctor_text(report, style->width,
                                     wants_colour(Stream::out, style->errors.colour)));
  return written != 0 ? written : has(report, args->require) ? 0 : kCannotAnswer;
}

}  // namespace roofline::cli
