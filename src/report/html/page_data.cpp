#include "report/html/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/json_writer.hpp"
#include "report/palette.hpp"

namespace roofline::html {
namespace {

using Figure = std::optional<double>;

/// A value of a row. `type` says how the script shows it: t text, w a word of the table of words, n
/// a number, s seconds, f FLOP/s, b B/s, p a share, x a ratio.
struct PageField {
  std::string_view key, title;
  char type;
  bool column;  ///< of the table; others are told when a mark is pointed at
  Figure (*figure)(const ChartKernel&);
  std::string (*text)(const ChartKernel&);
};

std::string bound_word(const ChartKernel& k) {
  return k.balanced ? "balanced" : std::string(bound_name(k.bound));
}

constexpr PageField kFields[] = {
    {"number", "#", 'n', true,
     [](const ChartKernel& k) -> Figure { return static_cast<double>(k.number); }, nullptr},
    {"name", "kernel", 't', true, nullptr, [](const ChartKernel& k) { return k.name; }},
    {"bound", "bound", 'w', true, nullptr, &bound_word},
    {"gate", "gate", 'w', true, nullptr,
     [](const ChartKernel& k) {
       return k.outcome ? std::string(outcome_name(*k.outcome)) : std::string();
     }},
    {"pipe", "datapath", 'w', true, nullptr, [](const ChartKernel& k) { return k.pipes; }},
    {"intensity", "FLOP/B", 'n', true, [](const ChartKernel& k) { return k.placed_intensity(); },
     nullptr},
    {"achieved", "achieved", 'f', true, [](const ChartKernel& k) { return k.achieved_flop_rate(); },
     nullptr},
    {"attainable", "attainable", 'f', true,
     [](const ChartKernel& k) { return k.attainable_flop_rate(); }, nullptr},
    {"fraction", "of ceiling", 'p', true,
     [](const ChartKernel& k) { return k.fraction_of_ceiling; }, nullptr},
    {"busy", "DRAM busy", 'p', true, [](const ChartKernel& k) { return k.dram_busy; }, nullptr},
    {"excess", "excess", 'x', true, [](const ChartKernel& k) { return k.excess_traffic; }, nullptr},
    {"launches", "launches", 'n', true, [](const ChartKernel& k) -> Figure { return k.launches; },
     nullptr},
    {"time", "time", 's', true,
     [](const ChartKernel& k) { return k.time_s ? Figure(k.total_time()) : Figure(); }, nullptr},
    {"floor", "floor", 's', true,
     [](const ChartKernel& k) { return k.floor_s ? Figure(k.total_floor()) : Figure(); }, nullptr},
    {"win", "to win", 's', true,
     [](const ChartKernel& k) {
       return k.time_s && k.floor_s ? Figure(k.recoverable()) : Figure();
     },
     nullptr},
    {"share", "share", 'p', true, [](const ChartKernel& k) -> Figure { return k.share; }, nullptr},
    {"limit", "time limit", 's', false,
     [](const ChartKernel& k) {
       return k.time_limit_s ? Figure(k.launches * *k.time_limit_s) : Figure();
     },
     nullptr},
    {"status", "status", 'w', false, nullptr,
     [](const ChartKernel& k) {
       return k.status ? std::string(status_name(*k.status)) : std::string();
     }},
    {"limiter", "limiter", 'w', false, nullptr, [](const ChartKernel& k) { return k.limiter; }},
    {"measured", "measured FLOP/B", 'n', false,
     [](const ChartKernel& k) { return k.measured_intensity; }, nullptr},
    {"bandwidth", "bytes/s", 'b', false,
     [](const ChartKernel& k) { return k.achieved_bandwidth(); }, nullptr},
    {"point", "point", 't', false, nullptr, [](const ChartKernel& k) { return k.point; }},
    {"full_name", "full name", 't', false, nullptr,
     [](const ChartKernel& k) { return k.full_name == k.name ? std::string() : k.full_name; }},
    {"advice", "what to do", 'w', false, nullptr,
     [](const ChartKernel& k) { return k.status == Status::impossible ? k.cause : k.advice; }},
    {"unit", "work unit", 'w', false, nullptr,
     [](const ChartKernel& k) { return std::string(work_unit_name(k.work)); }},
    {"ink", "ink", 'w', false, nullptr,
     [](const ChartKernel& k) { return std::string(ink_name(ink_of(k))); }},
};

/// Words that many rows share stand once.
class Words {
 public:
  std::size_t index(std::string word) {
    const auto [at, fresh] = by_word_.try_emplace(std::move(word), list_.size());
    if (fresh) list_.push_back(at->first);
    return at->second;
  }
  const std::vector<std::string_view>& list() const { return list_; }

 private:
  std::map<std::string, std::size_t, std::less<>> by_word_;
  std::vector<std::string_view> list_;  // keys of the map stay where they are
};

bool says_something(const PageField& field, const Chart& chart) {
  if (field.key == "gate") return chart.gate.has_value();
  if (field.key == "pipe")
    return std::any_of(chart.kernels.begin(), chart.kernels.end(),
                       [](const ChartKernel& kernel) { return !kernel.pipes.empty(); });
  if (!field.figure || field.key == "number") return true;
  for (const auto& kernel : chart.kernels)
    if (field.figure(kernel)) return field.key != "win" || chart.measured;
  return false;
}

/// A row as text: JsonWriter has no null, and a row needs one for what is not known.
void append_row(std::string& out, const ChartKernel& kernel, Words& words) {
  out += '[';
  for (const auto& field : kFields) {
    if (out.back() != '[') out += ',';
    if (field.figure) {
      const auto value = field.figure(kernel);
      if (value && std::isfinite(*value))
        fmt::format_to(std::back_inserter(out), "{:.6g}", *value);
      else
        out += "null";
    } else if (field.type == 'w') {
      fmt::format_to(std::back_inserter(out), "{}", words.index(field.text(kernel)));
    } else {
      out += '"';
      append_json_escaped(out, field.text(kernel));
      out += '"';
    }
  }
  out += ']';
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

void append_chart(std::string& out, const Chart& chart) {
  out += "{\"gpu\":";
  append_quoted(out, chart.gpu_id);
  out += ",\"fields\":[";
  for (const auto& field : kFields) {
    if (out.back() != '[') out += ',';
    fmt::format_to(std::back_inserter(out), "[\"{}\",\"{}\",\"{}\",{}]", field.key, field.title,
                   field.type, field.column && says_something(field, chart) ? 1 : 0);
  }
  Words words;
  out += "],\"rows\":[";
  for (const auto& kernel : chart.kernels) {
    if (out.back() != '[') out += ",\n";
    append_row(out, kernel, words);
  }
  out += "],\"words\":[";
  for (const auto word : words.list()) {
    if (out.back() != '[') out += ',';
    append_quoted(out, word);
  }
  out += "]}";
}

/// "</script>" and "<!--" would end the element or change how it is read; in JSON a "<" stands in
/// strings only.
std::string safe_in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 50);
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

void write_page_data(std::span<const Chart> charts, const TextSink& sink) {
  std::string out = "[";
  for (const auto& chart : charts) {
    if (out.size() > 1) out += ",\n";
    append_chart(out, chart);
  }
  sink(safe_in_script(out + "]"));
}

}  // namespace roofline::html
