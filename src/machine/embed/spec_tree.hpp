#pragma once

#include <string>
#include <vector>

#include "machine/table_files.hpp"
#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline {

/// One spec file, read and checked, with its tree packed.
struct PackedSpec {
  std::string id, bytes;
};

struct PackedName {
  std::string key;
  std::size_t gpu = 0;
};

/// All of specs/, as it goes into the program.
struct SpecTree {
  std::vector<PackedSpec> gpus;           ///< in table order
  std::vector<PackedSpec> architectures;  ///< sorted by id
  std::vector<PackedSpec> sources;        ///< sorted by key
  std::vector<PackedSpec> files;          ///< verbatim, sorted by name
  std::vector<PackedName> names;          ///< sorted by key
  std::vector<std::string> spelled;       ///< ids and aliases, sorted
  std::string defaults, revision;
};

/// Reads every file below `folder` with the readers of the program and verifies each entry. Errors: those of the
/// files, unlisted or missing entries, an id that is not the file's name, a name that two entries claim, and what
/// verify() objects to.
Checked<SpecTree> read_spec_tree(const std::string& folder);

/// The tree as one C++ source: definitions of machine/embedded_tables.hpp.
std::string generated_source(const SpecTree& tree);

}  // namespace roofline
