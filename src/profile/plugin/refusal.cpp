#include "profile/plugin/refusal.hpp"

#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

struct Meaning {
  int result;
  std::string_view code;
  std::string_view sentence;
};
// Numbers: the headers of CUDA 12.6 lack some of the names. The remedies are the command line's to
// tell.
constexpr Meaning kMeanings[] = {
    {15, status::kCuptiTooNew,
     "CUPTI cannot start: usually it is newer than the driver, or its libcuda is a stub"},
    {26, status::kHardwareBusy,
     "another tool holds the GPU's counters (DCGM does: dcgmi profile --pause)"},
    {35, status::kNotPermitted, "the driver lets administrators alone profile"},
    {39, status::kOtherClient, "another profiler is attached to this program"},
    {40, status::kVirtualGpu, "this virtual GPU does not allow profiling"},
    {41, status::kConfidential, "confidential computing does not allow profiling"},
    {42, status::kMiningGpu, "this mining GPU does not allow profiling"},
    {43, status::kMig, "this MIG instance does not allow profiling"},
    {44, status::kSli, "an SLI configuration does not allow profiling"},
    {45, status::kWsl, "profiling does not work under WSL here"},
};

}  // namespace

Refusal refusal_of(const CuptiApi& cupti, CUptiResult result, std::string_view call) {
  const int number = static_cast<int>(result);
  const std::string cause = " (" + std::string(call) + ": " + std::to_string(number) + ")";
  for (const auto& meaning : kMeanings)
    if (meaning.result == number)
      return {meaning.code, std::string(meaning.sentence) + cause, std::string(call), number};
  const char* text = nullptr;
  if (cupti.get_result_string) cupti.get_result_string(result, &text);
  return {status::kRefused,
          "CUPTI refused to start: " + std::string(text ? text : "no reason given") + cause,
          std::string(call), number};
}

}  // namespace roofline::profile::plugin
