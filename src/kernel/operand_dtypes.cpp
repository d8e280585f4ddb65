#include "kernel/operand_dtypes.hpp"

#include <algorithm>
#include <charconv>

#include "kernel/operand_check.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

/// An operand whose dtypes are one per item of the parameter of its name (the inputs of
/// elementwise).
bool is_list(const OperandSpec& spec) { return spec.traffic.ends_with('*'); }

class Assigner {
 public:
  Assigner(Reading& reading, const YamlNode& node, const DTypeSources& sources,
           const SharedTensors& tensors, Entry& entry)
      : reading_(reading),
        node_(node),
        sources_(sources),
        tensors_(tensors),
        entry_(entry),
        input_(entry.prototype.input) {}

  void assign(std::span<const NamedTensor> named) {
    const auto before = reading_.errors().size();
    check_keys(named);
    const auto operands = entry_.prototype.op->operands;
    for (const auto& spec : operands) assign_operand(spec);
    for (std::size_t round = 0; round < operands.size(); ++round)  // "=a" of "=a"
      for (const auto& spec : operands) copy_other(spec);
    for (const auto& tensor : named) assign_named(tensor);
    if (sources_.report_missing && reading_.errors().size() == before) report_missing();
  }

 private:
  const YamlNode* given(std::string_view name) const {
    return sources_.by_operand == nullptr ? nullptr : sources_.by_operand->find(name);
  }

  void check_keys(std::span<const NamedTensor> named) {
    if (sources_.by_operand == nullptr) return;
    if (!sources_.by_operand->is_map()) {
      reading_.report_kind(*sources_.by_operand, "dtypes", "a map of operands and dtypes",
                           "one for all is written dtype: bf16");
      sources_.by_operand = nullptr;
      return;
    }
    for (const auto& key : sources_.by_operand->keys) {
      const auto operands = entry_.prototype.op->operands;
      const bool known = std::any_of(operands.begin(), operands.end(),
                                     [&](const OperandSpec& s) { return s.name == key.text; }) ||
                         std::any_of(named.begin(), named.end(),
                                     [&](const NamedTensor& t) { return t.name == key.text; });
      if (!known) report_unknown(key, named);
    }
  }

  void report_unknown(const YamlNode& key, std::span<const NamedTensor> named) {
    std::vector<std::string_view> names;
    std::string hint;
    for (const auto& spec : entry_.prototype.op->operands) {
      names.push_back(spec.name);
      if (covers(spec, key.text))
        hint = quoted(key.text) + " has the dtype of " + quoted(spec.name);
    }
    for (const auto& tensor : named) names.push_back(tensor.name);
    if (hint.empty()) hint = did_you_mean(key.text, names);
    if (hint.empty())
      hint = "its operands are " + joined(std::vector<std::string>(names.begin(), names.end()));
    reading_.report(Code::unknown_name, key,
                    quoted(entry_.prototype.op->name) + " has no operand " + quoted(key.text),
                    std::move(hint));
  }

  void assign_operand(const OperandSpec& spec) {
    std::vector<DType> dtypes = read_given(spec);
    bool explicit_dtypes = !dtypes.empty();
    if (!explicit_dtypes && !spec.optional)
      if (const auto dtype = default_of(spec)) dtypes = {*dtype};
    if (is_list(spec)) {
      bind_list(spec, dtypes, explicit_dtypes);
    } else {
      for (const auto& use : entry_.uses)
        if (use.spec == &spec) bind(use, dtypes, explicit_dtypes);
    }
    if (!dtypes.empty()) input_.set_dtypes(spec.name, std::move(dtypes));
  }

  std::vector<DType> read_given(const OperandSpec& spec) {
    const auto* node = given(spec.name);
    if (node == nullptr) return {};
    entry_.arguments.emplace_back(spec.name, Place::of(*node));
    std::vector<DType> dtypes;
    if (!node->is_list()) {
      if (const auto dtype = read_dtype(reading_, *node)) dtypes.push_back(*dtype);
    } else if (!is_list(spec) || node->items.empty()) {
      reading_.report_kind(*node, "the dtype of " + std::string(spec.name),
                           is_list(spec) ? "one or more names" : "one name");
    } else {
      for (const auto& item : node->items)
        if (const auto dtype = read_dtype(reading_, item)) dtypes.push_back(*dtype);
    }
    return dtypes;
  }

  std::optional<DType> default_of(const OperandSpec& spec) const {
    if (!spec.default_dtype.empty() && !spec.default_dtype.starts_with('='))
      return find_dtype(spec.default_dtype);
    return sources_.for_all;
  }

  /// The tensor's dtype is the operand's, unless another was given.
  void bind(const OperandUse& use, std::vector<DType>& dtypes, bool& explicit_dtypes) {
    const DType dtype = tensors_.dtype(use.tensor);
    if (explicit_dtypes && dtypes.front() != dtype) return report_conflict(use, dtypes.front());
    dtypes = {dtype};
    explicit_dtypes = true;
  }

