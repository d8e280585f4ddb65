#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/args.hpp"
#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "cli/style.hpp"
#include "report/page/page.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/machine/gpu.hpp"
#include "roofline/report/report.hpp"

/// What the commands that read kernel descriptions share.
namespace roofline::cli {

/// One input with what it is held against.
struct Job {
  KernelFile file;
  std::vector<Gpu> gpus;
};

/// A kernel description; "-" is stdin, named so in messages. Errors: cannot_read, wrong_type for what is something else,
/// those of YAML.
Checked<YamlDocument> read_document(const std::string& path);

/// What becomes of a document before it is read: values set anew, a dtype replaced.
using Rewrite = std::function<Checked<YamlDocument>(const YamlDocument&)>;

/// Every input in every rewriting (none: as it stands), each with its GPUs: the option's, else the file's, else a
/// variable's, else a settings file's. Errors of all inputs together; no_gpu where none is named.
Checked<std::vector<Job>> read_jobs(const KernelArgs& args, const Settings& settings, const std::vector<Rewrite>& rewrites = {});

/// One rewriting for each dtype of "--dtype bf16,fp8"; one that changes nothing where none was given.
std::vector<std::optional<std::string>> dtype_variants(const std::vector<std::string>& option);

/// What `--launch-cost` and its like, `--timing`, `--sparsity` and `--path` say.
AnalyzeOptions model_options(const KernelArgs& args, const Settings& settings, Errors& errors);

/// The name of the format that the options, else the settings, ask for; "table" where they say nothing.
std::string format_name(const KernelArgs& args, const Settings& settings, std::span<const std::string_view> known, Errors& errors);

/// Formats of commands whose answer is a page or one JSON document.
enum class SmallFormat { table, markdown, json };
SmallFormat small_format(const KernelArgs& args, const Settings& settings, Errors& errors);
/// `quiet`: how often -q was given; 0 where the report itself knows what to leave out.
std::unique_ptr<Page> small_page(SmallFormat format, TextSink sink, bool colour, std::size_t width, int quiet = 0);

/// Style, width and settings of a command that reports on descriptions.
struct Frame {
  ErrorStyle style;
  std::size_t width = 100;
  Settings settings;
};
Checked<Frame> frame_of(Words words, const KernelArgs& args);
/// The same of a command with other options; `format`: what --format says.
Checked<Frame> frame_of(Words words, const CommonArgs& args, const std::string& format);

/// Writes what `body` gives, whole or not at all, and returns the exit code. `body` is told whether to use colours.
int write_report(const Frame& frame, const std::string& path, const std::function<Errors(Output&, bool colour)>& body);

}  // namespace roofline::cli
