#include "cli/gate_results.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/launch_inputs.hpp"
#include "cli/measure.hpp"
#include "roofline/analysis/gate.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/ingest/times.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool is_table(const std::string& path, std::string_view text) {
  if (path.ends_with(".csv")) return true;
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && text[first] != '{' && text[first] != '[' &&
         text[first] != '#' && text.substr(0, text.find('\n')).find(',') != std::string_view::npos;
}

Checked<std::vector<ResultRecord>> records_of(const YamlDocument& document) {
  switch (harness_of(document)) {
    case Harness::nvbench: return read_nvbench(document);
    case Harness::google_benchmark: return read_google_benchmark(document);
    case Harness::none: break;
  }
  return read_results(document);
}

/// Whether a file is read launch by launch. Results are read as they are, and so are benchmarks'
/// own times and tables of `id,time`: the names in them are those that a gate knows.
Result<bool> is_of_launches(const std::string& path) {
  constexpr std::string_view kOwnReaders[] = {"nvbench", "google-benchmark", "roofline-result"};
  std::error_code error;
  if (path == "-") return false;
  if (path.ends_with(".rlf") || std::filesystem::is_directory(path, error)) return true;
  const auto head = read_head(path);
  if (!head) return tl::unexpected(head.error());
  if (const auto* importer = importer_of(*head))
    return std::none_of(std::begin(kOwnReaders), std::end(kOwnReaders),
                        [&](auto name) { return importer->name.starts_with(name); });
  return hold_launches({path});
}

}  // namespace

Checked<std::vector<ResultRecord>> read_result_or_launches(const std::string& path) {
  const auto launches = is_of_launches(path);
  if (!launches) return tl::unexpected(Errors{launches.error()});
  if (*launches) {
    const auto measurement = read_launches({path}, {});
    if (!measurement) return tl::unexpected(measurement.error());
    if (measurement->report.profile.empty() && measurement->failure)
      return tl::unexpected(Errors{*measurement->failure});
    const auto document = read_yaml(measurement->json(), path, result_limits());
    if (!document) return tl::unexpected(document.error());
    return read_results(*document);
  }
  auto text = read_input(path, kMostResultBytes);
  if (!text) return tl::unexpected(Errors{std::move(text.error())});
  const std::string name = path == "-" ? "stdin" : path;
  if (is_table(path, *text)) return read_time_table(std::move(*text), name);
  const auto document = read_yaml(std::move(*text), name, result_limits());
  if (!document) return tl::unexpected(document.error());
  return records_of(*document);
}

namespace {

/// The table's id of a GPU that a harness names as the driver does; empty: none, or several.
std::string id_of(const ResultGpu& gpu) {
  if (!gpu.id.empty()) return gpu.id;
  if (gpu.name.empty()) return {};
  const auto found = find_gpu(gpu.name);
  return found ? found->id : std::string();
}

}  // namespace

Checked<std::vector<ResultRecord>> read_result_files(const std::vector<std::string>& paths) {
  std::vector<ResultRecord> all;
  Errors errors;
  for (const auto& path : paths) {
    auto records = read_result_or_launches(path);
    if (records)
      std::move(records->begin(), records->end(), std::back_inserter(all));
    else
      append(errors, std::move(records.error()));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return all;
}

ChosenResults choose_results(std::vector<ResultRecord> records, const std::string& gpu) {
  for (auto& record : records) {
    record.gpu.id = id_of(record.gpu);
    if (record.gpu.id.empty() && record.gpu.name.empty()) record.gpu.id = gpu;
  }
  const auto is = [](const std::string& id) {
    return [&](const ResultRecord& record) { return record.gpu.id == id; };
  };
  const std::string wanted =
      std::any_of(records.begin(), records.end(), is(gpu)) ? gpu : records.front().gpu.id;
  ChosenResults chosen;
  std::vector<ResultRecord> same;
  for (auto& record : records) {
    if (record.gpu.id == wanted) {
      same.push_back(std::move(record));
      continue;
    }
    const auto& name = record.gpu.id.empty() ? record.gpu.name : record.gpu.id;
    if (std::find(chosen.left_out.begin(), chosen.left_out.end(), name) == chosen.left_out.end())
      chosen.left_out.push_back(name);
  }
  chosen.result = merged(same);
  return chosen;
}

}  // namespace roofline::cli
