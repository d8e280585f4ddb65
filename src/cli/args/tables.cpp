#include "cli/args/declare.hpp"

namespace roofline::cli {

using namespace args;

void declare(CLI::App& app, ReportArgs& args) {
  positional(app, "RESULT", args.input, "a roofline.result/1 file: of analyze --json, profile, import; - is standard input");
  text(app, kMain, "-f,--format", args.format, "table|svg|html|markdown|csv|json", "how to draw; table, the default, is a chart for the terminal");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  text(app, kMain, "--before", args.before, "RESULT", "an older result: its kernels are drawn as ghosts, with an arrow to where they are now");
  text(app, kMain, "--gate-result", args.gate_result, "FILE", "what a gate said of this result, as gate --report json=FILE wrote it: a word for each kernel, and what failed");
  text(app, kMain, "--history", args.history, "DIR", "the history that history add keeps: a line for each kernel over its runs, with the steps in it");
  add_pictures(app, args.pictures);
  add_colour(app, args);
  add_width(app, args);
}

void declare(CLI::App& app, GpusListArgs& args) {
  positional(app, "TEXT", args.text, "part of an id, name, alias, device name, vendor or architecture");
  text(app, kMain, "--vendor", args.vendor, "NAME", "only this vendor's");
  text(app, kMain, "--architecture", args.architecture, "NAME", "only this architecture or family: hopper, cdna3");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, GpusShowArgs& args) {
  positional(app, "GPU", args.names, "names of the table, or files");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, GpusWhyArgs& args) {
  positional(app, "GPU", args.names, "names of the table, or files");
  add_colour(app, args);
}
void declare(CLI::App& app, GpusVerifyArgs& args) {
  positional(app, "GPU", args.names, "names of the table, or files; default: all of the table");
  add_json(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, GpusTemplateArgs& args) { add_colour(app, args); }

void declare(CLI::App& app, GpusDetectArgs& args) {
  add_json(app, args);
  add_colour(app, args);
  add_width(app, args);
}

void declare(CLI::App& app, OpsListArgs& args) {
  text(app, kMain, "-f,--format", args.format, "table|json|markdown", "how to print; markdown is the whole reference");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, OpsShowArgs& args) {
  positional(app, "OP", args.names, "operations, as `roofline ops list` names them");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}

void declare(CLI::App& app, SchemaArgs& args) {
  positional(app, "NAME", args.name, "which schema; without it, their names");
  add_colour(app, args);
}
void declare(CLI::App& app, ExplainArgs& args) {
  positional(app, "CODE", args.codes, "RF2003 or 2003, or a word of reports such as under_roof or fits_l2; without it, all of them");
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, CompletionArgs& args) {
  positional(app, "SHELL", args.shell, "bash, zsh or fish");
  add_colour(app, args);
}
void declare(CLI::App& app, HelpArgs& args) {
  positional(app, "COMMAND", args.words, "a command, such as analyze or gpus list");
  flag(app, kMain, "--all", args.all, "the full help of every command, as Markdown");
  flag(app, kMain, "--man", args.man, "as a page for man: roofline help gate --man | man -l -");
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, VersionArgs& args) {
  add_json(app, args);
  add_colour(app, args);
}

}  // namespace roofline::cli

ROOFLINE_ARGS(ReportArgs);
ROOFLINE_ARGS(GpusListArgs);
ROOFLINE_ARGS(GpusShowArgs);
ROOFLINE_ARGS(GpusWhyArgs);
ROOFLINE_ARGS(GpusVerifyArgs);
ROOFLINE_ARGS(GpusTemplateArgs);
ROOFLINE_ARGS(GpusDetectArgs);
ROOFLINE_ARGS(OpsListArgs);
ROOFLINE_ARGS(OpsShowArgs);
ROOFLINE_ARGS(SchemaArgs);
ROOFLINE_ARGS(ExplainArgs);
ROOFLINE_ARGS(CompletionArgs);
ROOFLINE_ARGS(HelpArgs);
ROOFLINE_ARGS(VersionArgs);
