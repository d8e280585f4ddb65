#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "roofline/analysis/history.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchema = "roofline.history/1";
constexpr std::string_view kSchemaFamily = "roofline.history/";
constexpr std::string_view kEnding = ".jsonl";
constexpr std::string_view kIdKey = R"({"id":")", kTimeKey = R"(,"time_s":)";
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostLine = std::size_t{1} << 20;

std::optional<YamlDocument> parse_line(std::string_view line) {
  auto document = read_yaml(std::string(line), "", {.bytes = kMostLine, .depth = 8, .nodes = 10'000});
  if (!document || !document->root().is_map()) return std::nullopt;
  return std::move(*document);
}

std::string text_at(const YamlNode& map, std::string_view key) {
  const auto* node = map.find(key);
  return node && node->is_scalar() ? node->text : std::string();
}

std::optional<double> number_at(const YamlNode& map, std::string_view key) {
  const auto* node = map.find(key);
  if (!node || !node->is_scalar() || node->quoted) return std::nullopt;
  const auto value = parse_number(node->text);
  return value && *value >= 0 ? std::optional(*value) : std::nullopt;
}

std::optional<bool> flag_at(const YamlNode& map, std::string_view key) {
  const auto text = text_at(map, key);
  if (text != "true" && text != "false") return std::nullopt;
  return text == "true";
}

/// Kernel and time of a line that is written as we write it: nearly all of them, at the speed of a search. A name with
/// escapes is left to the full reader.
struct Glimpse {
  std::string_view id;
  double time_s = 0;
};
std::optional<Glimpse> glimpse(std::string_view line) {
  if (!line.starts_with(kIdKey) || !line.ends_with('}')) return std::nullopt;
  const auto end = line.find_first_of("\"\\", kIdKey.size());
  if (end == line.npos || line[end] == '\\') return std::nullopt;
  const auto rest = line.substr(end + 1);
  if (!rest.starts_with(kTimeKey)) return std::nullopt;
  double time = 0;
  const char* const first = rest.data() + kTimeKey.size();
  const auto [stop, fault] = std::from_chars(first, rest.data() + rest.size(), time);
  if (fault != std::errc() || !(time > 0) || !std::isfinite(time) || (*stop != ',' && *stop != '}')) return std::nullopt;
  return Glimpse{line.substr(kIdKey.size(), end - kIdKey.size()), time};
}

class FileReader {
 public:
  FileReader(const std::string& path, const HistoryVisitor& visit) : path_(path), visit_(visit) { run_.file = path; }

  Checked<HistoryRun> read(std::string_view text) {
    if (text.empty()) return damaged(0, "this file of the history is empty");
    if (!text.ends_with('\n')) return damaged(0, "this file of the history is cut off: its last line does not end");
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      ++number_;
      if (const auto fault = take(text.substr(at, end - at)); fault) return tl::unexpected(Errors{*fault});
      at = end + 1;
    }
    if (kernels_ != run_.kernels)
      return damaged(0, "this file of the history is damaged: its first line says " + std::to_string(run_.kernels) +
                            " kernels, " + std::to_string(kernels_) + " follow");
    return std::move(run_);
  }

 private:
  tl::unexpected<Errors> damaged(int line, std::string what) const { return tl::unexpected<Errors>(Errors{fault(line, std::move(what))}); }
  Error fault(int line, std::string what) const {
    return {Code::yaml_syntax, {path_, line, 0, 1, {}, 0}, std::move(what), "it was left as it is; move it away to go on without it", {}};
  }

  std::optional<Error> take(std::string_view line) {
    if (number_ == 1) return take_header(line);
    ++kernels_;
    if (const auto seen = glimpse(line)) {
      visit_(run_, seen->id, seen->time_s, line);
      return std::nullopt;
    }
    const auto point = read_history_point(line);
    if (!point) return fault(number_, "this line of the history is damaged");
    visit_(run_, point->id, point->time_s, line);
    return std::nullopt;
  }

  std::optional<Error> take_header(std::string_view line) {
    const auto document = parse_line(line);
    const auto schema = document ? text_at(document->root(), "schema") : std::string();
    if (schema.empty()) return fault(1, "this is no file of a history: its first line has no schema");
    if (schema != kSchema)
      return Error{Code::wrong_type, {path_, 1, 0, 1, {}, 0},
                   (schema.starts_with(kSchemaFamily) ? "this file of the history is of another version, " : "this is no file of a history but ") +
                       shortened(printable(schema), 60),
                   "this roofline reads " + std::string(kSchema), {}};
    const auto& root = document->root();
    run_.time = text_at(root, "time");
    run_.commit = text_at(root, "commit");
    run_.machine = {text_at(root, "gpu"), text_at(root, "mig"), number_at(root, "power_limit_w"), flag_at(root, "ecc")};
    run_.method = text_at(root, "method");
    run_.driver = text_at(root, "driver");
    run_.cuda = text_at(root, "cuda");
    run_.disturbed = text_at(root, "disturbed");
    const auto kernels = number_at(root, "kernels");
    if (run_.time.empty() || !kernels) return fault(1, "the first line of this file of the history lacks its time or its number of kernels");
    run_.kernels = static_cast<std::size_t>(std::min(*kernels, 1e9));
    return std::nullopt;
  }

  const std::string& path_;
  const HistoryVisitor& visit_;
  HistoryRun run_;
  int number_ = 0;
  std::size_t kernels_ = 0;
};

/// A part of a file's name: what is not plain becomes "-".
std::string name_part(std::string_view text) {
  std::string part;
  for (const char c : text.substr(0, 60)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    part += plain ? c : '-';
  }
  return part;
}

}  // namespace

std::string history_name(const HistoryRun& run) {
  // "2026-11-30T18:48:12Z" -> "2026-11-30T18-48Z": colons are no part of a file's name everywhere.
  std::string name = name_part(run.time.substr(0, 16)) + "Z";
  if (!run.commit.empty()) name += "-" + name_part(run.commit);
  return name + "-" + (run.machine.gpu.empty() ? "unknown" : name_part(run.machine.gpu));
}

Result<std::vector<std::string>> history_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kEnding) files.push_back(it->path().string());
  if (error)
    return fail(Code::cannot_read, {folder, 0, 0, 1, {}, 0}, "cannot read the history: " + error.message(),
                "roofline history add run.json   starts one");
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<HistoryPoint> read_history_point(std::string_view line) {
  const auto document = parse_line(line);
  if (!document) return std::nullopt;
  const auto& root = document->root();
  const auto time = number_at(root, "time_s");
  const auto* id = root.find("id");
  if (!id || !id->is_scalar() || !time || *time == 0) return std::nullopt;
  HistoryPoint point{.id = id->text, .time_s = *time};
  point.runs = static_cast<int>(std::min(number_at(root, "runs").value_or(1), 1e6));
  point.spread = number_at(root, "spread").value_or(0);
  point.floor_s = number_at(root, "floor_s");
  point.dram_bytes = number_at(root, "dram_bytes");
  point.launches = number_at(root, "launches");
  point.code_hash = text_at(root, "code_hash");
  point.outcome = text_at(root, "outcome");
  return point;
}

Checked<HistoryRun> read_history_file(const std::string& path, const HistoryVisitor& visit) {
  const auto text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(Errors{text.error()});
  return FileReader(path, visit).read(*text);
}

}  // namespace roofline
