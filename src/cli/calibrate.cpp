#include "cli/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/answer.hpp"
#include "cli/calibration_file.hpp"
#include "cli/command.hpp"
#include "cli/device_facts.hpp"
#include "cli/gpu_choice.hpp"
#include "cli/style.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "report/calibration_report.hpp"
#include "roofline/analysis/calibration.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/profile/machine_state.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

constexpr profile::CalibrationPace kQuick{0.0, 20};

/// The GPU that is measured, and the entry of the table it is held against.
struct Target {
  cuda::DeviceInfo device;
  std::string driver;
  std::optional<Gpu> gpu;
  std::string unknown;  ///< why there is no entry
};

/// Without --gpu the entry that the device's facts fit, if it is one.
void find_entry(Target& target, std::span<const Gpu> table) {
  const auto match = identify(device_facts(target.device), table);
  if (match.fit == Fit::exact)
    target.gpu = *match.entry();
  else
    target.unknown = match.fit == Fit::ambiguous
                         ? "it fits several entries of the table: give one with --gpu"
                     : match.fit == Fit::slice
                         ? "it is a MIG instance: the table has the whole card"
                         : "it is not in the table: --gpu NAME holds it against an entry of your "
                           "choice, roofline gpus template > mygpu.yaml starts your own";
}

