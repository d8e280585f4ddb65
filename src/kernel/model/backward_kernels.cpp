#include "kernel/model/kernel_list.hpp"
#include "kernel/ops/activation_cost.hpp"

namespace roofline::model {
namespace {

Value number(Count value) { return {value}; }

/// D = A W^T + b backwards: the gradient of A is dD W, that of W is dD^T A, that of b the sum over
/// rows.
void product_backward(KernelList& list, const Kernel& forward) {
  const auto& in = forward.input;
  const Count m = in.count("m"), n = in.count("n"), k = in.count("k"), batch = in.count("batch", 1);
  const auto gemm = [&](std::string_view suffix, Count rows, Count columns, Count inner) {
    OpInput input;
    input.set("m", number(rows));
    input.set("n", number(columns));
    input.set("k", number(inner));
    if (batch != Count(1)) input.set("batch", number(batch));
    for (const std::string_view operand : {"a", "b", "d", "c", "bias"})
      input.set_dtype(operand, list.shape().x);
    list.add(forward.name + std::string(suffix), "gemm", std::move(input));
  };
  gemm("_dgrad", m, k, n);
  gemm("_wgrad", n, k, m);
  if (in.flag("bias", false))
    list.kernels.back()
        .work.write("dbias", list.bytes(n))
        .vector(RateType::fp32, max(0, (m - 1) * n));
}

void grouped_backward(KernelList& list, const Kernel& forward) {
  const auto transform = [&](std::string_view suffix, bool weights) {
    ValueList groups;
    for (const auto& group : forward.input.count_lists("groups")) {
      if (weights)
        groups.push_back({ValueList{{group[1]}, {group[2]}, {group[0]}}});
      else
        groups.push_back({ValueList{{group[0]}, {group[2]}, {group[1]}}});
    }
    OpInput input;
    input.set("groups", {std::move(groups)});
    for (const std::string_view operand : {"a", "b", "d"}) input.set_dtype(operand, list.shape().x);
    list.add(forward.name + std::string(suffix), "grouped_gemm", std::move(input));
  };
  transform("_dgrad", false);
  transform("_wgrad", true);
}

/// The same op with its backward phase.
void phase_backward(KernelList& list, const Kernel& forward) {
  auto input = forward.input;
  input.set("phase", {std::string("bwd")});
  input.set("save_lse", {false});
  const bool residual = forward.op->name == "rmsnorm" && input.flag("residual", false);
  list.add(forward.name + "_backward", forward.op->name, std::move(input));
  if (!residual) return;
  const Count values = forward.input.count("rows") *
                       forward.input.count("cols");  // the branch's gradient meets the stream's
  list.kernels.back().work.read("dresidual", list.bytes(values)).vector(RateType::fp32, values);
}

/// An op that is its own reverse: a rotation by the negative angle, a sum over GPUs, a fan-out of
/// gradients.
void same_backward(KernelList& list, const Kernel& forward) {
  list.add(forward.name + "_backward", forward.op->name, forward.input);
}

/// The derivative costs about twice the function: once more for its value, once for the product
/// rule.
void activation_backward(KernelList& list, const Kernel& forward) {
  const auto& cost = op_models::activation_cost(forward.input.choice("kind", "none"));
  const auto shape = forward.input.counts("shape");
  list.elementwise(forward.name + "_backward", shape,
                   {cost.gated ? 3 : 2, cost.vector * 2 + 1, cost.sfu});
  if (cost.gated) list.kernels.back().work.write("dup", list.bytes(shape[0] * shape[1]));
}

using Backward = void (*)(KernelList&, const Kernel&);
constexpr std::pair<std::string_view, Backward> kBackward[] = {
    {"gemm", &product_backward},          {"grouped_gemm", &grouped_backward},
    {"attention", &phase_backward},       {"rmsnorm", &phase_backward},
    {"layernorm", &phase_backward},       {"softmax", &phase_backward},
    {"cross_entropy", &phase_backward},   {"embedding", &phase_backward},
    {"activation", &activation_backward}, {"rope", &same_backward},
    {"elementwise", &same_backward},      {"collective", &same_backward},
};

}  // namespace

void emit_backward(KernelList& list, std::size_t forward_kernels, std::size_t forward_sections) {
  const std::vector<Kernel> forward(
      list.kernels.begin(), list.kernels.begin() + static_cast<std::ptrdiff_t>(forward_kernels));
  for (std::size_t s = forward_sections; s-- > 0;) {
    const auto section = list.sections[s];
    list.begin(section.name + ", backward", section.repeat);
    for (std::size_t i = section.first + section.count; i-- > section.first;)
      for (const auto& [op, backward] : kBackward)
        if (op == forward[i].op->name) backward(list, forward[i]);
  }
}

void emit_optimizer(KernelList& list, Count parameters) {
  list.begin("optimizer", 1);
  OpInput input;
  input.set("params", number(parameters));
  input.set("kind", {std::string("adamw")});
  for (const std::string_view operand : {"p", "g"}) input.set_dtype(operand, list.shape().x);
  for (const std::string_view operand : {"m", "v", "master"}) input.set_dtype(operand, DType::fp32);
  list.add("adamw", "optimizer", std::move(input));
}

}  // namespace roofline::model
