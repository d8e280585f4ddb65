#include <fmt/format.h>
#include <unistd.h>

#include "cli/diagnosis.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli::diagnosis {
namespace {

using profile::GpuState;

constexpr int kOldestCapability = 75;  // CUPTI 13 supports no older chip
constexpr int kProhibited = 2, kOneProcess = 3;
constexpr double kPlausibleCopy = 0.4;

std::string entry_name(const DetectedGpu& detected) {
  const auto* entry = detected.match.entry();
  return detected.match.fit == Fit::exact ? fmt::format("{} ({})", entry->name, entry->id)
                                          : printable(detected.facts.name);
}

std::string equipment(const GpuState& gpu) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (gpu.state && gpu.state->power_limit_w)
    add(fmt::format("{:.0f} W", *gpu.state->power_limit_w));
  add(gpu.info.ecc ? "ECC on" : "ECC off");
  if (gpu.state && gpu.state->mig) add(*gpu.state->mig ? "MIG on" : "no MIG");
  if (gpu.info.mps) add("MPS");
  return text;
}

std::string subject(const GpuState& gpu) { return fmt::format("gpu{}", gpu.info.ordinal); }
std::string label(const GpuState& gpu) { return fmt::format("GPU {}", gpu.info.ordinal); }

Finding identity(const GpuState& gpu, const DetectedGpu& detected) {
  Finding finding{Mark::ok,
                  subject(gpu),
                  fmt::format("{}  {}  {}", label(gpu), entry_name(detected), equipment(gpu)),
                  {},
                  {},
                  {}};
  std::vector<std::string> differences;
  for (const auto& difference : detected.match.differs)
    if (difference.decides) differences.push_back(difference_text(difference));
  switch (detected.match.fit) {
    case Fit::exact: break;
    case Fit::ambiguous:
      finding.mark = Mark::warn;
      finding.meaning = "several entries of the table have its facts, and no name tells which";
      finding.remedy = "roofline gpus detect lists them; give one with --gpu";
      break;
    case Fit::slice:
      finding.mark = Mark::warn;
      finding.meaning = fmt::format(
          "an instance of {}: a part of its SMs and bandwidth, so its ceilings are not the card's",
          detected.match.entry()->id);
      finding.remedy =
          "describe the instance in a file of your own (roofline gpus template), or measure on the "
          "whole card";
      break;
    case Fit::nearest:
      finding.mark = Mark::warn;
      finding.meaning = fmt::format("not in the table; nearest is {}, which differs: {}",
                                    detected.match.entry()->id, joined(differences, "; "));
      finding.remedy = "roofline gpus template > mygpu.yaml, fill it in, then --gpu ./mygpu.yaml";
      finding.code = code_name(Code::gpu_not_in_table);
      break;
    case Fit::unknown:
      finding.mark = Mark::warn;
      finding.meaning = "not in the table: times can be measured, verdicts need its ceilings";
      finding.remedy = "roofline gpus template > mygpu.yaml, fill it in, then --gpu ./mygpu.yaml";
      finding.code = code_name(Code::gpu_not_in_table);
      break;
  }
  return finding;
}

bool usable(const GpuState& gpu, std::vector<Finding>& findings) {
  const int capability = 10 * gpu.info.capability_major + gpu.info.capability_minor;
  if (capability < kOldestCapability) {
    findings.push_back({Mark::no,
                        subject(gpu),
                        fmt::format("{} has compute capability {}.{}", label(gpu),
                                    gpu.info.capability_major, gpu.info.capability_minor),
                        "CUPTI supports 7.5 (Turing) and later",
                        "nsys or nvprof of CUDA 12 record it; roofline import reads their files",
                        {}});
    return false;
  }
  if (gpu.info.compute_mode == kProhibited) {
    findings.push_back({Mark::no,
                        subject(gpu),
                        label(gpu) + " takes no compute programs (compute mode prohibited)",
                        {},
                        fmt::format("nvidia-smi -i {} -c DEFAULT as root", gpu.info.ordinal),
                        {}});
    return false;
  }
  if (gpu.info.compute_mode == kOneProcess)
    findings.push_back({Mark::warn,
                        subject(gpu),
                        label(gpu) + " serves one process at a time (exclusive mode)",
                        "a program that uses several processes fails",
                        fmt::format("nvidia-smi -i {} -c DEFAULT as root", gpu.info.ordinal),
                        {}});
  return true;
}

