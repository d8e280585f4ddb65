#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/model/inventory.hpp"
#include "roofline/kernel/transformer.hpp"

namespace roofline::model {

/// The sizes that every kernel of a step takes.
struct StepShape {
  bool decode = false, train = false;
  Count batch = 1, queries = 1;  ///< new tokens of a sequence
  Count cached =
      0;  ///< keys in the cache: decode, all that the new token sees; prefill, the prefix
  DType x = DType::bf16, cache = DType::bf16;
  Count tokens() const { return batch * queries; }
  Count keys() const { return decode ? cached : cached + queries; }
};

/// What a vector op costs per element beside what the op table knows.
struct ElementCost {
  Count inputs = 1, flops = 0, sfu = 0;
};

/// Collects the kernels of a step in the order in which they run. Evaluates every one through the
/// table of ops.
class KernelList {
 public:
  KernelList(const ModelConfig& model, const StepShape& shape, const StepOptions& options);

  void begin(std::string name,
             Count repeat);  ///< a section; every kernel up to the next runs so often

  void add(std::string_view name, std::string_view op, OpInput input);

  /// D[m,n] = A[m,k] W[n,k]^T + bias with W in `format`; `stored` are the matrices that make W up,
  /// for their scales.
  void product(std::string_view name, unsigned char format, Count m,
               std::span<const StoredMatrix> stored, bool bias);
  void product(std::string_view name, unsigned char format, Count m, Count n, Count k, bool bias);
  /// One small product per head: `batch` of them, W stored once.
  void head_products(std::string_view name, unsigned char format, Count batch, Count m, Count n,
                     Count k);
  /// Experts: `slots` rows spread evenly over `distinct` experts.
  void grouped(std::string_view name, unsigned char format, Count slots, Count distinct, Count n,
               Count k, Count matrices, bool bias);

  /// A norm of `rows` rows; an RMS norm adds the branch to the stream on the way when `residual`.
  void norm(std::string_view name, const Norm& norm, Count rows, Count cols, bool residual = false);
  void elementwise(std::string_view name, std::span<const Count> shape, const ElementCost& cost);
  void activation(std::string_view name, std::string_view function, bool gated, Count rows,
                  Count cols);
  void collective(std::string_view name, std::string_view kind, Count ranks, Count bytes);
  /// The last kernel reads `bytes` more.
  void also_reads(std::string_view operand, Count bytes);

  const StepShape& shape() const { return shape_; }
  const ModelConfig& model() const { return model_; }
  const StepOptions& options() const { return options_; }
  Count bytes(Count values) const;  ///< of activations

  std::vector<Kernel> kernels;
  std::vector<StepSection> sections;
  Errors errors;

 private:
  void keep(std::string_view name, const OpEntry& op, OpInput input, Work work);
  const WeightFormat& format(unsigned char index) const { return model_.formats[index]; }
  DType operand(const WeightFormat& format) const { return format.activation.value_or(shape_.x); }

  const ModelConfig& model_;
  StepShape shape_;
  const StepOptions& options_;
};

void emit_embedding(KernelList& list);
void emit_layer(KernelList& list, const LayerGroup& group, std::size_t index);
void emit_head(KernelList& list);

void emit_attention(KernelList& list, const Layer& layer);
void emit_feed_forward(KernelList& list, const Layer& layer);

/// Keys of one sequence that a query of this attention can see at most, of `keys` in all.
Count visible_keys(const AttentionBlock& attention, Count keys);

/// Experts of a layer that this GPU's kernels touch, rounded to a whole number; rows that they
/// multiply.
Count touched_experts(const ExpertBlock& experts, const StepShape& shape,
                      const StepOptions& options);
Count expert_rows(const ExpertBlock& experts, const StepShape& shape, const StepOptions& options);
/// Shares of the batch that meet at one set of experts.
Count routed_groups(const StepOptions& options);

/// The backward kernels of `forward`, last first, and the optimizer.
void emit_backward(KernelList& list, std::size_t forward_kernels, std::size_t forward_sections);
void emit_optimizer(KernelList& list, Count parameters);

}  // namespace roofline::model
