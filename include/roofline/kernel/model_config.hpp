#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/weight_format.hpp"
#include "roofline/quantities/count.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline {

/// One normalisation as it is stored: RMS norms have a weight as a rule, layer norms a weight and a
/// bias.
enum class NormKind : unsigned char { none, rms, layer };
struct Norm {
  NormKind kind = NormKind::none;
  bool weight = true, bias = false;
  explicit operator bool() const { return kind != NormKind::none; }
  friend bool operator==(const Norm&, const Norm&) = default;
};

/// Which formats the matrices of a layer are stored in: positions in ModelConfig::formats, 0 is the
/// plain dtype.
enum class Slot : unsigned char {
  query_down,
  qkv,
  latent_down,
  latent_up,
  attention_out,
  indexer,  // attention
  dense_in,
  dense_out,
  expert_in,
  expert_out,
  shared_in,
  shared_out,
  router,
  lm_head,
};
inline constexpr std::size_t kSlots = 14;

/// Attention of one layer. Grouped: queries of `heads`, keys and values of `kv_heads`. Latent
/// (MLA): one row of kv_rank + rope_dim values per token serves all heads.
struct AttentionBlock {
  enum class Kind : unsigned char { none, grouped, latent, linear_layer };
  Kind kind = Kind::grouped;
  bool causal = true;
  Count heads = 1, kv_heads = 1, head_dim = 0, value_dim = 0;  ///< value_dim: of a value head
  bool q_bias = false, k_bias = false, v_bias = false, out_bias = false;
  bool values_are_keys = false;  ///< no matrix for values
  Norm qk_norm;
  Count q_norm_size = 0, k_norm_size = 0;  ///< elements of the weights of qk_norm
  bool norm_whole_width = false;           ///< over all heads of a token at once, not head by head
  bool value_norm = false;                 ///< without weights
  Norm inner_norm;       ///< in front of the output projection, heads * value_dim wide
  Count rotary_dim = 0;  ///< rotated values per head; 0: no rotary embedding
  Count window = 0;      ///< keys that a query sees, its own included; 0: all
  Count chunk = 0;       ///< keys are seen within blocks of so many positions; 0: no blocks
  bool sinks = false;    ///< a learned logit per head
  Count q_rank = 0, kv_rank = 0, rope_dim = 0;  ///< latent; q_rank 0: queries in one step
  Count index_heads = 0, index_dim = 0,
        index_top_k = 0;  ///< sparse attention: an indexer picks keys
  Count nope_dim() const { return head_dim - rope_dim; }
  friend bool operator==(const AttentionBlock&, const AttentionBlock&) = default;
};

/// Two or three matrices around an activation.
struct DenseBlock {
  Count inter = 0;
  bool gated = true, in_bias = false, out_bias = false;
  std::string_view activation = "silu";
  Norm inner_norm;              ///< in front of the output projection
  Count activation_params = 0;  ///< learned numbers inside the activation
  friend bool operator==(const DenseBlock&, const DenseBlock&) = default;
};

/// Routed experts, and the shared expert that every token visits.
struct ExpertBlock {
  Count experts = 1, top_k = 1, inter = 0;
  bool gated = true, bias = false, router_bias = false;
  bool correction_bias = false;  ///< one number per expert that shifts the routing
  Count shared_inter = 0;        ///< 0: no shared expert
  bool shared_gate = false;      ///< a row of weights that scales the shared expert
  Count router_params = 0;       ///< learned scales of the router beside its matrix
  std::string_view activation = "silu";
  Count local_experts = 0;  ///< held by one GPU; `experts` without expert parallelism
  friend bool operator==(const ExpertBlock&, const ExpertBlock&) = default;
};

/// One layer. Norms are `hidden` wide.
struct Layer {
  AttentionBlock attention;
  std::optional<DenseBlock> dense;
  std::optional<ExpertBlock> experts;  ///< beside `dense`: both read the stream and are added
  Norm before_attention, after_attention, before_ffn, after_ffn;
  Norm after_dense, before_experts, after_experts;  ///< where dense and experts stand side by side
  bool norm_on_sum =
      false;              ///< after_*: of the stream after the addition (BERT), not of the branch
  bool parallel = false;  ///< attention and feed-forward read the same stream
  std::array<unsigned char, kSlots> formats{};  ///< by Slot
  unsigned char format(Slot slot) const { return formats[static_cast<std::size_t>(slot)]; }
  friend bool operator==(const Layer&, const Layer&) = default;
};

/// Layers that are alike. `stored` is 1 where one set of weights runs several times (ALBERT).
struct LayerGroup {
  Layer layer;
  Count repeat = 1, stored = 1;
};

/// What turns tokens (or patches) into the stream.
struct EmbeddingBlock {
  Count vocab = 0, width = 0;      ///< 0 rows: no token table (vision)
  Count positions = 0, types = 0;  ///< rows of the tables of positions and of token types
  Count position_width = 0;        ///< 0: `width`
  Count other_params = 0;          ///< class and distillation tokens
  Count patch_inputs = 0;          ///< values of a patch; its projection has a bias
  Norm norm;                       ///< `width` wide
  bool projected = false, project_bias = false;  ///< width -> hidden by a matrix
};

struct HeadBlock {
  bool present = false, tied = false, bias = false;
  Count rows = 0, width = 0;  ///< output rows; input width
  bool projected = false;     ///< hidden -> width by a matrix in front (OPT)
  Count pooler = 0;           ///< 1: a hidden x hidden matrix with a bias on the first token
  Count classifier = 0;       ///< labels of a classification head with a bias
};

/// Weights beside the model proper: multi-token-prediction layers.
struct ExtraBlock {
  std::string name;
  Count parameters;
};

enum class ModelKind : unsigned char { decoder, encoder, vision };

/// A transformer as its config describes it: every size known, nothing left to the library's
/// defaults.
struct ModelConfig {
  std::string name, architecture, model_type;
  ModelKind kind = ModelKind::decoder;
  Count hidden = 0;
  EmbeddingBlock embedding;
  std::vector<LayerGroup> groups;  ///< in order of first appearance
  std::vector<unsigned> order;     ///< group of every layer
  Norm final_norm;
  HeadBlock head;
  std::vector<ExtraBlock> extras;
  DType dtype = DType::bf16;          ///< of activations and of what is not quantised
  std::vector<WeightFormat> formats;  ///< [0]: plain `dtype`
  unsigned char head_format = 0;
  std::optional<DType> kv_dtype;  ///< where the config says so
  std::string quantization;       ///< as the config names it; empty: none
  std::vector<std::string>
      not_counted;                   ///< parts of the file that no figure contains: "vision_config"
  std::vector<std::string> unknown;  ///< keys that this program does not know; they changed nothing
  std::vector<std::string> assumptions;  ///< sentences
  Count max_positions = 0;               ///< longest sequence by the config; 0: not said
  Location place;                        ///< of the model's map
};

struct ModelConfigOptions {
  std::string family;  ///< read as this model_type, whatever the file says; empty: as it says
  bool ignore_quantization = false;  ///< the caller says how weights are stored
};

/// Reads the config.json of a model in Hugging Face's format, and the hf_quant_config.json that
/// stood beside it. Errors, all with their place: unknown model_type, a field that changes the
/// model and is not understood, missing or impossible sizes, sizes that contradict each other.
Checked<ModelConfig> read_model_config(const YamlDocument& config,
                                       const YamlDocument* quantization = nullptr,
                                       const ModelConfigOptions& options = {});

/// The model types that can be counted, sorted.
std::vector<std::string_view> model_types();

}  // namespace roofline
