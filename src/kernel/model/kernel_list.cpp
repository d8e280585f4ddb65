#include "kernel/model/kernel_list.hpp"

#include <cmath>

#include "kernel/ops/activation_cost.hpp"
#include "kernel/ops/expected_experts.hpp"

namespace roofline::model {
namespace {

Value number(Count value) { return {value}; }

Value shape_value(std::span<const Count> sizes) {
  ValueList list;
  for (const auto size : sizes) list.push_back({size});
  return {std::move(list)};
}

/// Whether the op gemm can read W as it is stored: whole values, nothing beside them.
bool is_plain(const WeightFormat& format) {
  return format.bits == describe(format.dtype).bits && scale_bytes(format, 1, 1) == Count(0);
}

/// Activations that no row of the op `activation` has: FLOP and special functions per element.
struct OddActivation {
  std::string_view name;
  bool gated;
  ElementCost cost;
};
constexpr OddActivation kOdd[] = {
    {"gelu_erf", true, {2, 5, 1}},  // gelu(gate) * up
    {"relu2", true, {2, 3, 0}},     // max, square, * up
    {"xielu", false, {1, 8, 1}},    // two branches of a learned quadratic and an exponential
    {"gpt_oss", true, {2, 8, 2}},   // both clamped, gate * sigmoid(alpha gate) * (up + 1)
    {"quick_gelu", true, {2, 4, 2}},
};

constexpr std::pair<std::string_view, std::string_view> kGated[] = {
    {"silu", "swiglu"}, {"gelu_tanh", "geglu_tanh"}, {"relu", "reglu"}};

}  // namespace

KernelList::KernelList(const ModelConfig& model, const StepShape& shape, const StepOptions& options)
    : model_(model), shape_(shape), options_(options) {}

Count KernelList::bytes(Count values) const {
  return ceil_div(values * Count(describe(shape_.x).bits), 8);
}

void KernelList::begin(std::string name, Count repeat) {
  sections.push_back({std::move(name), kernels.size(), 0, repeat});
}

void KernelList::keep(std::string_view name, const OpEntry& op, OpInput input, Work work) {
  Kernel kernel;
  kernel.name = std::string(name);
  kernel.op = &op;
  kernel.input = std::move(input);
  kernel.work = std::move(work);
  kernel.where = model_.place;
  kernel.repeat = sections.back().repeat;
  if (kernel.work.overflowed())
    errors.push_back({Code::limit_exceeded,
                      model_.place,
                      "the work of " + kernel.name + " passes 2^127",
                      {},
                      {}});
  kernels.push_back(std::move(kernel));
  sections.back().count += 1;
}

void KernelList::add(std::string_view name, std::string_view op, OpInput input) {
  const auto* entry = find_op(op);
  auto work = entry->model(input);
  if (!work) {
    errors.push_back({Code::no_rate,
                      model_.place,
                      std::string(name) + ": " + work.error().what,
                      work.error().hint,
                      {}});
    return;
  }
  keep(name, *entry, std::move(input), std::move(*work));
}

void KernelList::product(std::string_view name, unsigned char index, Count m, Count n, Count k,
                         bool bias) {
  const StoredMatrix one{Slot::qkv, n, k};
  product(name, index, m, std::span(&one, 1), bias);
}

void KernelList::product(std::string_view name, unsigned char index, Count m,
                         std::span<const StoredMatrix> stored, bool bias) {
  const auto& f = format(index);
  const auto a = operand(f);
  Count n = 0;
  const Count k = stored.front().k;
  for (const auto& matrix : stored) n += matrix.n * matrix.copies;
  OpInput input;
  input.set("m", number(m));
  input.set("n", number(n));
  input.set("k", number(k));
  if (bias) input.set("bias", {true});
  input.set_dtype("a", a);
  for (const std::string_view name_of : {"d", "c", "bias"}) input.set_dtype(name_of, shape_.x);
  if (!f.qgemm.empty()) {
    input.set("format", {std::string(f.qgemm)});
    if (f.dtype == DType::int4) {
      input.set("group", number(f.group));
      input.set("zeros", {f.zero_bits > 0});
      if (f.act_order) input.set("act_order", {true});
    } else if (f.qgemm == "fp8_block") {
      input.set("group", number(f.group));
    }
    input.set_dtype("scale", DType::fp16);
    return add(name, "qgemm", std::move(input));
  }
  input.set_dtype("b", f.dtype);
  if (is_plain(f)) return add(name, "gemm", std::move(input));
  // A storage that no op has: the product of a gemm, its weights and their scales as they lie in
  // memory.
  const auto* gemm = find_op("gemm");
  Work work(Work::Headline::matmul, matmul_pipe(a, f.dtype));
  work.matmul(m * n * k * 2).read("a", ceil_div(m * k * Count(describe(a).bits), 8));
  for (const auto& matrix : stored) {
    const Count scales = scale_bytes(f, matrix.n, matrix.k) * matrix.copies;
    work.read("b", weight_bytes(f, matrix.n, matrix.k) * matrix.copies - scales)
        .read("b_scale", scales);
  }
  work.write("d", bytes(m * n));
  work.vector(RateType::fp32, f.group > Count(0) || f.whole_row
                                  ? n * k * 2
                                  : m * n);  // widened once, or scaled at the end
  if (bias) work.read("bias", bytes(n)).vector(RateType::fp32, m * n);
  keep(name, *gemm, std::move(input), std::move(work));
}

void KernelList::head_products(std::string_view name, unsigned char index, Count batch, Count m,
                               Count n, Count k) {
  const auto& f = format(index);
  OpInput input;
  input.set("m", number(m));
  input.set("n", number(n));
  input.set("k", number(k));
  input.set("batch", number(batch));
  input.set_dtype("a", operand(f));
  input.set_dtype("b", f.dtype);
  for (const std::string_view name_of : {"d", "c", "bias"}) input.set_dtype(name_of, shape_.x);
  add(name, "gemm", std::move(input));
  if (!kernels.empty() && !is_plain(f)) also_reads("b_scale", scale_bytes(f, batch * n, k));
}

void KernelList::grouped(std::string_view name, unsigned char index, Count slots, Count distinct,
                         Count n, Count k, Count matrices, bool bias) {
  const auto& f = format(index);
  ValueList groups;
  const Count each = floor_div(slots, max(distinct, 1)), more = slots - each * distinct;
  for (Count i = 0; i < distinct; i += 1)
    groups.push_back({ValueList{{each + (i < more ? Count(1) : Count(0))}, {n * matrices}, {k}}});
  OpInput input;
  input.set("groups", {std::move(groups)});
  input.set_dtype("a", operand(f));
  input.set_dtype("b", f.dtype);
  input.set_dtype("d", shape_.x);
  add(name, "grouped_gemm", std::move(input));
  if (!is_plain(f)) also_reads("b_scale", scale_bytes(f, n, k) * matrices * distinct);
  if (bias) also_reads("bias", bytes(n * matrices * distinct));
}

void KernelList::norm(std::string_view name, const Norm& norm, Count rows, Count cols,
                      bool residual) {
  if (!norm) return;
  const bool rms = norm.kind == NormKind::rms;
  if (residual && !rms) {
    const Count shape[] = {rows, cols};
    elementwise("residual_add", shape, {2, 1, 0});
  }
  OpInput input;
  input.set("rows", number(rows));
  input.set("cols", number(cols));
  input.set("phase", {std::string("fwd")});
  input.set("weight", {norm.weight});
  if (rms) {
    input.set("residual", {residual});
    if (shape_.train) input.set("save_rstd", {true});
  } else {
    input.set("bias", {norm.bias});
    if (shape_.train) input.set("save_stats", {true});
  }
  for (const std::string_view operand_name : {"x", "y", "weight", "dweight"})
    input.set_dtype(operand_name, shape_.x);
  add(name, rms ? "rmsnorm" : "layernorm", std::move(input));
}

void KernelList::elementwise(std::string_view name, std::span<const Count> shape,
                             const ElementCost& cost) {
  OpInput input;
  input.set("shape", shape_value(shape));
  ValueList inputs;
  for (Count i = 0; i < cost.inputs; i += 1) inputs.push_back(shape_value(shape));
  input.set("inputs", {std::move(inputs)});
  input.set("flops_per_element", number(cost.flops));
  input.set("sfu_per_element", number(cost.sfu));
  input.set_dtype("inputs", shape_.x);
  input.set_dtype("output", shape_.x);
  add(name, "elementwise", std::move(input));
}

void KernelList::activation(std::string_view name, std::string_view function, bool gated,
                            Count rows, Count cols) {
  const Count shape[] = {rows, cols};
  for (const auto& odd : kOdd)
    if (odd.name == function && odd.gated == gated) return elementwise(name, shape, odd.cost);
  if (gated)
    for (const auto& [plain, form] : kGated)
      if (plain == function) function = form;
  const auto& cost = op_models::activation_cost(function);
  if (cost.gated != gated)
    return elementwise(name, shape, {2, cost.vector + 1, cost.sfu});  // function(gate) * up
  OpInput input;
  input.set("kind", {std::string(function)});
  input.set("shape", shape_value(shape));
  input.set_dtype("input", shape_.x);
  input.set_dtype("output", shape_.x);
  add(name, "activation", std::move(input));
}

void KernelList::collective(std::string_view name, std::string_view kind, Count ranks, Count size) {
  OpInput input;
  input.set("kind", {std::string(kind)});
  input.set("ranks", number(ranks));
  input.set("size_bytes", number(size));
  add(name, "collective", std::move(input));
}

void KernelList::also_reads(std::string_view operand_name, Count more) {
  if (!kernels.empty()) kernels.back().work.read(operand_name, more);
}

Count routed_groups(const StepOptions& options) {
  return floor_div(options.expert_parallel, min(options.expert_parallel, options.tensor_parallel));
}

Count touched_experts(const ExpertBlock& experts, const StepShape& shape,
                      const StepOptions& options) {
  const double all = op_models::expected_experts(experts.experts, experts.top_k,
                                                 shape.tokens() * routed_groups(options));
  const Count held = held_experts(experts);
  const double share = all * held.to_double() / experts.experts.to_double();
  const Count rounded = Count(std::llround(share));
  return min(max(rounded, 1), min(held, max(expert_rows(experts, shape, options), 1)));
}

Count expert_rows(const ExpertBlock& experts, const StepShape& shape, const StepOptions& options) {
  const Count all = shape.tokens() * routed_groups(options) * experts.top_k;
  return ceil_div(all * held_experts(experts), experts.experts);
}

}  // namespace roofline::model
