#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "roofline/analysis/ceiling.hpp"

namespace roofline::audit_rows {

/// A GPU of the table with its ceilings, read once.
struct GpuSlot {
  GpuSlot(Gpu found, const CeilingOptions& options) : gpu(std::move(found)), ceilings(gpu, options) {}
  GpuSlot(const GpuSlot&) = delete;
  GpuSlot& operator=(const GpuSlot&) = delete;
  Gpu gpu;
  Ceilings ceilings;
};

/// GPUs by the names that rows give them.
class GpuSlots {
 public:
  explicit GpuSlots(CeilingOptions options) : options_(options) {}
  /// nullptr: no GPU of that name. A cell is never taken for a path: a table opens no files.
  const GpuSlot* find(std::string_view name);
  /// The GPU that the user names, which may be a file.
  const GpuSlot* find_given(const std::string& name);

 private:
  CeilingOptions options_;
  std::map<std::string, std::unique_ptr<GpuSlot>, std::less<>> by_name_;
  std::unique_ptr<GpuSlot> given_;
  std::string last_name_;
  const GpuSlot* last_ = nullptr;
};

}  // namespace roofline::audit_rows
