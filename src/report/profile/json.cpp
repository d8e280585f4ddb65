#include <fmt/format.h>

#include "report/profile/profile_report.hpp"
#include "report/result_json.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view kMethod =
    "cupti-trace/1";  // another way of measuring takes another name: never compared

void write_optional(JsonWriter& json, JsonKey key, const std::optional<double>& value) {
  if (value) json.number(key, *value);
}
void write_bytes(JsonWriter& json, JsonKey key, const std::optional<Bytes>& value) {
  if (value) json.number(key, value->value());
}

class ProfileJson {
 public:
  ProfileJson(JsonWriter& json, const ProfileReport& report) : json_(json), report_(report) {}

  void write(std::string_view tool_version) {
    json_.begin_object();
    write_header(json_, {.explain = false,
                         .verbosity = 0,
                         .colour = false,
                         .width = 0,
                         .gpu_count = 1,
                         .tool_version = tool_version});
    if (report_.profile.simulated) json_.flag("simulated", true);
    program();
    gpu();
    environment();
    json_.flag("complete", report_.profile.complete && !report_.program.interrupted &&
                               !report_.program.timed_out);
    json_.begin_array("kernels");
    for (const auto& finding : report_.findings.kernels) kernel(finding);
    json_.end_array();
    ranges();
    ranks();
    sequence();
    write_devices_json(json_, report_);
    sampled();
    totals();
    coverage();
    warnings();
    json_.end_object();
    json_.end_line();
    json_.flush();
  }

 private:
  void program() {
    const auto& p = report_.program;
    json_.begin_object("program");
    if (!p.command.empty()) json_.text("command", p.command);
    json_.count("runs", Count(report_.profile.runs));
    if (report_.profile.imported()) {
      json_.text("format", report_.profile.processes.front().format);
      json_.text("imported_from", report_.profile.processes.front().imported_from);
    }
    if (p.signal)
      json_.count("signal", Count(*p.signal));
    else if (p.exit_code)
      json_.count("exit_code", Count(*p.exit_code));
    if (p.interrupted) json_.flag("interrupted", true);
    if (p.timed_out) json_.flag("timed_out", true);
    json_.end_object();
  }

  void gpu() {
    if (report_.ceilings) {
      GpuReport gpu;
      gpu.ceilings = report_.ceilings.get();
      if (report_.profile.imported() && !report_.profile.devices.empty())
        gpu.device_name = report_.profile.devices.front().name;
      write_gpu(json_, gpu);
      return;
    }
    json_.begin_object("gpu");
    json_.text("name", report_.profile.devices.empty() ? std::string("unknown")
                                                       : report_.profile.devices.front().name);
    json_.end_object();
  }

  void environment() {
    const auto& e = report_.environment;
    json_.begin_object("environment");
    if (!e.driver.empty()) json_.text("driver", e.driver);
    if (!e.cuda.empty()) json_.text("cuda", e.cuda);
    write_optional(json_, "power_limit_w", e.power_limit_w);
    if (e.ecc) json_.flag("ecc", *e.ecc);
    if (!e.mig.empty()) json_.text("mig", e.mig);
    if (e.clock_median_mhz) {
      json_.begin_object("sm_clock_mhz");
      write_optional(json_, "min", e.clock_min_mhz);
      write_optional(json_, "median", e.clock_median_mhz);
      write_optional(json_, "max", e.clock_max_mhz);
      json_.end_object();
    }
    write_optional(json_, "throttled_share", e.throttled_share);
    if (e.other_processes) json_.count("other_processes", Count(*e.other_processes));
    json_.flag("cold", e.cold);
    json_.text("method", method());
    json_.end_object();
  }

  std::string method() const {
    return report_.profile.imported() ? "imported/" + report_.profile.processes.front().format
                                      : std::string(kMethod);
  }

  // ---------------------------------------------------------------- a kernel
  void three(JsonKey key, const std::array<std::uint64_t, 3>& values) {
    json_.begin_array(key);
    for (const auto value : values) json_.count(Count(value));
    json_.end_array();
  }

