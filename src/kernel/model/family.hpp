#pragma once

#include <span>
#include <string_view>

#include "roofline/kernel/model_config.hpp"

namespace roofline::model {

class ConfigKeys;

/// A yes or no that a config may state: the key (several spellings, separated by spaces; empty: it
/// never says) and what holds where it does not.
struct Choice {
  std::string_view keys;
  bool otherwise = false;
};
inline constexpr Choice kYes{"", true}, kNo{"", false};

/// Where the norms of a layer stand.
enum class Places : unsigned char {
  before,     ///< in front of attention and of the feed-forward part
  after_sum,  ///< behind each addition (BERT)
  on_branch,  ///< behind attention and behind the feed-forward part, on the branch (OLMo 2)
  both,       ///< before and on_branch (Gemma 2)
};

/// Which elements queries and keys are normalised over, if they are.
enum class QkNorm : unsigned char {
  none,
  per_head,     ///< one weight of head_dim for all heads
  each_head,    ///< a weight of head_dim for every head
  whole_width,  ///< over all heads of a token
};

/// How the layers with a sliding window are told.
enum class Windows : unsigned char {
  none,
  all,            ///< every layer, where the window is given
  upper_layers,   ///< from max_window_layers on, with use_sliding_window (Qwen)
  even_layers,    ///< 0, 2, 4 ... (Gemma 2, gpt-oss)
  all_but_every,  ///< all but every sliding_window_pattern-th (Gemma 3)
  listed,         ///< only by layer_types
};

enum class Positions : unsigned char { rotary, learned, alibi };

/// Which layers have experts, and what the keys are called.
struct ExpertKeys {
  std::string_view experts = "num_local_experts num_experts n_routed_experts";
  std::string_view top_k = "num_experts_per_tok";
  std::string_view inter = "moe_intermediate_size";  ///< "": the size of the dense part
  bool gated = true, bias = false, router_bias = false;
  bool correction_bias = false;
  std::string_view correction_if{};  ///< only where this key holds the value below
  std::string_view correction_value{};
  std::string_view shared_count{};  ///< shared experts, each as wide as a routed one
  std::string_view shared_inter{};  ///< width of the shared expert
  bool shared_gate = false;
  std::string_view first_dense{};  ///< key: so many layers in front are dense
  std::string_view last{};  ///< key: index of the last layer with experts; -1: the last layer
  std::string_view step{};  ///< key: every so many layers
  int step_default = 1;
  bool step_at_end = false;  ///< layer i counts where (i + 1) % step == 0, else where i % step == 0
  std::string_view dense_list{};  ///< key: a list of dense layers
};

struct Draft;
using Hook = void (*)(ConfigKeys& keys, Draft& draft, ModelConfig& model);

/// What the transformers library (or the model's own code) makes of one model_type: names of the
/// keys, and what holds where a config is silent.
struct Family {
  std::string_view model_type;
  ModelKind kind = ModelKind::decoder;

  // sizes: keys, several spellings separated by spaces
  std::string_view hidden = "hidden_size";
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view kv_heads = "num_key_value_heads";  ///< absent in the file: as many as heads
  std::string_view head_dim = "head_dim";             ///< absent in the file: hidden / heads
  int head_dim_default = 0;                           ///< where the library has a fixed one
  std::string_view inter = "intermediate_size";
  int inter_factor = 0;  ///< absent or null: so many times hidden
  std::string_view vocab = "vocab_size";
  std::string_view max_positions = "max_position_embeddings";

  // tables and head
  Positions positions = Positions::rotary;
  int position_offset = 0;  ///< rows beyond max_positions
  std::string_view token_types{};
  std::string_view embedding_width{};  ///< key; narrower than hidden, with a projection
  bool embedding_norm = false;
  Choice tied{"tie_word_embeddings", true};
  Choice head_bias = kNo;
  bool pooler = false;

  // norms
  NormKind norm = NormKind::rms;
  Choice norm_bias = kNo;
  Choice norm_weight = kYes;
  Places places = Places::before;
  Choice parallel = kNo;
  int parallel_norms = 1;  ///< of a layer whose two parts run side by side
  bool final_norm = true;

  // attention
  Choice qkv_bias = kNo, out_bias = kNo;
  QkNorm qk_norm = QkNorm::none;
  Choice qk_norm_if = kYes;
  NormKind qk_norm_kind = NormKind::rms;
  bool qk_norm_bias = false;
  std::string_view rotary_share = "partial_rotary_factor rotary_pct";
  double rotary_share_default = 1;
  std::string_view rotary_dim{};
  Windows windows = Windows::none;
  int window_default = 0;  ///< where the file says nothing
  int window_every = 0;    ///< all_but_every: the library's own figure
  bool sinks = false;
  bool latent = false, indexer = false;

  // feed-forward
  bool gated = true;
  Choice in_bias = kNo, ff_out_bias = kNo;
  std::string_view activation_keys = "hidden_act hidden_activation activation_function";
  std::string_view activation = "silu";  ///< where the file is silent
  const ExpertKeys* experts = nullptr;
  std::string_view predicted_layers{};  ///< key: multi-token-prediction layers

  // what the columns above cannot say
  Hook prepare = nullptr;  ///< sizes that all layers share, before they are laid out
  Hook adjust = nullptr;   ///< layer by layer, afterwards
};

/// A model while its config is read.
struct Draft {
  const Family& family;
  Count layers = 1;
  Layer base;  ///< what all layers share
  DenseBlock dense;
  std::optional<Count>
      dense_inter;  ///< absent: the config does not say (all layers may have experts)
  std::optional<ExpertBlock> experts;
  std::vector<Layer> list;  ///< every layer, in order
};

std::span<const Family> families();  ///< sorted by model_type
const Family* find_family(std::string_view model_type);

/// Model types that are known and not counted: the key that shows why, and the reason.
struct Uncounted {
  std::string_view model_type, key, reason;
};
std::span<const Uncounted> uncounted();

}  // namespace roofline::model
