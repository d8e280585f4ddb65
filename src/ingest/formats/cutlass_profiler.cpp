#include <fmt/format.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ingest/exact_time.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// cutlass_profiler: the CSV of --output or --print-csv, or the blocks that it prints for people.
/// Runtime is in ms, of one launch. Its column GB/s holds GiB/s and is not read: bytes and time say
/// it better. A result that was not found right has a good-looking time all the same; it is counted
/// and left out.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 20;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Field = std::function<std::string_view(std::string_view column)>;

class Reader {
 public:
  explicit Reader(ImportSink& sink) : sink_(sink) {}

  Result<void> read(std::string_view text, const std::string& file) {
    if (!read_table(text)) read_blocks(text);
    if (rows_ == 0)
      return fail(Code::empty_input, {file, 0, 0, 1, {}, 0},
                  "this output of cutlass_profiler holds no result",
                  "cutlass_profiler --operation=Gemm --output=FILE.csv makes one");
    sink_.tool("cutlass_profiler");
    sink_.lose("gpu_not_named");
    for (const auto& [reason, count] : lost_) sink_.lose(reason, count);
    if (is_cut_) sink_.truncated(fmt::format("after row {}", rows_));
    return {};
  }

 private:
  bool read_table(std::string_view text) {
    std::vector<std::string> header, fields;
    for (Lines lines(text); lines.next();) {
      const auto line = lines.line();
      if (line.starts_with("Problem,Provider,")) {
        split_fields(line, ',', header);
        continue;
      }
      if (header.empty() || line.empty() || line.front() < '0' || line.front() > '9') continue;
      if (!split_fields(line, ',', fields) || fields.size() < header.size()) {
        if (lines.ended())
          ++lost_["rows_unreadable"];
        else
          is_cut_ = true;
        continue;
      }
      row([&](std::string_view column) {
        const auto at = column_of(header, column);
        return at < fields.size() ? std::string_view(fields[at]) : std::string_view();
      });
    }
    return !header.empty();
  }

  /// "  Operation: cutlass_...", one to a line; the arguments of a problem as "--m=16384".
  void read_blocks(std::string_view text) {
    std::map<std::string, std::string, std::less<>> block;
    const auto flush = [&] {
      if (block.contains("Operation"))
        row([&](std::string_view column) {
          const auto at = block.find(column);
          return at == block.end() ? std::string_view() : std::string_view(at->second);
        });
      block.clear();
    };
    for (Lines lines(text); lines.next();) {
      const auto line = lines.line();
      if (line.starts_with("=====")) flush();
      for (auto at = line.find("--"); at != std::string_view::npos; at = line.find("--", at + 2)) {
        const auto argument = line.substr(at + 2, line.find(' ', at) - at - 2);
        const auto equals = argument.find('=');
        if (equals != std::string_view::npos)
          block[std::string(argument.substr(0, equals))] = argument.substr(equals + 1);
      }
      const auto colon = line.find(": ");
      if (colon == std::string_view::npos) continue;
      const std::string key(trimmed(line.substr(0, colon)));
      const auto value = trimmed(line.substr(colon + 2));
      const auto number = value.substr(0, value.find(' '));
      if (key == "Operation" || key == "OperationKind" || key == "Provider")
        block[key] = value;
      else if (key == "Disposition")
        block[key] = lower_case(value);
      else if (key == "Bytes")
        block["Bytes"] = number;
      else if (key == "FLOPs")
        block["Flops"] = number;
      else if (key == "Runtime")
        block["Runtime"] = number;
    }
    flush();
  }

  void row(const Field& field) {
    ++rows_;
    const auto disposition = field("Disposition");
    if (disposition == "incorrect" || disposition == "failed") {
      ++lost_["results_incorrect"];
      return;
    }
    if (disposition == "not_verified" || disposition == "not verified") {
      ++lost_["results_not_verified"];
      return;
    }
    const auto time = exact_ns(field("Runtime"), 6);
    if (!time || *time == 0) {
      ++lost_["results_without_time"];
      return;
    }
    const double seconds = static_cast<double>(*time) / 1e9;
    capture::Summary summary;
    summary.shape = sink_.shape(field("Operation"));
    summary.launches = 1;
    summary.operation = operation_of(field);
    summary.seconds = {seconds, seconds, kNone, kNone, kNone};
    sink_.add(summary);
  }

  std::uint64_t operation_of(const Field& field) {
    Operation operation;
    operation.name = "cutlass";
    const auto take = [&](std::string_view column, std::string_view attribute) {
      if (const auto value = field(column); !value.empty())
        operation.attributes.emplace_back(attribute, value);
    };
    constexpr std::pair<std::string_view, std::string_view> kColumns[] = {
        {"OperationKind", "operation"},
        {"m", "m"},
        {"n", "n"},
        {"k", "k"},
        {"A", "a"},
        {"B", "b"},
        {"C", "c"},
        {"D", "d"},
        {"batch_count", "batch"},
        {"op_class", "op_class"},
        {"accum", "accum"},
        {"beta", "beta"},
        {"Bytes", "bytes"},
        {"Flops", "flops"}};
    for (const auto& [column, attribute] : kColumns) take(column, attribute);
    constexpr std::string_view kOfConvolutions[] = {
        "conv_kind",  "d",          "h",          "w",          "c",        "t",
        "r",          "s",          "z",          "p",          "q",        "groups",
        "pad_d",      "pad_h",      "pad_w",      "stride_d",   "stride_h", "stride_w",
        "dilation_d", "dilation_h", "dilation_w", "Activation", "Filter",   "Output"};
    if (!field("conv_kind").empty())
      for (const auto column : kOfConvolutions) take(column, column);
    return sink_.operation(operation);
  }

  ImportSink& sink_;
  std::uint64_t rows_ = 0;
  std::map<std::string, std::uint64_t> lost_;
  bool is_cut_ = false;
};

}  // namespace

bool is_cutlass_profiler(const FileHead& head) {
  const std::string_view text = head.bytes;
  return text.find("Problem,Provider,OperationKind") != std::string_view::npos ||
         (text.find("OperationKind: ") != std::string_view::npos &&
          text.find("Disposition: ") != std::string_view::npos);
}

Result<void> read_cutlass_profiler(const std::string& path, const ImportOptions&,
                                   ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  return Reader(sink).read(*text, path == "-" ? "<stdin>" : path);
}

}  // namespace roofline::formats
