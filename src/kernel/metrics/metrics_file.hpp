#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/metric_sets.hpp"

namespace roofline {

/// specs/cupti/metrics.yaml as it stands; the build turns it into constant data (metric_sets.hpp
/// says what each part is).
struct MetricsFile {
  struct Set {
    std::vector<std::string> hw;
    int hw_passes = 0;
  };
  struct TensorSet {
    std::string name, path;
    std::uint32_t types = 0;
    Set set;
  };
  struct Family {
    std::string name, compute_capability;
    std::vector<std::string> chips, sass, peaks, sampling;
    Set core, tensor_all, memory;
    std::vector<TensorSet> tensor;
  };
  std::string toolkit;
  std::vector<std::pair<std::string, Role>> roles;                ///< metric, meaning
  std::vector<std::pair<std::string, std::string>> tensor_pipes;  ///< metric, "tensor:bf16"
  std::vector<Family> families;
};

/// Errors: what YamlMap finds; unknown roles, tensor types, lists; a set without passes; a tensor
/// counter without a meaning.
Checked<MetricsFile> read_metrics(const YamlDocument& document);

/// The file as C++ source that needs kernel/metrics/metric_tables.hpp alone.
std::string metric_tables_source(const MetricsFile& file);

}  // namespace roofline
