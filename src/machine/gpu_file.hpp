#pragma once

#include "machine/spec_reader.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline {

/// Reads one accelerator (roofline.gpu/1, docs/specs.md) and adds what follows from its architecture: the types the
/// chip lacks and the mma.sync ceiling. Errors: all of the file, each with its place.
Checked<Gpu> read_gpu(const YamlDocument& document, const SpecReferences& references);

/// Reads `launch_floor: {stream: <figure>, graph: <figure>}`, which an entry and the defaults have alike.
std::optional<LaunchFloor> read_launch_floor(SpecReader& reader, YamlMap& parent);

/// `id: [a-z0-9] words joined by single hyphens`.
bool is_spec_id(std::string_view id);

}  // namespace roofline
