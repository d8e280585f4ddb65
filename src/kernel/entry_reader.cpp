#include "kernel/entry_reader.hpp"

#include <algorithm>
#include <array>

#include "kernel/launch_reader.hpp"
#include "kernel/operand_check.hpp"
#include "kernel/operand_dtypes.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostUses = 1000;  // operands of an entry that are bound to shared tensors

const ParamSpec* find_param(const OpEntry& op, std::string_view name) {
  const auto found = std::find_if(op.params.begin(), op.params.end(),
                                  [&](const ParamSpec& p) { return p.name == name; });
  return found == op.params.end() ? nullptr : &*found;
}

const ParamAlias* find_alias(const OpEntry& op, std::string_view name) {
  const auto found = std::find_if(op.aliases.begin(), op.aliases.end(),
                                  [&](const ParamAlias& a) { return a.alias == name; });
  return found == op.aliases.end() ? nullptr : &*found;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) list.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

bool of_generic_only(std::string_view key) { return key == "reads" || key == "writes"; }

/// An operand's traffic name at a position of a list: "in*" and 1 give "in1".
std::string item_name(const OperandSpec& spec, std::size_t index) {
  return std::string(spec.traffic.substr(0, spec.traffic.size() - 1)) + std::to_string(index);
}

}  // namespace

std::string KernelNames::unique(std::string name) {
  const auto [first, fresh] = used_.emplace(name, 1);
  while (!fresh) {
    std::string numbered = name + "#" + std::to_string(++first->second);
    if (used_.emplace(numbered, 1).second) return numbered;
  }
  return name;
}

std::span<const EntryReader::GeneralKey> EntryReader::general_keys() {
  static constexpr std::array<GeneralKey, 20> kKeys = {{
      {"description", &EntryReader::ignore},
      {"dtype", &EntryReader::read_entry_dtype},
      {"dtypes", &EntryReader::read_dtypes},
      {"launch", &EntryReader::read_launch},
      {"launch_cost", &EntryReader::read_entry_launch_cost},
      {"link", &EntryReader::read_entry_link},
      {"match", &EntryReader::read_match},
      {"name", &EntryReader::read_name},
      {"note", &EntryReader::ignore},
      {"op", &EntryReader::ignore},
      {"operands", &EntryReader::read_operands},
      {"params", &EntryReader::read_nested},
      {"path", &EntryReader::read_entry_path},
      {"reads", &EntryReader::read_reads},
      {"repeat", &EntryReader::read_repeat},
      {"tile", &EntryReader::read_tile},
      {"time", &EntryReader::read_time},
      {"timing", &EntryReader::read_entry_timing},
      {"working_set", &EntryReader::read_working_set},
      {"writes", &EntryReader::read_writes},
  }};
  return kKeys;
}

std::optional<Entry> EntryReader::read(const YamlNode& node,
                                       std::span<const std::string_view> file_keys) {
  entry_ = {};
  given_.clear();
  dtype_ = around_.defaults.dtype;
  dtypes_ = operands_ = launch_ = reads_ = writes_ = nullptr;
  has_repeat_ = unknown_key_ = false;
  wrong_dtype_ = around_.defaults.wrong_dtype;
  if (!node.is_map()) {
    reading_.report_kind(node, "a kernel", "a map of keys and values",
                         "{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16}");
    return std::nullopt;
  }
  entry_.place = Place::of(node);
  if (!read_op(node)) return std::nullopt;
  auto& kernel = entry_.prototype;
  kernel.timing = around_.defaults.timing;
  kernel.launch_cost = around_.defaults.launch_cost;
  kernel.mma_sync = around_.defaults.mma_sync;
  kernel.link = around_.defaults.link;
  read_keys(node, file_keys);
  if (kernel.name.empty()) kernel.name = kernel.op->name;
  kernel.name = names_.unique(std::move(kernel.name));
  if (!has_repeat_ && around_.defaults.repeat)
    add_slot(Slot::Target::repeat, *around_.defaults.repeat, "repeat", 1, 0);
  resolve_aliases();
  const auto outer = around_.scope.size();
  read_arguments(node);
  if (launch_ != nullptr) {
    entry_.launch_place = Place::of(*launch_);
    LaunchReader(reading_, around_.scope, around_.values, entry_).read(*launch_);
  }
  around_.scope.shrink(outer);
  if (around_.values != nullptr) around_.values->resize(outer);
  if (!unknown_key_) check_required(node);
  entry_.arguments.shrink_to_fit();
  entry_.slots.shrink_to_fit();
  return std::move(entry_);
}

