// Every number of the three articles on the roofline model that this program was written after: reproduced, or its
// rounding explained (`agrees: false` with a note). The value is computed by the library, not copied from the file.

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "roofline/analysis/fusion_audit.hpp"
#include "roofline/analysis/sequence.hpp"
#include "roofline/analysis/solve.hpp"
#include "roofline/analysis/tile.hpp"
#include "truth/described.hpp"

namespace roofline {
namespace {

using testing::described;
using testing::judged;
using Json = nlohmann::json;

const Gpu& machine(const std::string& name) {
  static std::map<std::string, Gpu> known;
  auto at = known.find(name);
  if (at == known.end()) at = known.emplace(name, testing::gpu(name)).first;
  return at->second;
}
const Gpu& h100() { return machine("h100"); }

/// H100 as the articles round it: 989 instead of the white paper's 989.4 TFLOP/s.
Gpu rounded_h100() {
  Gpu gpu = h100();
  gpu.tensor[static_cast<std::size_t>(RateType::bf16)]->dense = FlopRate(989e12);
  return gpu;
}
Gpu b200_at(double bandwidth) {
  Gpu gpu = machine("b200");
  gpu.dram_bandwidth->value = ByteRate(bandwidth);
  return gpu;
}
double ridge(const Gpu& gpu, RateType type = RateType::bf16) {
  const Ceilings ceilings(gpu);
  return ridge_point(*ceilings.of({PipeKind::tensor, type}, true), ceilings.dram()).value();
}
double peak(const Gpu& gpu, RateType type = RateType::bf16) {
  return Ceilings(gpu).of({PipeKind::tensor, type}, true)->per_second;
}
double bandwidth(const Gpu& gpu) { return Ceilings(gpu).dram().per_second; }

const std::string kAdd = "{op: elementwise, shape: [4096], inputs: [[4096], [4096]], flops_per_element: 1, dtype: fp32}";
std::string square(long n) {
  const auto s = std::to_string(n);
  return "{op: gemm, m: " + s + ", n: " + s + ", k: " + s + ", dtype: bf16}";
}
std::string decode(long b, long n, long k, const char* dtype = "bf16") {
  return "{op: gemm, m: " + std::to_string(b) + ", n: " + std::to_string(n) + ", k: " + std::to_string(k) + ", dtype: " + dtype + "}";
}
std::string attention(const char* more) {
  return std::string("{op: attention, batch: 1, seq_q: 8192, seq_k: 8192, head_dim: 128, dtype: bf16, ") + more + "}";
}

/// First N at which a one-variable description lies on the compute side, and the real value of the crossing.
Crossing crossing(const std::string& yaml, const std::string& variable, const Gpu& gpu) {
  auto document = read_yaml(yaml, "test.yaml");
  auto file = KernelFile::read(*document);
  const Ceilings ceilings(gpu);
  for (const auto& c : solve(state_of(*file, 0, 0, variable, ceilings), {1, 4096}).crossings)
    if (c.before.side != c.after.side) return c;
  throw std::runtime_error("no crossing");
}
const std::string kSquareOfN = "params: {N: 100}\nkernels: [{op: gemm, m: N, n: N, k: N, dtype: bf16}]";
double decode_crossover(long n, long k) {
  return *crossing("params: {B: 8}\nkernels: [{op: gemm, m: B, n: " + std::to_string(n) + ", k: " + std::to_string(k) +
                       ", dtype: bf16}]", "B", h100()).real_value;
}

FusionAudit chain() {
  std::ifstream file(std::string(ROOFLINE_SOURCE_DIR) + "/examples/rms_silu_gate_add.yaml");
  const std::string yaml((std::istreambuf_iterator<char>(file)), {});
  return *audit_fusion(*chain_of(described(yaml)), Ceilings(h100()));
}
double pass_bytes(std::size_t kernel) { return chain().as_written.groups[kernel].verdict.bytes().to_double(); }

Sequence twenty() {
  const Step step{Seconds(5e-6), Seconds(3e-6), 20};
  return run_sequence({&step, 1});
}
double score_traffic() {
  const auto workload = described("kernels: [" + attention("heads_q: 32, heads_kv: 32, impl: standard") + "]");
  return (*flash_alternative(workload.kernels[0], Ceilings(h100())))->score_bytes.to_double();
}
double backward_over_forward(const char* heads) {
  const auto flops = [&](const char* phase) {
    return judged(attention((std::string("heads_q: 1, heads_kv: 1, ") + heads + "phase: " + phase).c_str()), h100()).flops.to_double();
  };
  return flops("bwd") / flops("fwd");
}
double mla_ratio() {
  const auto flops = [&](const char* phase) {
    return judged(std::string("{op: attention, batch: 1, seq_q: 512, seq_k: 512, heads_q: 1, heads_kv: 1, head_dim: 192, "
                              "head_dim_v: 128, dtype: bf16, phase: ") + phase + "}", h100()).flops.to_double();
  };
  return flops("bwd") / flops("fwd");
}
double weight_bytes(const char* dtypes) {  // per element of the weight, of one decode step
  const auto work = described(std::string("kernels: [{op: gemm, m: 1, n: 4096, k: 4096, dtypes: ") + dtypes + "}]").kernels[0].work;
  for (const auto& t : work.operands())
    if (t.operand == "b") return t.read.to_double() / (4096.0 * 4096);
  return 0;
}
/// Batch at which 2 B FLOPs per weight element meet the ridge, weights alone counted.
double ideal_crossover(double ridge_of_arithmetic, double bytes_per_weight) { return ridge_of_arithmetic * bytes_per_weight / 2; }

const std::map<std::string, std::function<double()>> kComputed = {
    {"ew-intensity", [] { return judged(kAdd, h100()).intensity->value(); }},
    {"ew-ceiling", [] { return judged(kAdd, h100()).intensity->value() * bandwidth(h100()); }},
    {"ew-fraction-of-peak", [] { return judged(kAdd, h100()).intensity->value() * bandwidth(h100()) / peak(rounded_h100()); }},
    {"bytes-per-element", [] { return judged(kAdd, h100()).bytes().to_double() / 4096; }},
    {"matmul-bytes", [] { return judged(square(4096), h100()).bytes().to_double(); }},
    {"matmul-intensity", [] { return judged(square(4096), h100()).intensity->value(); }},
    {"matmul-n-at-295", [] { return 3 * std::round(ridge(h100())); }},
    {"matmul-n-at-ridge-989", [] { return *crossing(kSquareOfN, "N", rounded_h100()).real_value; }},
    {"matmul-n-at-ridge-989.4", [] { return *crossing(kSquareOfN, "N", h100()).real_value; }},
    {"matmul-first-compute-bound-989", [] { return crossing(kSquareOfN, "N", rounded_h100()).to.to_double(); }},
    {"matmul-first-compute-bound-989.4", [] { return crossing(kSquareOfN, "N", h100()).to.to_double(); }},
    {"ridge-989", [] { return ridge(rounded_h100()); }},
    {"ridge-989.4", [] { return ridge(h100()); }},
    {"decode-intensity-ideal", [] { return 2 / weight_bytes("{a: bf16, b: bf16, d: bf16}"); }},
    {"decode-intensity-8192", [] { return judged(decode(1, 8192, 8192), h100()).intensity->value(); }},
    {"decode-utilisation", [] { return 1 / ridge(rounded_h100()); }},
    {"activation-bytes", [] { return chain().intermediates.empty() ? 0 : pass_bytes(0) / 2; }},
    {"audit-rmsnorm", [] { return pass_bytes(0); }},
    {"audit-silu", [] { return pass_bytes(1); }},
    {"audit-mul", [] { return pass_bytes(2); }},
    {"audit-add", [] { return pass_bytes(3); }},
    {"audit-passes", [] { return double(chain().as_written.passes); }},
    {"audit-total", [] { return chain().as_written.bytes.to_double(); }},
    {"audit-floor", [] { return chain().as_written.floor.value(); }},
    {"fused-bytes", [] { return chain().fully_fused->bytes.to_double(); }},
    {"fused-floor", [] { return chain().fully_fused->floor.value(); }},
    {"fusion-speedup", [] { return chain().as_written.floor / chain().fully_fused->floor; }},
    {"bug-report-efficiency", [] { return chain().fully_fused->floor / Seconds(400e-6); }},
    {"score-matrix", [] { return score_traffic() / 4; }},
    {"score-traffic", [] { return score_traffic(); }},
    {"score-traffic-floor", [] { return score_traffic() / bandwidth(h100()); }},
    {"flash-traffic", [] { return judged(attention("heads_q: 32, heads_kv: 32"), h100()).bytes().to_double(); }},
    {"attention-forward", [] { return judged(attention("heads_q: 1, heads_kv: 1"), h100()).flops.to_double(); }},
    {"attention-backward-factor", [] { return backward_over_forward(""); }},
    {"attention-backward-factor-mla", [] { return mla_ratio(); }},
    {"h200-bandwidth", [] { return bandwidth(machine("h200")) / bandwidth(h100()) - 1; }},
    {"h200-ridge", [] { return ridge(machine("h200")); }},
    {"fp8-decode-speedup", [] { return weight_bytes("{a: bf16, b: bf16, d: bf16}") / weight_bytes("{a: fp8, b: fp8, d: bf16}"); }},
    {"fp8-compute-speedup", [] { return peak(h100(), RateType::fp8) / peak(h100()); }},
    {"fp8-crossover-bf16", [] { return ideal_crossover(ridge(h100()), weight_bytes("{a: bf16, b: bf16, d: bf16}")); }},
    {"fp8-crossover-fp8", [] { return ideal_crossover(ridge(h100(), RateType::fp8), weight_bytes("{a: fp8, b: fp8, d: bf16}")); }},
    {"w8a16-crossover", [] { return ideal_crossover(ridge(h100()), weight_bytes("{a: bf16, b: fp8, d: bf16}")); }},
    {"w4a16-crossover", [] { return ideal_crossover(ridge(h100()), weight_bytes("{a: bf16, b: int4, d: bf16}")); }},
    {"crossover-exact-8192", [] { return decode_crossover(8192, 8192); }},
    {"crossover-exact-4096x4096", [] { return decode_crossover(4096, 4096); }},
    {"crossover-exact-8192x28672", [] { return decode_crossover(8192, 28672); }},
    {"crossover-exact-57344x8192", [] { return decode_crossover(57344, 8192); }},
    {"crossover-exact-128256x8192", [] { return decode_crossover(128256, 8192); }},
    {"crossover-exact-2048x7168", [] { return decode_crossover(2048, 7168); }},
    {"naive-operand-reads", [] { return tiled_operand_elements(1024, 1024, 1024, 1, 1).to_double(); }},
    {"naive-intensity", [] { return 2 * 1024.0 * 1024 * 1024 / tiled_operand_elements(1024, 1024, 1024, 1, 1).to_double(); }},
    {"tiled-operand-reads", [] { return tiled_operand_elements(4096, 4096, 4096, 128, 128).to_double(); }},
    {"bwidth-90pct-at-4", [] { return 4 * bandwidth(h100()) * 0.9; }},
    {"epilogue-unfused-cost", [] {
       const auto w = described("kernels: [{op: gemm, m: 8192, n: 8192, k: 8192, dtype: bf16, bias: true}]");
       return epilogue_savings(w.kernels[0], Ceilings(h100())).at(0).bytes.to_double();
     }},
    {"chain-ratio-5", [] {
       std::string steps, dtypes = "{a0: fp32";
       for (int i = 0; i < 5; ++i) {
         steps += "{reads: [a" + std::to_string(i) + "], writes: [a" + std::to_string(i + 1) + "], flops: 1},";
         dtypes += ", a" + std::to_string(i + 1) + ": fp32";
       }
       const auto w = described("kernels: [{op: fused_chain, shape: [1000], fused: true, outputs: [a5], steps: [" + steps +
                                "], dtypes: " + dtypes + "}}]");
       const auto audit = *audit_fusion(*chain_of(w), Ceilings(h100()));
       return double(audit.as_written.passes) / audit.fully_fused->passes;
     }},
    {"ridge-a100-80", [] { return ridge(machine("a100-80gb")); }},
    {"ridge-a100-40", [] { return ridge(machine("a100-40gb")); }},
    {"ridge-growth-a100-80", [] { return ridge(h100()) / ridge(machine("a100-80gb")); }},
    {"ridge-growth-a100-40", [] { return ridge(h100()) / ridge(machine("a100-40gb")); }},
    {"b200-flops", [] { return peak(machine("b200")) / peak(h100()); }},
    {"b200-bw-8", [] { return bandwidth(b200_at(8e12)) / bandwidth(h100()); }},
    {"b200-bw-7.7", [] { return bandwidth(machine("b200")) / bandwidth(h100()); }},
    {"b200-ridge-8", [] { return ridge(b200_at(8e12)); }},
    {"b200-ridge-7.7", [] { return ridge(machine("b200")); }},
    {"b200-ridge-fp4", [] { return ridge(b200_at(8e12), RateType::fp4); }},
    {"launch-gpu-total", [] { return twenty().gpu_time.value(); }},
    {"launch-cpu-total", [] { return twenty().launch_time.value(); }},
    {"launch-serial", [] { return twenty().serial.value(); }},
    {"launch-pipelined", [] { return twenty().makespan.value(); }},
    {"launch-idle-share", [] { return 1 - twenty().gpu_busy; }},
    {"launch-serial-share", [] { return twenty().launch_time / twenty().serial; }},
    {"launch-graph-floor", [] { return twenty().as_graph.value(); }},
    {"fp16-ridge-few-hundred", [] { return ridge(h100(), RateType::fp16); }},
    {"h100-tensor-peak-from-clock", [] {
       for (const auto& check : verify(h100()).checks)
         if (check.figure == "tensor/bf16") return check.computed;
       return 0.0;
     }},
    {"h100-fp32-peak-from-clock", [] {
       for (const auto& check : verify(h100()).checks)
         if (check.figure == "vector/fp32") return check.computed;
       return 0.0;
     }},
    {"h100-sfu-peak", [] { return special_function_rate(h100())->value(); }},
    {"fa3-exp-share", [] {  // exponentials against matrix products of attention at head_dim 128, per pair
       // Both per pair of query and key, from the rates per clock: 4096 and 16 (the data sheet's peak is rounded).
       return (1.0 / h100().sfu_per_clock_per_sm->value) / (4 * 128.0 / (2 * *h100().tensor[static_cast<std::size_t>(RateType::bf16)]->fma_per_clock_per_sm));
     }},
};

std::vector<Json> cases() {
  std::ifstream file(std::string(ROOFLINE_TEST_DATA) + "/truth/values/seeds.json");
  return Json::parse(file).at("cases").get<std::vector<Json>>();
}

std::string case_name(const ::testing::TestParamInfo<Json>& param) {
  return testing::test_name(param.param.at("id"));
}

class Seeds : public ::testing::TestWithParam<Json> {};

TEST_P(Seeds, Reproduced) {
  const auto& c = GetParam();
  const auto at = kComputed.find(c.at("id"));
  ASSERT_NE(at, kComputed.end()) << c.at("id") << " is not computed";
  const double value = at->second(), exact = c.at("value");
  EXPECT_NEAR(value, exact, std::abs(exact) * 1e-9) << c.dump(1);
  if (!c.contains("stated_value")) return;
  const double stated = c.at("stated_value"), tolerance = c.at("tolerance");
  const bool agrees = std::abs(value - stated) <= tolerance + std::abs(stated) * 1e-12;
  EXPECT_EQ(agrees, c.at("agrees").get<bool>());
  EXPECT_TRUE(agrees || c.at("note") != "");  // a rounding that disagrees is explained
}

INSTANTIATE_TEST_SUITE_P(Truth, Seeds, ::testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace roofline
