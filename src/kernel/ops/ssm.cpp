#include "kernel/ops/activation_cost.hpp"
#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr ParamSpec kParams[] = {
    {.name = "batch", .doc = "sequences"},
    {.name = "length", .doc = "tokens per sequence"},
    {.name = "channels", .doc = "inner width"},
    {.name = "state", .doc = "state per channel"},
    {.name = "skip",
     .type = ParamType::flag,
     .required = false,
     .doc = "plus D*u",
     .default_value = "true"},
    {.name = "gate",
     .type = ParamType::flag,
     .required = false,
     .doc = "times silu(z)",
     .default_value = "false"},
};
constexpr OperandSpec kOperands[] = {
    {.name = "x", .doc = "u, dt, B, C, z and y; A and D are fp32", .traffic = "u dt B C z y"},
};
constexpr ParamAlias kAliases[] = {
    {"seq_len", "length"}, {"L", "length"}, {"d_inner", "channels"},
    {"d_state", "state"},  {"N", "state"},  {"batch_size", "batch"},
};

/// Per token and channel: exp(dt*A) N and N exponentials, dt*u 1, times B N, the state 2N, C times
/// it 2N, D*u 2. The recurrence stays on chip.
Counted ssm_scan(const OpInput& input) {
  const Count batch = input.count("batch"), length = input.count("length");
  const Count channels = input.count("channels"), state = input.count("state");
  const Count values = batch * length * channels;
  const bool skip = input.flag("skip", true), some = values > Count(0);
  const auto x = input.dtype("x");
  const Count stream = bytes(values, x), mixing = bytes(batch * length * state, x);
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  work.vector(values * (state * 6 + 1)).sfu(values * state);
  work.read("u", stream).read("dt", stream).read("B", mixing).read("C", mixing);
  work.read("A", bytes(some ? channels * state : Count(0), DType::fp32));
  if (skip) work.read("D", bytes(some ? channels : Count(0), DType::fp32)).vector(values * 2);
  if (input.flag("gate", false)) {
    const auto& silu = activation_cost("silu");
    work.read("z", stream).vector(values * (silu.vector + 1)).sfu(values * silu.sfu);
  }
  work.write("y", stream);
  return work;
}

}  // namespace

constexpr OpEntry kSsmScan = {
    .name = "ssm_scan",
    .family = "hpc",
    .doc = "Selective state-space scan (Mamba-1), the recurrence on chip",
    .params = kParams,
    .operands = kOperands,
    .aliases = kAliases,
    .work =
        "e = batch*length*channels, N states: vector e(6N+1) + 2e skip + 3e gate; sfu eN + 2e gate",
    .bytes = "u, dt, y (and z) e*s each; B, C batch*length*N*s each; A channels*N*4, D channels*4",
    .intensity = "N = 16: about 115/(3*s); gated 120/(4*s)",
    .source =
        "Gu and Dao 2023 (Mamba); other counters say 7N or 9N per element by their own conventions",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: selective_scan
    op: ssm_scan
    batch: 1
    length: 2048
    channels: 5120
    state: 16
    gate: true
    dtype: bf16
)yaml",
    .model = &ssm_scan,
};

}  // namespace roofline::op_models
