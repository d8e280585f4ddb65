#pragma once

#include <vector>

#include "cli/args.hpp"
#include "cli/settings.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/report/report.hpp"

namespace roofline::cli {

/// One input with what it is held against.
struct Job {
  KernelFile file;
  std::vector<Gpu> gpus;
};

/// Everything that the words and the settings decide.
struct AnalyzePlan {
  std::vector<Job> jobs;
  AnalyzeOptions options;
  const OutputFormat* format = nullptr;
  ReportOptions report;
  bool silent = false;
};

/// Reads every input, finds every GPU, and reports all that is wrong with them together.
Checked<AnalyzePlan> plan_analyze(const AnalyzeArgs& args, const Settings& settings,
                                  std::size_t width);

}  // namespace roofline::cli