  void kernel(const KernelFinding& finding) {
    const auto& seen = *finding.seen;
    json_.begin_object();
    json_.text("id", finding.id);
    json_.text("name", seen.name);
    json_.text("full_name", seen.full_name);
    if (!finding.kind.empty()) json_.text("kind", finding.kind);
    if (seen.grid_known()) {
      three("grid", seen.grid);
      three("block", seen.block);
    }
    if (seen.cluster[0] > 1 || seen.cluster[1] > 1 || seen.cluster[2] > 1)
      three("cluster", seen.cluster);
    if (seen.resources_known()) {
      json_.count("shared_bytes", Count(seen.static_shared_bytes + seen.dynamic_shared_bytes));
      json_.count("registers", Count(seen.registers));
      json_.count("local_bytes", Count(seen.local_bytes_per_thread));
    }
    if (seen.code) {
      json_.count("spill_bytes", Count(seen.code->spill_bytes));
      json_.text("code_hash", fmt::format("{:016x}", seen.code->hash));
    }
    json_.number("time_share", finding.time_share);
    json_.flag("matched", finding.matched());
    if (seen.operation) json_.text("operation", operation_text(*seen.operation, 16));
    if (finding.part_of) json_.text("part_of", report_.findings.kernels[*finding.part_of].id);
    if (!finding.matched() && !finding.unmatched.empty())
      json_.text("unmatched", finding.unmatched);
    in_ranges(seen);
    json_.count("launches", Count(seen.launches + seen.invalid_times));
    if (seen.in_graphs > 0) json_.count("launches_in_graphs", Count(seen.in_graphs));
    if (seen.launch_cost.count() > 0)
      json_.number("launch_cost_s", seen.launch_cost.summary().median.value());
    if (finding.verdict) description(finding);
    measured(finding);
    advice(finding);
    json_.end_object();
  }

  /// What the description says of it, and what rules over the counters found.
  void advice(const KernelFinding& finding) {
    auto levers = finding.levers;
    auto notes = finding.notes;
    for (const auto& rule : finding.fired) {
      if (rule.lever) levers.push_back(*rule.lever);
      if (rule.note) notes.push_back(rule.cause);
    }
    if (finding.verdict || !finding.fired.empty()) write_advice(json_, levers, notes);
  }

  void in_ranges(const ProfiledKernel& seen) {
    if (seen.ranges.empty()) return;
    json_.begin_array("ranges");
    for (const auto& name : seen.ranges) json_.text(name);
    json_.end_array();
  }

  void description(const KernelFinding& finding) {
    const auto& kernel = *finding.kernel;
    const KernelReport report{.kernel = &kernel,
                              .point = {},
                              .verdict = *finding.verdict,
                              .levers = {},
                              .notes = {},
                              .margin = {},
                              .tile = {}};
    if (!kernel.where.file.empty()) {
      json_.begin_object("spec");
      json_.text("file", kernel.where.file);
      if (kernel.where.line > 0) json_.count("line", Count(kernel.where.line));
      json_.end_object();
    }
    if (kernel.op) json_.text("op", kernel.op->name);
    write_description(json_, report);
    write_figures(json_, report);
  }

  void measured(const KernelFinding& finding) {
    const auto& seen = *finding.seen;
    if (finding.time <= Seconds(0) && !finding.counters) return;
    json_.begin_object("measured");
    if (finding.time > Seconds(0)) {
      json_.number("time_s", finding.time.value());
      json_.text("timing", timing_name(Timing::kernel));
    }
    json_.count("samples", Count(seen.launches));
    if (seen.invalid_times > 0) json_.count("invalid_times", Count(seen.invalid_times));
    json_.begin_array("runs");
    for (const auto& run : finding.runs) summary(run);
    json_.end_array();
    if (finding.counters) counters(finding);
    verdict_of_time(finding);
    json_.end_object();
  }

  void verdict_of_time(const KernelFinding& finding) {
    MeasuredVerdict measured;
    if (finding.verdict && finding.verdict->measured) measured = *finding.verdict->measured;
    for (const auto& rule : finding.fired)
      if (!rule.note) measured.causes.push_back(rule.cause);
    if (finding.verdict && finding.verdict->measured)
      write_measured_verdict(json_, measured);
    else if (!measured.causes.empty())
      write_causes(json_, measured.causes);
  }

  void summary(const TimeSummary& run) {
    json_.begin_object();
    json_.count("launches", Count(run.count));
    if (run.count > 0) {
      json_.number("median_s", run.median.value());
      json_.number("min_s", run.min.value());
      json_.number("q1_s", run.q1.value());
      json_.number("q3_s", run.q3.value());
      json_.number("max_s", run.max.value());
    }
    json_.end_object();
  }

