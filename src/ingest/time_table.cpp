#include <algorithm>
#include <map>

#include "ingest/run_samples.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/csv.hpp"
#include "roofline/base/text.hpp"
#include "roofline/ingest/times.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostErrors = 20;

struct Columns {
  std::optional<std::size_t> id, time, run;
};

class Reader {
 public:
  Reader(CsvReader table, Errors& errors) : table_(std::move(table)), errors_(errors) {}

  ResultRecord read() {
    ResultRecord record;
    record.file = table_.name();
    if (!next() || !read_title()) return record;
    while (next()) read_row();
    for (const auto& id : order_) {
      std::vector<RunTimes> runs;
      for (auto& [run, samples] : samples_[id]) runs.push_back(run_of(std::move(samples)));
      record.kernels.push_back(measured_kernel(id, std::move(runs), Timing::unknown));
    }
    return record;
  }

 private:
  void refuse(Code code, std::string what, std::string hint = {}) {
    Location where;
    where.file = table_.name();
    where.line = static_cast<int>(table_.line());
    errors_.push_back({code, std::move(where), std::move(what), std::move(hint), {}});
  }

  /// The next record that can be read; what cannot is an error.
  bool next() {
    while (errors_.size() < kMostErrors) {
      auto got = table_.next();
      if (!got) {
        errors_.push_back(std::move(got.error()));
        return false;
      }
      if (*got == CsvReader::Got::record) return true;
      if (*got == CsvReader::Got::end) return false;
      refuse(Code::wrong_type, "this line cannot be read as CSV");
    }
    return false;
  }

  bool read_title() {
    const auto fields = table_.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto name = lower_case(trimmed(fields[i]));
      if (name == "id" || name == "name") columns_.id = i;
      if (name == "time") columns_.time = i;
      if (name == "run") columns_.run = i;
    }
    if (columns_.id && columns_.time) return true;
    refuse(Code::missing_key, "a table of times has the columns id and time",
           "id,time and then gemm,410 us; a column run tells processes apart");
    return false;
  }

  void read_row() {
    const auto fields = table_.fields();
    const auto field = [&](std::size_t i) {
      return i < fields.size() ? trimmed(fields[i]) : std::string_view();
    };
    const auto id = field(*columns_.id), text = field(*columns_.time);
    if (id.empty()) return refuse(Code::missing_key, "a row without an id");
    auto seconds = parse_quantity(text, Dimension::time);
    if (!seconds) return refuse(seconds.error().code, seconds.error().what, seconds.error().hint);
    if (!(*seconds > 0))
      return refuse(Code::out_of_range, "the time is " + roofline::quoted(text),
                    "a time is above zero");
    auto& runs = samples_[std::string(id)];
    if (runs.empty()) order_.emplace_back(id);
    runs[columns_.run ? std::string(field(*columns_.run)) : std::string()].push_back(*seconds);
  }

  CsvReader table_;
  Errors& errors_;
  Columns columns_;
  std::vector<std::string> order_;
  std::map<std::string, std::map<std::string, std::vector<double>>> samples_;  // by id, then run
};

}  // namespace

Checked<std::vector<ResultRecord>> read_time_table(std::string text, const std::string& name) {
  Errors errors;
  auto record = Reader(CsvReader(ByteStream::of(std::move(text), name)), errors).read();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return std::vector<ResultRecord>{std::move(record)};
}

}  // namespace roofline
