#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/kernel/kernel.hpp"
#include "roofline/kernel/model_config.hpp"

namespace roofline {

/// What a model stores, in numbers: every tensor once (tied embeddings once), by role.
struct Parameters {
  Count embedding;  ///< tables of tokens, positions and types; the projection of patches
  Count head;       ///< 0 where the head is the embedding
  Count norms, biases;
  Count attention, dense, experts, router, shared;  ///< matrices of the layers
  Count other;                                      ///< sinks, class tokens, learned activations
  Count idle_experts;   ///< of `experts` and `biases`: what a single token does not visit
  Count idle_matrices;  ///< of `experts`
  Count end_matrices;   ///< what the head, tied or not, and projections of the embedding multiply with
  Count extra;          ///< multi-token-prediction layers; not in total()

  Count total() const;
  Count active() const;         ///< total() less idle experts: tables and head included
  Count matmul_active() const;  ///< what a token is multiplied with: no tables, norms, biases
};
Parameters count_parameters(const ModelConfig& model);

enum class Phase : unsigned char { prefill, decode, train };
std::string_view phase_name(Phase phase);
std::optional<Phase> find_phase(std::string_view name);

/// What a step is asked of a model.
struct StepOptions {
  Phase phase = Phase::decode;
  Count batch = 1;                      ///< sequences (images) on one GPU's share of the batch
  Count context = 0;                    ///< decode: keys that the new token sees
  Count tokens = 0;                     ///< prefill, train: new tokens of a sequence
  Count prefix = 0;                     ///< prefill: keys that lie in the cache already
  std::optional<WeightFormat> weights;  ///< instead of what the config says
  std::optional<DType> activations;     ///< what matrices are multiplied with
  std::optional<DType> kv_dtype;        ///< of the cache
  bool latent_rows_656 =
      false;  ///< latent cache as FlashMLA's fp8 rows: values, scales, 16-bit rotary part
  Count tensor_parallel = 1, expert_parallel = 1, pipeline_parallel = 1;
  bool all_logits = false;  ///< prefill: logits of every token, not of the last one
};

/// Kernels of a workload that belong together: the embedding, a group of layers, the head.
struct StepSection {
  std::string name;
  std::size_t first = 0, count = 0;  ///< kernels of the workload
  Count repeat = 1;                  ///< layers of the group
};

/// Experts of the layers of one group, as one GPU reads them.
struct ExpertTraffic {
  Count experts, top_k;  ///< routed among; picked by a token
  Count held;            ///< by this GPU
  Count bytes;           ///< of one expert's weights, in all layers of the group together
};

/// Compulsory DRAM bytes of one step on one GPU, activations between kernels left out: weights
/// once, experts in expectation, looked-up rows, the cache. Linear in the batch but for the
/// experts.
struct StepTraffic {
  Count dense_weights;  ///< matrices, norms and biases that every step reads
  std::vector<ExpertTraffic> experts;
  Count rows_per_sequence;  ///< embedding rows
  Count shared_rows;        ///< rows of positions that all sequences share
  Count kv_read_per_sequence, kv_written_per_sequence;
  Count optimizer;            ///< train: gradients, moments, master copies
  Count tokens_per_sequence;  ///< routed
  Count routed_groups = 1;    ///< shares of the batch that meet at the experts

  /// Experts of a layer that `batch` sequences touch on this GPU, in expectation (uniform,
  /// independent routing).
  double distinct_experts(const ExpertTraffic& experts, Count batch) const;
  double weights(Count batch) const;  ///< bytes
  double bytes(Count batch) const;
};

/// One step of a model: its kernels, its compulsory traffic, and what must lie in memory.
struct ModelStep {
  ModelConfig share;    ///< what one GPU holds of the model
  StepOptions options;  ///< as asked, defaults filled in
  Workload workload;    ///< one GPU's kernels, layers with repeats
  std::vector<StepSection> sections;
  StepTraffic traffic;
  std::vector<Term> matmul;  ///< matrix products of the step by datapath
  Count matmul_flops;
  Count forward_flops;       ///< train: a third of what utilization counts
  Count weight_bytes;        ///< one GPU's, embedding included
  Count model_weight_bytes;  ///< of the whole model
  Count kv_bytes_per_token;  ///< of the whole model, no window taken into account
  Count kv_bytes;            ///< one GPU's cache before the step: batch, context, windows
  Count kv_bytes_after;      ///< and after it
  Count optimizer_bytes;     ///< train: gradients, moments, master weights
  Count memory_bytes() const { return weight_bytes + kv_bytes_after + optimizer_bytes; }
  Count tokens;                         ///< that the step makes or reads, over the whole batch
  std::vector<std::string> statements;  ///< what was assumed
};

/// The kernels of one step. Errors (Location of the config, or none where an option is at fault):
/// sizes that do not divide among the GPUs, a phase that the model does not have, products without
/// a datapath.
Checked<ModelStep> plan_step(const ModelConfig& model, const StepOptions& options);

}  // namespace roofline
