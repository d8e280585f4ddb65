#include "analysis/gate/selector.hpp"

#include <algorithm>

#include "kernel/number_text.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

std::optional<std::int64_t> read_whole(Reading& reading, const YamlNode& node,
                                       std::string_view what) {
  if (!node.is_scalar()) {
    reading.report_kind(node, what, "a whole number");
    return std::nullopt;
  }
  auto count = parse_count(node.text);
  if (count && count->fits_int64()) return count->to_int64();
  if (count)
    reading.report(Code::out_of_range, node, std::string(what) + " is " + quoted(node.text));
  else
    reading.report_inside(node, std::move(count.error()));
  return std::nullopt;
}

/// [132, 1, 1], [132] or 132.
std::optional<Extent> read_extent(Reading& reading, const YamlNode& node, std::string_view what) {
  Extent extent = {1, 1, 1};
  if (!node.is_list()) {
    const auto x = read_whole(reading, node, what);
    if (!x) return std::nullopt;
    extent[0] = *x;
    return extent;
  }
  if (node.items.empty() || node.items.size() > extent.size()) {
    reading.report(Code::wrong_type, node, std::string(what) + " has one to three numbers",
                   "for example [132, 1, 1]");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto part = read_whole(reading, node.items[i], what);
    if (!part) return std::nullopt;
    extent[i] = *part;
  }
  return extent;
}

std::optional<Pattern> read_pattern(Reading& reading, const YamlNode& node, std::string_view what,
                                    Result<Pattern> (*compile)(std::string_view)) {
  const auto text = read_text(reading.document(), node, what, reading.errors());
  if (!text) return std::nullopt;
  auto pattern = compile(*text);
  if (pattern) return *std::move(pattern);
  reading.report_inside(node, std::move(pattern.error()));
  return std::nullopt;
}

class SelectorReader {
 public:
  SelectorReader(Reading& reading, GateSection section) : reading_(reading), section_(section) {}

  Selector read(const YamlNode& node, bool inner) {
    Selector selector;
    if (node.is_scalar()) {
      read_word(node, selector);
      return selector;
    }
    YamlMap map(reading_.document(), node, "match", reading_.errors());
    if (!map.ok()) return selector;
    if (section_ != GateSection::range) read_names(map, selector);
    if (section_ == GateSection::kernel) read_launch(map, selector, inner);
    if (section_ != GateSection::code)
      if (const auto* nvtx = map.find("nvtx"))
        take_text(*nvtx, "the range in match", "nvtx", selector.nvtx, selector);
    map.close();
    if (node.items.empty()) reading_.report(Code::missing_key, node, "match is empty", hint());
    return selector;
  }

 private:
  std::string hint() const {
    return section_ == GateSection::range
               ? "match: {nvtx: decode} or match: all"
               : "match: {name: my_kernel} or match: {regex: '^sm90_.*gemm'}";
  }

  void read_word(const YamlNode& node, Selector& selector) {
    selector.text = "name " + quoted(node.text);
    if (section_ == GateSection::range) {
      selector.everything = node.text == "all" && !node.quoted;
      selector.text = "all";
      if (!selector.everything)
        reading_.report(Code::wrong_type, node, "a range matches " + quoted(node.text), hint());
    } else if (node.text.empty()) {
      reading_.report(Code::missing_key, node, "match is empty", hint());
    } else {
      selector.name = node.text;
    }
  }

  void take_text(const YamlNode& node, std::string_view what, std::string_view key,
                 std::string& into, Selector& selector) {
    into = read_text(reading_.document(), node, what, reading_.errors()).value_or("");
    if (node.is_scalar() && into.empty())
      reading_.report(Code::missing_key, node, std::string(what) + " is empty");
    note(selector, std::string(key) + ' ' + quoted(into));
  }

  static void note(Selector& selector, std::string_view part) {
    if (!selector.text.empty()) selector.text += ", ";
    selector.text += part;
  }

