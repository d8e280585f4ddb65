#include "kernel/entry.hpp"

#include <algorithm>

#include "kernel/launch_reader.hpp"
#include "kernel/operand_check.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr std::array<TileField, 7> kTileFields = {{
    {"bm", &Tile::bm, 1, true},
    {"bn", &Tile::bn, 1, true},
    {"bk", &Tile::bk, 1, false},
    {"stages", &Tile::stages, 1, false},
    {"ctas_per_sm", &Tile::ctas_per_sm, 1, false},
    {"group_m", &Tile::group_m, 1, false},
    {"group_n", &Tile::group_n, 1, false},
}};

Value& argument_at(OpInput& input, const Slot& slot) {
  Value* value = &input.at(slot.path[0]);
  for (int level = 1; level < slot.depth; ++level) {
    const auto index = static_cast<std::size_t>(slot.path[static_cast<std::size_t>(level)]);
    if (auto* list = std::get_if<ValueList>(&value->data))
      value = &(*list)[index];
    else if (auto* map = std::get_if<ValueMap>(&value->data))
      value = &(*map)[index].value;
  }
  return *value;
}

Count& launch_count(LaunchRecipe& launch, const Slot& slot) {
  const auto index = static_cast<std::size_t>(slot.path[1]);
  switch (static_cast<LaunchField>(slot.path[0])) {
    case LaunchField::grid: return launch.grid[index];
    case LaunchField::block: return launch.block[index];
    case LaunchField::shared: return launch.shared_bytes;
    case LaunchField::warmups: return launch.warmups;
    case LaunchField::repeats: return launch.repeats;
    case LaunchField::argument: return launch.arguments[index].integer;
    case LaunchField::buffer_bytes: return launch.buffers[index].bytes;
    case LaunchField::buffer_below: break;
  }
  return launch.buffers[index].below;
}

void store(const Slot& slot, Count value, Kernel& kernel) {
  switch (slot.target) {
    case Slot::Target::argument:
    case Slot::Target::symbol: argument_at(kernel.input, slot).data = value; return;
    case Slot::Target::repeat: kernel.repeat = value; return;
    case Slot::Target::tile:
      (*kernel.tile).*kTileFields[static_cast<std::size_t>(slot.path[0])].field = value;
      return;
    case Slot::Target::launch: launch_count(kernel.launch.front(), slot) = value; return;
  }
}

std::optional<Error> fill(const Entry& entry, bool varying_only, const YamlDocument& places,
                          std::vector<Count>& values, Kernel& kernel) {
  for (const auto& slot : entry.slots) {
    const bool symbol =
        slot.target == Slot::Target::symbol;  // needed by the expressions after it, varying or not
    if (varying_only && !slot.expression.varies && !symbol) continue;
    auto value = evaluate(slot.expression, slot.what, slot.minimum, values, places);
    if (!value) return std::move(value.error());
    if (symbol) values.push_back(*value);
    store(slot, *value, kernel);
  }
  return std::nullopt;
}

Place argument_place(const Entry& entry, std::string_view name) {
  const auto found = std::find_if(entry.arguments.begin(), entry.arguments.end(),
                                  [&](const auto& a) { return a.first == name; });
  return found == entry.arguments.end() ? entry.place : found->second;
}

Error refusal(const Entry& entry, const OpError& error, const YamlDocument& places) {
  const auto place = argument_place(entry, error.param);
  const bool given = std::any_of(entry.arguments.begin(), entry.arguments.end(),
                                 [&](const auto& a) { return a.first == error.param; });
  const auto& params = entry.prototype.op->params;
  const bool missing = !given && std::any_of(params.begin(), params.end(), [&](const ParamSpec& p) {
    return p.name == error.param;
  });
  return {missing ? Code::missing_key : Code::contradiction,
          places.where(place.line, place.column, place.length),
          quoted(entry.prototype.name) + ": " + error.what,
          error.hint,
          {}};
}

Error overflow(const Entry& entry, const YamlDocument& places) {
  return {Code::out_of_range,
          places.where(entry.place.line, entry.place.column, entry.place.length),
          "the work or the bytes of " + quoted(entry.prototype.name) + " pass 2^127",
          "its sizes are too large together",
          {}};
}

}  // namespace

Place Place::of(const YamlNode& node) {
  const auto length = node.is_scalar() ? node.text.size() + (node.quoted ? 2 : 0) : std::size_t{1};
  return {node.line, node.column,
          static_cast<int>(std::min<std::size_t>(std::max<std::size_t>(length, 1), 1000))};
}

Count add_slot(Reading& reading, const std::vector<Count>* values, Slot slot, Entry& entry) {
  Count first = 0;
  if (values != nullptr || slot.expression.formula.constant()) {
    const auto known =
        values != nullptr ? std::span<const Count>(*values) : std::span<const Count>();
    auto value = evaluate(slot.expression, slot.what, slot.minimum, known, reading.document());
    if (value)
      first = *value;
    else
      reading.report(std::move(value.error()));
  }
  entry.varies = entry.varies || slot.expression.varies;
  entry.slots.push_back(std::move(slot));
  return first;
}

std::span<const TileField> tile_fields() { return kTileFields; }

std::optional<Error> evaluate(const Entry& entry, bool varying_only, const Surroundings& around,
                              std::vector<Count>& values, Kernel& kernel) {
  if (!varying_only) kernel = entry.prototype;
  const auto variables = values.size();
  auto error = fill(entry, varying_only, around.places, values, kernel);
  values.resize(variables);
  if (error) return error;
  auto work = entry.prototype.op->model(kernel.input);
  if (!work) return refusal(entry, work.error(), around.places);
  kernel.work = std::move(*work);
  if (kernel.work.overflowed()) return overflow(entry, around.places);
  if (!entry.uses.empty())
    if (auto disagreement = check_operands(entry, around, kernel)) return disagreement;
  return kernel.launch.empty() ? std::nullopt : resolve_launch(entry, around, kernel);
}

}  // namespace roofline
