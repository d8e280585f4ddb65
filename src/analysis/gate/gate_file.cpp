#include "roofline/analysis/gate_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/gate/limits.hpp"
#include "analysis/gate/selector.hpp"
#include "kernel/number_text.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/sha256.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::string_view kSchema = "roofline.gate/1";
constexpr std::size_t kLongestId = 200;

/// Ids go into file names, XML, CSV and annotations: they hold nothing that means something there.
bool is_id(std::string_view text) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= kLongestId && word(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return word(c) || std::string_view(".:/+-").find(c) != std::string_view::npos;
         });
}

/// "2026-12-01": a day that exists.
bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto number = [&](std::size_t at, std::size_t length) {
    int value = 0;
    for (const char c : text.substr(at, length)) {
      if (c < '0' || c > '9') return -1;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1) return false;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[month - 1] + (leap && month == 2 ? 1 : 0);
}

class GateReader {
 public:
  GateReader(const YamlDocument& document, Errors& errors) : reading_(document, errors) {}

  GateFile read() {
    const auto& document = reading_.document();
    gate_.file = document.file();
    YamlMap map(document, document.root(), "a gate", reading_.errors());
    if (!map.ok()) return std::move(gate_);
    check_schema(map.find("schema"));
    if (const auto* gpu = map.find("gpu")) {
      gate_.gpu = read_text(document, *gpu, "gpu", reading_.errors()).value_or("");
      gate_.gpu_place = place_of(*gpu);
    }
    if (const auto* policy = map.find("policy")) read_policy(*policy);
    read_entries(map.find("specs"), "specs", &GateReader::read_spec);
    read_entries(map.find("kernels"), "kernels", &GateReader::read_kernel);
    read_entries(map.find("ranges"), "ranges", &GateReader::read_range);
    map.close();
    if (gate_.entries.empty() && reading_.errors().empty())
      reading_.report(
          Code::missing_key, document.root(), "this gate asserts nothing",
          "give it specs:, kernels: or ranges:; roofline gate --init run.json writes a first one");
    check_ids();
    return std::move(gate_);
  }

 private:
  void check_schema(const YamlNode* node) {
    if (node == nullptr || (node->is_scalar() && node->text == kSchema)) return;
    if (!node->is_scalar())
      return reading_.report_kind(*node, "schema", "\"" + std::string(kSchema) + '"');
    reading_.report(Code::wrong_type, *node,
                    "the schema is " + roofline::quoted(node->text) + "; this program reads \"" +
                        std::string(kSchema) + '"');
  }

  // -------------------------------------------------------------- policy

  template <class Choice, std::size_t N>
  void take_choice(YamlMap& map, std::string_view key, const std::string_view (&names)[N],
                   Choice& value) {
    const auto* node = map.find(key);
    if (node == nullptr) return;
    if (const auto choice = read_choice(reading_, *node, key, names))
      value = static_cast<Choice>(*choice);
  }

  void read_policy(const YamlNode& node) {
    // In the order of the enumerators.
    static constexpr std::string_view kMissing[] = {"fail", "skip"},
                                      kExtra[] = {"list", "ignore", "fail"},
                                      kSkip[] = {"error", "skip"}, kUndecided[] = {"warn", "fail"};
    YamlMap map(reading_.document(), node, "policy", reading_.errors());
    if (!map.ok()) return;
    auto& policy = gate_.policy;
    take_choice(map, "missing", kMissing, policy.missing);
    take_choice(map, "extra", kExtra, policy.extra);
    take_choice(map, "other_gpu", kSkip, policy.other_gpu);
    take_choice(map, "no_counters", kSkip, policy.no_counters);
    take_choice(map, "inconclusive", kUndecided, policy.inconclusive);
    if (const auto* runs = map.find("runs")) read_runs(*runs);
    if (const auto* noise = map.find("max_noise")) read_noise(*noise);
    if (const auto* delta = map.find("min_delta"))
      policy.min_delta = Seconds(
          read_seconds(reading_, *delta, "min_delta", true).value_or(policy.min_delta.value()));
    if (const auto* sessions = map.find("min_sessions"))
      policy.min_sessions =
          static_cast<int>(whole(*sessions, "min_sessions", 2, 10).value_or(policy.min_sessions));
    map.close();
  }

  void read_runs(const YamlNode& node) {
    YamlMap map(reading_.document(), node, "runs", reading_.errors());
    if (!map.ok()) return;
    constexpr std::int64_t kMostRuns = 1000;
    auto& policy = gate_.policy;
    if (const auto* least = map.find("min"))
      policy.min_runs =
          static_cast<int>(whole(*least, "runs.min", 1, kMostRuns).value_or(policy.min_runs));
    policy.max_runs = std::max(policy.max_runs, policy.min_runs);
    if (const auto* most = map.find("max"))
      policy.max_runs =
          static_cast<int>(whole(*most, "runs.max", 1, kMostRuns).value_or(policy.max_runs));
    map.close();
    if (policy.max_runs < policy.min_runs)
      reading_.report(Code::contradiction, node, "runs.max is less than runs.min");
  }

