#include "ingest/mapping/elementwise_cost.hpp"
#include "ingest/mapping/families.hpp"
#include "ingest/mapping/kernel_types.hpp"
#include "ingest/mapping/own_work.hpp"

/// Operators of PyTorch over lists of tensors: optimizers and `_foreach_`. Types of lists are not
/// recorded; the kernel's functor names the one that all have ("BinaryOpScalarFunctor<float, ...").
/// One operator takes as many launches as its lists need, which are judged together. Source of the
/// signatures: aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

/// The first argument of the functor of a multi_tensor_apply_kernel.
std::optional<std::string_view> functor_dtype(std::string_view kernel_name) {
  constexpr std::string_view kMark = "Functor<";
  const auto at = kernel_name.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = kernel_name.substr(at + kMark.size());
  return dtype_name(rest.substr(0, rest.find_first_of(",>")));
}

/// Elements of all tensors of a list. nullopt: its sizes were not recorded.
std::optional<std::uint64_t> elements_of(const Arguments& args, std::size_t i) {
  const auto lists = args.lists(i);
  if (!lists || lists->empty()) return std::nullopt;
  std::uint64_t all = 0;
  for (const auto& sizes : *lists) all += product(sizes);
  return all;
}

/// (params, grads, first moments, second moments, ...)
Mapped optimizer(const Arguments& args, std::string_view kind) {
  const auto params = elements_of(args, 0);
  if (!params) return no(unmapped::kNoShapes);
  if (elements_of(args, 1) != params) return no(unmapped::kContradiction);
  const auto type = functor_dtype(args.kernel_name());
  if (!type) return no(unmapped::kNoDtype);
  Description op("optimizer");
  op.count("params", *params).word("kind", kind);
  op.dtype("p", *type).dtype("g", *type);
  if (kind != "sgd") op.dtype("m", *type);
  if (kind.starts_with("adam")) op.dtype("v", *type);
  return op;
}
/// The fifth list is that of amsgrad, which is not modelled.
Mapped adam_of(const Arguments& args, std::string_view kind) {
  if (elements_of(args, 4)) return no(unmapped::kNotModelled);
  return optimizer(args, kind);
}
Mapped adam(const Arguments& args) { return adam_of(args, "adam"); }
Mapped adamw(const Arguments& args) { return adam_of(args, "adamw"); }
Mapped sgd(const Arguments& args) {
  return optimizer(args, elements_of(args, 2) ? "sgd_momentum" : "sgd");
}

/// (tensors, order): one norm of each.
Mapped norms(const Arguments& args) {
  const auto elements = elements_of(args, 0);
  if (!elements) return no(unmapped::kNoShapes);
  const auto type = functor_dtype(args.kernel_name());
  if (!type) return no(unmapped::kNoDtype);
  const auto order = args.value(1);
  if (order.empty()) return no(unmapped::kNoArguments);
  const bool squares = order == "2" || order == "2." || order == "2.0";
  if (!squares && order != "1" && order != "1." && order != "1.0" && order != "inf")
    return no(unmapped::kNotModelled);
  const auto count = args.lists(0)->size();
  if (*elements < count) return no(unmapped::kContradiction);
  const auto work = OwnWork().read("tensors", {*elements}, *type).write("norms", {count}, *type);
  return squares ? work.vector(2 * *elements - count, count) : work.vector(*elements - count);
}

/// (self, src): of two types, as the kernel's name says ("Copy<float, c10::BFloat16>").
Mapped copies(const Arguments& args) {
  const auto elements = elements_of(args, 0);
  if (!elements) return no(unmapped::kNoShapes);
  if (elements_of(args, 1) != elements) return no(unmapped::kContradiction);
  const auto types = two_types_in(args.kernel_name(), "Copy<");
  if (!types) return no(unmapped::kNoDtype);
  const auto& [to, from] = *types;
  return OwnWork().read("src", {*elements}, from).write("self", {*elements}, to).vector(0);
}

Mapped zeros(const Arguments& args) {
  const auto elements = elements_of(args, 0);
  if (!elements) return no(unmapped::kNoShapes);
  const auto type = functor_dtype(args.kernel_name());
  if (!type) return no(unmapped::kNoDtype);
  return OwnWork().write("tensors", {*elements}, *type).vector(0);
}

/// (gradients, found_inf, inverse of the scale): a product and whether it is finite.
Mapped unscaled(const Arguments& args) {
  const auto elements = elements_of(args, 0);
  if (!elements) return no(unmapped::kNoShapes);
  const auto type = functor_dtype(args.kernel_name());
  if (!type) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("gradients", {*elements}, *type)
      .write("unscaled", {*elements}, *type)
      .vector(2 * *elements);
}

constexpr Row kRows[] = {
    {"_foreach_norm", &norms},  {"_foreach_copy_", &copies},
    {"_foreach_zero_", &zeros}, {"_amp_foreach_non_finite_check_and_unscale_", &unscaled},
    {"_fused_adam_", &adam},    {"_fused_adamw_", &adamw},
    {"_fused_sgd_", &sgd},
};

constexpr std::string_view kForeach = "_foreach_";

}  // namespace

std::span<const Row> optimizers() { return kRows; }

bool is_foreach(std::string_view name) {
  return name.starts_with(kForeach) && elementwise_cost(name.substr(kForeach.size())) != nullptr;
}

Mapped map_foreach(std::string_view name, const Arguments& args) {
  const auto* cost = elementwise_cost(name.substr(kForeach.size()));
  if (!cost) return no(unmapped::kNotModelled);
  const auto elements = elements_of(args, 0);
  if (!elements) return no(unmapped::kNoShapes);
  const auto type = functor_dtype(args.kernel_name());
  if (!type) return no(unmapped::kNoDtype);
  std::vector<Sizes> inputs;
  for (std::size_t i = 0; i < cost->inputs; ++i)
    if (const auto list = elements_of(args, i)) {
      if (*list != *elements) return no(unmapped::kContradiction);
      inputs.push_back({*elements});
    }
  Description op("elementwise");
  op.sizes("shape", {*elements}).size_lists("inputs", inputs);
  op.count("flops_per_element", cost->vector);
  if (cost->sfu > 0) op.count("sfu_per_element", cost->sfu);
  op.dtypes("inputs", std::vector<std::string_view>(inputs.size(), *type));
  return std::move(op.dtype("output", *type));
}

}  // namespace roofline::mapping
