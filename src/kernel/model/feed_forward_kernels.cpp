#include "kernel/model/kernel_list.hpp"

namespace roofline::model {
namespace {

/// Names of the kernels of one gated or plain block.
struct BlockNames {
  std::string_view in, activation, norm, out;
};
constexpr BlockNames kDense{"gate_up", "activation", "ffn_inner_norm", "down"};
constexpr BlockNames kPlain{"up", "activation", "ffn_inner_norm", "down"};
constexpr BlockNames kShared{"shared_gate_up", "shared_activation", "", "shared_down"};

void dense(KernelList& list, const Layer& layer, const DenseBlock& block, Slot in, Slot out,
           const BlockNames& names) {
  const Count tokens = list.shape().tokens(), h = list.model().hidden;
  if (block.inter == Count(0))
    return list.product("ffn_linear", layer.format(out), tokens, h, h, false);
  const StoredMatrix stored[] = {{in, block.inter, h, block.gated ? 2 : 1}};
  list.product(names.in, layer.format(in), tokens, stored, block.in_bias);
  list.activation(names.activation, block.activation, block.gated, tokens, block.inter);
  if (block.activation_params > Count(0))
    list.also_reads("params", list.bytes(block.activation_params));
  list.norm(names.norm, block.inner_norm, tokens, block.inter);
  list.product(names.out, layer.format(out), tokens, h, block.inter, block.out_bias);
}

void softmax(KernelList& list, Count rows, Count cols) {
  OpInput input;
  input.set("rows", {rows});
  input.set("cols", {cols});
  input.set("phase", {std::string("fwd")});
  input.set_dtype("input", list.shape().x);
  input.set_dtype("output", list.shape().x);
  list.add("router_softmax", "softmax", std::move(input));
}

/// Tokens go to the GPUs that hold their experts and come back.
void exchange(KernelList& list, std::string_view name, const ExpertBlock& block) {
  const auto& options = list.options();
  const Count groups = routed_groups(options);
  if (groups <= Count(1)) return;
  list.collective(name, "all_to_all", options.expert_parallel,
                  list.bytes(groups * list.shape().tokens() * block.top_k * list.model().hidden));
}

void routed(KernelList& list, const Layer& layer, const ExpertBlock& block) {
  const auto& shape = list.shape();
  const Count tokens = shape.tokens(), h = list.model().hidden;
  list.product("router", layer.format(Slot::router), tokens, block.experts, h, block.router_bias);
  softmax(list, tokens, block.experts);
  if (block.correction_bias) list.also_reads("correction", list.bytes(block.experts));
  if (block.router_params > Count(0)) list.also_reads("scales", list.bytes(block.router_params));
  exchange(list, "dispatch", block);
  const Count rows = expert_rows(block, shape, list.options()),
              distinct = touched_experts(block, shape, list.options());
  list.grouped("expert_gate_up", layer.format(Slot::expert_in), rows, distinct, block.inter, h,
               block.gated ? 2 : 1, block.bias);
  list.activation("expert_activation", block.activation, block.gated, rows, block.inter);
  list.grouped("expert_down", layer.format(Slot::expert_out), rows, distinct, h, block.inter, 1,
               block.bias);
  exchange(list, "collect", block);
}

/// The weighted sum of the experts' outputs, and the shared expert added to it.
void combine(KernelList& list, const ExpertBlock& block) {
  const Count shape[] = {list.shape().tokens(), list.model().hidden};
  const bool shared = block.shared_inter > Count(0);
  const Count k = block.top_k;
  list.elementwise(
      "combine", shape,
      {k + (shared ? Count(1) : Count(0)), k * 2 - 1 + (shared ? Count(1) : Count(0)), 0});
}

void experts(KernelList& list, const Layer& layer, const ExpertBlock& block) {
  routed(list, layer, block);
  if (block.shared_inter > Count(0)) {
    const DenseBlock shared{
        .inter = block.shared_inter, .gated = block.gated, .activation = block.activation};
    dense(list, layer, shared, Slot::shared_in, Slot::shared_out, kShared);
    if (block.shared_gate) {
      const Count tokens = list.shape().tokens(), h = list.model().hidden, shape[] = {tokens, h};
      list.product("shared_gate", layer.format(Slot::router), tokens, 1, h, false);
      list.elementwise("shared_scale", shape,
                       {1, 2, 2});  // a sigmoid per token, one multiplication per value
    }
  }
  combine(list, block);
}

}  // namespace

void emit_feed_forward(KernelList& list, const Layer& layer) {
  const Count tokens = list.shape().tokens(), h = list.model().hidden, shape[] = {tokens, h};
  if (layer.dense) {
    dense(list, layer, *layer.dense, Slot::dense_in, Slot::dense_out,
          layer.dense->gated ? kDense : kPlain);
    list.norm("after_dense_norm", layer.after_dense, tokens, h);
  }
  if (!layer.experts) return;
  list.norm("before_experts_norm", layer.before_experts, tokens, h);
  experts(list, layer, *layer.experts);
  list.norm("after_experts_norm", layer.after_experts, tokens, h);
  if (layer.dense) list.elementwise("dense_and_experts", shape, {2, 1, 0});
}

}  // namespace roofline::model
