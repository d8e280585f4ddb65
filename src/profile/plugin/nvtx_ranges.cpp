#include "profile/plugin/nvtx_ranges.hpp"

namespace roofline::profile::plugin {

void NvtxRanges::begin(std::uint32_t id, Open range, Losses& losses) {
  if (open_.size() >= kOpen)
    losses.add(Lost::ranges_forgotten);
  else
    open_.insert_or_assign(id, std::move(range));
}

void NvtxRanges::end(std::uint32_t id, std::uint64_t time, CaptureWriter::Batch& batch) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;  // began before us, or is counted as forgotten
  const auto& range = found->second;
  batch.put(capture::Range{batch.text(range.name), range.thread, range.start, time});
  open_.erase(found);
}

}  // namespace roofline::profile::plugin
