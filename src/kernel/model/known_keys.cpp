#include "kernel/model/known_keys.hpp"

#include <algorithm>
#include <iterator>

namespace roofline::model {
namespace {

constexpr std::string_view kEndings[] = {
    "_token_id", "_token_ids", "_token_index", "_token", "dropout", "_dropout", "_dropout_prob", "_dropout_rate", "_pdrop", "_drop",
    "_eps", "_epsilon", "_init", "_init_range", "initializer_range", "_coef", "_coefficient", "_std", "_theta", "_scaling_factor",
    "_class", "_version", "_scale", "_multiplier", "_limit", "_prob", "_fp32", "_alpha", "_loss", "_softcapping", "_softcap",
};
constexpr std::string_view kStarts[] = {"_", "rope_", "rotary_emb", "task_specific", "summary_", "tf_", "tokenizer", "transformers",
                                        "unsloth", "torch", "num_beam", "use_flash", "init_", "fan_", "mup_", "scale_", "router_"};

constexpr std::string_view kNames[] = {
    "activation_dropout", "alibi_bias_max", "apply_query_key_layer_scaling",
    "apply_residual_connection_post_layernorm", "architectures", "attention_multiplier",
    "attention_probs_dropout_prob", "attention_softmax_in_fp32", "attn_impl",
    "attn_logit_softcapping", "attn_scale", "attn_temperature_tuning", "auto_map",
    "aux_loss_alpha", "bad_words_ids", "begin_suppress_tokens", "bf16", "bias_dropout_fusion",
    "boi_token_index", "cache_implementation", "chunk_size_feed_forward", "classifier_activation",
    "classifier_dropout", "clip_qkv", "compression_config", "cross_attention_hidden_size",
    "diversity_penalty", "do_sample", "dtype", "early_stopping", "emb_pdrop", "embedding_fraction", "video_placeholder", "use_unified_vision_chunk", "padded_vocab_size", "use_qk_norm", "embd_pdrop",
    "encoder_no_repeat_ngram_size", "eoi_token_index", "ep_size", "expert_capacity",
    "exponential_decay_length_penalty", "finetuning_task", "forced_decoder_ids", "fp16", "fp32",
    "fp32_residual_connection", "generation_config", "gradient_checkpointing", "hidden_dropout",
    "hidden_dropout_prob", "id2label", "ignore_index", "image_token_index",
    "indexer_rope_interleave", "inference_runner", "init_device", "initial_context_length",
    "initializer_factor", "is_causal", "is_composition", "is_decoder", "label2id",
    "layer_norm_eps", "layer_switch", "layerdrop", "length_penalty", "logit_scale",
    "logits_scaling", "masked_softmax_fusion", "max_batch_size", "max_length", "max_new_tokens",
    "max_position_embeddings", "max_sequence_length", "media_placeholder_token_id", "min_length",
    "model_max_length", "model_type", "mrope_section", "mscale", "n_group", "name_or_path",
    "no_repeat_ngram_size", "norm_topk_prob", "num_labels", "num_logits_to_keep",
    "num_return_sequences", "offset_alibi", "onnx_safe", "original_max_position_embeddings",
    "original_rope", "output_attentions", "output_hidden_states", "output_past",
    "output_router_logits", "output_scores", "pad_key_length", "position_buckets",
    "position_embedding_type", "pre_allocate_kv_cache", "prefix", "pretraining_tp", "problem_type",
    "pruned_heads", "qk_norm_type", "qkv_clip", "quantization_config", "query_pre_attn_scalar",
    "remove_invalid_values", "repetition_penalty", "resid_drop", "resid_pdrop",
    "residual_multiplier", "return_dict", "return_dict_in_generate", "rope_interleave",
    "rotary_emb_base", "routed_scaling_factor", "scale_attn_weights", "scoring_func",
    "sep_token_id", "seq_aux", "seq_length", "skip_bias_add", "skip_bias_add_qkv",
    "sparsity_config", "suppress_tokens", "swiglu_limit", "temperature", "text_config",
    "tie_encoder_decoder", "tie_word_embeddings", "tokens_per_second", "top_k", "top_p",
    "topk_group", "topk_method", "torchscript", "typical_p", "use_bfloat16", "use_cache",
    "use_cache_in_training", "use_cache_kernel", "use_cache_quantization", "use_dynamic_ntk",
    "use_logn_attn", "use_mrope", "use_mup", "use_reentrant", "use_sdpa", "validate_runner_input",
    "verbose", "vision_soft_tokens_per_image",
};

template <std::size_t N, class Fits>
bool any(const std::string_view (&list)[N], Fits fits) {
  return std::any_of(std::begin(list), std::end(list), fits);
}

}  // namespace

bool is_harmless(std::string_view key) {
  return any(kNames, [&](std::string_view name) { return key == name; }) ||
         any(kEndings, [&](std::string_view end) { return key.ends_with(end); }) ||
         any(kStarts, [&](std::string_view start) { return key.starts_with(start); });
}

bool is_other_part(std::string_view key) {
  if (key == "text_config" || key == "quantization_config" || key == "generation_config") return false;
  constexpr std::string_view kParts[] = {"vision_config", "audio_config", "speech_config", "visual", "vision_tower", "vision", "perceiver_config",
                                         "projector_config", "vq_config", "talker_config", "vision_encoder", "aligner_config", "audio_encoder_config"};
  return any(kParts, [&](std::string_view name) { return key == name; });
}

}  // namespace roofline::model
