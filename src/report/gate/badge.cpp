#include <fmt/format.h>

#include "report/gate/formats.hpp"

namespace roofline {
namespace {

struct Look {
  std::string message;
  std::string_view color;
};

Look look_of(const GateResult& result) {
  const auto held = result.count(Outcome::pass);
  const auto all = held + result.count(Outcome::fail) + result.count(Outcome::inconclusive) + result.count(Outcome::error) +
                   result.count(Outcome::quarantined);
  const auto share = fmt::format("{}/{} in limits", held, all);
  switch (result.status) {
    case Outcome::error: return {"error", "lightgrey"};
    case Outcome::fail: return {share, "red"};
    case Outcome::inconclusive:
    case Outcome::quarantined: return {share, "yellow"};
    case Outcome::pass:
    case Outcome::fresh:
    case Outcome::skip: break;
  }
  return {share, "brightgreen"};
}

}  // namespace

/// The answer of a badge's endpoint: https://shields.io/badges/endpoint-badge
void write_gate_badge(const GateResult& result, const GateWriteOptions&, const TextSink& sink) {
  const auto look = look_of(result);
  JsonWriter json(sink);
  json.begin_object();
  json.number("schemaVersion", 1);
  json.text("label", "roofline");
  json.text("message", look.message);
  json.text("color", look.color);
  json.end_object();
  json.end_line();
  json.flush();
}

}  // namespace roofline