bool EntryReader::read_op(const YamlNode& node) {
  const auto* op = node.find("op");
  if (op == nullptr) {
    reading_.report(Code::missing_key, node, "a kernel needs the key \"op\"",
                    "`roofline ops list` prints the operations");
    return false;
  }
  if (!op->is_scalar()) {
    reading_.report_kind(*op, "op", "the name of an operation", "`roofline ops list` prints them");
    return false;
  }
  entry_.prototype.op = find_op(op->text);
  if (entry_.prototype.op != nullptr) return true;
  std::string near = did_you_mean(op->text, op_names());
  reading_.report(
      Code::unknown_op, *op, "unknown op " + quoted(op->text),
      near.empty() ? "`roofline ops list` prints the operations; op: generic takes your own counts"
                   : std::move(near));
  return false;
}

// ---------------------------------------------------------------- keys

void EntryReader::read_keys(const YamlNode& node, std::span<const std::string_view> file_keys) {
  for (std::size_t i = 0; i < node.keys.size() && !reading_.has_enough(); ++i) {
    const auto& key = node.keys[i];
    if (std::find(file_keys.begin(), file_keys.end(), key.text) != file_keys.end()) continue;
    if (!read_key(key, node.items[i])) report_unknown_key(key, false);
  }
}

/// Parameters of the op come first: "params" of the optimizer is a count. As a map it can only be
/// the nested form.
bool EntryReader::read_key(const YamlNode& key, const YamlNode& value) {
  const bool nested = key.text == "params" && value.is_map();
  if (!nested && find_param(*entry_.prototype.op, key.text) != nullptr)
    return give_argument(key, value);
  for (const auto& general : general_keys())
    if (general.name == key.text && (is_generic() || !of_generic_only(key.text))) {
      (this->*general.read)(value);
      return true;
    }
  return give_argument(key, value);
}

bool EntryReader::give_argument(const YamlNode& key, const YamlNode& value) {
  if (const auto* spec = find_param(*entry_.prototype.op, key.text)) {
    given_.push_back({spec, nullptr, &key, &value, false});
    return true;
  }
  const auto* alias = find_alias(*entry_.prototype.op, key.text);
  if (alias == nullptr) return false;
  const auto targets = words(alias->targets);
  for (const auto target : targets)
    given_.push_back(
        {find_param(*entry_.prototype.op, target), alias, &key, &value, targets.size() > 1});
  return true;
}

void EntryReader::report_unknown_key(const YamlNode& key, bool nested) {
  unknown_key_ = true;
  const auto& op = *entry_.prototype.op;
  const auto is_general = [&](const GeneralKey& general) { return general.name == key.text; };
  const bool general_key = std::any_of(general_keys().begin(), general_keys().end(), is_general);
  std::vector<std::string_view> names;
  for (const auto& spec : op.params) names.push_back(spec.name);
  for (const auto& alias : op.aliases) names.push_back(alias.alias);
  if (!nested)
    for (const auto& general : general_keys())
      if (is_generic() || !of_generic_only(general.name)) names.push_back(general.name);
  std::string hint;
  if (general_key && nested)
    hint = "it is no parameter of the op: write it beside params";
  else if (general_key)
    hint = "only op: generic has it; operands: {x: h} binds an operand to a tensor";
  else
    hint = did_you_mean(key.text, names);
  std::vector<std::string> params;
  for (const auto& spec : op.params) params.emplace_back(spec.name);
  if (hint.empty()) hint = std::string(op.name) + " has the parameters " + joined(params);
  reading_.report(Code::unknown_key, key,
                  "unknown key " + quoted(key.text) + " of op " + quoted(op.name), std::move(hint));
}

