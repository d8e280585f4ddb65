#include "cli/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/base/yaml.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::string_view kProjectFile = "roofline.yml";

struct Row {
  std::string_view key;
  const char* variable;  ///< nullptr: none
  Setting Settings::*setting;
  bool list;
};
constexpr Row kRows[] = {
    {"gpu", "ROOFLINE_GPU", &Settings::gpu, true},
    {"format", "ROOFLINE_FORMAT", &Settings::format, false},
    {"color", "ROOFLINE_COLOR", &Settings::color, false},
    {"launch_cost", nullptr, &Settings::launch_cost, false},
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// The nearest roofline.yml from here up to the repository's root. Outside a repository only this
/// folder counts: a file that somebody left in /tmp is not this project's.
std::optional<std::string> project_file() {
  std::error_code error;
  const auto here = fs::current_path(error);
  if (error) return std::nullopt;
  fs::path root = here;
  for (auto folder = here;; folder = folder.parent_path()) {
    if (is_there(folder / ".git")) {
      root = folder;
      break;
    }
    if (folder == folder.parent_path()) break;
  }
  std::string up;  // named as seen from here, so that reports have no absolute paths
  for (auto folder = here;; folder = folder.parent_path()) {
    if (is_there(folder / kProjectFile)) return up + std::string(kProjectFile);
    if (folder == root || folder == folder.parent_path()) return std::nullopt;
    up += "../";
  }
}

std::optional<std::string> user_file() {
  auto folder = variable("XDG_CONFIG_HOME");
  if (folder.empty()) {
    const auto home = variable("HOME");
    if (home.empty()) return std::nullopt;
    folder = home + "/.config";
  }
  auto path = folder + "/roofline/config.yml";
  return is_there(path) ? std::optional(std::move(path)) : std::nullopt;
}

/// Adds what the file says and nothing above it said.
void read_file(const std::string& path, Settings& settings, Errors& errors) {
  auto content = read_input(path, kMostBytes);
  if (!content) return errors.push_back(std::move(content.error()));
  auto document = read_yaml(std::move(*content), path);
  if (!document) {
    // A file of comments only is what one gets by commenting everything out.
    if (document.error().size() == 1 && document.error().front().code == Code::empty_input) return;
    errors.insert(errors.end(), document.error().begin(), document.error().end());
    return;
  }
  YamlMap map(*document, document->root(), "settings", errors);
  if (!map.ok()) return;
  for (const auto& row : kRows) {
    const auto* node = map.find(row.key);
    if (!node) continue;
    std::vector<std::string> values;
    if (row.list) {
      if (auto names = read_names(*document, *node, row.key, errors)) values = std::move(*names);
    } else if (auto text = read_text(*document, *node, row.key, errors)) {
      values = {std::move(*text)};
    }
    auto& setting = settings.*row.setting;
    if (!setting.given()) setting = {std::move(values), path, document->where(*node)};
  }
  map.close();
  settings.files.push_back(path);
}

}  // namespace

Checked<Settings> read_settings(const CommonArgs& args) {
  Settings settings;
  for (const auto& row : kRows) {
    if (row.variable == nullptr) continue;
    if (auto value = variable(row.variable); !value.empty())
      settings.*row.setting = {{std::move(value)}, row.variable, {}};
  }
  if (args.no_config) {
    if (args.config.empty()) return settings;
    return tl::unexpected(
        Errors{{Code::bad_option, {}, "--config and --no-config exclude each other", {}, {}}});
  }
  std::vector<std::string> files;
  if (auto named = args.config.empty() ? variable("ROOFLINE_CONFIG") : args.config;
      !named.empty()) {
    files.push_back(std::move(named));
  } else {
    if (auto file = project_file()) files.push_back(std::move(*file));
    if (auto file = user_file()) files.push_back(std::move(*file));
  }
  Errors errors;
  for (const auto& file : files) read_file(file, settings, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return settings;
}

Error at_setting(Error error, const Setting& setting) {
  if (setting.where.file.empty())
    error.what += fmt::format(" (from {})", setting.origin);
  else
    error.where = setting.where;
  return error;
}

}  // namespace roofline::cli
