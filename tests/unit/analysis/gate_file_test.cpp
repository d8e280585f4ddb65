#include "gate_cases.hpp"
#include "roofline/base/input.hpp"

namespace roofline {
namespace {

using namespace gate_cases;

// The example of the design, word for word.
constexpr const char* kWhole = R"(schema: roofline.gate/1
gpu: h100-sxm5-80gb            # the machine these limits were written for (id in the GPU table)
policy:                        # all optional; these are the defaults
  missing: fail
  extra: list
  other_gpu: error
  no_counters: error
  inconclusive: warn
  runs: {min: 3, max: 9}
  max_noise: 0.6
  min_delta: 0.2 us
  min_sessions: 5
specs:                         # static: no GPU, no program
  - id: block_fused
    spec: specs/block.yaml#fused
    assert: {bound: [memory], max_passes: 3, max_bytes: 403 MB, max_floor: 121 us}
  - {model: llama/config.json, phase: decode, batch: 8, context: 4096, assert: {max_floor: 6 ms}}
kernels:
  - id: rms_silu_gate_add
    match: {name: rms_silu_gate_add}
    spec: specs/block.yaml#fused
    launches: 1
    assert:
      bound: [memory]
      max_time_over_floor: 1.25
      max_excess_traffic: 1.10
      max_spill_bytes: 0
      max_regression_pct: 5
  - id: lm_head
    match: {regex: '^sm90_.*gemm.*bf16', grid: [132, 1, 1]}
    aka: [lm_head_v1]
    spec: specs/head.yaml
    assert: {min_pct_of_ceiling: 75, max_registers: 240, min_utilization_pct: {dram: 85, 'tensor:bf16': 60}}
    quarantine: {until: 2026-12-01, why: "bimodal, issue 412"}
ranges:
  - id: decode_step
    match: {nvtx: decode}
    assert: {max_launches: 40, max_gpu_idle_pct: 20, max_time: 2.1 ms}
  - id: whole_run
    match: all
    assert: {max_launches: 5000}
)";

TEST(GateFile, EveryPart) {
  const auto gate = read_gate_text(kWhole);
  ASSERT_TRUE(gate) << format_errors(gate.error(), false);
  EXPECT_EQ(gate->gpu, "h100-sxm5-80gb");
  EXPECT_EQ(gate->policy.min_delta.value(), 2e-7);
  ASSERT_EQ(gate->entries.size(), 6U);
  const auto& fused = gate->entries[0];
  EXPECT_EQ(fused.spec->name, "fused");
  ASSERT_EQ(fused.assertions.size(), 4U);
  EXPECT_EQ(fused.assertions[1].limit, 403e6);
  EXPECT_EQ(gate->entries[1].id, "llama-decode");
  const auto& head = gate->entries[3];
  EXPECT_EQ(head.former_ids, std::vector<std::string>{"lm_head_v1"});
  EXPECT_TRUE(head.match.regex->matches("sm90_xmma_gemm_bf16bf16"));
  EXPECT_EQ((*head.match.grid)[0], 132);
  ASSERT_EQ(head.assertions.size(), 4U);  // two resources are two assertions
  EXPECT_EQ(head.assertions[1].resource, "dram");
  EXPECT_EQ(head.quarantine->until, "2026-12-01");
  EXPECT_TRUE(gate->entries[5].match.everything);
}

TEST(GateFile, ExamplesOfTheTableAreLimits) {
  for (const auto& row : assertions()) {
    SCOPED_TRACE(std::string(row.name));
    EXPECT_EQ(&describe(row.kind), &row);
    const bool kernel = (row.sections >> static_cast<unsigned>(GateSection::kernel) & 1U) != 0;
    const std::string list = kernel ? "kernels" : "ranges",
                      match = kernel ? "{name: x}" : "{nvtx: x}";
    const auto gate =
        read_gate_text(fmt::format("{}:\n  - id: x\n    match: {}\n    assert: {{{}: {}}}\n", list,
                                   match, row.name, row.example));
    ASSERT_TRUE(gate) << format_errors(gate.error(), false);
    EXPECT_EQ(gate->entries[0].assertions.at(0).kind, row.kind);
    EXPECT_FALSE(row.doc.empty());
  }
}

struct Refused {
  const char* name;
  const char* text;
  Code code;
  int line, column;
  const char* says;
};
constexpr Refused kRefused[] = {
    {"limit_without_unit", "kernels:\n- id: a\n  match: a\n  assert: {max_time: 120}\n",
     Code::needs_unit, 4, 22, "unit"},
    {"limit_nan", "kernels:\n- id: a\n  match: a\n  assert: {max_time_over_floor: .nan}\n",
     Code::bad_number, 4, 33, ""},
    {"limit_infinite", "kernels:\n- id: a\n  match: a\n  assert: {max_registers: .inf}\n",
     Code::bad_number, 4, 27, ""},
    {"limit_negative", "kernels:\n- id: a\n  match: a\n  assert: {max_time: -1 us}\n",
     Code::out_of_range, 4, 22, ""},
    {"limit_zero_percent", "kernels:\n- id: a\n  match: a\n  assert: {max_regression_pct: 0}\n",
     Code::out_of_range, 4, 32, "max_regression_pct"},
    {"limit_below_the_floor",
     "kernels:\n- id: a\n  match: a\n  assert: {max_time_over_floor: 0.9}\n", Code::out_of_range, 4,
     33, ""},
    {"limit_above_the_ceiling",
     "kernels:\n- id: a\n  match: a\n  assert: {min_pct_of_ceiling: 101}\n", Code::out_of_range, 4,
     32, ""},
    {"limit_of_another_dimension", "kernels:\n- id: a\n  match: a\n  assert: {max_time: 3 MB}\n",
     Code::wrong_unit, 4, 22, ""},
    {"octal", "kernels:\n- id: a\n  match: a\n  assert: {max_registers: 010}\n", Code::bad_number,
     4, 27, ""},
    {"two_spellings",
     "kernels:\n- id: a\n  match: a\n  assert:\n    min_pct_of_ceiling: 75\n    "
     "max_time_over_floor: 1.3\n",
     Code::contradiction, 6, 26, "two spellings"},
    {"duplicate_id",
     "kernels:\n- id: a\n  match: a\n  launches: 1\n- id: a\n  match: b\n  launches: 1\n",
     Code::duplicate_key, 5, 7, "used twice"},
    {"duplicate_former_id",
     "kernels:\n- id: a\n  match: a\n  launches: 1\n- id: b\n  aka: a\n  match: b\n  launches: 1\n",
     Code::duplicate_key, 5, 7, "used twice"},
    {"duplicate_key", "kernels:\n- id: a\n  id: b\n  match: a\n  launches: 1\n",
     Code::duplicate_key, 3, 3, ""},
    {"unknown_key_near_miss",
     "kernels:\n- id: a\n  match: a\n  assert: {max_time_over_flor: 1.25}\n", Code::unknown_key, 4,
     12, "max_time_over_flor"},
    {"unknown_policy", "policy: {missing: ignore}\nkernels:\n- id: a\n  match: a\n  launches: 1\n",
     Code::unknown_name, 1, 19, ""},
    {"unknown_bound", "kernels:\n- id: a\n  match: a\n  assert: {bound: [memry]}\n",
     Code::unknown_name, 4, 20, "memry"},
    {"unknown_resource",
     "kernels:\n- id: a\n  match: a\n  assert: {min_utilization_pct: {ram: 85}}\n",
     Code::unknown_name, 4, 34, "ram"},
    {"asserts_nothing", "gpu: h100\n", Code::missing_key, 1, 1, "asserts nothing"},
    {"entry_asserts_nothing", "kernels:\n- id: a\n  match: a\n", Code::missing_key, 2, 3,
     "asserts nothing"},
    {"not_of_a_range", "ranges:\n- id: a\n  match: all\n  assert: {max_registers: 3}\n",
     Code::contradiction, 4, 12, "cannot be asserted of a range"},
    {"no_match", "kernels:\n- id: a\n  launches: 1\n", Code::missing_key, 2, 3, "match"},
    {"empty_match", "kernels:\n- id: a\n  match: {}\n  launches: 1\n", Code::missing_key, 3, 10,
     "empty"},
    {"bad_regex", "kernels:\n- id: a\n  match: {regex: 'a(b'}\n  launches: 1\n",
     Code::bad_expression, 3, 20, "never closed"},
    {"bad_id", "kernels:\n- id: '::error'\n  match: a\n  launches: 1\n", Code::bad_expression, 2, 7,
     "cannot be an id"},
    {"no_such_day",
     "kernels:\n- id: a\n  match: a\n  launches: 1\n  quarantine: {until: 2026-02-29, why: x}\n",
     Code::bad_number, 5, 23, "no date"},
    {"quarantine_without_reason",
     "kernels:\n- id: a\n  match: a\n  launches: 1\n  quarantine: {until: 2026-03-01}\n",
     Code::missing_key, 5, 15, "why"},
    {"another_version", "schema: roofline.gate/2\nkernels:\n- id: a\n  match: a\n  launches: 1\n",
     Code::wrong_type, 1, 9, "roofline.gate/2"},
    {"runs_backwards",
     "policy: {runs: {min: 5, max: 3}}\nkernels:\n- id: a\n  match: a\n  launches: 1\n",
     Code::contradiction, 1, 16, "less"},
    {"spec_and_model",
     "specs:\n- {id: a, spec: x.yaml, model: y.json, assert: {max_floor: 1 us}}\n",
     Code::contradiction, 2, 3, "exclude"},
    {"code_unchanged_false", "kernels:\n- id: a\n  match: a\n  assert: {code_unchanged: false}\n",
     Code::out_of_range, 4, 28, "only be true"},
};
class GateFileRefused : public testing::TestWithParam<Refused> {};
TEST_P(GateFileRefused, WithItsPlace) {
  const auto& row = GetParam();
  const auto gate = read_gate_text(row.text);
  ASSERT_FALSE(gate);
  const auto& error = gate.error().front();
  EXPECT_EQ(code_name(error.code), code_name(row.code)) << format_errors(gate.error(), false);
  EXPECT_EQ(error.where.line, row.line) << format_errors(gate.error(), false);
  EXPECT_EQ(error.where.column, row.column) << format_errors(gate.error(), false);
  EXPECT_NE(error.what.find(row.says), std::string::npos) << error.what;
}
INSTANTIATE_TEST_SUITE_P(Rows, GateFileRefused, testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(GateFile, AllMistakesTogether) {
  const auto gate = read_gate_text(
      "kernels:\n- id: a\n  match: a\n  assert: {max_time: 1, max_registers: x, bond: 3}\n- id: "
      "a\n  match: b\n  launches: 1\n");
  ASSERT_FALSE(gate);
  EXPECT_EQ(gate.error().size(), 4U) << format_errors(gate.error(), false);
}

struct Loosening {
  const char* name;
  const char* before;
  const char* after;
  LimitChange::Kind kind;
};
constexpr Loosening kLoosening[] = {
    {"higher_maximum", "max_time: 1 us", "max_time: 2 us", LimitChange::Kind::loosened},
    {"lower_maximum", "max_time: 2 us", "max_time: 1 us", LimitChange::Kind::tightened},
    {"lower_minimum", "min_pct_of_ceiling: 80", "min_pct_of_ceiling: 70",
     LimitChange::Kind::loosened},
    {"limit_removed", "max_time: 1 us, max_registers: 4", "max_time: 1 us",
     LimitChange::Kind::removed},
    {"limit_added", "max_time: 1 us", "max_time: 1 us, max_registers: 4", LimitChange::Kind::added},
    {"bound_added", "bound: [memory]", "bound: [memory, compute]", LimitChange::Kind::loosened},
    {"bound_removed", "bound: [memory, compute]", "bound: [memory]", LimitChange::Kind::tightened},
};
class GateLimits : public testing::TestWithParam<Loosening> {};
TEST_P(GateLimits, Change) {
  const auto before = read_gate_text(gate_text(entry_text("a", GetParam().before)));
  const auto after = read_gate_text(gate_text(entry_text("a", GetParam().after)));
  ASSERT_TRUE(before);
  ASSERT_TRUE(after);
  const auto changes = compare_limits(*before, *after);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(change_name(changes[0].kind), change_name(GetParam().kind));
}
INSTANTIATE_TEST_SUITE_P(Rows, GateLimits, testing::ValuesIn(kLoosening),
                         [](const auto& row) { return row.param.name; });

TEST(GateLimits, OfTheWholeFile) {
  const auto before = read_gate_text(
      gate_text(entry_text("a", "max_time: 1 us") + entry_text("b", "max_time: 1 us")));
  const auto after = read_gate_text(
      gate_text(entry_text("a", "max_time: 1 us", "    quarantine: {until: 2027-01-01, why: x}\n"),
                "policy: {missing: skip, inconclusive: fail}\n"));
  ASSERT_TRUE(before);
  ASSERT_TRUE(after);
  std::vector<std::string> seen;
  for (const auto& change : compare_limits(*before, *after))
    seen.push_back(fmt::format("{} {} {}", change_name(change.kind), change.id, change.assertion));
  EXPECT_EQ(seen,
            (std::vector<std::string>{"loosened  policy.missing", "tightened  policy.inconclusive",
                                      "loosened a quarantine", "removed b "}));
}

// One place for a fact: the manual quotes the table.
TEST(GateAssertions, EachStandsInTheManual) {
  const auto manual = read_input(ROOFLINE_SOURCE_DIR "/docs/gate.md", 1 << 20);
  ASSERT_TRUE(manual);
  for (const auto& assertion : assertions())
    EXPECT_NE(manual->find(fmt::format("| `{}: {}` | {} |", assertion.name, assertion.example,
                                       assertion.doc)),
              std::string::npos)
        << assertion.name;
}

}  // namespace
}  // namespace roofline
