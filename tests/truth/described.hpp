#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>
#include <string>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::testing {

/// An id as GoogleTest takes names.
inline std::string test_name(const std::string& id) {
  std::string name;
  for (const char c : id) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

inline Gpu gpu(const std::string& name) {
  auto found = find_gpu(name);
  if (!found) throw std::runtime_error(format_errors(found.error(), false));
  return std::move(*found);
}

/// The workload of a description written in a test, at its first point.
inline Workload described(const std::string& yaml) {
  auto document = read_yaml(yaml, "test.yaml");
  if (!document) throw std::runtime_error(format_errors(document.error(), false));
  auto file = KernelFile::read(*document);
  if (!file) throw std::runtime_error(format_errors(file.error(), false));
  Workload workload;
  if (auto errors = file->evaluate(0, workload); !errors.empty()) throw std::runtime_error(format_errors(errors, false));
  return workload;
}

/// One kernel entry (JSON or YAML flow text) judged on a GPU.
inline Verdict judged(const std::string& entry, const Gpu& machine) {
  const auto workload = described("kernels: [" + entry + "]");
  auto verdict = judge(workload.kernels.at(0), Ceilings(machine));
  if (!verdict) throw std::runtime_error(verdict.error().what);
  return std::move(*verdict);
}

}  // namespace roofline::testing
