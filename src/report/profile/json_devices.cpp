#include "report/profile/profile_report.hpp"

namespace roofline {
namespace {

void write_streams(JsonWriter& json, const DeviceActivity& activity) {
  json.begin_array("streams");
  for (const auto& stream : activity.streams) {
    json.begin_object();
    json.count("stream", Count(stream.stream));
    json.count("launches", Count(stream.kernels));
    json.count("copies", Count(stream.copies));
    json.number("busy_s", stream.busy.value());
    json.number("alone_s", stream.alone.value());
    json.end_object();
  }
  json.end_array();
}

void write_stretches(JsonWriter& json, const DeviceActivity& activity) {
  json.begin_array("launch_bound");
  for (const auto& stretch : activity.stretches) {
    json.begin_object();
    json.number("at_s", stretch.at.value());
    json.number("span_s", stretch.span.value());
    json.number("idle_launching_s", stretch.idle.value());
    json.count("launches", Count(stretch.kernels));
    if (!stretch.range.empty()) json.text("range", stretch.range);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_devices_json(JsonWriter& json, const ProfileReport& report) {
  if (!report.findings.sequence) return;
  const auto& profile = report.profile;
  const auto run = profile.processes[report.findings.sequence->process].run;
  json.begin_array("devices");
  for (const auto& activity : profile.activity) {
    const auto& process = profile.processes[activity.process];
    if (process.run != run) continue;
    json.begin_object();
    if (process.pid > 0) json.count("pid", Count(process.pid));
    if (process.rank) json.count("rank", Count(*process.rank));
    json.count("device", Count(activity.device));
    json.count("launches", Count(activity.launches));
    json.count("copies", Count(activity.copies));
    json.number("span_s", activity.span.value());
    json.number("busy_s", activity.busy.value());
    json.number("kernels_s", activity.kernels.value());
    json.number("overlapped_s", activity.overlapped.value());
    json.number("idle_launching_s", activity.idle_launching.value());
    json.number("idle_profiler_s", activity.idle_profiler.value());
    json.number("copies_s", activity.copying.value());
    json.number("copies_exposed_s", activity.copying_exposed.value());
    json.number("communication_s", activity.communicating.value());
    json.number("communication_exposed_s", activity.communicating_exposed.value());
    write_streams(json, activity);
    write_stretches(json, activity);
    json.end_object();
  }
  json.end_array();
}

}  // namespace roofline
