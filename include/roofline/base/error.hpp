#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// A place in an input file, counted from 1; 0 is "not known". Columns count bytes. `source_line`
/// is the text of that line and `length` the number of bytes that the caret underlines. Of a very
/// long line `source_line` is only the part around the place, and `source_offset` says how many
/// bytes of the line stand before it.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;
  std::string source_line;
  int source_offset = 0;
};

/// Every kind of error the program reports. The numbers are stable and documented by `roofline
/// explain`.
enum class Code : int {
  unknown_command = 1001,
  unknown_option = 1002,
  bad_option = 1003,
  missing_argument = 1004,
  cannot_read = 2001,
  yaml_syntax = 2002,
  unknown_key = 2003,
  missing_key = 2004,
  wrong_type = 2005,
  duplicate_key = 2006,
  bad_number = 2007,
  out_of_range = 2008,
  bad_expression = 2009,
  unknown_name = 2010,
  needs_unit = 2011,
  wrong_unit = 2012,
  operands_disagree = 2013,
  limit_exceeded = 2014,
  unsupported_yaml = 2015,
  unknown_op = 2016,
  unknown_dtype = 2017,
  cannot_write = 2018,
  empty_input = 2019,
  contradiction = 2020,
  bad_source = 2031,
  no_device = 3001,
  unknown_gpu = 3002,
  gpu_not_in_table = 3003,
  no_rate = 3004,
  ambiguous_gpu = 3005,
  no_gpu = 3006,
  figure_unexplained = 3007,
  plugin_missing = 3008,
  injection_taken = 3009,
  counters_not_permitted = 3010,
  profiler_refused = 3011,
  not_profiled = 3012,
  driver_failed = 3021,
  no_compiler = 3022,
  missing_kernel = 4101,
  limit_broken = 4102,
  slower_than_baseline = 4103,
  launch_count = 4104,
  quarantine_ended = 4105,
  extra_kernels = 4106,
  code_changed = 4107,
  runs_too_noisy = 4111,
  too_few_runs = 4112,
  machine_disturbed = 4113,
  environment_changed = 4114,
  too_few_sessions = 4115,
  too_near_the_limit = 4116,
  below_floor = 4121,
  value_absent = 4122,
  impossible_value = 4123,
  ambiguous_match = 4124,
  launches_vary = 4125,
  empty_result = 4126,
  measured_program_failed = 4127,
  trace_incomplete = 4128,
  measured_elsewhere = 4129,
  counters_absent = 4130,
  no_baseline = 4131,
  baseline_unusable = 4132,
  held_in_l2 = 4133,
  in_quarantine = 4134,
  program_not_found = 5001,
  program_failed = 5002,
  no_kernels = 5003,
  program_timed_out = 5004,
  interrupted = 5005,
  output_not_written = 5021,
  internal = 9001,
};

/// What went wrong, where, and the next step. Library code returns these; it neither prints, exits
/// nor throws.
struct Error {
  Code code = Code::internal;
  Location where;
  std::string what;
  std::string hint;
  std::string note;
};

using Errors = std::vector<Error>;

/// One row of the table of codes: what `roofline explain` prints.
struct CodeEntry {
  Code code;
  int exit_code;  ///< of the program when this is the first error (docs/cli.md)
  std::string_view title;
  std::string_view meaning;  ///< a paragraph
  std::string_view example;  ///< input that causes it
};

std::span<const CodeEntry> error_codes();
const CodeEntry& describe(Code code);
std::string code_name(Code code);  ///< "RF2003"

/// The errors as text: message, place, source line with a caret, help. At most `limit` of them,
/// those of one file in the order of its lines, then a count of the rest. Untrusted text is made
/// printable. A hint and a note may have several lines; a short hint stands beside the caret.
std::string format_errors(std::span<const Error> errors, bool colour, std::size_t limit = 20);

}  // namespace roofline