  void read_noise(const YamlNode& node) {
    if (!node.is_scalar())
      return reading_.report_kind(node, "max_noise", "a share of the limit", "0.6 or 60 %");
    auto share = parse_quantity(node.text, Dimension::ratio);
    if (!share) return reading_.report_inside(node, std::move(share.error()));
    if (*share > 0)
      gate_.policy.max_noise = *share;
    else
      reading_.report(Code::out_of_range, node, "max_noise is " + roofline::quoted(node.text),
                      "a share above zero");
  }

  std::optional<std::int64_t> whole(const YamlNode& node, std::string_view what, std::int64_t least,
                                    std::int64_t most = std::int64_t{1} << 40) {
    if (!node.is_scalar()) {
      reading_.report_kind(node, what, "a whole number");
      return std::nullopt;
    }
    auto count = parse_count(node.text);
    if (!count) {
      reading_.report_inside(node, std::move(count.error()));
      return std::nullopt;
    }
    if (*count >= Count(static_cast<long long>(least)) &&
        *count <= Count(static_cast<long long>(most)))
      return count->to_int64();
    reading_.report(Code::out_of_range, node,
                    std::string(what) + " is " + roofline::quoted(node.text),
                    "from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
  }

  // -------------------------------------------------------------- entries

  void read_entries(const YamlNode* list, std::string_view key,
                    void (GateReader::*read_one)(YamlMap&, GateEntry&)) {
    if (list == nullptr) return;
    if (!list->is_list()) return reading_.report_kind(*list, key, "a list of entries");
    for (const auto& node : list->items) {
      if (reading_.has_enough()) return;
      YamlMap map(reading_.document(), node, "an entry of " + std::string(key), reading_.errors());
      if (!map.ok()) continue;
      GateEntry entry;
      entry.place = place_of(node);
      (this->*read_one)(map, entry);
      read_common(map, node, entry);
      map.close();
      gate_.entries.push_back(std::move(entry));
    }
  }

  void read_common(YamlMap& map, const YamlNode& node, GateEntry& entry) {
    if (const auto* id = entry.model ? map.find("id") : map.need("id")) {
      entry.place = place_of(*id);
      entry.id = id_of(*id);
    } else if (entry.model) {
      entry.id = model_id(*entry.model);
    }
    if (const auto* aka = map.find("aka")) read_former_ids(*aka, entry);
    if (const auto* quarantine = map.find("quarantine")) read_quarantine(*quarantine, entry);
    const auto before = reading_.errors().size();
    const auto* limits = map.find("assert");
    if (limits != nullptr) entry.assertions = read_assertions(reading_, *limits, entry.section);
    if (entry.assertions.empty() && !entry.launches && reading_.errors().size() == before)
      reading_.report(Code::missing_key, limits != nullptr ? *limits : node,
                      "this entry asserts nothing", "give it assert: with a limit");
  }

  std::string id_of(const YamlNode& node) {
    const auto text = read_text(reading_.document(), node, "an id", reading_.errors());
    if (!text) return {};
    if (!is_id(*text))
      reading_.report(Code::bad_expression, node, roofline::quoted(*text) + " cannot be an id",
                      "letters, digits and _ . : / + -, beginning with a letter, a digit or _");
    return *text;
  }

  static std::string model_id(const ModelReference& model) {
    const std::filesystem::path path(model.file);
    std::string stem = path.stem().string();
    if (stem == "config" && path.has_parent_path()) stem = path.parent_path().filename().string();
    std::string id;
    for (const char c : stem + "-" + model.phase) id += is_id(std::string("a") + c) ? c : '_';
    return is_id(id) ? id : "model-" + model.phase;
  }

  void read_former_ids(const YamlNode& node, GateEntry& entry) {
    if (!node.is_list()) {
      if (auto id = id_of(node); !id.empty()) entry.former_ids.push_back(std::move(id));
      return;
    }
    for (const auto& item : node.items)
      if (auto id = id_of(item); !id.empty()) entry.former_ids.push_back(std::move(id));
  }

  void read_quarantine(const YamlNode& node, GateEntry& entry) {
    YamlMap map(reading_.document(), node, "quarantine", reading_.errors());
    if (!map.ok()) return;
    Quarantine quarantine{.place = place_of(node)};
    if (const auto* until = map.need("until")) {
      quarantine.until =
          read_text(reading_.document(), *until, "until", reading_.errors()).value_or("");
      quarantine.place = place_of(*until);
      if (until->is_scalar() && !is_date(quarantine.until))
        reading_.report(Code::bad_number, *until, roofline::quoted(until->text) + " is no date",
                        "write year-month-day: 2026-12-01");
    }
    if (const auto* why = map.need("why"))
      quarantine.why = read_text(reading_.document(), *why, "why", reading_.errors()).value_or("");
    map.close();
    entry.quarantine = std::move(quarantine);
  }

  std::optional<SpecReference> read_reference(const YamlNode& node, std::string_view what) {
    const auto text = read_text(reading_.document(), node, what, reading_.errors());
    if (!text) return std::nullopt;
    const auto hash = text->find('#');
    SpecReference spec{text->substr(0, hash),
                       hash == std::string::npos ? "" : text->substr(hash + 1), place_of(node)};
    if (!spec.file.empty()) return spec;
    reading_.report(Code::missing_key, node, std::string(what) + " names no file",
                    "spec: specs/block.yaml#fused");
    return std::nullopt;
  }

  void read_spec(YamlMap& map, GateEntry& entry) {
    const auto *spec = map.find("spec"), *model = map.find("model"), *code = map.find("code");
    const int given = (spec != nullptr) + (model != nullptr) + (code != nullptr);
    entry.section = code != nullptr    ? GateSection::code
                    : model != nullptr ? GateSection::model
                                       : GateSection::spec;
    if (given != 1) {
      map.need(given == 0 ? "spec" : "id");
      if (given > 1)
        report_at(entry.place, Code::contradiction, "spec, model and code exclude each other",
                  "make an entry of each");
      return;
    }
    if (spec != nullptr) entry.spec = read_reference(*spec, "spec");
    if (model != nullptr) read_model(map, *model, entry);
    if (code == nullptr) return;
    entry.code_file = read_text(reading_.document(), *code, "code", reading_.errors()).value_or("");
    entry.match_place = place_of(*code);
    if (const auto* match = map.find("match")) {
      entry.match = read_selector(reading_, *match, entry.section);
      entry.match_place = place_of(*match);
    }
  }

  void read_model(YamlMap& map, const YamlNode& node, GateEntry& entry) {
    static constexpr std::string_view kPhases[] = {"prefill", "decode", "train"};
    ModelReference model;
    model.place = place_of(node);
    model.file = read_text(reading_.document(), node, "model", reading_.errors()).value_or("");
    if (const auto* phase = map.find("phase"))
      if (const auto choice = read_choice(reading_, *phase, "phase", kPhases))
        model.phase = kPhases[*choice];
    struct Size {
      std::string_view key;
      std::int64_t ModelReference::*value;
    };
    static constexpr Size kSizes[] = {
        {"batch", &ModelReference::batch},        {"context", &ModelReference::context},
        {"tokens", &ModelReference::tokens},      {"tp", &ModelReference::tensor_parallel},
        {"ep", &ModelReference::expert_parallel}, {"pp", &ModelReference::pipeline_parallel}};
    for (const auto& size : kSizes)
      if (const auto* value = map.find(size.key))
        model.*size.value = whole(*value, size.key, 1).value_or(1);
    entry.model = std::move(model);
  }

  void read_kernel(YamlMap& map, GateEntry& entry) {
    entry.section = GateSection::kernel;
    if (const auto* spec = map.find("spec")) entry.spec = read_reference(*spec, "spec");
    read_match(map, entry);
    if (const auto* launches = map.find("launches"))
      entry.launches = whole(*launches, "launches", 1);
    if (const auto* cold = map.find("cold"))
      entry.cold = read_flag(reading_.document(), *cold, "cold", reading_.errors()).value_or(false);
  }

  void read_range(YamlMap& map, GateEntry& entry) {
    entry.section = GateSection::range;
    read_match(map, entry);
  }

  void read_match(YamlMap& map, GateEntry& entry) {
    const auto* match = map.need("match");
    if (match == nullptr) return;
    entry.match = read_selector(reading_, *match, entry.section);
    entry.match_place = place_of(*match);
  }

  // -------------------------------------------------------------- the whole

  void report_at(const GatePlace& place, Code code, std::string what, std::string hint) {
    reading_.report({code,
                     reading_.document().where(place.line, place.column, place.length),
                     std::move(what),
                     std::move(hint),
                     {}});
  }

  void check_ids() {
    std::map<std::string_view, const GateEntry*> seen;
    const auto add = [&](const std::string& id, const GateEntry& entry) {
      if (id.empty()) return;
      const auto [at, is_new] = seen.emplace(id, &entry);
      if (!is_new)
        report_at(entry.place, Code::duplicate_key,
                  "the id " + roofline::quoted(id) + " is used twice",
                  "first in line " + std::to_string(at->second->place.line));
    };
    for (const auto& entry : gate_.entries) add(entry.id, entry);
    for (const auto& entry : gate_.entries)
      for (const auto& id : entry.former_ids) add(id, entry);
  }

  Reading reading_;
  GateFile gate_;
};

}  // namespace

Checked<GateFile> read_gate(const YamlDocument& document) {
  Errors errors;
  auto gate = GateReader(document, errors).read();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return gate;
}

Checked<GateFile> read_gate_file(const std::string& path) {
  auto content = read_input(path, kMostResultBytes);
  if (!content) return tl::unexpected(Errors{std::move(content.error())});
  auto digest = sha256(*content);
  const auto document = read_yaml(std::move(*content), path == "-" ? "stdin" : path);
  if (!document) return tl::unexpected(document.error());
  auto gate = read_gate(*document);
  if (gate) gate->sha256 = std::move(digest);
  return gate;
}

}  // namespace roofline
