#include "cli/launch_inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "cli/args.hpp"
#include "cli/errors.hpp"
#include "cli/terminal.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kMostPiped = std::size_t{4} << 30;  // bytes of a capture that comes by a pipe

/// A capture's header line names its schema near its start.
bool is_capture(std::string_view head) {
  return head.substr(0, 128).find("\"roofline.capture/") != std::string_view::npos;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error);
}

/// The beginning of an input. What is looked at of standard input is read again by whoever opens it
/// next (ByteStream, read_input).
Result<FileHead> look_at(const std::string& path) {
  static bool told = false;
  if (path == "-" && !told && ::isatty(STDIN_FILENO) != 0) {
    write_error("reading from the terminal, end with Ctrl-D\n");
    told = true;
  }
  return read_head(path);
}

/// Says on a terminal how far a long file is.
class Progress {
 public:
  void operator()(std::uint64_t bytes, std::uint64_t launches) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    shown_ = true;
    next_ = now + std::chrono::milliseconds(100);
    write_error(fmt::format("\rread {} MB, {} launches", bytes / 1'000'000, launches));
  }
  ~Progress() {
    if (shown_) write_error("\r\033[K");
  }

 private:
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  bool shown_ = false;
};

}  // namespace

Checked<ForeignOptions> foreign_options(const std::string& from, const std::string& decimal,
                                        const std::string& dtype) {
  ForeignOptions foreign;
  Errors errors;
  std::vector<std::string_view> names;
  for (const auto& importer : importers()) names.push_back(importer.name);
  if (!from.empty()) {
    if (auto known = check_choice("--from", from, names); !known)
      errors.push_back(std::move(known.error()));
  }
  constexpr std::string_view kSigns[] = {"point", "comma"};
  if (!decimal.empty()) {
    if (auto known = check_choice("--decimal", decimal, kSigns); !known)
      errors.push_back(std::move(known.error()));
    foreign.options.decimal = decimal == "comma" ? ',' : '.';
  }
  if (!dtype.empty() && !find_dtype(dtype))
    errors.push_back({Code::unknown_name,
                      {},
                      fmt::format("unknown dtype \"{}\"", printable(dtype)),
                      did_you_mean(dtype, dtype_names()),
                      {}});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  foreign.from = from;
  foreign.options.dtype = dtype;
  return foreign;
}

Result<bool> hold_launches(const std::vector<std::string>& inputs) {
  for (const auto& input : inputs) {
    if (is_folder(input) || input.ends_with(".rlf")) return true;
    const auto head = look_at(input);
    if (!head) {
      if (input == "-") return tl::unexpected(head.error());
      continue;  // said by whoever reads it
    }
    if (is_capture(head->bytes) || importer_of(*head) || is_known_otherwise(*head)) return true;
  }
  return false;
}

Checked<std::vector<CaptureSource>> capture_sources(const std::vector<std::string>& inputs,
                                                    const ForeignOptions& foreign) {
  std::vector<CaptureSource> sources;
  const auto* chosen = foreign.from.empty() ? nullptr : find_importer(foreign.from);
  const auto refuse = [](Error error) { return tl::unexpected(Errors{std::move(error)}); };
  for (const auto& input : inputs) {
    if (is_folder(input)) {
      auto files = capture_files(input);
      if (!files) return refuse(std::move(files.error()));
      for (auto& file : *files) sources.push_back({std::move(file), nullptr});
      continue;
    }
    const auto head = look_at(input);
    if (!head) return refuse(head.error());
    if (!chosen && is_capture(head->bytes)) {
      // Captures are read more than once, which a pipe is not.
      std::error_code error;
      if (input == "-" || std::filesystem::is_regular_file(input, error)) {
        sources.push_back({input, nullptr});
        continue;
      }
      auto content = read_input(input, kMostPiped);
      if (!content) return refuse(std::move(content.error()));
      sources.push_back({input, std::make_shared<const std::string>(std::move(*content))});
      continue;
    }
    auto options = foreign.options;
    const auto progress = std::make_shared<Progress>();
    if (::isatty(STDERR_FILENO) != 0)
      options.progress = [progress](std::uint64_t bytes, std::uint64_t launches) {
        (*progress)(bytes, launches);
      };
    const auto* importer = chosen ? chosen : importer_of(*head);
    auto imported = import_file(input, importer, options);
    if (!imported) return refuse(std::move(imported.error()));
    sources.push_back(
        {head->name, std::make_shared<const std::string>(std::move(imported->capture))});
  }
  return sources;
}

}  // namespace roofline::cli
