#pragma once

#include <gtest/gtest.h>

#include <string>

#include "roofline/analysis/verdict.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {

/// The one kernel of `entry`, which is an entry of `kernels:` on one line: "{op: gemm, m: 1, ...}".
inline Kernel described(const std::string& entry) {
  auto document = read_yaml("kernels: [" + entry + "]\n", "test.yaml");
  EXPECT_TRUE(document.has_value()) << entry;
  auto file = KernelFile::read(*document);
  EXPECT_TRUE(file.has_value()) << entry << (file ? "" : format_errors(file.error(), false));
  Workload workload;
  EXPECT_TRUE(file->evaluate(0, workload).empty());
  return workload.kernels.at(0);
}

inline const Gpu& known_gpu(const std::string& name) {
  static std::map<std::string, Gpu> gpus;
  if (!gpus.contains(name)) gpus.emplace(name, find_gpu(name).value());
  return gpus.at(name);
}

inline Verdict verdict_of(const std::string& entry, const std::string& gpu) {
  const Ceilings ceilings(known_gpu(gpu));
  return judge(described(entry), ceilings).value();
}

}  // namespace roofline
