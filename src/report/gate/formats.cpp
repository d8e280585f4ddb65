#include "report/gate/formats.hpp"

#include <algorithm>
#include <iterator>

namespace roofline {
namespace {

constexpr GateFormat kFormats[] = {
    {"table", "txt", "for people", &write_gate_table},
    {"json", "json", "roofline.gate-result/1", &write_gate_json},
};

}  // namespace

std::span<const GateFormat> gate_formats() { return kFormats; }

const GateFormat* find_gate_format(std::string_view name) {
  const auto* at = std::find_if(std::begin(kFormats), std::end(kFormats),
                                [&](const GateFormat& f) { return f.name == name; });
  return at == std::end(kFormats) ? nullptr : at;
}

}  // namespace roofline
