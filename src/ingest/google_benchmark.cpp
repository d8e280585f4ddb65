#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/run_samples.hpp"
#include "kernel/quoted.hpp"
#include "kernel/reading.hpp"
#include "roofline/ingest/times.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::string_view kUsualUnit = "ns";

std::string_view text_of(const YamlNode& node, std::string_view key) {
  const auto* value = node.find(key);
  return value && value->is_scalar() ? std::string_view(value->text) : std::string_view();
}

/// What a row sums up over the repetitions of a benchmark: "median" of "BM_sort", and so on.
struct Aggregate {
  std::string_view of, kind;
};
/// Files from before 2018 tell it by the end of the name alone.
std::optional<Aggregate> aggregate_of(const YamlNode& entry) {
  const auto name = text_of(entry, "name"), run = text_of(entry, "run_name"),
             type = text_of(entry, "run_type");
  constexpr std::string_view kKinds[] = {"mean", "median", "stddev", "cv", "BigO", "RMS"};
  std::string_view kind = text_of(entry, "aggregate_name"), base = run;
  for (const auto known : kKinds)
    if (name.ends_with(known) && name.size() > known.size() + 1 &&
        name[name.size() - known.size() - 1] == '_') {
      if (kind.empty()) kind = known;
      if (base.empty()) base = name.substr(0, name.size() - known.size() - 1);
    }
  if (type == "aggregate" || entry.find("aggregate_name")) return Aggregate{base, kind};
  if (type.empty() && run.empty() && !kind.empty()) return Aggregate{base, kind};
  return std::nullopt;
}

class Reader {
 public:
  Reader(const YamlDocument& document, Errors& errors) : reading_(document, errors) {}

  ResultRecord read() {
    const auto& benchmarks = *reading_.document().root().find("benchmarks");
    if (!benchmarks.is_list()) reading_.report_kind(benchmarks, "benchmarks", "a list");
    for (const auto& entry : benchmarks.items) read_entry(entry);
    ResultRecord record;
    record.file = reading_.document().file();
    for (const auto& name : order_)
      if (auto run = run_times(seen_[name]))
        record.kernels.push_back(measured_kernel(name, {std::move(*run)}, Timing::unknown));
    if (failed_ > 0) record.lost.push_back({"ended in an error", failed_});
    if (skipped_ > 0) record.lost.push_back({"skipped by the benchmark", skipped_});
    return record;
  }

 private:
  /// Of one benchmark. Its repetitions count where the file has them, what sums them up elsewhere.
  struct Times {
    std::vector<double> samples;
    std::optional<double> median, mean;
    std::int64_t repetitions = 0;
  };

  static std::optional<RunTimes> run_times(Times& times) {
    if (!times.samples.empty()) return run_of(std::move(times.samples));
    const auto typical = times.median ? times.median : times.mean;
    if (!typical) return std::nullopt;
    RunTimes run;
    run.median = Seconds(*typical);
    if (times.repetitions > 0) run.launches = times.repetitions;
    return run;
  }

  void read_entry(const YamlNode& entry) {
    if (text_of(entry, "error_occurred") == "true") {
      ++failed_;
      return;
    }
    if (text_of(entry, "skipped") == "true") {
      ++skipped_;
      return;
    }
    const auto aggregate = aggregate_of(entry);
    if (aggregate && aggregate->kind != "median" && aggregate->kind != "mean") return;
    const auto name =
        aggregate ? aggregate->of : text_of(entry, entry.find("run_name") ? "run_name" : "name");
    const auto seconds = read_time(entry, name);
    if (!seconds) return;
    const auto [at, is_new] = seen_.try_emplace(std::string(name));
    if (is_new) order_.emplace_back(name);
    if (!aggregate) return at->second.samples.push_back(*seconds);
    (aggregate->kind == "median" ? at->second.median : at->second.mean) = *seconds;
    if (const auto count = parse_number(text_of(entry, "iterations")); count && *count < 1e15)
      at->second.repetitions = static_cast<std::int64_t>(*count);
  }

  std::optional<double> read_time(const YamlNode& entry, std::string_view name) {
    const auto* time = entry.find("real_time");
    if (!time || !time->is_scalar() || name.empty()) {
      reading_.report(Code::missing_key, entry, "a benchmark has no name or no real_time");
      return std::nullopt;
    }
    const auto unit = entry.find("time_unit") ? text_of(entry, "time_unit") : kUsualUnit;
    auto seconds = parse_quantity(time->text + ' ' + std::string(unit), Dimension::time);
    if (!seconds) {
      reading_.report_inside(*time, std::move(seconds.error()));
      return std::nullopt;
    }
    if (*seconds > 0) return *seconds;
    reading_.report(Code::out_of_range, *time, "real_time is " + roofline::quoted(time->text),
                    "a time is above zero");
    return std::nullopt;
  }

  Reading reading_;
  std::vector<std::string> order_;
  std::map<std::string, Times> seen_;
  std::int64_t failed_ = 0, skipped_ = 0;
};

}  // namespace

Checked<std::vector<ResultRecord>> read_google_benchmark(const YamlDocument& document) {
  Errors errors;
  auto record = Reader(document, errors).read();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return std::vector<ResultRecord>{std::move(record)};
}

}  // namespace roofline