void clocks(const GpuState& gpu, std::vector<Finding>& findings) {
  if (!gpu.state) return;
  const auto& state = *gpu.state;
  if (state.throttle_reasons) {
    std::vector<std::string> reasons;
    for (const auto reason : nvml::slowdown_reasons(*state.throttle_reasons))
      reasons.emplace_back(reason);
    if (!reasons.empty())
      findings.push_back({Mark::warn,
                          subject(gpu),
                          fmt::format("{} is slowed down now: {}", label(gpu), joined(reasons)),
                          "times are longer than the ceilings allow for",
                          "let it cool or idle, then look again: nvidia-smi -q -d PERFORMANCE",
                          {}});
  }
  if (!state.max_sm_clock_mhz) return;
  const auto now = state.sm_clock_mhz ? fmt::format(" (SM {} MHz now, {} at most)",
                                                    *state.sm_clock_mhz, *state.max_sm_clock_mhz)
                                      : std::string();
  findings.push_back(
      {Mark::warn,
       subject(gpu),
       fmt::format("{}: clocks may float{}", label(gpu), now),
       "the driver does not tell whether they are locked; unlocked, expect 1 to 3 % between runs",
       fmt::format("an administrator can lock them: nvidia-smi -i {} -lgc {}", gpu.info.ordinal,
                   *state.max_sm_clock_mhz * 3 / 4 / 15 * 15),
       {}});
}

void neighbours(const GpuState& gpu, std::vector<Finding>& findings) {
  if (!gpu.state || !gpu.state->processes) return;
  const auto self = static_cast<unsigned>(::getpid());
  for (const auto& process : *gpu.state->processes) {
    if (process.pid == self) continue;
    const auto memory = process.memory_bytes
                            ? ", " + format_bytes(static_cast<double>(*process.memory_bytes))
                            : std::string();
    findings.push_back(
        {Mark::warn,
         subject(gpu),
         fmt::format("another process uses {} (pid {}{})", label(gpu), process.pid, memory),
         "times are not trustworthy while it works",
         "wait for it, or use another GPU (CUDA_VISIBLE_DEVICES)",
         {}});
  }
}

}  // namespace

bool gpu(const GpuState& gpu, const DetectedGpu& detected, std::vector<Finding>& findings) {
  findings.push_back(identity(gpu, detected));
  if (gpu.info.simulated)
    findings.push_back({Mark::warn,
                        subject(gpu),
                        label(gpu) + " is SIMULATED: a test double, no such GPU exists",
                        "nothing that is measured on it says anything of hardware",
                        {},
                        {}});
  if (!usable(gpu, findings)) return false;
  clocks(gpu, findings);
  neighbours(gpu, findings);
  return true;
}

void test_kernel(const profile::MachineState& state, const Gpu* entry,
                 std::vector<Finding>& findings) {
  if (state.test_fault) {
    findings.push_back({Mark::no,
                        "test_kernel",
                        "a test kernel does not run: " + state.test_fault->what,
                        {},
                        state.test_fault->hint,
                        code_name(state.test_fault->code)});
    return;
  }
  if (!state.test) return;
  const auto& test = *state.test;
  auto text =
      fmt::format("a test kernel: launch {}, empty kernel {}",
                  format_seconds(Seconds(test.launch_s)), format_seconds(Seconds(test.kernel_s)));
  Finding finding{Mark::ok, "test_kernel", {}, {}, {}, {}};
  if (test.copy_rate > 0) {
    text += ", copy " + format_quantity(test.copy_rate, "B/s");
    if (entry && entry->dram_bandwidth) {
      const double share = test.copy_rate / entry->dram_bandwidth->value.value();
      text += fmt::format(" ({:.0f} % of {})", 100 * share,
                          format_quantity(entry->dram_bandwidth->value.value(), "B/s"));
      if (share < kPlausibleCopy || share > 1.02) {
        finding.mark = Mark::warn;
        finding.meaning =
            "not what this memory does: another program, another clock, or another card than the "
            "table's";
        finding.remedy = "roofline gpus detect shows what differs";
      }
    }
  }
  finding.text = std::move(text);
  findings.push_back(std::move(finding));
}

}  // namespace roofline::cli::diagnosis
