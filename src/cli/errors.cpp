#include "cli/errors.hpp"

#include "report/error_json.hpp"

namespace roofline::cli {

int report_errors(std::span<const Error> errors, ErrorStyle style) {
  if (errors.empty()) return 0;
  write_error(style.json ? errors_as_json(errors)
                         : format_errors(errors, wants_colour(Stream::err, style.colour)));
  return describe(errors.front().code).exit_code;
}

int report_error(const Error& error, ErrorStyle style) { return report_errors({&error, 1}, style); }

}  // namespace roofline::cli
