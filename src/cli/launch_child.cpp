#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/errors.hpp"
#include "cli/job.hpp"
#include "cli/launch_spec.hpp"
#include "cli/terminal.hpp"
#include "roofline/profile/kernel_launch.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

constexpr double kUnwritten = 0.99,
                 kMostlyWritten = 0.01;  // shares of an output that keep the pattern

double median(std::vector<double> seconds) {
  if (seconds.empty()) return 0;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

Checked<Kernel> read_kernel(const std::string& path, const std::string& name) {
  const auto document = read_document(path);
  if (!document) return tl::unexpected(document.error());
  const auto file = KernelFile::read(*document);
  if (!file) return tl::unexpected(file.error());
  Workload workload;
  if (auto errors = file->evaluate(0, workload); !errors.empty())
    return tl::unexpected(std::move(errors));
  for (auto& kernel : workload.kernels)
    if (kernel.name == name && !kernel.launch.empty()) return std::move(kernel);
  return tl::unexpected(Errors{
      {Code::missing_key, {path, 0, 0, 1, {}, 0}, "no kernel \"" + name + "\" to launch", {}, {}}});
}

/// An output that still holds what was put there is a kernel that did nothing, or too little. A
/// simulated GPU executes nothing: there it is said, and is no error.
std::optional<Error> unwritten(const profile::LaunchOutcome& outcome, const Kernel& kernel) {
  for (const auto& tensor : outcome.written) {
    if (tensor.untouched < kUnwritten || outcome.device.simulated) continue;
    return Error{Code::output_not_written,
                 kernel.where,
                 fmt::format("{} did not write its output {}", kernel.name, tensor.name),
                 "is this the kernel, are args in its order, does the grid cover the tensor?",
                 {}};
  }
  return std::nullopt;
}

void note(const std::string& text) { write_error("roofline: " + text + "\n"); }

void tell(const profile::LaunchOutcome& outcome, const Kernel& kernel) {
  const auto& recipe = kernel.launch.front();
  note(
      fmt::format("{}: {} launches after {} to warm up, {}; median {} between events, which add "
                  "some microseconds",
                  kernel.name, outcome.seconds.size(), recipe.warmups.to_string(),
                  outcome.flushed_bytes > 0 ? "L2 flushed before each" : "L2 warm",
                  format_seconds(Seconds(median(outcome.seconds)))));
  if (outcome.device.simulated)
    note("SIMULATED GPU: nothing was executed, so no output was written and no time is real");
  for (const auto& tensor : outcome.written)
    if (!outcome.device.simulated && tensor.untouched > kMostlyWritten)
      note(fmt::format("warning: {:.0f} % of {} was not written: does the grid cover it?",
                       100 * tensor.untouched, tensor.name));
}

int launch(const std::string& spec, const std::string& name, const std::string& image,
           const std::string& function) {
  const auto kernel = read_kernel(spec, name);
  if (!kernel) return report_errors(kernel.error(), {});
  const auto api = cuda::open_driver();
  if (!api) return report_error(api.error(), {});
  profile::LaunchJob job{kernel->launch.front(), std::filesystem::path(spec).parent_path().string(),
                         1, 0};
  // The parent compiled it already.
  job.recipe.code = LaunchCode::cubin;
  job.recipe.path = std::filesystem::absolute(image).string();
  job.recipe.entry = function;
  auto outcome = profile::launch_kernel(*api, job);
  if (!outcome) {
    auto error = std::move(outcome.error());
    if (error.where.file.empty()) error.where = kernel->where;
    return report_error(error, {});
  }
  tell(*outcome, *kernel);
  const auto error = unwritten(*outcome, *kernel);
  return error ? report_error(*error, {}) : 0;
}

}  // namespace

int run_launch_child(Words words) {
  if (words.size() != 4)
    return report_error({Code::missing_argument,
                         {},
                         fmt::format("{} is for roofline itself", kLaunchWord),
                         "roofline profile SPEC.yaml launches a kernel",
                         {}},
                        {});
  return launch(words[0], words[1], words[2], words[3]);
}

}  // namespace roofline::cli
