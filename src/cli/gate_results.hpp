#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/kernel/result.hpp"

namespace roofline::cli {

/// Results in files: roofline.result/1, JSON of nvbench or Google Benchmark, a CSV of times,
/// captures and folders of them. "-" is stdin. Errors of all files together.
Checked<std::vector<ResultRecord>> read_result_files(const std::vector<std::string>& paths);

/// The same of one file, and of a trace or another profiler's file: as if `import` had made a
/// result of it first.
Checked<std::vector<ResultRecord>> read_result_or_launches(const std::string& path);

/// The results of one GPU as one: of `gpu` where there are some, else of the first that was read.
struct ChosenResults {
  ResultRecord result;
  std::vector<std::string> left_out;  ///< names of other GPUs whose results were passed over
};
/// `records`: at least one. Times of other harnesses name no GPU of the table: they are taken for
/// those of `gpu`.
ChosenResults choose_results(std::vector<ResultRecord> records, const std::string& gpu);

}  // namespace roofline::cli
