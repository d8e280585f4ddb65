#pragma once

#include <optional>
#include <span>

#include "kernel/arguments.hpp"
#include "kernel/entry.hpp"

namespace roofline {

/// What an entry says about dtypes.
struct DTypeSources {
  const YamlNode* by_operand = nullptr;  ///< `dtypes:`
  std::optional<DType> for_all;          ///< `dtype:` of the entry, else of the defaults
  bool report_missing = true;            ///< false where a mistake already explains what is missing
};

/// Gives every operand its dtype: `dtypes:`, or the tensor that it is bound to; then a dtype that
/// the op fixes; then the one for all; then that of another operand. What has none, or two, is
/// reported.
void assign_dtypes(Reading& reading, const YamlNode& node, const DTypeSources& sources,
                   const SharedTensors& tensors, std::span<const NamedTensor> named, Entry& entry);

}  // namespace roofline
