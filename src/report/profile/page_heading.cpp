#include <fmt/format.h>

#include <algorithm>

#include "report/profile/page_sections.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::profile_page {
namespace {

using namespace phrases;

/// The GPU, the machine, the program.
class Heading : Section {
 public:
  using Section::Section;

  void write() {
    heading();
    environment();
  }

 private:
  void heading() {
    if (report_.ceilings) {
      parts::UsedCeilings used;
      for (const auto& finding : findings_.kernels)
        if (finding.verdict) used.add(*finding.verdict);
      parts::gpu_heading(page_, *report_.ceilings, used.list());
    } else {
      const auto* device =
          report_.profile.devices.empty() ? nullptr : &report_.profile.devices.front();
      page_.heading(device && !device->name.empty() ? printable(device->name) : "GPU not known",
                    "its ceilings are not known: times, no verdicts");
    }
    if (!report_.gpu_note.empty()) page_.sentence(report_.gpu_note);
    page_.gap();
  }

  void environment() {
    const auto& e = report_.environment;
    std::vector<std::string> words;
    if (!e.driver.empty()) words.push_back("driver " + printable(e.driver));
    if (!e.cuda.empty()) words.push_back("CUDA " + printable(e.cuda));
    if (e.power_limit_w) words.push_back(fmt::format("{:.0f} W", *e.power_limit_w));
    if (e.ecc) words.push_back(*e.ecc ? "ECC on" : "ECC off");
    if (!e.mig.empty()) words.push_back("MIG " + printable(e.mig));
    if (e.clock_median_mhz)
      words.push_back(fmt::format("SM {:.0f} MHz ({:.0f}..{:.0f})", *e.clock_median_mhz,
                                  *e.clock_min_mhz, *e.clock_max_mhz));
    if (e.throttled_share)
      words.push_back(*e.throttled_share > 0
                          ? fmt::format("throttled {} of the time", percent(*e.throttled_share))
                          : "no throttling");
    if (e.other_processes)
      words.push_back(*e.other_processes == 0
                          ? "alone on the GPU"
                          : plural(*e.other_processes, "other process") + " on the GPU");
    std::string line;
    for (const auto& word : words) line += (line.empty() ? "" : ", ") + word;
    if (!line.empty()) page_.sentence(line);
    page_.heading(
        report_.program.command.empty() ? "the program" : printable(report_.program.command),
        report_.profile.runs > 0 ? runs_text() : counted_text());
  }

  std::string runs_text() const {
    const auto& profile = report_.profile;
    if (profile.imported()) return imported_text();
    std::string text =
        fmt::format("{} of {} in {}", plural(profile.launches(), "launch"),
                    plural(profile.kernels.size(), "kernel"), plural(profile.runs, "run"));
    const auto processes = static_cast<std::uint64_t>(std::count_if(
        profile.processes.begin(), profile.processes.end(),
        [](const auto& process) { return process.mode != kCounterMode && process.launches > 0; }));
    if (processes > profile.runs) text += fmt::format(" and {}", plural(processes, "process"));
    return text + fmt::format(", {} of GPU time a run",
                              seconds(profile.kernel_time() / static_cast<double>(profile.runs)));
  }

  std::string imported_text() const {
    const auto& profile = report_.profile;
    const auto& first = profile.processes.front();
    std::string text = fmt::format(
        "{} of {}{}, {} of GPU time, from {}", plural(profile.launches(), "launch"),
        plural(profile.kernels.size(), "kernel"),
        profile.processes.size() > 1 ? " in " + plural(profile.processes.size(), "file") : "",
        seconds(profile.kernel_time()), printable(first.imported_from));
    for (const auto& process : profile.processes)
      if (!process.cut.empty())
        text +=
            fmt::format("; {} ends too early: {}", printable(process.file), printable(process.cut));
    return text;
  }

  /// Under counters alone launches are not all seen, and their times are those of replay.
  std::string counted_text() const {
    std::uint64_t counted = 0;
    for (const auto& finding : findings_.kernels) counted += finding.counted_launches;
    return fmt::format("{} of {} counted; no times: they would be those of replay",
                       plural(counted, "launch"), plural(findings_.kernels.size(), "kernel"));
  }
};

}  // namespace

void write_heading(Page& page, const ProfileReport& report, const ProfilePageOptions& options) {
  Heading(page, report, options).write();
}

}  // namespace roofline::profile_page
