#include "roofline/analysis/fusion_audit.hpp"

#include <algorithm>

#include "roofline/analysis/tile.hpp"
#include "roofline/kernel/tensor.hpp"

namespace roofline {
namespace {

/// Judges groups once each: a chain of n kernels has n (n + 1) / 2 of them, however many groupings they make.
class Groups {
 public:
  Groups(const Chain& chain, const Ceilings& ceilings)
      : chain_(chain), ceilings_(ceilings), size_(chain.kernels.size()), known_(size_ * size_) {
    if (const auto limit = shared_memory_per_block(ceilings.gpu())) row_limit_ = *limit;
  }

  struct Entry {
    bool looked = false;
    std::string reason;
    Group group;
  };

  Result<const Entry*> at(std::size_t first, std::size_t last) {
    auto& entry = known_[first * size_ + last];
    if (entry.looked) return &entry;
    entry.looked = true;
    entry.reason = why_not_fusible(chain_, first, last, row_limit_);
    Kernel kernel;
    kernel.name = chain_.kernels[first].name;
    kernel.work = first == last ? chain_.kernels[first].work : fused_work(chain_, first, last);
    auto verdict = judge(kernel, ceilings_);
    if (!verdict) return tl::unexpected(std::move(verdict.error()));
    entry.group = {first, last, fused_traffic(chain_, first, last), std::move(*verdict)};
    return &entry;
  }

