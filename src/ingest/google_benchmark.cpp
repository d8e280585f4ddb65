#include <map>

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
      record.kernels.push_back(
          measured_kernel(name, {run_of(std::move(samples_[name]))}, Timing::unknown));
    if (failed_ > 0) record.lost.push_back({"ended in an error", failed_});
    return record;
  }

 private:
  void read_entry(const YamlNode& entry) {
    if (text_of(entry, "run_type") == "aggregate" || entry.find("aggregate_name")) return;
    if (text_of(entry, "error_occurred") == "true") {
      ++failed_;
      return;
    }
    const auto* time = entry.find("real_time");
    const auto name = text_of(entry, entry.find("run_name") ? "run_name" : "name");
    if (!time || !time->is_scalar() || name.empty())
      return reading_.report(Code::missing_key, entry, "a benchmark has no name or no real_time");
    const auto unit = entry.find("time_unit") ? text_of(entry, "time_unit") : kUsualUnit;
    auto seconds = parse_quantity(time->text + ' ' + std::string(unit), Dimension::time);
    if (!seconds) return reading_.report_inside(*time, std::move(seconds.error()));
    if (!(*seconds > 0))
      return reading_.report(Code::out_of_range, *time,
                             "real_time is " + roofline::quoted(time->text),
                             "a time is above zero");
    auto& samples = samples_[std::string(name)];
    if (samples.empty()) order_.emplace_back(name);
    samples.push_back(*seconds);
  }

  Reading reading_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> samples_;
  std::int64_t failed_ = 0;
};

}  // namespace

Checked<std::vector<ResultRecord>> read_google_benchmark(const YamlDocument& document) {
  Errors errors;
  auto record = Reader(document, errors).read();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return std::vector<ResultRecord>{std::move(record)};
}

}  // namespace roofline