Checked<Target> find_target(const CalibrateArgs& args) {
  Errors errors;
  const auto ordinal = device_number(args.device);
  if (!ordinal) errors.push_back(ordinal.error());
  std::optional<Gpu> given;
  if (!args.gpu.empty()) {
    auto gpu = find_gpu(args.gpu);
    if (gpu)
      given = std::move(*gpu);
    else
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  const auto table = all_gpus();
  if (!table) return tl::unexpected(table.error());
  const auto state = profile::examine_machine(profile::HostView::of_this_machine(), false);
  if (state.driver_fault) return tl::unexpected(Errors{*state.driver_fault});
  const auto number = static_cast<std::size_t>(*ordinal);
  if (number >= state.gpus.size())
    return tl::unexpected(
        Errors{{Code::no_device,
                {},
                fmt::format("there is no GPU {}: this process sees {}", number, state.gpus.size()),
                "roofline gpus detect lists them",
                {}}});
  Target target;
  target.device = state.gpus[number].info;
  target.driver = state.driver_version;
  if (given)
    target.gpu = std::move(given);
  else
    find_entry(target, *table);
  return target;
}

/// The tests of --only, else all; those that this GPU cannot run are left out, and said where they
/// were asked for.
Checked<std::vector<const profile::CeilingTest*>> choose_tests(const CalibrateArgs& args,
                                                               const cuda::DeviceInfo& device) {
  const int capability = 10 * device.capability_major + device.capability_minor;
  const auto names = split_names(args.only);
  Errors errors;
  std::vector<std::string_view> known;
  for (const auto& test : profile::ceiling_tests()) known.push_back(test.name);
  for (const auto& name : names) {
    const auto* test = profile::find_ceiling_test(name);
    if (!test)
      errors.push_back(
          {Code::unknown_name,
           {},
           fmt::format("no ceiling \"{}\"", printable(name)),
           did_you_mean(name, known).empty()
               ? "they are " + joined(std::vector<std::string>(known.begin(), known.end()))
               : did_you_mean(name, known),
           {}});
    else if (!test->runs_on(capability))
      errors.push_back({Code::bad_option,
                        {},
                        fmt::format("{} is not for this GPU (sm_{})", name, capability),
                        {},
                        {}});
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  std::vector<const profile::CeilingTest*> tests;
  for (const auto& test : profile::ceiling_tests()) {
    const bool asked =
        names.empty() || std::find(names.begin(), names.end(), test.name) != names.end();
    if (asked && test.runs_on(capability)) tests.push_back(&test);
  }
  return tests;
}

/// Tensor peaks of the entry that no test of ours reaches: said, so that nobody looks for them.
void add_unreached(const Gpu& gpu, const cuda::DeviceInfo& device, Calibration& calibration) {
  const int capability = 10 * device.capability_major + device.capability_minor;
  for (int type = 1; type < kRateTypes; ++type) {
    const auto rate = static_cast<RateType>(type);
    if (!gpu.tensor[static_cast<std::size_t>(type)]) continue;
    const auto resource = pipe_name({PipeKind::tensor, rate});
    const bool lower_path = gpu.mma_sync[static_cast<std::size_t>(type)].has_value();
    const auto tests = profile::ceiling_tests();
    const bool reached = std::any_of(tests.begin(), tests.end(), [&](const auto& test) {
      return test.resource == resource && test.runs_on(capability) &&
             !(test.mma_sync && lower_path);
    });
    if (!reached)
      calibration.missing.push_back({resource, "no kernel for its fastest path is built in"});
  }
}

Calibration judged(const Target& target, const CalibrateArgs& args,
                   const std::vector<CeilingAnswer>& answers) {
  Calibration result;
  if (target.gpu) result.gpu = target.gpu->id;
  result.device = target.device.name;
  result.uuid = target.device.uuid;
  result.driver = target.driver;
  result.date = utc_date();
  result.sustained = !args.quick;
  result.simulated = target.device.simulated;
  for (const auto& answer : answers) {
    if (!answer.missing.empty()) {
      result.missing.push_back({std::string(answer.test->name), answer.missing});
      continue;
    }
    auto ceiling = answer.ceiling;
    judge(ceiling, target.gpu ? &*target.gpu : nullptr, answer.fault);
    // Where mma.sync is the only path, it is no path of its own.
    const auto pipe = find_pipe(ceiling.resource);
    if (target.gpu && pipe && !target.gpu->mma_sync[static_cast<std::size_t>(pipe->type)])
      ceiling.mma_sync = false;
    result.ceilings.push_back(std::move(ceiling));
  }
  if (target.gpu && args.only.empty()) add_unreached(*target.gpu, target.device, result);
  return result;
}

/// Where it may be kept: for the entry that it was held against, made on a real GPU, and whole.
/// `note`: why it is not.
std::string place_to_save(const CalibrateArgs& args, const Target& target,
                          const Calibration& calibration, std::string& note) {
  if (args.no_save) return {};
  if (calibration.simulated)
    note = "not saved: simulated";
  else if (!args.only.empty())
    note = "not saved: --only measures a part";
  else if (args.quick)
    note = "not saved: short bursts are no ceilings of long runs";
  else if (!target.gpu)
    note = "not saved: " + target.unknown;
  else if (auto path = calibration_path(target.gpu->id); !path.empty())
    return path;
  else
    note = "not saved: neither XDG_CONFIG_HOME nor HOME names a folder";
  return {};
}

bool all_good(const Calibration& calibration, const std::vector<CeilingAnswer>& answers) {
  return std::all_of(calibration.ceilings.begin(), calibration.ceilings.end(),
                     [](const auto& ceiling) { return ceiling.trusted; }) &&
         std::all_of(answers.begin(), answers.end(),
                     [](const auto& answer) { return answer.missing.empty(); });
}

}  // namespace

Result<int> device_number(const std::string& option) {
  if (option.empty()) return 0;
  const auto number = parse_number(option);
  if (number && *number >= 0 && *number < 1024 && *number == static_cast<int>(*number))
    return static_cast<int>(*number);
  return fail(Code::bad_option, {}, "--device takes the number of a GPU, as in --device 1",
              "roofline gpus detect lists them");
}

int run_calibrate(Words words) {
  const auto args = parse<CalibrateArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = answer_style(words, *args);
  if (!style) return report_errors(style.error(), style_of(words));
  if (!args->inputs.empty()) return read_other_programs(*args, *style);
  const auto target = find_target(*args);
  if (!target) return report_errors(target.error(), style->errors);
  const auto tests = choose_tests(*args, target->device);
  if (!tests) return report_errors(tests.error(), style->errors);

  const auto pace = args->quick ? kQuick : profile::CalibrationPace{};
  write_error(fmt::format("roofline: measuring {} ceilings of GPU {}{}\n", tests->size(),
                          target->device.ordinal,
                          args->quick ? "" : fmt::format(", about {} s", 2 * tests->size())));
  const auto answers = measure_in_children({target->device.ordinal, pace, *tests});
  if (!answers) return report_error(answers.error(), style->errors);
  const auto calibration = judged(*target, *args, *answers);

  std::string note;
  const auto path = place_to_save(*args, *target, calibration, note);
  if (!path.empty())
    if (const auto saved = save_calibration(path, calibration); !saved)
      return report_error(saved.error(), style->errors);
  const Answer answer{
      kCalibrationSchema,
      [&](Page& page) {
        calibration_page(page, calibration, target->gpu ? target->gpu->name : "", path);
        if (!note.empty()) page.remark("note", note, Tone::plain, 0);
      },
      [&](JsonWriter& json) { write_calibration(json, calibration, version_number()); }};
  const int written = write_answer(*style, *args, answer);
  return written != 0 ? written : all_good(calibration, *answers) ? 0 : 1;
}

}  // namespace roofline::cli
