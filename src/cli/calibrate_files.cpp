// `roofline calibrate FILE...`: what other programs measured of a GPU.
#include <fmt/format.h>

#include <algorithm>

#include "cli/calibrate.hpp"
#include "cli/calibration_file.hpp"
#include "cli/gpu_choice.hpp"
#include "cli/version.hpp"
#include "report/calibration_report.hpp"
#include "roofline/analysis/calibration.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/machine/foreign_ceilings.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kFileLimit = std::size_t{16} << 20;

struct Output {
  std::string file;
  ForeignCeilings content;
};

/// The entry of the table that the outputs are about; `unknown`: why there is none.
struct Entry {
  std::optional<Gpu> gpu;
  std::string unknown;
};

Errors contradictions(const CalibrateArgs& args) {
  Errors errors;
  const auto refuse = [&](std::string_view option) {
    errors.push_back({Code::contradiction,
                      {},
                      fmt::format("{} is for measuring, and a FILE was measured before", option),
                      {},
                      {}});
  };
  if (args.quick) refuse("--quick");
  if (!args.only.empty()) refuse("--only");
  return errors;
}

Checked<std::vector<Output>> read_outputs(const CalibrateArgs& args, int device) {
  Errors errors;
  std::vector<Output> outputs;
  for (const auto& file : args.inputs) {
    const auto text = read_input(file, kFileLimit);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    auto content = read_foreign_ceilings(*text, file, device);
    if (content)
      outputs.push_back(
          {file == "-" ? "standard input" : file.substr(file.rfind('/') + 1), std::move(*content)});
    else
      errors.push_back(std::move(content.error()));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return outputs;
}

/// By its name where one entry alone carries it, else by its facts.
const Gpu* entry_of(const DeviceFacts& facts, std::span<const Gpu> table) {
  if (!facts.name.empty())
    if (const auto entries = named(facts, table); entries.size() == 1) return entries.front();
  if (facts.compute_capability.empty() || !facts.sm_count) return nullptr;
  const auto match = identify(facts, table);
  return match.fit == Fit::exact ? match.entry() : nullptr;
}

/// Without --gpu the one entry that the outputs fit.
Checked<Entry> find_entry(const CalibrateArgs& args, std::span<const Output> outputs) {
  Entry entry;
  if (!args.gpu.empty()) {
    auto gpu = find_gpu(args.gpu);
    if (!gpu) return tl::unexpected(gpu.error());
    entry.gpu = std::move(*gpu);
    return entry;
  }
  const auto table = all_gpus();
  if (!table) return tl::unexpected(table.error());
  const Output* first = nullptr;
  for (const auto& output : outputs) {
    const auto* gpu = entry_of(output.content.device, *table);
    if (!gpu) continue;
    if (entry.gpu && entry.gpu->id != gpu->id)
      return tl::unexpected(Errors{{Code::contradiction,
                                    {},
                                    fmt::format("{} is of {}, {} of {}", printable(first->file),
                                                entry.gpu->id, printable(output.file), gpu->id),
                                    "one calibration is of one GPU; --gpu NAME says whose it is",
                                    {}}});
    if (!entry.gpu) first = &output;
    entry.gpu = *gpu;
  }
  const bool silent = std::all_of(outputs.begin(), outputs.end(), [](const Output& output) {
    return output.content.device.name.empty() && !output.content.device.sm_count;
  });
  if (!entry.gpu)
    entry.unknown = silent ? "the output does not name its GPU: --gpu NAME does"
                           : "no entry of the table is sure to be this GPU: --gpu NAME chooses one";
  return entry;
}

std::string source_of(std::span<const Output> outputs) {
  std::vector<std::string> words;
  for (const auto& output : outputs)
    words.push_back(
        fmt::format("{} read from {}", printable(output.content.program), printable(output.file)));
  return joined(words);
}

Calibration calibration_of(std::span<const Output> outputs, const std::optional<Gpu>& gpu) {
  Calibration result;
  if (gpu) result.gpu = gpu->id;
  result.source = source_of(outputs);
  result.date = utc_date();
  result.sustained = false;
  for (const auto& output : outputs) {
    const auto& content = output.content;
    if (result.device.empty()) result.device = content.device.name;
    if (result.driver.empty()) result.driver = content.driver;
    for (auto ceiling : content.ceilings) {
      auto fault = content.fault;
      if (fault.empty() && gpu && content.array_bytes && ceiling.resource == "dram")
        fault = small_array_fault(*gpu, Bytes(*content.array_bytes));
      judge(ceiling, gpu ? &*gpu : nullptr, fault);
      // Of two programs that measured the same the better one is nearer to the ceiling.
      const auto known =
          std::find_if(result.ceilings.begin(), result.ceilings.end(),
                       [&](const auto& other) { return other.name == ceiling.name; });
      if (known == result.ceilings.end())
        result.ceilings.push_back(std::move(ceiling));
      else if (std::pair(ceiling.trusted, ceiling.value) > std::pair(known->trusted, known->value))
        *known = std::move(ceiling);
    }
  }
  std::stable_partition(result.ceilings.begin(), result.ceilings.end(),
                        [](const auto& ceiling) { return ceiling.resource == "dram"; });
  return result;
}

/// Where it may be kept; `note`: why it is not.
std::string place_to_save(const CalibrateArgs& args, const Entry& entry, std::string& note) {
  if (args.no_save) return {};
  if (!entry.gpu) {
    note = "not saved: " + entry.unknown;
    return {};
  }
  auto path = calibration_path(entry.gpu->id);
  if (path.empty())
    note = "not saved: neither XDG_CONFIG_HOME nor HOME names a folder";
  else if (is_calibrated(entry.gpu->id))
    if (const auto kept = find_calibration(entry.gpu->id); kept && kept->source.empty()) {
      note = fmt::format(
          "not saved: {} keeps what roofline calibrate itself measured; without it this would be "
          "kept",
          path);
      path.clear();
    }
  return path;
}

}  // namespace

int read_other_programs(const CalibrateArgs& args, const AnswerStyle& style) {
  auto errors = contradictions(args);
  const auto device = device_number(args.device);
  if (!device) errors.push_back(device.error());
  if (!errors.empty()) return report_errors(errors, style.errors);
  const auto outputs = read_outputs(args, *device);
  if (!outputs) return report_errors(outputs.error(), style.errors);
  const auto entry = find_entry(args, *outputs);
  if (!entry) return report_errors(entry.error(), style.errors);
  const auto calibration = calibration_of(*outputs, entry->gpu);

  std::string note;
  const auto path = place_to_save(args, *entry, note);
  if (!path.empty())
    if (const auto saved = save_calibration(path, calibration); !saved)
      return report_error(saved.error(), style.errors);
  const Answer answer{
      kCalibrationSchema,
      [&](Page& page) {
        calibration_page(page, calibration, entry->gpu ? entry->gpu->name : "", path);
        if (!note.empty()) page.remark("note", note, Tone::plain, 0);
      },
      [&](JsonWriter& json) { write_calibration(json, calibration, version_number()); }};
  const int written = write_answer(style, args, answer);
  if (written != 0) return written;
  const bool believed = std::all_of(calibration.ceilings.begin(), calibration.ceilings.end(),
                                    [](const auto& ceiling) { return ceiling.trusted; });
  return believed ? 0 : 1;
}

}  // namespace roofline::cli
