#include <fmt/format.h>

#include <algorithm>

#include "cli/docs.hpp"
#include "cli/troff.hpp"
#include "roofline/analysis/gate_file.hpp"
#include "roofline/base/text.hpp"

// The reference of the gate file: `roofline help gate-file`, and roofline-gate(5). The limits are
// the rows of the table that loading and evaluating walk.
namespace roofline::cli {
namespace {

constexpr std::string_view kSummary =
    "what must hold of kernels, ranges, descriptions, models and compiled files";
constexpr std::string_view kAbout =
    "A YAML file, often roofline.gate.yml. Files that it names stand relative to it. Unknown and "
    "duplicate keys, ids that stand "
    "twice, limits without a unit, negative or infinite ones, and both spellings of one limit are "
    "errors before anything runs. The "
    "defaults stand first.";

struct KeyRow {
  std::string_view key, doc;
};
struct KeySection {
  std::string_view title;
  std::span<const KeyRow> rows;
};
// clang-format off
constexpr KeyRow kTop[] = {
    {"schema: roofline.gate/1", "the version of this file"},
    {"gpu: h100-sxm5-80gb", "the machine that the limits are for (roofline gpus list)"},
    {"policy: {...}", "what becomes of what is neither pass nor failure"},
    {"specs: [...]", "descriptions, models and compiled files: no GPU, no program"},
    {"kernels: [...]", "kernels that ran"},
    {"ranges: [...]", "NVTX ranges, and the run as a whole"},
};
constexpr KeyRow kPolicyRows[] = {
    {"missing: fail | skip", "an entry that matches nothing"},
    {"extra: list | ignore | fail", "kernels that no entry names"},
    {"other_gpu: error | skip", "results of another GPU than the gate's"},
    {"no_counters: error | skip", "a limit needs counters, and there are none"},
    {"inconclusive: warn | fail", "undecided at the end; fail: exit 5"},
    {"runs: {min: 3, max: 9}", "processes; more than the least only while something is undecided"},
    {"max_noise: 0.6", "spread between runs, as a share of the limit, above which little is decided"},
    {"min_delta: 0.2 us", "a change below it is no regression, whatever its share"},
    {"min_sessions: 5", "sessions that a recorded baseline spans before it may fail a build"},
};
constexpr KeyRow kEntryRows[] = {
    {"id: rms_norm", "a stable name: baselines and history hang on it"},
    {"aka: [old_name]", "names that baselines know it by"},
    {"spec: FILE#KERNEL", "a description: its floor, bytes and bound (of specs and kernels)"},
    {"model: config.json", "a model's step instead, with phase: decode | prefill | train, batch, context, tokens, tp, ep, pp (of specs)"},
    {"code: build/libk.so", "a cubin, fatbin, object, executable or library instead (of specs)"},
    {"match: {...}", "which kernels, functions or range it stands for"},
    {"launches: 1", "per run; left out: any number from 1 on (of kernels)"},
    {"cold: true", "the program flushes the caches between launches (of kernels)"},
    {"assert: {...}", "the limits"},
    {"quarantine: {until: 2026-12-01, why: TEXT}", "held and shown, cannot fail until the day is over, and fails then"},
};
constexpr KeyRow kMatchRows[] = {
    {"name: my_kernel", "exactly the function's name, without return type, template arguments and parameters"},
    {"glob: 'sm90_*'", "the whole demangled name"},
    {"regex: '^sm90_.*gemm'", "somewhere in the whole demangled name"},
    {"grid: [132, 1, 1]", "of the launch; so is block"},
    {"block: [256, 1, 1]", "threads of a block"},
    {"smem: 48 KiB", "shared memory of a block"},
    {"nvtx: decode", "the range that the launches lie in; of ranges the range itself"},
    {"ordinal: 2", "of the kernels that fit, the n-th of the result"},
    {"one_of: [{...}, {...}]", "alternatives of which exactly one runs"},
    {"all", "instead of a map, of ranges: the run as a whole"},
};
// clang-format on
constexpr KeySection kSectionsOfKeys[] = {
    {"The file", kTop}, {"policy", kPolicyRows}, {"An entry", kEntryRows}, {"match", kMatchRows}};

/// "of specs, kernels"
std::string sections_of(const AssertionEntry& assertion) {
  struct Section {
    GateSection section;
    std::string_view key;
  };
  constexpr Section kKeys[] = {{GateSection::spec, "specs"},
                               {GateSection::model, "models"},
                               {GateSection::code, "code"},
                               {GateSection::kernel, "kernels"},
                               {GateSection::range, "ranges"}};
  std::vector<std::string> names;
  for (const auto& [section, key] : kKeys)
    if ((assertion.sections >> static_cast<unsigned>(section) & 1U) != 0) names.emplace_back(key);
  return "of " + joined(names);
}

template <class Write>
void each_section(Write write) {
  for (const auto& section : kSectionsOfKeys) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& row : section.rows) rows.emplace_back(row.key, row.doc);
    write(section.title, rows);
  }
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& assertion : assertions())
    rows.emplace_back(fmt::format("{}: {}", assertion.name, assertion.example),
                      fmt::format("{} ({})", assertion.doc, sections_of(assertion)));
  write("assert", rows);
}

}  // namespace

std::string gate_file_help(std::size_t width) {
  constexpr std::size_t kColumn = 36, kLeast = 60;
  std::string text = fmt::format("The gate file: {}.\n\n{}\n", kSummary, wrapped(kAbout, width));
  each_section([&](std::string_view title, const auto& rows) {
    text += fmt::format("\n{}:\n", title);
    for (const auto& [key, doc] : rows) {
      const std::string pad(kColumn, ' ');
      const bool long_key = display_width(key) + 4 > kColumn;
      text += long_key ? fmt::format("  {}\n{}", key, pad) : "  " + padded(key, kColumn - 2);
      for (const char c : wrapped(doc, std::max(kLeast, width) - kColumn)) {
        text += c;
        if (c == '\n') text += pad;
      }
      text += '\n';
    }
  });
  return text +
         "\nThe schema: roofline schema gate. A first file: roofline gate --init run.json. What "
         "outcomes mean: docs/gate.md\n";
}

std::string gate_file_man() {
  std::string text = fmt::format(".TH ROOFLINE-GATE 5\n.SH NAME\nroofline-gate \\- {}\n",
                                 troff::escaped(kSummary)) +
                     troff::section("DESCRIPTION") + ".PP\n" + troff::escaped(kAbout) + "\n";
  each_section([&](std::string_view title, const auto& rows) {
    text += fmt::format(".SS {}\n", troff::escaped(title));
    for (const auto& [key, doc] : rows) text += troff::item(key, doc);
  });
  return text + troff::section("SEE ALSO") + ".BR roofline (1),\n.BR roofline\\-gate (1)\n";
}

}  // namespace roofline::cli
