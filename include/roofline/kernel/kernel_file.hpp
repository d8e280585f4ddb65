#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// A kernel description (roofline.kernel/1, docs/kernels.md) with its expressions compiled: checked as a whole when it
/// is read, evaluated point by point without expanding its sweeps.
class KernelFile {
 public:
  /// Every error of the file is reported together, with its place. The first point is evaluated, so that sizes and
  /// operands are checked too.
  static Checked<KernelFile> read(const YamlDocument& document);

  KernelFile(KernelFile&&) noexcept;
  KernelFile& operator=(KernelFile&&) noexcept;
  ~KernelFile();

  const std::string& file() const;
  std::vector<std::string> gpus() const;  ///< `gpu:` of the file, one or several; may be empty
  std::optional<Location> gpu_place() const;
  std::size_t kernel_count() const;

  /// Variables that take several values, in declaration order, and how many points their product has.
  std::span<const std::string> swept() const;
  Count points() const;

  /// One point (0-based, last variable fastest) into `workload`, whose memory is reused. Errors have the place of the
  /// expression and name the point.
  Errors evaluate(Count point, Workload& workload) const;

  /// The scalar variables of `params:` that `kernel` depends on: what can be solved for.
  std::vector<Binding> variables(Count point, std::size_t kernel) const;

  /// `kernel` at `point` with some variables overridden. Used to find the value at which a verdict flips.
  Checked<Kernel> evaluate_with(Count point, std::size_t kernel, std::span<const Binding> overrides) const;

 private:
  struct Content;
  explicit KernelFile(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace roofline