void EntryReader::read_nested(const YamlNode& node) {
  if (!node.is_map())
    return reading_.report_kind(node, "params", "a map of this op's parameters",
                                "variables that kernels share stand under params: at the top");
  for (std::size_t i = 0; i < node.keys.size() && !reading_.has_enough(); ++i)
    if (!give_argument(node.keys[i], node.items[i])) report_unknown_key(node.keys[i], true);
}

// ---------------------------------------------------------------- parameters of the op

void EntryReader::resolve_aliases() {
  for (std::size_t i = 0; i < given_.size(); ++i) give_way(i);
  report_without_effect();
  std::erase_if(given_, [](const Given& g) { return g.spec == nullptr; });
}

/// One parameter, one value. An alias of several parameters gives way to one that is given on its
/// own: `heads: 32, kv_heads: 8`.
void EntryReader::give_way(std::size_t i) {
  for (std::size_t j = 0; j < i; ++j) {
    auto &earlier = given_[j], &later = given_[i];
    if (earlier.spec == nullptr || earlier.spec != later.spec) continue;
    if (earlier.of_several != later.of_several) {
      (earlier.of_several ? earlier : later).spec = nullptr;
      continue;
    }
    const bool said = std::any_of(given_.begin(), given_.end(), [&](const Given& g) {
      return g.key == later.key && g.contradicts;
    });
    const std::string first = quoted(earlier.key->text), second = quoted(later.key->text);
    if (!said)
      reading_.report(Code::contradiction, *later.key,
                      quoted(later.spec->name) + " is given twice" +
                          (first == second ? "" : ": as " + first + " and as " + second),
                      "keep one of them");
    later.contradicts = true;
    later.spec = nullptr;
  }
}

void EntryReader::report_without_effect() {
  for (const auto& given : given_) {
    if (!given.of_several || given.contradicts || given.spec != nullptr) continue;
    const auto same_key = [&](const Given& g) { return g.key == given.key; };
    const bool first = &*std::find_if(given_.begin(), given_.end(), same_key) == &given;
    const bool has_effect = std::any_of(given_.begin(), given_.end(), [&](const Given& g) {
      return same_key(g) && g.spec != nullptr;
    });
    if (first && !has_effect)
      reading_.report(Code::contradiction, *given.key,
                      quoted(given.key->text) + " has no effect: all that it stands for is given",
                      "leave it out");
  }
}

void EntryReader::read_arguments(const YamlNode& node) {
  ArgumentReader arguments(reading_, around_.scope, around_.values, around_.tensors, entry_);
  const YamlNode* wrong =
      nullptr;  // said once, also where the value is read for several parameters
  const auto read = [&](const Given& given) {
    if (given.value == wrong) return;
    const auto before = reading_.errors().size();
    if (given.alias == nullptr || given.alias->value_if_true.empty()) {
      arguments.read(*given.spec, *given.value);
    } else if (read_flag(reading_.document(), *given.value, given.key->text, reading_.errors())
                   .value_or(false)) {
      arguments.set_choice(*given.spec, given.alias->value_if_true, *given.value);
    }
    if (reading_.errors().size() != before) wrong = given.value;
  };
  // Symbols first: the other expressions may use them.
  for (const auto& given : given_)
    if (given.spec->type == ParamType::symbols) read(given);
  for (const auto& given : given_)
    if (given.spec->type != ParamType::symbols) read(given);
  if (reads_ != nullptr || writes_ != nullptr)
    arguments.read_accesses(*find_param(*entry_.prototype.op, "tensors"), reads_, writes_);
  bind_operands();
  bind_named(arguments.named());
  assign_dtypes(reading_, node, {dtypes_, dtype_, !unknown_key_ && !wrong_dtype_}, around_.tensors,
                arguments.named(), entry_);
}

