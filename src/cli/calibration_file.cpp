#include "cli/calibration_file.hpp"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "cli/version.hpp"
#include "report/calibration_report.hpp"
#include "roofline/base/input.hpp"

namespace roofline::cli {
namespace {

std::string document_of(const Calibration& calibration) {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; }, {.indented_levels = 2});
  json.begin_object();
  json.text("schema", kCalibrationSchema);
  write_calibration(json, calibration, version_number());
  json.end_object();
  json.end_line();
  json.flush();
  return text;
}

}  // namespace

std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Result<void> save_calibration(const std::string& path, const Calibration& calibration) {
  std::error_code failed;
  const auto folder = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return fail(Code::cannot_write, {folder.string(), 0, 0, 1, {}, 0},
                "the folder cannot be made: " + failed.message(), "--no-save keeps nothing");
  return write_atomically(path, document_of(calibration));
}

}  // namespace roofline::cli