  void counters(const KernelFinding& finding) {
    const auto& c = *finding.counters;
    write_bytes(json_, "dram_bytes", c.dram_bytes());
    write_bytes(json_, "dram_read_bytes", c.dram_read);
    write_bytes(json_, "dram_written_bytes", c.dram_written);
    write_optional(json_, "excess_traffic", finding.excess_traffic);
    write_optional(json_, "dram_busy", finding.dram_busy);
    write_bytes(json_, "l2_bytes", c.l2_bytes);
    write_bytes(json_, "l1_bytes", c.l1_bytes);
    write_bytes(json_, "shared_bytes_moved", c.shared_bytes);
    if (!c.flops_by_pipe.empty()) {
      json_.begin_object("flops_by_pipe");
      for (const auto& [pipe, amount] : c.flops_by_pipe) json_.number(JsonKey::named(pipe), amount);
      json_.end_object();
    }
    write_optional(json_, "sfu_ops", c.sfu_ops);
    write_optional(json_, "int_ops", c.int_ops);
    write_optional(json_, "coalescing", c.coalescing);
    write_optional(json_, "bank_conflicts", c.bank_conflicts);
    write_optional(json_, "occupancy", c.occupancy);
    write_optional(json_, "issue_active", c.issue_active);
    write_optional(json_, "l2_hit", c.l2_hit);
    json_.count("replay_passes", Count(finding.replay_passes));
    json_.count("counted_launches", Count(finding.counted_launches));
    json_.begin_object("counters");
    for (const auto& [metric, value] : finding.counter_values)
      json_.number(JsonKey::named(metric), value);
    json_.end_object();
    if (c.caveats.empty()) return;
    json_.begin_array("caveats");
    for (const auto caveat : c.caveats) json_.text(caveat_text(caveat));
    json_.end_array();
  }

