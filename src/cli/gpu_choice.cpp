#include "cli/gpu_choice.hpp"

#include <algorithm>

#include "cli/args.hpp"
#include "roofline/analysis/calibration.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {

std::vector<std::string> split_names(std::span<const std::string> words) {
  std::vector<std::string> names;
  for (const auto& word : words) {
    if (word.find('/') != std::string::npos) {
      names.push_back(word);
      continue;
    }
    for (std::size_t from = 0; from <= word.size();) {
      const auto to = std::min(word.find(',', from), word.size());
      if (const auto name = trimmed(std::string_view(word).substr(from, to - from)); !name.empty())
        names.emplace_back(name);
      from = to + 1;
    }
  }
  return names;
}

Checked<std::vector<Gpu>> find_gpus(std::span<const std::string> words) {
  Errors errors;
  std::vector<Gpu> gpus;
  for (const auto& name : split_names(words)) {
    auto gpu = find_gpu(name);
    if (gpu)
      gpus.push_back(std::move(*gpu));
    else
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return gpus;
}

bool wants_calibrated(const std::string& option, Errors& errors) {
  constexpr std::string_view kKinds[] = {"datasheet", "calibrated"};
  if (option.empty()) return false;
  if (auto known = check_choice("--ceilings", option, kKinds); !known)
    errors.push_back(std::move(known.error()));
  return option == "calibrated";
}

Errors use_calibration(Gpu& gpu) {
  auto calibration = find_calibration(gpu.id);
  if (!calibration) return calibration.error();
  apply_calibration(std::move(*calibration), gpu);
  return {};
}

Errors show_calibration(Gpu& gpu) {
  if (!is_calibrated(gpu.id)) return {};
  auto calibration = find_calibration(gpu.id);
  if (!calibration) return calibration.error();
  attach_calibration(std::move(*calibration), gpu);
  return {};
}

}  // namespace roofline::cli
