#include <fmt/format.h>

#include <cstdio>

#include "cli/calibrate.hpp"
#include "cli/errors.hpp"
#include "report/json_writer.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

constexpr int kFailed = 3;

std::string line_of(const profile::CeilingTest& test,
                    const Result<profile::CeilingMeasurement>& measured) {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; });
  json.begin_object();
  json.text("name", test.name);
  if (measured) {
    json.number("value", measured->value(test));
    json.count("samples", Count(measured->seconds.size()));
    json.number("spread", measured->spread());
    json.number("rounds_differ", measured->rounds_differ());
    const auto& load = measured->load;
    if (load.clock_median_mhz) json.number("clock_mhz", *load.clock_median_mhz);
    if (load.power_median_w) json.number("power_w", *load.power_median_w);
    if (load.throttled_share) json.number("throttled_share", *load.throttled_share);
    if (!measured->fault.empty()) json.text("fault", measured->fault);
  } else {
    json.text("missing", measured.error().what);
  }
  json.end_object();
  json.end_line();
  json.flush();
  return text;
}

/// The device of this number, where the driver starts and has it.
Result<cuda::DeviceInfo> find_device(const cuda::Api& api, int ordinal) {
  if (const auto status = api.init(0); status != 0)
    return tl::unexpected(cuda::init_error(api, status));
  const auto devices = cuda::list_devices(api);
  if (!devices) return tl::unexpected(devices.error());
  for (const auto& device : *devices)
    if (device.ordinal == ordinal) return device;
  return fail(Code::no_device, {}, fmt::format("there is no GPU {}", ordinal));
}

int measure_tests(const cuda::Api& api, const cuda::DeviceInfo& device,
                  const profile::CalibrationPace& pace, const std::string& path, Words names) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (!file)
    return report_error({Code::cannot_write, {path, 0, 0, 1, {}, 0}, "cannot be written", {}, {}},
                        {});
  int code = 0;
  for (const auto& name : names) {
    const auto* test = profile::find_ceiling_test(name);
    if (!test) continue;
    const auto measured = profile::measure_ceiling(api, device, *test, pace);
    const auto line = line_of(*test, measured);
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size() || std::fflush(file) != 0)
      code = report_error({Code::cannot_write, {path, 0, 0, 1, {}, 0}, "cannot be written", {}, {}},
                          {});
    // After a kernel that failed every further call fails too: the next child starts anew.
    if (!measured && code == 0) code = kFailed;
    if (code != 0) break;
  }
  if (std::fclose(file) != 0 && code == 0) code = kFailed;
  return code;
}

}  // namespace

int run_measure_child(Words words) {
  const auto ordinal = words.size() < 5 ? Result<double>(0.0) : parse_number(words[0]);
  const auto settle = words.size() < 5 ? Result<double>(0.0) : parse_number(words[1]);
  const auto samples = words.size() < 5 ? Result<double>(0.0) : parse_number(words[2]);
  if (words.size() < 5 || !ordinal || !settle || !samples)
    return report_error({Code::missing_argument,
                         {},
                         fmt::format("{} is for roofline itself", kMeasureWord),
                         "roofline calibrate measures this GPU",
                         {}},
                        {});
  const auto api = cuda::open_driver();
  if (!api) return report_error(api.error(), {});
  const auto device = find_device(*api, static_cast<int>(*ordinal));
  if (!device) return report_error(device.error(), {});
  return measure_tests(*api, *device, {*settle, static_cast<int>(*samples)}, words[3],
                       words.subspan(4));
}

}  // namespace roofline::cli