  void read_names(YamlMap& map, Selector& selector) {
    if (const auto* name = map.find("name"))
      take_text(*name, "the name in match", "name", selector.name, selector);
    if (section_ == GateSection::kernel)
      if (const auto* operation = map.find("operation"))
        take_text(*operation, "the operation in match", "operation", selector.operation, selector);
    if (const auto* glob = map.find("glob")) {
      selector.glob = read_pattern(reading_, *glob, "the glob in match", &Pattern::glob);
      note(selector, "glob " + quoted(glob->text));
    }
    if (const auto* regex = map.find("regex")) {
      selector.regex = read_pattern(reading_, *regex, "the regex in match", &Pattern::regex);
      note(selector, "regex " + quoted(regex->text));
    }
  }

  void read_launch(YamlMap& map, Selector& selector, bool inner) {
    if (const auto* grid = map.find("grid")) {
      selector.grid = read_extent(reading_, *grid, "the grid in match");
      if (selector.grid) note(selector, "grid " + extent_text(*selector.grid));
    }
    if (const auto* block = map.find("block")) {
      selector.block = read_extent(reading_, *block, "the block in match");
      if (selector.block) note(selector, "block " + extent_text(*selector.block));
    }
    if (const auto* smem = map.find("smem")) selector.shared_bytes = read_bytes(*smem);
    if (const auto* ordinal = map.find("ordinal")) {
      selector.ordinal = read_whole(reading_, *ordinal, "the ordinal in match");
      if (selector.ordinal == 0)
        reading_.report(Code::out_of_range, *ordinal, "ordinals count from 1");
      note(selector, "ordinal " + ordinal->text);
    }
    if (inner) return;
    if (const auto* one_of = map.find("one_of")) read_one_of(*one_of, selector);
  }

  void read_one_of(const YamlNode& node, Selector& selector) {
    if (!node.is_list() || node.items.size() < 2)
      return reading_.report(Code::wrong_type, node,
                             "one_of must be a list of two selectors or more",
                             "one_of: [{name: split_k}, {name: stream_k}]");
    std::vector<std::string> texts;
    for (const auto& item : node.items) {
      selector.one_of.push_back(read(item, true));
      texts.push_back(selector.one_of.back().text);
    }
    note(selector, "one of: " + joined(texts, " | "));
  }

  std::optional<std::int64_t> read_bytes(const YamlNode& node) {
    if (node.text.find_first_not_of("0123456789") == std::string::npos)
      return read_whole(reading_, node, "smem in match");
    auto bytes = parse_quantity(node.text, Dimension::bytes);
    if (bytes) return static_cast<std::int64_t>(*bytes);
    reading_.report_inside(node, std::move(bytes.error()));
    return std::nullopt;
  }

  static std::string extent_text(const Extent& extent) {
    return std::to_string(extent[0]) + 'x' + std::to_string(extent[1]) + 'x' +
           std::to_string(extent[2]);
  }

  Reading& reading_;
  GateSection section_;
};

}  // namespace

Selector read_selector(Reading& reading, const YamlNode& node, GateSection section) {
  return SelectorReader(reading, section).read(node, false);
}

bool matches(const Selector& selector, const ResultKernel& kernel) {
  if (!selector.one_of.empty() &&
      std::none_of(selector.one_of.begin(), selector.one_of.end(),
                   [&](const Selector& s) { return matches(s, kernel); }))
    return false;
  const std::string& full = kernel.full_name.empty() ? kernel.name : kernel.full_name;
  if (!selector.name.empty() && selector.name != kernel.name) return false;
  if (!selector.operation.empty() && selector.operation != kernel.operation) return false;
  if (selector.grid && selector.grid != kernel.grid) return false;
  if (selector.block && selector.block != kernel.block) return false;
  if (selector.shared_bytes && selector.shared_bytes != kernel.shared_bytes) return false;
  if (!selector.nvtx.empty() && std::find(kernel.in_ranges.begin(), kernel.in_ranges.end(),
                                          selector.nvtx) == kernel.in_ranges.end())
    return false;
  if (selector.glob && !selector.glob->matches(full)) return false;
  return !selector.regex || selector.regex->matches(full);
}

}  // namespace roofline