  void bind_list(const OperandSpec& spec, std::vector<DType>& dtypes, bool explicit_dtypes) {
    const auto* items = input_.find(spec.name);
    const auto* list = items != nullptr ? std::get_if<ValueList>(&items->data) : nullptr;
    const bool bound = std::any_of(entry_.uses.begin(), entry_.uses.end(),
                                   [&](const OperandUse& u) { return u.spec == &spec; });
    if (!bound || list == nullptr) return;
    // fp32 stands in for what is bound below; an item that is neither bound nor given is found
    // missing.
    std::vector<bool> known(list->size(), !dtypes.empty());
    if (dtypes.size() <= 1)
      dtypes.resize(list->size(), dtypes.empty() ? DType::fp32 : dtypes.front());
    if (dtypes.size() != list->size()) return;  // the op's model says so
    for (const auto& use : entry_.uses) {
      const auto index = use.spec == &spec ? list_index(use, list->size()) : std::nullopt;
      if (!index) continue;
      const DType dtype = tensors_.dtype(use.tensor);
      if (explicit_dtypes && dtypes[*index] != dtype) report_conflict(use, dtypes[*index]);
      dtypes[*index] = dtype;
      known[*index] = true;
    }
    if (std::find(known.begin(), known.end(), false) != known.end()) dtypes.clear();
  }

  static std::optional<std::size_t> list_index(const OperandUse& use, std::size_t size) {
    if (use.operand == use.spec->name)
      return size == 1 ? std::optional<std::size_t>(0) : std::nullopt;
    const auto digits = std::string_view(use.operand).substr(use.spec->traffic.size() - 1);
    std::size_t index = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    return parsed.ec == std::errc() && index < size ? std::optional(index) : std::nullopt;
  }

  void copy_other(const OperandSpec& spec) {
    if (spec.optional || input_.has_dtype(spec.name) || !spec.default_dtype.starts_with('='))
      return;
    if (const auto other = spec.default_dtype.substr(1); input_.has_dtype(other))
      input_.set_dtype(spec.name, input_.dtype(other));
  }

  void assign_named(const NamedTensor& tensor) {
    std::vector<DType> dtypes;
    if (const auto* node = given(tensor.name))
      if (const auto dtype = read_dtype(reading_, *node)) dtypes = {*dtype};
    if (tensor.dtype && !dtypes.empty() && dtypes.front() != *tensor.dtype)
      reading_.report(Code::contradiction, *tensor.node,
                      "tensor " + quoted(tensor.name) +
                          " has two dtypes: " + std::string(describe(*tensor.dtype).name) +
                          ", and in dtypes: " + std::string(describe(dtypes.front()).name));
    if (tensor.dtype) dtypes = {*tensor.dtype};
    bool explicit_dtypes = !dtypes.empty();
    for (const auto& use : entry_.uses)
      if (use.operand == tensor.name) bind(use, dtypes, explicit_dtypes);
    if (dtypes.empty() && sources_.for_all) dtypes = {*sources_.for_all};
    if (dtypes.empty())
      missing_.push_back(tensor.name);
    else
      input_.set_dtypes(tensor.name, std::move(dtypes));
  }

  void report_conflict(const OperandUse& use, DType other) {
    Error error{Code::operands_disagree,
                reading_.document().where(use.place.line, use.place.column, use.place.length),
                "operand " + quoted(use.operand) + " is " + std::string(describe(other).name) +
                    ", but tensor " + quoted(tensors_.name(use.tensor)) + " is " +
                    std::string(describe(tensors_.dtype(use.tensor)).name),
                "a shared tensor has one dtype; a conversion is a kernel of its own (op: copy)",
                {}};
    reading_.report(std::move(error));
  }

  void report_missing() {
    for (const auto& spec : entry_.prototype.op->operands)
      if (!spec.optional && !input_.has_dtype(spec.name) && given(spec.name) == nullptr &&
          !waits_for_another(spec))
        missing_.emplace_back(spec.name);
    if (missing_.empty()) return;
    reading_.report(
        Code::missing_key, node_,
        quoted(entry_.prototype.name) + " needs a dtype for " + joined(missing_),
        "write dtype: bf16 for all operands, or dtypes: {" + missing_.front() + ": bf16}");
  }

  /// "=a" where a is missing: said once, of a.
  bool waits_for_another(const OperandSpec& spec) const {
    return spec.default_dtype.starts_with('=');
  }

  Reading& reading_;
  const YamlNode& node_;
  DTypeSources sources_;
  const SharedTensors& tensors_;
  Entry& entry_;
  OpInput& input_;
  std::vector<std::string> missing_;
};

}  // namespace

void assign_dtypes(Reading& reading, const YamlNode& node, const DTypeSources& sources,
                   const SharedTensors& tensors, std::span<const NamedTensor> named, Entry& entry) {
  Assigner(reading, node, sources, tensors, entry).assign(named);
}

}  // namespace roofline
