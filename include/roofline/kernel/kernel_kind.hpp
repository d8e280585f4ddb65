#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/pattern.hpp"
#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"

namespace roofline {

/// What a kernel probably does, told from its name alone: a label for people. Nothing is ever
/// computed from it.
class KernelKinds {
 public:
  /// The table of patterns, roofline.names/1 (specs/names.yaml): the first that is found in the
  /// demangled name in lower case decides.
  static Checked<KernelKinds> read(const YamlDocument& document);

  /// "gemm", "attention", "communication"; empty: no pattern is found in the name.
  std::string_view kind_of(std::string_view full_name) const;

 private:
  struct Row {
    std::string kind;
    Pattern pattern;
  };
  std::vector<Row> rows_;
};

/// Kernels of this kind wait for other processes: their time is not work of their own.
inline constexpr std::string_view kCommunicationKind = "communication";

}  // namespace roofline
