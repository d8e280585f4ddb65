#include "report/audit/words.hpp"

#include <algorithm>
#include <iterator>

namespace roofline::audit_rows {
namespace {

// Sorted by word. Names on the right of `mapped` are the row's; on the left the op's parameters.
constexpr std::string_view kRowsByCols = "shape=[rows,cols];inputs=[[rows,cols]]";
constexpr std::string_view kTwoRowsByCols = "shape=[rows,cols];inputs=[[rows,cols],[rows,cols]]";
constexpr std::string_view kTokens = "rows=m;cols=n";
constexpr std::string_view kCached =
    "batch=b;heads_q=h;heads_kv=hkv;head_dim=d;seq_q=q_len|q;seq_k=kv_prefix|prefix+q_len|q";
constexpr OpWord kOpWords[] = {
    {"add", "elementwise", "flops_per_element=1", kTwoRowsByCols},
    {"addu", "elementwise", "flops_per_element=1", kRowsByCols},
    {"attention", "attention", "", kCached},
    {"attention_context", "attention", "", kCached},
    {"attention_fwd", "attention", "", "batch=b;heads_q=h;heads_kv=h;head_dim=d;seq_q=s;seq_k=s"},
    {"attention_generation", "attention", "", kCached},
    {"attn_post_proj", "gemm", "", ""},
    {"attn_pre_proj", "gemm", "", ""},
    {"bmm", "gemm", "", "batch=b"},
    {"clone", "copy", "", "shape=[rows,cols]"},
    {"conv2d_fwd", "conv", "",
     "batch=n;c_in=c;c_out=k;in=[h,w];kernel=[r,s];stride=[stride_h,stride_w];pad=[pad_h,pad_w]"},
    {"cross_entropy", "cross_entropy", "save_lse=true", "vocab=cols"},
    {"cross_entropy_bwd", "cross_entropy", "phase=bwd", "vocab=cols"},
    {"cross_entropy_fwd", "cross_entropy", "save_lse=true", "vocab=cols"},
    {"div", "elementwise", "flops_per_element=1;sfu_per_element=1", kTwoRowsByCols},
    {"divu", "elementwise", "flops_per_element=1", kRowsByCols},
    {"fused_add_rms_norm", "rmsnorm", "residual=true", ""},
    {"gelu", "activation", "kind=gelu_tanh", "shape=[rows,cols]"},
    {"input_layernorm", "rmsnorm", "weight=false", kTokens},
    {"layer_norm", "layernorm", "", ""},
    {"layernorm", "layernorm", "weight=false;bias=false", ""},
    {"linear", "gemm", "b_broadcast=true", "batch=b"},
    {"ln", "layernorm", "weight=false;bias=false", ""},
    {"matmul", "gemm", "", ""},
    {"mlp_down_proj", "gemm", "", ""},
    {"mlp_up_proj", "gemm", "", ""},
    {"mm", "gemm", "", ""},
    {"mul", "elementwise", "flops_per_element=1", kTwoRowsByCols},
    {"mulu", "elementwise", "flops_per_element=1", kRowsByCols},
    {"post_attention_layernorm", "rmsnorm", "weight=false", kTokens},
    {"pow", "elementwise", "flops_per_element=1;sfu_per_element=2", kTwoRowsByCols},
    {"powu", "elementwise", "flops_per_element=1", kRowsByCols},
    {"relu", "activation", "kind=relu", "shape=[rows,cols]"},
    {"relu_squared", "activation", "kind=relu2", "shape=[rows,cols]"},
    {"rms_norm", "rmsnorm", "", ""},
    {"rmsnorm_bwd", "rmsnorm", "phase=bwd", ""},
    {"rmsnorm_fwd", "rmsnorm", "", ""},
    {"rmsnorm_fwd_residual", "rmsnorm", "residual=true", ""},
    {"softmax_bwd", "softmax", "phase=bwd", ""},
    {"softmax_fwd", "softmax", "", ""},
    {"tanh", "activation", "kind=tanh", "shape=[rows,cols]"},
};
static_assert(std::is_sorted(std::begin(kOpWords), std::end(kOpWords),
                             [](const OpWord& a, const OpWord& b) { return a.word < b.word; }));

constexpr ProductTypes kProductTypes[] = {
    {"fp8", DType::fp8_e4m3, DType::fp8_e4m3, DType::bf16},
    {"fp8_block", DType::fp8_e4m3, DType::fp8_e4m3, DType::bf16},
    {"fp8_static", DType::fp8_e4m3, DType::fp8_e4m3, DType::bf16},
    {"fp8_e4m3", DType::fp8_e4m3, DType::fp8_e4m3, DType::bf16},
    {"fp8_e5m2", DType::fp8_e5m2, DType::fp8_e5m2, DType::bf16},
    {"nvfp4", DType::fp4_e2m1, DType::fp4_e2m1, DType::bf16, 16},
    {"int8", DType::int8, DType::int8, DType::bf16},
    {"sq", DType::int8, DType::int8, DType::bf16},  // SmoothQuant
    {"int8_wo", DType::bf16, DType::int8, DType::bf16},
    {"int4_wo", DType::bf16, DType::int4, DType::bf16},
};

constexpr double kMicro = 1e-6, kMilli = 1e-3, kNano = 1e-9;
constexpr TimeColumn kTimeColumns[] = {
    {"time_us", kMicro}, {"time_ms", kMilli}, {"time_s", 1.0}, {"time_ns", kNano}, {"time", std::nullopt},
    {"duration_us", kMicro}, {"duration_ms", kMilli}, {"duration_ns", kNano}, {"duration", std::nullopt},
    {"latency_us", kMicro}, {"latency_ms", kMilli}, {"latency", std::nullopt},
    {"time_us_per_launch", kMicro}, {"tpot_ms", kMilli},
    {"h100_us", kMicro, "h100-sxm5-80gb"},
};

constexpr double kGiga = 1e9, kTera = 1e12;
constexpr RateColumn kRateColumns[] = {
    {"tflops", kTera, false}, {"gflops", kGiga, false}, {"read_gbs", kGiga, true}, {"gbs", kGiga, true}};

// Published tables (docs/audit.md names them).
constexpr Layout kLayouts[] = {
    {"framework h100_us h200_us", "", Timing::graph},
    {"framework kernel_source m n k", "gemm", Timing::graph},
    {"framework kernel_source phase batch q_len", "attention", Timing::graph},
    {"framework op dtype params", "", Timing::graph},
    {"model op tp m n k", "", Timing::kernel},
    {"mode n bytes time_us_per_launch", "scale", Timing::unknown},
    {"intensity gbs gflops", "fma", Timing::unknown},
    {"working_set_kib read_gbs", "read", Timing::unknown},
    {"tpot_ms bytes_per_gpu_per_step", "decode_step", Timing::e2e},
    {"m n k", "gemm", Timing::unknown},
};

struct TimingWord {
  std::string_view word;
  Timing timing;
};
constexpr TimingWord kTimingWords[] = {
    {"stream", Timing::stream},    {"kernel", Timing::kernel},   {"event", Timing::event},
    {"events", Timing::event},     {"graph", Timing::graph},     {"e2e", Timing::e2e},
    {"do_bench", Timing::event},   {"host", Timing::e2e},        {"wall", Timing::e2e},
    {"dispatch+kernel", Timing::event}, {"launch", Timing::stream}, {"cuda_graph", Timing::graph},
    {"trace", Timing::kernel},     {"profile", Timing::kernel},
};

struct GpuWord {
  std::string_view word, id;
};
constexpr GpuWord kGpuWords[] = {
    {"gh200 144gb hbm3e", "gh200-144gb"}, {"gh200 96gb hbm3", "gh200-96gb"}, {"h800 sxm5", "h800-sxm5-80gb"},
    {"mi250x one gcd", "mi250x-gcd"},
};

constexpr std::string_view kAboutTheMeasurement[] = {
    "author_bound", "basis", "best_gbs", "cache", "ceiling_gflops", "class", "device", "floor_bound", "floor_us",
    "framework", "h100_floor_us", "h200_floor_us", "floor_speedup", "id", "impl", "kernel_source", "liger", "metric",
    "mhz", "model", "name", "note", "observed", "of_ceiling", "over_dram_peak", "ratio", "software", "source",
    "speedup", "tpot_floor_ms", "version", "watt", "why",
};

}  // namespace

const OpWord* find_op_word(std::string_view word) {
  const auto* row = std::lower_bound(std::begin(kOpWords), std::end(kOpWords), word,
                                     [](const OpWord& r, std::string_view w) { return r.word < w; });
  return row != std::end(kOpWords) && row->word == word ? row : nullptr;
}

const ProductTypes* find_product_types(std::string_view word) {
  const auto* row = std::find_if(std::begin(kProductTypes), std::end(kProductTypes),
                                 [word](const ProductTypes& r) { return r.word == word; });
  return row == std::end(kProductTypes) ? nullptr : row;
}

std::span<const TimeColumn> time_columns() { return kTimeColumns; }
std::span<const RateColumn> rate_columns() { return kRateColumns; }
std::span<const Layout> layouts() { return kLayouts; }

std::optional<Timing> find_timing_word(std::string_view text) {
  const auto word = text.substr(0, text.find_first_of(" ,;("));
  for (const auto& row : kTimingWords)
    if (row.word == word) return row.timing;
  return std::nullopt;
}

std::string_view gpu_word(std::string_view name) {
  for (const auto& row : kGpuWords)
    if (row.word == name) return row.id;
  return {};
}

bool is_about_the_measurement(std::string_view column) {
  return std::find(std::begin(kAboutTheMeasurement), std::end(kAboutTheMeasurement), column) != std::end(kAboutTheMeasurement);
}

}  // namespace roofline::audit_rows
