#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/analysis/solve.hpp"

namespace roofline {

/// What `roofline solve` says of one kernel on one GPU.
struct SolveReport {
  std::string file;  ///< with the dtype where several are tried
  const Ceilings* ceilings = nullptr;
  std::string kernel;
  Verdict verdict;             ///< at the values of the file
  std::string variable;        ///< empty: nothing was solved for
  Count present;               ///< its value in the file
  SolveRange range;
  Solution solution;
  std::optional<Seconds> target;  ///< a time that the floor shall reach
  std::vector<Need> needs;
};

void write_solve_page(Page& page, const SolveReport& report);
void write_solve_json(JsonWriter& json, const SolveReport& report);  ///< one object

}  // namespace roofline
