#include "analysis/gate/hold.hpp"

namespace roofline {
namespace {

void no_counters(Case& c, std::string_view what) {
  const bool skip = c.inputs.gate->policy.no_counters == SkipPolicy::skip;
  refuse(c.row, skip ? Outcome::skip : Outcome::error, Code::counters_absent,
         fmt::format("{} was not measured", what));
  if (!skip)
    c.row.hint =
        "roofline profile --counters measures it; roofline doctor says whether this machine "
        "permits that";
}

std::optional<Bytes> compulsory(const Case& c) {
  if (c.subject.spec) return c.subject.spec->bytes;
  return c.subject.kernel ? c.subject.kernel->bytes : std::nullopt;
}

/// What a launch moves through or computes on a resource, and the resource's rate.
struct Use {
  std::optional<double> amount, per_second;
};

Use use_of(const Case& c) {
  const auto* m = measured(c);
  const auto& resource = c.assertion.resource;
  Use use;
  if (m && resource == "dram" && m->dram_bytes) use.amount = m->dram_bytes->value();
  if (m && resource == "l2" && m->l2_bytes) use.amount = m->l2_bytes->value();
  if (m && resource == "sfu") use.amount = m->sfu_ops;
  if (m && resource == "int") use.amount = m->int_ops;
  if (m && !use.amount)
    for (const auto& [pipe, flops] : m->flops_by_pipe)
      if (pipe == resource) use.amount = flops;
  if (c.inputs.ceilings) {
    const auto& gpu = c.inputs.ceilings->gpu();
    if (resource == "l2" && gpu.l2_bandwidth) use.per_second = gpu.l2_bandwidth->value.value();
    for (const auto& ceiling : c.inputs.ceilings->all())
      if (!use.per_second && resource_name(ceiling.resource) == resource)
        use.per_second = ceiling.per_second;
  }
  return use;
}

}  // namespace

const ResultMeasurement* measured(const Case& c) {
  return c.subject.kernel && c.subject.kernel->measured ? &*c.subject.kernel->measured : nullptr;
}

void hold_excess_traffic(Case& c) {
  const auto* m = measured(c);
  if (!m || (!m->dram_bytes && !m->excess_traffic)) return no_counters(c, "DRAM traffic");
  const auto bytes = compulsory(c);
  if (m->dram_bytes && bytes && *bytes > Bytes(0))
    c.compare(*m->dram_bytes / *bytes);
  else
    c.compare_or_absent(m->excess_traffic, kNoDescription);
  if (c.row.outcome == Outcome::fail && m->dram_bytes && bytes)
    c.row.text = fmt::format("{} instead of {}", format_bytes(m->dram_bytes->value()),
                             format_bytes(bytes->value()));
}

void hold_dram_bytes(Case& c) {
  const auto* m = measured(c);
  if (!m || !m->dram_bytes) return no_counters(c, "DRAM traffic");
  c.compare(m->dram_bytes->value());
}

void hold_utilization(Case& c) {
  const auto use = use_of(c);
  if (!use.amount) return no_counters(c, fmt::format("work on {}", c.assertion.resource));
  if (!use.per_second)
    return c.absent(fmt::format("no rate of {} is known for this GPU", c.assertion.resource));
  if (!has_time(c)) return;
  if (*use.amount <= 0) {
    c.row.value = 0;
    return refuse(c.row, Outcome::fail, Code::limit_broken, "nothing was counted");
  }
  hold_absolute(c, [&](double time) { return *use.amount / time / *use.per_second * 100; });
}

}  // namespace roofline
