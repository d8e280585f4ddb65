// Answers of a gate whose every text is hostile, in all of its formats, for check.py to read back.
//
//   hostile_results FOLDER      FOLDER/<case>.<format>, and FOLDER/cases.json: what went in
#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "roofline/report/gate.hpp"

namespace {

using namespace roofline;
using namespace std::string_literals;
using nlohmann::json;

struct HostileName {
  const char* label;
  std::string name;
};

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

/// What each would do in a reader that takes text for more than text.
std::vector<HostileName> hostile_names() {
  return {
      {"plain", "rms_norm<float, 4>"},
      {"script", "<script>alert(1)</script><img src=x onerror=alert(1)>"},
      {"closing_tags", "</td></table></details></testcase></testsuite><!-- "},
      {"quotes", R"(say "no" and 'no', ""twice"", \"escaped\")"},
      {"newlines", "first\nsecond\r\nthird\rfourth\n\n# heading\n- item"},
      {"workflow_command", "::error file=x.cpp,line=1::not ours"},
      {"workflow_command_inside", "kernel\n::set-output name=x::y\n::stop-commands::z"},
      {"workflow_command_later", "a few words ::error::between ::add-mask::words"},
      {"old_workflow_command", "##[error]not ours ##[add-mask]e"},
      {"command_escapes", "100%25 %0A::error::x %3A,%2C"},
      {"cdata_end", "]]>]]&gt;<![CDATA[x]]>"},
      {"entities", "&amp; &lt; &#x41; &nosuch; &"},
      {"backticks", "`` `code` ``` tick` ` "},
      {"pipes", "a|b||c\\|d\\\\|e|"},
      {"markup", "**bold** _em_ ~~gone~~ $x$ ![i](http://a.b/c) [l](javascript:x) <https://a.b>"},
      {"mention",
       "@everyone #1 GH-1 user/repo#2 http://evil.example www.evil.example x@evil.example"},
      {"bidi", "a\u202Ecba\u202C \u2066x\u2069 \u200Fy \u061Cz"},
      {"line_separators", "a\u2028b\u2029c\u0085d\x0B\x0C"s + "e"},
      {"terminal",
       "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b"
       "1m \b\b\b \x7f"},
      {"nul", "before\0after\0"s},
      {"invalid_utf8",
       "a\xFF\xFE"
       "b\xC3(\xED\xA0\x80\xF5\x80\x80\x80\xC0\xAF"
       "c\xE2\x82"},
      {"noncharacters",
       "a\uFFFE"
       "b\uFFFF"
       "c\U0001FFFE"
       "d\uFEFF"
       "e"},
      {"formula", "=cmd|' /C calc'!A0"},
      {"formula_at", "@SUM(1+1)*cmd"},
      {"formula_tab", "\t=1+1"},
      {"comma", "a,b,\"c\",d"},
      {"blank", "   "},
      {"empty", ""},
      {"long", repeated("0123456789", 10'000)},
      {"long_wide", repeated("\u6838", 30'000)},
      {"long_of_no_width", "e" + repeated("\u0301", 50'000)},
      {"long_markup", repeated("<|`\\", 25'000)},
      {"long_command", repeated("%:\n", 30'000)},
  };
}

struct Situation {
  const char* assertion;
  Outcome outcome;
  GateUnit unit;
};
constexpr Situation kSituations[] = {
    {"results", Outcome::error, GateUnit::none},
    {"max_time_over_floor", Outcome::fail, GateUnit::ratio},
    {"max_regression_pct", Outcome::fail, GateUnit::percent},
    {"max_time", Outcome::inconclusive, GateUnit::seconds},
    {"max_spill_bytes", Outcome::quarantined, GateUnit::bytes},
    {"min_utilization_pct.dram", Outcome::skip, GateUnit::percent},
    {"max_drift_pct", Outcome::fresh, GateUnit::percent},
    {"bound", Outcome::pass, GateUnit::none},
    {"max_registers", Outcome::pass, GateUnit::count},
};

AssertionResult row_of(const Situation& situation, const std::string& id, const std::string& name,
                       int line) {
  AssertionResult row;
  row.id = id;
  row.assertion = situation.assertion;
  row.outcome = situation.outcome;
  row.unit = situation.unit;
  row.line = line, row.column = 7;
  row.kernel = name;
  row.time = Seconds(400e-6);
  row.floor = Seconds(120.2e-6);
  if (situation.unit == GateUnit::none) {
    row.value_text = name;
    row.limit_text = name;
  } else {
    row.value = 3.328, row.lo = 3.31, row.hi = 3.35, row.limit = 1.25;
    row.runs = 5, row.sessions = 7;
  }
  if (situation.outcome == Outcome::pass) return row;
  row.reason = Code::limit_broken;
  row.text = name;
  row.more = {name, "nearest: " + name};
  row.hint = name;
  row.lost = Seconds(279.8e-6);
  return row;
}

void count(GateResult& result) {
  for (const auto& row : result.results) {
    ++result.counts[static_cast<std::size_t>(row.outcome)];
    result.status = std::max(result.status, row.outcome);
  }
  result.exit_code = result.status == Outcome::error ? 2 : result.status == Outcome::fail ? 1 : 0;
}

GateResult result_with(const std::string& name) {
  GateResult result;
  result.file = name;
  result.sha256 = repeated("0f", 32);
  result.gpu_name = name;
  result.environment.emplace();
  result.environment->driver = name;
  result.environment->cuda = name;
  result.environment->mig = name;
  result.baseline = BaselineSummary{.file = name, .sessions = 7, .age_days = 3};
  result.runs = 5;
  result.notes = {name, "results of " + name + " were passed over"};
  result.ungated = {{.name = name, .time_share = 0.2, .launches = 12}};
  result.ungated_count = 1;
  result.ungated_share = 0.2;
  int line = 3;
  for (const auto& situation : kSituations)
    result.results.push_back(row_of(situation, name, name, line++));
  return result;
}

/// So many failures and passes, each with 40 kB of text in places: what is cut must say so.
GateResult many(std::size_t rows) {
  GateResult result;
  result.file = "roofline.gate.yml";
  result.gpu_id = "h100-sxm5-80gb";
  result.runs = 5;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto& situation = kSituations[i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 8];
    auto row = row_of(situation, fmt::format("kernel_{}", i), fmt::format("kernel_{}", i),
                      static_cast<int>(i) + 3);
    if (i % 50 == 0 && situation.outcome == Outcome::fail) row.text = repeated("\u6838<|", 8'000);
    row.lost = Seconds(1e-6 * static_cast<double>(i % 97));
    result.results.push_back(std::move(row));
  }
  return result;
}

/// Figures that are none: they are left out, never written as text.
GateResult without_figures() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  GateResult result;
  result.file = "./sub/roofline.gate.yml";
  result.gpu_id = "h100-sxm5-80gb";
  result.runs = 1;
  for (const double value : {kNan, kInfinity, -kInfinity, -0.0, 1e-320, 1.7e308}) {
    auto row = row_of(kSituations[1], fmt::format("k{}", result.results.size()), "k", 0);
    row.value = row.lo = row.hi = row.limit = value;
    row.time = row.floor = row.lost = Seconds(value);
    row.time_share = value;
    result.results.push_back(std::move(row));
  }
  return result;
}

/// Two findings of one entry under one name, as overlapping selectors give.
GateResult repeated_rows() {
  GateResult result;
  result.file = "roofline.gate.yml";
  result.gpu_id = "h100-sxm5-80gb";
  for (int i = 0; i < 3; ++i) {
    auto row = row_of(kSituations[0], "lm_head", fmt::format("kernel {}", i), 12);
    row.assertion = "match";
    row.value_text.clear(), row.limit_text.clear();
    result.results.push_back(std::move(row));
  }
  return result;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

bool write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool whole = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return file && std::fclose(file) == 0 && whole;
}

json described(const std::string& label, const std::string& name, const GateResult& result) {
  json rows = json::array();
  for (const auto& row : result.results)
    rows.push_back({{"id", hex(row.id)},
                    {"assertion", row.assertion},
                    {"outcome", outcome_name(row.outcome)},
                    {"text", hex(row.text)},
                    {"line", row.line},
                    {"finite", row.value && std::isfinite(*row.value)}});
  return {{"case", label},
          {"name", hex(name)},
          {"file", hex(result.file)},
          {"status", outcome_name(result.status)},
          {"exit_code", result.exit_code},
          {"rows", std::move(rows)}};
}

}  // namespace

int main(int count_of_words, char** words) {
  if (count_of_words != 2) {
    std::fputs("usage: hostile_results FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = words[1];
  std::vector<std::pair<HostileName, GateResult>> cases;
  for (const auto& hostile : hostile_names())
    cases.emplace_back(hostile, result_with(hostile.name));
  cases.emplace_back(HostileName{"no_rows", ""}, GateResult{});
  cases.emplace_back(HostileName{"many", ""}, many(3'000));
  cases.emplace_back(HostileName{"no_figures", ""}, without_figures());
  cases.emplace_back(HostileName{"repeated", ""}, repeated_rows());
  json written = json::array();
  for (auto& [hostile, result] : cases) {
    count(result);
    written.push_back(described(hostile.label, hostile.name, result));
    for (const auto& format : gate_formats()) {
      std::string text;
      format.write(result, {.tool_version = "0.0.0"},
                   [&](std::string_view piece) { text += piece; });
      if (!write_file(fmt::format("{}/{}.{}", folder, hostile.label, format.name), text)) {
        std::perror(folder.c_str());
        return 1;
      }
    }
  }
  return write_file(folder + "/cases.json", written.dump()) ? 0 : 1;
}