void EntryReader::check_required(const YamlNode& node) {
  const auto& op = *entry_.prototype.op;
  for (const auto& spec : op.params) {
    if (!spec.required || entry_.prototype.input.has(spec.name)) continue;
    reading_.report(
        Code::missing_key, node,
        "op " + quoted(op.name) + " needs " + quoted(spec.name) + ": " + std::string(spec.doc),
        "`roofline ops show " + std::string(op.name) + "` lists its parameters");
  }
}

// ---------------------------------------------------------------- shared tensors

void EntryReader::bind_operands() {
  if (operands_ == nullptr || operands_->is_null()) return;
  if (!operands_->is_map())
    return reading_.report_kind(*operands_, "operands", "a map of operands and tensors",
                                "operands: {x: h}");
  for (std::size_t i = 0; i < operands_->keys.size(); ++i)
    bind_operand(operands_->keys[i], operands_->items[i]);
}

void EntryReader::bind_operand(const YamlNode& key, const YamlNode& value) {
  const auto operands = entry_.prototype.op->operands;
  auto found = std::find_if(operands.begin(), operands.end(),
                            [&](const OperandSpec& s) { return s.name == key.text; });
  if (found == operands.end())
    found = std::find_if(operands.begin(), operands.end(),
                         [&](const OperandSpec& s) { return covers(s, key.text); });
  const OperandSpec* spec = found == operands.end() ? nullptr : &*found;
  const bool list = spec != nullptr && spec->name == key.text && spec->traffic.ends_with('*');
  if (value.is_list() && list) {
    for (std::size_t i = 0; i < value.items.size(); ++i)
      use_tensor(item_name(*spec, i), spec, value.items[i]);
  } else {
    use_tensor(key.text, spec, value);
  }
}

void EntryReader::use_tensor(std::string operand, const OperandSpec* spec, const YamlNode& tensor) {
  if (!tensor.is_scalar())
    return reading_.report_kind(tensor, "operand " + quoted(operand),
                                "the name of a shared tensor");
  if (entry_.uses.size() == kMostUses)
    return reading_.report(Code::limit_exceeded, tensor,
                           "more than " + std::to_string(kMostUses) + " operands are bound");
  const auto found = around_.tensors.find(tensor.text);
  if (!found) return around_.tensors.report_unknown(reading_, tensor);
  OperandUse use;
  use.operand = std::move(operand);
  use.tensor = *found;
  use.spec = spec;
  use.place = Place::of(tensor);
  entry_.varies =
      entry_.varies || around_.tensors.varies(*found);  // held against its size at every point
  entry_.uses.push_back(std::move(use));
}

/// Tensors that generic and fused_chain name themselves are shared where the description has one of
/// that name.
void EntryReader::bind_named(std::span<const NamedTensor> named) {
  for (const auto& tensor : named) {
    const auto of_tensor = [&](const OperandUse& use) { return use.operand == tensor.name; };
    const bool bound = std::any_of(entry_.uses.begin(), entry_.uses.end(), of_tensor);
    if (!bound && !around_.tensors.find(tensor.name)) continue;
    if (!bound) use_tensor(tensor.name, nullptr, *tensor.node);
    auto& use = *std::find_if(entry_.uses.begin(), entry_.uses.end(), of_tensor);
    use.several_passes = !is_generic();
    use.declared = true;
    use.reads = tensor.reads;
    use.writes = tensor.writes;
    use.reads_first = tensor.reads_first;
  }
}

}  // namespace roofline