 private:
  const Chain& chain_;
  const Ceilings& ceilings_;
  std::size_t size_;
  std::vector<Entry> known_;
  Count row_limit_ = 0;
};

Grouping sum_of(std::vector<Group> groups) {
  Grouping grouping;
  for (const auto& group : groups) {
    grouping.bytes += group.verdict.bytes();
    grouping.flops += group.verdict.flops;
    grouping.passes += group.traffic.passes;
    grouping.floor += group.verdict.floor.time;
  }
  grouping.groups = std::move(groups);
  return grouping;
}

bool better(const Grouping& a, const Grouping& b) {
  if (a.floor != b.floor) return a.floor < b.floor;
  return a.groups.size() < b.groups.size();
}

/// The grouping in which bit i of `cuts` separates kernel i from kernel i + 1; nullopt where it is not legal.
Result<std::optional<Grouping>> grouping_of(Groups& groups, std::size_t kernels, unsigned cuts) {
  std::vector<Group> parts;
  for (std::size_t first = 0; first < kernels;) {
    std::size_t last = first;
    while (last + 1 < kernels && !(cuts >> last & 1U)) ++last;
    auto entry = groups.at(first, last);
    if (!entry) return tl::unexpected(entry.error());
    if (!(*entry)->reason.empty()) return std::optional<Grouping>();
    parts.push_back((*entry)->group);
    first = last + 1;
  }
  return std::optional<Grouping>(sum_of(std::move(parts)));
}

Result<void> rank_all(Groups& groups, std::size_t kernels, FusionAudit& audit) {
  for (unsigned cuts = 0; cuts < 1U << (kernels - 1); ++cuts) {
    auto grouping = grouping_of(groups, kernels, cuts);
    if (!grouping) return tl::unexpected(grouping.error());
    if (!*grouping) {
      ++audit.illegal;
      continue;
    }
    ++audit.legal;
    audit.ranked.push_back(std::move(**grouping));
  }
  std::stable_sort(audit.ranked.begin(), audit.ranked.end(), better);
  if (audit.ranked.size() > kMostRanked) audit.ranked.resize(kMostRanked);
  return {};
}

/// The best cut of kernels 0..i for each i, from the best cuts before it.
Result<void> rank_best(Groups& groups, std::size_t kernels, FusionAudit& audit) {
  audit.exhaustive = false;
  struct Best {
    Seconds floor;
    std::size_t parts = 0, from = 0;
  };
  std::vector<Best> best(kernels + 1);
  for (std::size_t end = 1; end <= kernels; ++end) {
    bool found = false;
    for (std::size_t first = end; first-- > 0;) {
      auto entry = groups.at(first, end - 1);
      if (!entry) return tl::unexpected(entry.error());
      ++((*entry)->reason.empty() ? audit.legal : audit.illegal);
      if (!(*entry)->reason.empty()) continue;
      const Best candidate{best[first].floor + (*entry)->group.verdict.floor.time, best[first].parts + 1, first};
      const bool wins = !found || candidate.floor < best[end].floor ||
                        (candidate.floor == best[end].floor && candidate.parts < best[end].parts);
      if (wins) best[end] = candidate;
      found = true;
    }
  }
  std::vector<Group> parts;
  for (std::size_t end = kernels; end > 0; end = best[end].from) {
    auto entry = groups.at(best[end].from, end - 1);
    if (!entry) return tl::unexpected(entry.error());
    parts.push_back((*entry)->group);
  }
  std::reverse(parts.begin(), parts.end());
  audit.ranked.push_back(sum_of(std::move(parts)));
  return {};
}

}  // namespace

Result<FusionAudit> audit_fusion(const Chain& chain, const Ceilings& ceilings) {
  FusionAudit audit;
  const std::size_t kernels = chain.kernels.size();
  if (kernels == 0) return audit;
  Groups groups(chain, ceilings);
  std::vector<Group> single;
  for (std::size_t i = 0; i < kernels; ++i) {
    auto entry = groups.at(i, i);
    if (!entry) return tl::unexpected(entry.error());
    single.push_back((*entry)->group);
  }
  audit.as_written = sum_of(std::move(single));
  auto all = groups.at(0, kernels - 1);
  if (!all) return tl::unexpected(all.error());
  if ((*all)->reason.empty()) audit.fully_fused = sum_of({(*all)->group});
  for (std::size_t i = 0; i + 1 < kernels; ++i) {
    auto pair = groups.at(i, i + 1);
    if (!pair) return tl::unexpected(pair.error());
    if (!(*pair)->reason.empty()) audit.barriers.push_back({i, i + 1, (*pair)->reason});
  }
  if (audit.barriers.empty() && !audit.fully_fused) audit.barriers.push_back({0, kernels - 1, (*all)->reason});
  auto ranked = kernels <= kExactKernels ? rank_all(groups, kernels, audit) : rank_best(groups, kernels, audit);
  if (!ranked) return tl::unexpected(ranked.error());
  const auto& l2 = ceilings.gpu().l2_capacity;
  for (std::size_t t = 0; t < chain.tensors.size(); ++t)
    if (chain.tensors[t].intermediate)
      audit.intermediates.push_back({t, l2 && chain.tensors[t].bytes.to_double() <= l2->value.value()});
  return audit;
}

Result<std::optional<AttentionAlternative>> flash_alternative(const Kernel& kernel, const Ceilings& ceilings) {
  const bool standard = kernel.op && kernel.op->name == "attention" && kernel.input.choice("impl", "flash") == "standard";
  if (!standard) return std::optional<AttentionAlternative>();
  AttentionAlternative result{.flash = kernel};
  result.flash.input.set("impl", Value{std::string("flash")});
  auto work = kernel.op->model(result.flash.input);
  if (!work) return fail(Code::operands_disagree, kernel.where, work.error().what, work.error().hint);
  result.flash.work = std::move(*work);
  auto before = judge(kernel, ceilings), after = judge(result.flash, ceilings);
  if (!before) return tl::unexpected(before.error());
  if (!after) return tl::unexpected(after.error());
  for (const auto& traffic : kernel.work.operands())
    if (traffic.operand == "s" || traffic.operand == "p") result.score_bytes += traffic.read + traffic.written;
  result.materialised = std::move(*before);
  result.kept = std::move(*after);
  return std::optional<AttentionAlternative>(std::move(result));
}

std::vector<EpilogueSaving> epilogue_savings(const Kernel& kernel, const Ceilings& ceilings) {
  std::vector<EpilogueSaving> list;
  if (!kernel.op || kernel.op->name != "gemm") return list;
  const auto& in = kernel.input;
  const Count outputs = in.count("m") * in.count("n") * in.count("batch", 1);
  const Count pass = tensor_bytes(outputs, in.dtype("d"));
  const auto add = [&](std::string part, Count bytes) {
    list.push_back({std::move(part), bytes, Bytes(bytes.to_double()) / ByteRate(ceilings.dram().per_second)});
  };
  // Each part as a kernel of its own reads the output and writes it again, besides what it needs anyway.
  if (in.flag("bias", false)) add("bias", pass * Count(2));
  if (in.choice("activation", "none") != "none") add("activation", pass * Count(2));
  if (in.flag("residual", false)) add("residual", pass * Count(2));
  // The product of a separate quantisation kernel leaves in 16 bits before it is narrowed.
  if (in.choice("quantize", "none") != "none") add("quantize", tensor_bytes(outputs, DType::bf16) * Count(2));
  return list;
}

}  // namespace roofline
