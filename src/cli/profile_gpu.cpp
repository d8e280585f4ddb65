#include "cli/profile_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/doctor_report.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/machine/identify.hpp"

namespace roofline::cli {
namespace {

std::optional<std::uint64_t> known(std::uint64_t value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

/// AMD's runtime reports its architecture (9.0 of gfx90a) where CUDA reports a compute capability.
bool is_amd(std::string_view name) {
  return name.starts_with("AMD ") || name.find("Instinct") != name.npos ||
         name.find("Radeon") != name.npos;
}

DeviceFacts facts_of(const ProfiledDevice& device) {
  const auto& f = device.facts;
  DeviceFacts facts;
  facts.name = device.name;
  if (f.major != 0 && !is_amd(device.name))
    facts.compute_capability = fmt::format("{}.{}", f.major, f.minor);
  facts.sm_count = known(f.sm_count);
  facts.bus_bits = known(f.bus_width_bits);
  facts.l2_bytes = known(f.l2_bytes);
  facts.memory_bytes = known(f.memory_bytes);
  if (f.memory_clock_khz != 0)
    facts.memory_clock_hz = 1e3 * static_cast<double>(f.memory_clock_khz);
  facts.mig = f.mig != 0;
  return facts;
}

Error not_in_table(const DeviceFacts& facts, std::string why) {
  const auto told = facts_text(facts);
  return {Code::gpu_not_in_table,
          {},
          !facts.name.empty()
              ? fmt::format("this GPU is not in the table: \"{}\"{}", printable(facts.name),
                            told.empty() ? "" : " (" + told + ")")
          : told.empty()
              ? "neither the name of the GPU is told nor anything else of it"
              : fmt::format("the name of the GPU is not told, only {}: more cards have that", told),
          "--gpu NAME holds the run against an entry of your choice; roofline gpus detect shows "
          "what differs; roofline gpus template > mygpu.yaml starts an entry of your own",
          std::move(why)};
}

std::string differences(const Identification& found) {
  std::vector<std::string> words;
  for (const auto& difference : found.differs)
    words.push_back(fmt::format("{} {} here, {} in the table", difference.fact, difference.seen,
                                difference.table));
  return joined(words, "; ");
}

std::vector<std::string> ids_of(const Identification& found) {
  std::vector<std::string> ids;
  for (const auto* entry : found.entries) ids.push_back(entry->id);
  return ids;
}

/// Files of other tools often tell no more of a device than its name. Empty: several entries carry
/// it, or none.
ProfileGpu by_name(const DeviceFacts& facts, std::span<const Gpu> table) {
  ProfileGpu result;
  const auto entries = named(facts, table);
  if (entries.size() == 1) {
    result.gpu = std::make_unique<Gpu>(*entries.front());
    std::vector<std::string> others;
    const auto seen = identify(facts, std::span(entries.front(), 1));
    for (const auto& difference : seen.differs)
      if (difference.decides)
        others.push_back(fmt::format("{} {} here, {} in the table", difference.fact,
                                     difference.seen, difference.table));
    result.note = fmt::format("taken for {} by its name, \"{}\"", entries.front()->id,
                              printable(facts.name)) +
                  (others.empty() ? "" : "; " + joined(others, "; "));
  } else if (entries.size() > 1) {
    std::vector<std::string> ids;
    for (const auto* entry : entries) ids.push_back(entry->id);
    result.unknown = Error{Code::gpu_not_in_table,
                           {},
                           fmt::format("\"{}\" is the name of several GPUs of the table: {}",
                                       printable(facts.name), joined(ids)),
                           "give the right one with --gpu",
                           {}};
  }
  return result;
}

/// The names of those that kernels ran on, where they are of several kinds: a kernel is not told
/// apart by its device, and its time is of one of them.
std::vector<std::string> kinds_of(const std::vector<ProfiledDevice>& devices) {
  std::vector<const ProfiledDevice*> kinds;
  for (const auto& device : devices) {
    if (!device.used) continue;
    const auto same = [&](const ProfiledDevice* other) {
      return other->name == device.name && other->facts.major == device.facts.major &&
             other->facts.minor == device.facts.minor &&
             other->facts.sm_count == device.facts.sm_count;
    };
    if (std::none_of(kinds.begin(), kinds.end(), same)) kinds.push_back(&device);
  }
  std::vector<std::string> names;
  if (kinds.size() > 1)
    for (const auto* device : kinds)
      names.push_back(device->name.empty() ? facts_text(facts_of(*device))
                                           : printable(device->name));
  return names;
}

/// In what facts and an entry differ that cannot differ between two devices of one kind.
std::string contradiction(const DeviceFacts& facts, const Gpu& gpu, std::span<const Gpu> table) {
  std::vector<std::string> words;
  const auto& capability = gpu.compute_capability;
  if (!facts.compute_capability.empty() && capability &&
      capability->value != facts.compute_capability)
    words.push_back(fmt::format("compute capability {} here, {} in the table",
                                facts.compute_capability, capability->value));
  for (const auto& difference : identify(facts, std::span(&gpu, 1)).differs)
    if (difference.decides)
      words.push_back(fmt::format("{} {} here, {} in the table", difference.fact, difference.seen,
                                  difference.table));
  if (!words.empty() || facts.name.empty()) return joined(words, "; ");
  const auto carriers = named(facts, table);
  const bool other =
      !carriers.empty() && std::none_of(carriers.begin(), carriers.end(),
                                        [&](const Gpu* carrier) { return carrier->id == gpu.id; });
  return other ? "that is the name of " + carriers.front()->id : std::string();
}

/// True where nothing is told of a device but its name, if that.
bool untold(const DeviceFacts& facts) { return facts.name.empty() && facts_text(facts).empty(); }

/// What `meant` names settles `found.unknown` where the device does not speak against it.
Errors settle(ProfileGpu& found, const MeantGpu& meant, const DeviceFacts& facts,
              std::span<const Gpu> table) {
  auto gpu = find_gpu(meant.name);
  if (!gpu) return std::move(gpu.error());
  if (const auto differs = contradiction(facts, *gpu, table); !differs.empty()) {
    found.unknown->note +=
        fmt::format("{}{} names {}, which this is not: {}", found.unknown->note.empty() ? "" : "; ",
                    meant.by, gpu->id, differs);
    return {};
  }
  // The name of an unknown GPU is no reason to take it for another one.
  const bool same_generation =
      gpu->compute_capability && gpu->compute_capability->value == facts.compute_capability;
  const auto carriers = named(facts, table);
  const bool same_name = std::any_of(carriers.begin(), carriers.end(),
                                     [&](const Gpu* carrier) { return carrier->id == gpu->id; });
  if (!untold(facts) && !same_generation && !same_name) return {};
  found.note = fmt::format("taken for {}, which {} names", gpu->id, meant.by);
  found.gpu = std::make_unique<Gpu>(std::move(*gpu));
  found.unknown.reset();
  return {};
}

}  // namespace

MeantGpu meant_gpu(const Settings& settings) {
  if (settings.gpu.values.size() != 1) return {};
  return {settings.gpu.text(), settings.gpu.origin};
}

Checked<ProfileGpu> gpu_of(const std::vector<ProfiledDevice>& devices, bool is_entry,
                           const MeantGpu& meant) {
  ProfileGpu result;
  const auto table = all_gpus();
  if (!table) return tl::unexpected(table.error());
  const auto settled = [&](const DeviceFacts& facts) -> Checked<ProfileGpu> {
    if (!meant.name.empty())
      if (auto errors = settle(result, meant, facts, *table); !errors.empty())
        return tl::unexpected(std::move(errors));
    return std::move(result);
  };
  if (devices.empty()) {
    result.unknown = Error{Code::gpu_not_in_table,
                           {},
                           "the captures do not name the GPU they were made on",
                           "give --gpu NAME",
                           {}};
    return settled({});
  }
  if (const auto kinds = kinds_of(devices); !kinds.empty()) {
    result.unknown = Error{Code::gpu_not_in_table,
                           {},
                           "kernels ran on several kinds of GPU: " + joined(kinds, ", "),
                           "--gpu NAME holds all of them against one; record them one by one, or "
                           "give the files one by one",
                           {}};
    return result;
  }
  if (is_entry) {
    const auto entry = std::find_if(table->begin(), table->end(), [&](const Gpu& gpu) {
      return gpu.name == devices.front().name;
    });
    if (entry != table->end()) {
      result.gpu = std::make_unique<Gpu>(*entry);
      return result;
    }
  }
  const auto facts = facts_of(devices.front());
  const auto found = identify(facts, *table);
  const auto differs = differences(found);
  if (found.fit == Fit::nearest || found.fit == Fit::unknown) {
    auto named = by_name(facts, *table);
    if (named.gpu) return named;
    if (named.unknown) {
      result = std::move(named);
      return settled(facts);
    }
  }
  switch (found.fit) {
    case Fit::exact:
      result.gpu = std::make_unique<Gpu>(*found.entry());
      if (!differs.empty()) result.note = "this GPU differs from its entry: " + differs;
      break;
    case Fit::ambiguous:
      result.unknown = Error{
          Code::gpu_not_in_table,
          {},
          fmt::format("{} fits several GPUs of the table: {}",
                      facts.name.empty() ? "what is told of the GPU (" + facts_text(facts) + ")"
                                         : '"' + printable(facts.name) + '"',
                      joined(ids_of(found))),
          "give the right one with --gpu",
          {}};
      break;
    case Fit::slice:
      result.unknown = not_in_table(
          facts,
          fmt::format("it is a MIG instance of {}, whose ceilings are those of the whole card",
                      found.entry()->id));
      break;
    case Fit::nearest:
      result.unknown =
          not_in_table(facts, fmt::format("the nearest entry is {}{}", found.entry()->id,
                                          differs.empty() ? "" : ": " + differs));
      break;
    case Fit::unknown: result.unknown = not_in_table(facts, {}); break;
  }
  if (result.unknown && found.fit != Fit::slice) return settled(facts);
  return result;
}

Checked<std::string> contradiction(const std::vector<ProfiledDevice>& devices, const Gpu& gpu) {
  if (devices.empty()) return std::string();
  const auto table = all_gpus();
  if (!table) return tl::unexpected(table.error());
  return contradiction(facts_of(devices.front()), gpu, *table);
}

}  // namespace roofline::cli
