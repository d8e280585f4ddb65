#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/args.hpp"

namespace roofline::cli {

struct Example {
  std::string_view command, meaning;
};

/// One row of the table of commands: everything that running, help, docs and completion need to know of it.
struct CommandEntry {
  std::string_view group;      ///< "gpus" of "gpus list"; empty for a command of one word
  std::string_view name;       ///< "list"
  std::string_view arguments;  ///< as the usage line shows them: "INPUT..."
  std::string_view summary;    ///< one sentence
  std::string_view about;      ///< paragraphs of the long help, separated by blank lines
  std::span<const Example> examples;  ///< the first two are in the short help
  std::string_view exits;             ///< exit codes besides 0 and 2; empty: none
  std::vector<OptionDoc> (*options)();
  int (*run)(Words words);

  std::string full_name() const;  ///< "gpus list"
};

std::span<const CommandEntry> commands();
/// By its words; `used` says how many of them it took. nullptr: there is none of that name.
const CommandEntry* find_command(Words words, std::size_t& used);
bool is_group(std::string_view word);

/// Runs the program: the words after its own name. Returns the exit code; nothing is thrown.
int run_program(Words words);

// One per row, in the file of its name.
int run_analyze(Words words);
int run_import(Words words);
int run_fuse(Words words);
int run_sweep(Words words);
int run_solve(Words words);
int run_audit(Words words);
int run_profile(Words words);
int run_report(Words words);
int run_model(Words words);
int run_gate(Words words);
int run_baseline_record(Words words);
int run_baseline_update(Words words);
int run_baseline_show(Words words);
int run_baseline_diff(Words words);
int run_history_add(Words words);
int run_history_show(Words words);
int run_history_compact(Words words);
int run_compare(Words words);
int run_gpus_list(Words words);
int run_gpus_show(Words words);
int run_gpus_why(Words words);
int run_gpus_verify(Words words);
int run_gpus_template(Words words);
int run_gpus_detect(Words words);
int run_doctor(Words words);
int run_calibrate(Words words);
int run_ops_list(Words words);
int run_ops_show(Words words);
int run_schema(Words words);
int run_explain(Words words);
int run_completion(Words words);
int run_help(Words words);
int run_version(Words words);

}  // namespace roofline::cli
