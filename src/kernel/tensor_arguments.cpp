#include <algorithm>
#include <array>

#include "kernel/arguments.hpp"
#include "kernel/quoted.hpp"

// Parameters that name tensors: those of generic, and the steps of fused_chain.
namespace roofline {
namespace {

constexpr std::array<std::string_view, 3> kAccesses = {"read", "write", "readwrite"};
constexpr std::size_t kMostTensors = 1000;  // or steps: what an op looks up by name

// Positions within a tensor and a step, as they are put together below.
constexpr std::size_t kShapeField = 1, kFlopsField = 2, kSfuField = 3;

}  // namespace

// ---------------------------------------------------------------- tensors of generic

Value ArgumentReader::described(std::string_view name, Value shape, std::string_view access) const {
  return {ValueMap{{"name", {std::string(name)}},
                   {"shape", std::move(shape)},
                   {"access", {std::string(access)}}}};
}

Value ArgumentReader::read_tensors(const YamlNode& node, Path path) {
  ValueList tensors;
  if (!node.is_list()) {
    reading_.report_kind(node, "tensors", "a list of tensors",
                         "tensors: [{name: x, shape: [N], access: read}]");
    return {std::move(tensors)};
  }
  for (const auto& item : items_of(node, "tensors", kMostTensors))
    if (auto tensor = read_tensor(item, path / tensors.size()))
      tensors.push_back(std::move(*tensor));
  return {std::move(tensors)};
}

std::optional<Value> ArgumentReader::read_tensor(const YamlNode& node, Path path) {
  YamlMap map(reading_.document(), node, "a tensor", reading_.errors());
  const auto* name = map.need("name");
  const auto* access_node = map.need("access");
  const auto* shape_node = map.find("shape");
  const auto* dtype_node = map.find("dtype");
  for (const auto* text : {"note", "description"}) map.find(text);
  map.close();
  if (name == nullptr || access_node == nullptr) return std::nullopt;
  if (!name->is_scalar() || name->text.empty()) {
    reading_.report_kind(*name, "the name of a tensor", "a text");
    return std::nullopt;
  }
  const auto access = read_choice(reading_, *access_node, "access", kAccesses);
  const auto dtype = dtype_node != nullptr ? read_dtype(reading_, *dtype_node) : std::nullopt;
  auto shape = shape_node != nullptr
                   ? std::optional(read_counts("shape", 0, *shape_node, path / kShapeField))
                   : shared_shape(*name, path / kShapeField);
  if (!shape || !access) return std::nullopt;
  name_tensor(*name, dtype, *access != 1, *access != 0);
  return described(name->text, std::move(*shape), kAccesses[*access]);
}

std::optional<Value> ArgumentReader::shared_shape(const YamlNode& name, Path path) {
  const auto tensor = shared_.find(name.text);
  if (!tensor) {
    reading_.report(Code::missing_key, name, "tensor " + quoted(name.text) + " needs a shape",
                    "only a tensor that is shared, under tensors: at the top, has its shape there");
    return std::nullopt;
  }
  ValueList sizes;
  for (const auto& size : shared_.shape(*tensor)) {
    add_slot(Slot::Target::argument, size, "shape", 0, path / sizes.size());
    sizes.push_back({Count(0)});
  }
  return Value{std::move(sizes)};
}

void ArgumentReader::read_accesses(const ParamSpec& spec, const YamlNode* reads,
                                   const YamlNode* writes) {
  struct Access {
    const YamlNode* node;
    bool reads, writes;
  };
  std::vector<Access> accesses;
  const auto collect = [&](const YamlNode* list, bool writing) {
    if (list == nullptr) return;
    for (const auto& name : items_of(*list, writing ? "writes" : "reads", kMostTensors)) {
      if (!name.is_scalar() || !shared_.find(name.text)) {
        if (name.is_scalar())
          shared_.report_unknown(reading_, name);
        else
          reading_.report_kind(name, writing ? "writes" : "reads", "a list of names of tensors");
        continue;
      }
      const auto known = std::find_if(accesses.begin(), accesses.end(),
                                      [&](const Access& a) { return a.node->text == name.text; });
      if (known == accesses.end())
        accesses.push_back({&name, !writing, writing});
      else
        (writing ? known->writes : known->reads) = true;
    }
  };
  collect(reads, false);
  collect(writes, true);

  auto& input = entry_.prototype.input;
  if (!input.has(spec.name)) input.set(spec.name, {ValueList{}});
  const auto position = input.position(spec.name);
  auto& tensors = std::get<ValueList>(input.at(position).data);
  for (const auto& access : accesses) {
    auto shape = shared_shape(
        *access.node, (Path{} / static_cast<std::size_t>(position)) / tensors.size() / kShapeField);
    if (!shape) continue;
    name_tensor(*access.node, std::nullopt, access.reads, access.writes);
    tensors.push_back(described(access.node->text, std::move(*shape),
                                kAccesses[access.reads ? (access.writes ? 2u : 0u) : 1u]));
  }
}

void ArgumentReader::name_tensor(const YamlNode& node, std::optional<DType> dtype, bool reads,
                                 bool writes) {
  const auto known = std::find_if(named_.begin(), named_.end(),
                                  [&](const NamedTensor& t) { return t.name == node.text; });
  if (known == named_.end()) {
    named_.push_back({node.text, &node, dtype, reads, writes, reads});
    return;
  }
  if (entry_.prototype.op->name == "generic")
    reading_.report(Code::contradiction, node, "tensor " + quoted(node.text) + " is given twice",
                    "access: readwrite reads and writes it");
  known->reads = known->reads || reads;
  known->writes = known->writes || writes;
}

// ---------------------------------------------------------------- steps of fused_chain

Value ArgumentReader::read_steps(const YamlNode& node, Path path) {
  ValueList steps;
  if (!node.is_list()) {
    reading_.report_kind(node, "steps", "a list of steps",
                         "steps: [{reads: [x], writes: [y], flops: 1}]");
    return {std::move(steps)};
  }
  for (const auto& item : items_of(node, "steps", kMostTensors))
    steps.push_back(read_step(item, path / steps.size()));
  return {std::move(steps)};
}

Value ArgumentReader::read_step(const YamlNode& node, Path path) {
  YamlMap map(reading_.document(), node, "a step", reading_.errors());
  ValueMap step;
  step.push_back({"reads", Value{read_step_names(map.need("reads"), "reads", false)}});
  step.push_back({"writes", Value{read_step_names(map.need("writes"), "writes", true)}});
  const auto amount = [&](std::string_view name, std::size_t field) {
    const auto* given = map.find(name);
    step.push_back({std::string(name), given != nullptr ? read_count(name, 0, *given, path / field)
                                                        : Value{Count(0)}});
  };
  amount("flops", kFlopsField);
  amount("sfu", kSfuField);
  for (const auto* text : {"name", "note", "description"}) map.find(text);
  map.close();
  return {std::move(step)};
}

ValueList ArgumentReader::read_step_names(const YamlNode* node, std::string_view what,
                                          bool written) {
  ValueList names;
  if (node == nullptr) return names;
  for (const auto& item : items_of(*node, what, kMostTensors)) {
    if (!item.is_scalar()) {
      reading_.report_kind(item, what, "a list of names of tensors");
      continue;
    }
    names.push_back({item.text});
    name_tensor(item, std::nullopt, !written, written);
  }
  return names;
}

}  // namespace roofline
