#include "report/audit/gpu_slots.hpp"

#include "report/audit/words.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::audit_rows {
namespace {

constexpr std::size_t kMostNames = 2000;  // different names that a table may make us look up
constexpr std::size_t kLongestName = 200;

/// A name without the remarks of its table: "V100 SXM2 (DGX-1)", "A100 SXM4 80GB 330W". Empty: it has none.
std::string_view without_remarks(std::string_view name) {
  if (const auto bracket = name.find('('); bracket != std::string_view::npos && bracket > 0) return trimmed(name.substr(0, bracket));
  const auto blank = name.rfind(' ');
  if (blank == std::string_view::npos || !name.ends_with('W')) return {};
  const auto watts = name.substr(blank + 1, name.size() - blank - 2);
  const bool digits = !watts.empty() && watts.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? name.substr(0, blank) : std::string_view();
}

Checked<Gpu> find_by_any(std::string_view name) {
  const auto id = gpu_word(lower_case(trimmed(name)));
  return find_gpu(id.empty() ? name : id);
}

bool could_be_a_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".yaml") || name.ends_with(".yml");
}

}  // namespace

const GpuSlot* GpuSlots::find(std::string_view name) {
  if (name == last_name_ && last_) return last_;
  if (name.empty() || name.size() > kLongestName || could_be_a_path(name)) return nullptr;
  auto known = by_name_.find(name);
  if (known == by_name_.end()) {
    if (by_name_.size() == kMostNames) return nullptr;
    auto gpu = find_by_any(name);
    if (const auto rest = without_remarks(name); !gpu && !rest.empty()) gpu = find_by_any(rest);
    known = by_name_.emplace(std::string(name), gpu ? std::make_unique<GpuSlot>(std::move(*gpu), options_) : nullptr).first;
  }
  last_name_ = name;
  last_ = known->second.get();
  return last_;
}

const GpuSlot* GpuSlots::find_given(const std::string& name) {
  if (!given_)
    if (auto gpu = find_gpu(name)) given_ = std::make_unique<GpuSlot>(std::move(*gpu), options_);
  return given_.get();
}

}  // namespace roofline::audit_rows
