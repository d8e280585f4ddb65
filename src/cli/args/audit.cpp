#include "cli/args/declare.hpp"
#include "roofline/report/audit.hpp"

namespace roofline::cli {

using namespace args;

namespace {

std::string audit_format_names() {
  std::string names;
  for (const auto& format : audit_formats()) names += (names.empty() ? "" : "|") + std::string(format.name);
  return names;
}

}  // namespace

void declare(CLI::App& app, AuditArgs& args) {
  positional(app, "TIMES", args.input, "a table of times in CSV, any size; - is standard input");
  text(app, kMain, "-g,--gpu", args.gpu, "GPU", "the GPU of rows that name none");
  text(app, kMain, "-f,--format", args.format, audit_format_names(), "how to print; default: table");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  text(app, kMain, "--fail-on", args.fail_on, "impossible|skipped|any", "exit with 1 where such a row was found, or none could be judged");
  text(app, kOutput, "--rows", args.rows, "N", "rows in each list of a table or JSON report; default: 10");
  text(app, kModel, "--timing", args.timing, "stream|kernel|event|graph|e2e", "how times were taken, for rows that do not say");
  text(app, kModel, "--sparsity", args.sparsity, "2:4", "tensor peaks with structured sparsity; dense without it");
  text(app, kModel, "--path", args.path, "mma_sync", "tensor peaks of kernels that issue mma.sync");
  add_colour(app, args);
  add_width(app, args);
  add_config(app, args);
}

}  // namespace roofline::cli

ROOFLINE_ARGS(AuditArgs);
