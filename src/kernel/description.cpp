#include "kernel/description.hpp"

#include <array>
#include <atomic>

#include "kernel/defaults.hpp"
#include "kernel/entry_reader.hpp"
#include "kernel/quoted.hpp"
#include "kernel/tensor_order.hpp"

namespace roofline {
namespace {

constexpr std::string_view kSchema = "roofline.kernel/1";
constexpr std::size_t kMostKernels = 250'000;  // about 4 kB each, described and evaluated
constexpr std::array<std::string_view, 2> kKeysOfLoneEntry = {"schema", "gpu"};

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Location whole_file(const YamlDocument& document) {
  Location where;
  where.file = document.file();
  return where;
}

/// Reads one description; its members are what the parts of a file share.
class DescriptionReader {
 public:
  DescriptionReader(const YamlDocument& document, Errors& errors) : reading_(document, errors) {
    description_.identity = next_identity();
    description_.places = document.without_tree();
  }

  void read() {
    const auto& root = reading_.document().root();
    if (root.is_list()) return read_kernels(root);
    if (root.is_map() && root.find("kernels") == nullptr && root.find("op") != nullptr)
      return read_lone_entry(root);
    read_file(root);
  }

  Description take() { return std::move(description_); }

 private:
  void read_file(const YamlNode& root) {
    if (root.is_scalar() && !root.text.empty())
      return reading_.report(
          Code::wrong_type, root,
          "this is no description, and none of the profilers' files that are known",
          "a description is a map with the key kernels; roofline import --list names the files "
          "that are read, roofline audit holds tables of times");
    if (!root.is_map())
      return reading_.report_kind(root, "a description",
                                  "a map with the key kernels, or a list of kernels",
                                  "kernels: [{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16}]");
    YamlMap map(reading_.document(), root, "a description", reading_.errors());
    if (const auto* schema = map.find("schema")) check_schema(*schema);
    if (const auto* gpu = map.find("gpu")) read_gpus(*gpu);
    const auto* params = map.find("params");
    const auto* defaults = map.find("defaults");
    const auto* tensors = map.find("tensors");
    const auto* kernels = map.need("kernels");
    for (const auto* text : {"name", "description", "note"}) map.find(text);
    map.close();
    description_.variables = Variables::read(reading_, params);
    if (description_.variables.points().overflowed())
      reading_.report(Code::limit_exceeded, *params,
                      "the sweeps multiply to more than 2^127 points",
                      "sweep fewer variables at a time");
    defaults_ = read_defaults(reading_, defaults, description_.variables.scope());
    description_.tensors.read(reading_, tensors, description_.variables.scope(), defaults_.dtype);
    if (kernels != nullptr) read_kernels(*kernels);
  }

  void read_lone_entry(const YamlNode& root) {
    if (const auto* schema = root.find("schema")) check_schema(*schema);
    if (const auto* gpu = root.find("gpu")) read_gpus(*gpu);
    begin_entries();
    read_entry(root, kKeysOfLoneEntry);
    end_entries();
    // The same word at the top of a file with kernels: means something else.
    if (const auto* params = root.find("params"); params != nullptr && params->is_map())
      for (auto& error : reading_.errors())
        error.note =
            "in a file that is a single entry, params: are those of its op; variables need a file "
            "with kernels:";
  }

  void read_kernels(const YamlNode& list) {
    if (!list.is_list())
      return reading_.report_kind(list, "kernels", "a list",
                                  "each kernel starts with - : kernels: [{op: gemm, ...}]");
    if (list.items.empty())
      return reading_.report(Code::empty_input, list, "no kernels are described",
                             "kernels: [{op: gemm, ...}]");
    if (list.items.size() > kMostKernels)
      return reading_.report(Code::limit_exceeded, list,
                             std::to_string(list.items.size()) + " kernels; at most " +
                                 std::to_string(kMostKernels) + " are read",
                             "repeat: says how often a kernel runs");
    begin_entries();
    description_.entries.reserve(list.items.size());
    for (const auto& item : list.items) {
      if (reading_.has_enough()) return;
      read_entry(item, {});
    }
    end_entries();
  }

  /// The first point, as far as entries need it. Without it they are read, but not evaluated.
  void begin_entries() {
    scope_ = description_.variables.scope();
    order_.emplace(description_.tensors.size());
    if (!reading_.errors().empty()) return;
    auto error = description_.variables.evaluate(0, false, {}, values_, description_.places);
    if (!error)
      error = description_.tensors.evaluate(values_, false, tensors_, description_.places);
    if (error) reading_.report(std::move(*error));
    has_point_ = !error;
  }

  void read_entry(const YamlNode& node, std::span<const std::string_view> file_keys) {
    const auto before = reading_.errors().size();
    const EntrySurroundings around{scope_, description_.tensors, defaults_,
                                   has_point_ ? &values_ : nullptr};
    auto entry = EntryReader(reading_, around, names_).read(node, file_keys);
    const bool sound = reading_.errors().size() == before && !reading_.has_enough();
    if (sound && entry && has_point_) try_out(*entry);
    if (entry) description_.entries.push_back(std::move(*entry));
  }

  void try_out(const Entry& entry) {
    const Surroundings around{description_.places, description_.tensors, tensors_};
    auto error = evaluate(entry, false, around, values_, kernel_);
    if (error) return reading_.report(std::move(*error));
    order_->pass(reading_, entry, kernel_, around);
  }

  void end_entries() {
    if (reading_.errors().empty())
      order_->close(reading_, {description_.places, description_.tensors, tensors_});
  }

  void check_schema(const YamlNode& node) {
    if (node.is_scalar() && node.text == kSchema) return;
    if (!node.is_scalar())
      return reading_.report_kind(node, "schema", "a name", std::string(kSchema));
    const bool newer = node.text.starts_with("roofline.kernel/");
    reading_.report(Code::unknown_name, node,
                    newer ? "this version does not read " + quoted(node.text)
                          : quoted(node.text) + " is not a kernel description",
                    "a kernel description has schema: " + std::string(kSchema));
  }

  void read_gpus(const YamlNode& node) {
    auto names = read_names(reading_.document(), node, "gpu", reading_.errors());
    if (!names) return;
    if (names->empty())
      return reading_.report(Code::missing_key, node, "gpu names no GPU", "gpu: h100-sxm5-80gb");
    description_.gpus = std::move(*names);
    description_.gpu_place = reading_.document().where(node);
  }

  Reading reading_;
  Description description_;
  Defaults defaults_;
  Scope scope_;
  KernelNames names_;

  bool has_point_ = false;
  std::vector<Count> values_;
  std::vector<SharedTensor> tensors_;
  std::optional<TensorOrder> order_;
  Kernel kernel_;
};

}  // namespace

Checked<Description> read_description(const YamlDocument& document) {
  Errors errors;
  DescriptionReader reader(document, errors);
  reader.read();
  if (errors.empty()) return reader.take();
  if (errors.size() >= Reading::kMostErrors)
    errors.push_back({Code::limit_exceeded,
                      whole_file(document),
                      "reading stopped after " + std::to_string(errors.size()) + " errors",
                      {},
                      {}});
  return tl::unexpected(std::move(errors));
}

}  // namespace roofline
