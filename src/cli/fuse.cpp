#include "cli/command.hpp"
#include "cli/fuse_trace.hpp"
#include "cli/job.hpp"
#include "cli/launch_inputs.hpp"
#include "report/fuse_report.hpp"

namespace roofline::cli {
namespace {

Errors write_job(const Job& job, const AnalyzeOptions& options, JsonWriter* json, Page* page) {
  for (Count point = 0; point < job.file.points(); point += 1) {
    Workload workload;
    if (auto errors = job.file.evaluate(point, workload); !errors.empty()) return errors;
    for (const auto& gpu : job.gpus) {
      const Ceilings ceilings(gpu, options.ceilings);
      auto report = fuse(workload, ceilings, job.file.file());
      if (!report) return report.error();
      if (page) {
        write_fuse_page(*page, *report, options.launch_cost);
        page->gap();
        continue;
      }
      json->begin_object();
      json->text("file", job.file.file());
      if (!workload.point.empty()) {
        json->begin_map("point");
        for (const auto& [name, value] : workload.point) json->count(JsonKey::named(name), value);
        json->end_object();
      }
      write_fuse_json(*json, *report);
      json->end_object();
    }
  }
  return {};
}

}  // namespace

int run_fuse(Words words) {
  const auto args = parse<FuseArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  auto frame = frame_of(words, *args);
  if (!frame) return report_errors(frame.error(), style_of(words));
  Errors errors;
  const auto options = model_options(*args, frame->settings, errors);
  const auto format = small_format(*args, frame->settings, errors);
  if (!errors.empty()) return report_errors(errors, frame->style);
  const auto launches = hold_launches(args->inputs);
  if (!launches) return report_error(launches.error(), frame->style);
  if (*launches) return fuse_traces(*args, *frame, options, format);
  const auto jobs = read_jobs(*args, frame->settings);
  if (!jobs) return report_errors(jobs.error(), frame->style);

  return write_report(*frame, args->output, [&](Output& output, bool colour) -> Errors {
    const TextSink sink = [&](std::string_view text) { output.write(text); };
    const bool json_wanted = format == SmallFormat::json;
    JsonWriter json(sink, {.indented_levels = 4});
    const auto page = small_page(format, sink, colour, frame->width, args->quiet);
    if (json_wanted) {
      json.begin_object();
      json.text("schema", "roofline.fusion/1");
      json.begin_array("results");
    }
    for (const auto& job : *jobs)
      if (auto found = write_job(job, options, &json, json_wanted ? nullptr : page.get()); !found.empty()) return found;
    if (json_wanted) {
      json.end_array();
      json.end_object();
      json.end_line();
      json.flush();
    }
    return {};
  });
}

}  // namespace roofline::cli
