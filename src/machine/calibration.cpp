#include "roofline/machine/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "roofline/base/input.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchema = "roofline.calibration/1";
constexpr std::size_t kFileLimit = std::size_t{1} << 20;

/// One map of the file, its members by type; what is wrong is collected.
class Members {
 public:
  Members(const YamlDocument& document, const YamlNode& node, std::string_view what, Errors& errors)
      : document_(document), map_(document, node, what, errors), errors_(errors) {}
  ~Members() {
    if (map_.ok()) map_.close();
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  bool ok() const { return map_.ok(); }
  const YamlNode* find(std::string_view key) { return map_.find(key); }
  std::string text(std::string_view key, bool needed) {
    const auto* node = needed ? map_.need(key) : map_.find(key);
    return node ? read_text(document_, *node, key, errors_).value_or("") : std::string();
  }
  bool flag(std::string_view key, bool otherwise) {
    const auto* node = map_.find(key);
    return node ? read_flag(document_, *node, key, errors_).value_or(otherwise) : otherwise;
  }
  std::optional<double> number(std::string_view key, bool needed = false) {
    const auto* node = needed ? map_.need(key) : map_.find(key);
    if (!node) return std::nullopt;
    const auto value = node->is_scalar() ? parse_number(node->text)
                                         : Result<double>(fail(Code::wrong_type, {}, ""));
    if (value && *value >= 0) return *value;
    errors_.push_back({Code::bad_number,
                       document_.where(*node),
                       fmt::format("\"{}\" is a number that is not negative", key),
                       {},
                       {}});
    return std::nullopt;
  }

 private:
  const YamlDocument& document_;
  YamlMap map_;
  Errors& errors_;
};

CalibratedCeiling read_ceiling(const YamlDocument& document, const YamlNode& node, Errors& errors) {
  CalibratedCeiling ceiling;
  Members in(document, node, "a ceiling", errors);
  if (!in.ok()) return ceiling;
  ceiling.name = in.text("name", true);
  ceiling.resource = in.text("resource", true);
  in.text("kind", false);
  ceiling.mma_sync = in.flag("mma_sync", false);
  ceiling.value = in.number("value", true).value_or(0);
  ceiling.unit = in.text("unit", true);
  ceiling.samples = static_cast<int>(in.number("samples").value_or(0));
  ceiling.spread = in.number("spread").value_or(0);
  ceiling.rounds_differ = in.number("rounds_differ").value_or(0);
  ceiling.clock_mhz = in.number("clock_mhz");
  ceiling.power_w = in.number("power_w");
  ceiling.throttled_share = in.number("throttled_share");
  ceiling.datasheet = in.number("datasheet");
  in.number("of_datasheet");
  ceiling.trusted = in.flag("trusted", false);
  ceiling.reason = in.text("reason", false);
  return ceiling;
}

void read_device(const YamlDocument& document, const YamlNode& node, Calibration& calibration,
                 Errors& errors) {
  Members in(document, node, "the device", errors);
  if (!in.ok()) return;
  calibration.device = in.text("name", false);
  calibration.uuid = in.text("uuid", false);
  calibration.driver = in.text("driver", false);
}

template <class Each>
void each_of(const YamlNode* list, Each each) {
  if (list && list->is_list())
    for (const auto& item : list->items) each(item);
}

}  // namespace

const CalibratedCeiling* Calibration::find(std::string_view name) const {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(), [&](const auto& ceiling) {
    return ceiling.name == name && ceiling.trusted;
  });
  return found == ceilings.end() ? nullptr : &*found;
}

const CalibratedCeiling* Calibration::dram() const {
  for (const auto* name : {"dram_copy", "dram_triad", "dram_read"})
    if (const auto* ceiling = find(name)) return ceiling;
  return nullptr;
}

std::string Calibration::provenance() const {
  std::string text = "measured " + date;
  if (!source.empty()) text = source + " on " + date + (device.empty() ? "" : ", measured");
  if (!device.empty()) text += " on " + device;
  if (!driver.empty()) text += ", driver " + driver;
  if (!sustained && source.empty()) text += ", in short bursts";
  return text;
}

Checked<Calibration> read_calibration(const YamlDocument& document) {
  Errors errors;
  Calibration calibration;
  {
    Members in(document, document.root(), "a calibration", errors);
    if (!in.ok()) return tl::unexpected(std::move(errors));
    if (const auto schema = in.text("schema", true); !schema.empty() && schema != kSchema)
      errors.push_back({Code::wrong_type,
                        document.where(*in.find("schema")),
                        fmt::format("this is no {}", kSchema),
                        "roofline calibrate writes such a file",
                        {}});
    in.find("tool");
    calibration.gpu = in.text("gpu", false);
    calibration.date = in.text("date", false);
    calibration.sustained = in.flag("sustained", true);
    calibration.simulated = in.flag("simulated", false);
    calibration.source = in.text("source", false);
    in.text("saved", false);
    if (const auto* device = in.find("device")) read_device(document, *device, calibration, errors);
    each_of(in.find("ceilings"), [&](const YamlNode& node) {
      calibration.ceilings.push_back(read_ceiling(document, node, errors));
    });
    each_of(in.find("missing"), [&](const YamlNode& node) {
      Members missing(document, node, "a missing ceiling", errors);
      if (!missing.ok()) return;
      auto name = missing.text("name", true), reason = missing.text("reason", true);
      calibration.missing.push_back({std::move(name), std::move(reason)});
    });
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return calibration;
}

std::string calibration_path(std::string_view gpu_id) {
  fs::path folder;
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) {
    folder = config;
  } else if (const char* home = std::getenv("HOME"); home && *home) {
    folder = fs::path(home) / ".config";
  } else {
    return {};
  }
  return (folder / "roofline" / "calibrated" / (std::string(gpu_id) + ".json")).string();
}

bool is_calibrated(std::string_view gpu_id) {
  const auto path = calibration_path(gpu_id);
  std::error_code failed;
  return !path.empty() && fs::exists(path, failed);
}

Checked<Calibration> find_calibration(std::string_view gpu_id) {
  const auto path = calibration_path(gpu_id);
  if (!is_calibrated(gpu_id))
    return tl::unexpected(Errors{{Code::cannot_read,
                                  {path, 0, 0, 1, {}, 0},
                                  fmt::format("{} was not calibrated for this user", gpu_id),
                                  "on a machine with that GPU: roofline calibrate",
                                  {}}});
  auto text = read_input(path, kFileLimit);
  if (!text) return tl::unexpected(Errors{std::move(text.error())});
  const auto document = read_yaml(std::move(*text), path);
  if (!document) return tl::unexpected(document.error());
  return read_calibration(*document);
}

}  // namespace roofline