  // ---------------------------------------------------------------- the run
  void ranges() {
    json_.begin_array("ranges");
    for (const auto& range : report_.profile.ranges) {
      json_.begin_object();
      json_.text("name", range.name);
      json_.begin_array("runs");
      for (const auto& run : range.runs) {
        json_.begin_object();
        json_.count("instances", Count(run.instances));
        json_.count("launches", Count(run.launches));
        json_.number("time_s", run.time.value());
        json_.number("idle_s", run.idle.value());
        json_.end_object();
      }
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
  }

  void ranks() {
    if (!report_.findings.ranks) return;
    const auto& summary = *report_.findings.ranks;
    json_.begin_object("ranks");
    json_.number("least_s", summary.least.value());
    json_.number("median_s", summary.median.value());
    json_.number("most_s", summary.most.value());
    json_.number("imbalance", summary.imbalance);
    json_.count("straggler", Count(summary.ranks[summary.straggler].rank));
    json_.begin_array("each");
    for (const auto& rank : summary.ranks) {
      json_.begin_object();
      json_.count("rank", Count(rank.rank));
      json_.text("host", rank.host);
      json_.number("own_s", rank.own.value());
      json_.number("communication_s", rank.communication.value());
      json_.number("span_s", rank.span.value());
      json_.number("busy_s", rank.busy.value());
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
  }

  void sequence() {
    if (!report_.findings.sequence) return;
    const auto& s = *report_.findings.sequence;
    json_.begin_object("sequence");
    json_.number("makespan_s", s.span.value());
    json_.number("gpu_busy", s.busy_share());
    json_.number("launch_time_s", s.launching.value());
    json_.number("gpu_time_s", s.busy.value());
    json_.number("idle_s", s.idle.value());
    json_.number("idle_launching_s", s.idle_launching.value());
    json_.number("idle_profiler_s", s.idle_profiler.value());
    json_.number("launch_cost_s", s.launch_cost.value());
    json_.text("bound", bound_name(s.bound));
    json_.number("as_graph_s", s.as_graph.value());
    json_.count("launches", Count(s.launches));
    json_.count("launch_calls", Count(s.launch_calls));
    json_.count("graph_launches", Count(s.graph_launches));
    json_.end_object();
  }

  void sampled() {
    if (report_.profile.samples.empty()) return;
    json_.begin_array("sampled");
    for (const auto& samples : report_.profile.samples) {
      const auto use = samples.use(report_.profile.sm_count(samples.device));
      const auto rate = [&](JsonKey key, const std::optional<ByteRate>& value) {
        if (value) json_.number(key, value->value());
      };
      json_.begin_object();
      json_.count("device", Count(samples.device));
      json_.count("samples", Count(samples.count));
      json_.number("time_s", samples.time.value());
      rate("dram_read_bytes_per_s", use.dram_read);
      rate("dram_written_bytes_per_s", use.dram_written);
      rate("dram_busiest_bytes_per_s", use.dram_busiest);
      rate("l2_bytes_per_s", use.l2);
      write_optional(json_, "sm_active", use.sm_active);
      write_optional(json_, "tensor_active", use.tensor_active);
      json_.end_object();
    }
    json_.end_array();
  }

  void totals() {
    json_.begin_object("totals");
    json_.number("time_s", report_.profile.kernel_time().value());
    json_.count("launches", Count(report_.profile.launches()));
    json_.end_object();
  }

  void coverage() {
    json_.begin_object("coverage");
    std::uint64_t matched = 0;
    for (const auto& finding : report_.findings.kernels)
      if (finding.matched()) matched += finding.seen->launches + finding.seen->invalid_times;
    json_.count("kernels", Count(report_.profile.launches()));
    json_.count("matched", Count(matched));
    json_.count("distinct_kernels", Count(report_.findings.kernels.size()));
    json_.number("time_share_matched", report_.findings.time_share_matched);
    if (!report_.findings.unmatched.empty()) {
      json_.begin_array("unmatched");
      for (const auto& row : report_.findings.unmatched) {
        json_.begin_object();
        json_.text("reason", row.reason);
        json_.count("launches", Count(row.launches));
        json_.number("time_share", row.time_share);
        json_.end_object();
      }
      json_.end_array();
    }
    json_.begin_array("unmatched_entries");
    for (const auto index : report_.findings.unbound_entries)
      json_.text(report_.entries[index].name);
    json_.end_array();
    json_.begin_array("lost");
    for (const auto& loss : report_.profile.losses) {
      json_.begin_object();
      json_.text("reason", loss.reason);
      json_.count("count", Count(loss.count));
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
  }

  void warnings() {
    if (report_.warnings.empty()) return;
    json_.begin_array("warnings");
    for (const auto& warning : report_.warnings) {
      json_.begin_object();
      json_.text("code", warning.code);
      json_.text("text", warning.text);
      json_.end_object();
    }
    json_.end_array();
  }

  JsonWriter& json_;
  const ProfileReport& report_;
};

/// A name that a spreadsheet would take for a formula gets an apostrophe in front.
std::string quoted_csv(std::string_view text) {
  const auto name = printable(text);
  std::string out = "\"";
  if (name.find_first_of("=+-@") == 0) out += '\'';
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

void write_profile_json(JsonWriter& json, const ProfileReport& report,
                        std::string_view tool_version) {
  ProfileJson(json, report).write(tool_version);
}

std::string profile_csv(const ProfileReport& report) {
  std::string text =
      "id,name,kind,grid,block,launches,time_s,time_share,registers,shared_bytes,time_floor_s,"
      "fraction_of_ceiling,bound,status,"
      "bytes,dram_bytes,excess_traffic,dram_busy\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  const auto count = [](bool known, std::uint64_t value) {
    return known ? fmt::format("{}", value) : std::string();
  };
  const auto sizes = [](bool known, const std::array<std::uint64_t, 3>& value) {
    return known ? fmt::format("{}", fmt::join(value, "x")) : std::string();
  };
  for (const auto& finding : report.findings.kernels) {
    const auto& seen = *finding.seen;
    const auto* verdict = finding.verdict ? &*finding.verdict : nullptr;
    const auto* measured = verdict && verdict->measured ? &*verdict->measured : nullptr;
    const auto moved = finding.counters ? finding.counters->dram_bytes() : std::nullopt;
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted_csv(finding.id),
        quoted_csv(seen.name), finding.kind, sizes(seen.grid_known(), seen.grid),
        sizes(seen.grid_known(), seen.block), seen.launches,
        finding.time > Seconds(0) ? number(finding.time.value()) : "", finding.time_share,
        count(seen.resources_known(), seen.registers),
        count(seen.resources_known(), seen.static_shared_bytes + seen.dynamic_shared_bytes),
        verdict ? number(verdict->floor.time.value()) : "",
        measured ? number(measured->fraction_of_ceiling) : "",
        verdict ? bound_name(verdict->bound) : "", measured ? status_name(measured->status) : "",
        verdict ? verdict->bytes().to_string() : "", moved ? number(moved->value()) : "",
        number(finding.excess_traffic), number(finding.dram_busy));
  }
  return text;
}

}  // namespace roofline
