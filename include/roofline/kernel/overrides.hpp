#pragma once

#include <optional>
#include <span>
#include <string>

#include "roofline/base/yaml.hpp"

namespace roofline {

/// A value that is given outside of a description for one of its names. `value` is written as in `params:`: an
/// expression, a range "1:4096:x2", or a list "1,8,64".
struct Override {
  std::string name, value;
};

/// `document` with some names set anew. A name of `params:` is replaced; a parameter of the kernels themselves (m of a
/// gemm) becomes a variable of that name, which all kernels that have it follow. `dtype`, where given, replaces every
/// `dtype:` (not `dtypes:`). Errors: unknown_name with near names.
Checked<YamlDocument> with_overrides(const YamlDocument& document, std::span<const Override> overrides,
                                     const std::optional<std::string>& dtype = {});

/// `document` in which `name` is a variable of `params:`, at the value that the file gives it. Errors: unknown_name; a
/// contradiction where kernels give the parameter different values.
Checked<YamlDocument> with_variable(const YamlDocument& document, const std::string& name);

}  // namespace roofline
