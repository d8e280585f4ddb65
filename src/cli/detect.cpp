#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/device_facts.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "report/doctor_report.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

Error without_gpu(Error fault) {
  fault.note = fmt::format("{} work on this machine", kNeedNoGpu);
  return fault;
}

}  // namespace

int run_gpus_detect(Words words) {
  const auto args = parse<GpusDetectArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  const auto table = all_gpus();
  if (!table) return report_errors(table.error(), style->errors);
  const auto state = profile::examine_machine(profile::HostView::of_this_machine(), false);
  if (state.driver_fault) return report_error(without_gpu(*state.driver_fault), style->errors);
  const auto gpus = detect_gpus(state.gpus, *table);
  return print(args->json ? detect_json(gpus) : detect_text(gpus, style->width));
}

}  // namespace roofline::cli
