#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// Which counters are asked of which chip: specs/cupti/metrics.yaml as constant data. The plug-in
/// runs inside of other people's programs and uses it too, so this header needs the standard
/// library alone.
namespace roofline {

/// What a counter means, whatever a chip calls it. Sectors are 32 B; wavefronts of shared memory
/// move up to 128 B.
enum class Role : unsigned char {
  time_ns,
  dram_read_bytes,
  dram_write_bytes,
  dram_read_percent,  ///< of the peak bandwidth, over the kernel's time; chips without byte
                      ///< counters
  dram_write_percent,
  sysmem_fill_sectors,  ///< sectors that memory of the system handed to the L2: a lower bound of
                        ///< reads
  dram_clock_hz,
  l2_bytes,
  l2_read_sectors,
  l2_write_sectors,
  l2_hit_sectors,
  l1_bytes,
  l1_hit_sectors,
  shared_wavefronts,
  shared_wavefronts_tensor_core,  ///< operand reads of tcgen05, which no other counter sees
  shared_wavefronts_sass,
  shared_bank_conflicts,  ///< wavefronts that only conflicts made necessary
  shared_bytes_required,  ///< what threads asked for
  shared_insts,
  fp32_add,
  fp32_mul,
  fp32_fma,
  fp32x2_add,  ///< packed: two operations an instruction
  fp32x2_mul,
  fp32x2_fma,
  fp8x4_add,  ///< QADD4 and its kin: four operations by their name; unconfirmed
  fp8x4_mul,
  fp8x4_fma,
  fp64_add,
  fp64_mul,
  fp64_fma,
  fp16x2_add,
  fp16x2_mul,
  fp16x2_fma,
  sfu_warp_insts,  ///< the whole XU pipe, conversions too
  integer_thread_insts,
  warp_insts,
  thread_insts,
  thread_insts_pred_on,
  global_bytes_required,
  global_sectors,
  local_insts,
  tma_load_insts,
  occupancy_percent,
  active_warp_cycles,
  warp_slots,  ///< per cycle, all SMs
  issue_active_cycles,
  issue_slots,  ///< per cycle, all SMs
  tensor_active_percent,
  sm_cycles,
  sm_clock_hz,
  sampled_l2_sectors,
  sm_active_cycles,  ///< mean over the SMs
  gpc_cycles,
  tensor_active_cycles,  ///< sum over the SMs
};
inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::tensor_active_cycles) + 1;

/// As specs/cupti/metrics.yaml spells them, in the order of Role.
inline constexpr std::array<std::string_view, kRoles> kRoleNames = {
    "time_ns",
    "dram_read_bytes",
    "dram_write_bytes",
    "dram_read_percent",
    "dram_write_percent",
    "sysmem_fill_sectors",
    "dram_clock_hz",
    "l2_bytes",
    "l2_read_sectors",
    "l2_write_sectors",
    "l2_hit_sectors",
    "l1_bytes",
    "l1_hit_sectors",
    "shared_wavefronts",
    "shared_wavefronts_tensor_core",
    "shared_wavefronts_sass",
    "shared_bank_conflicts",
    "shared_bytes_required",
    "shared_insts",
    "fp32_add",
    "fp32_mul",
    "fp32_fma",
    "fp32x2_add",
    "fp32x2_mul",
    "fp32x2_fma",
    "fp8x4_add",
    "fp8x4_mul",
    "fp8x4_fma",
    "fp64_add",
    "fp64_mul",
    "fp64_fma",
    "fp16x2_add",
    "fp16x2_mul",
    "fp16x2_fma",
    "sfu_warp_insts",
    "integer_thread_insts",
    "warp_insts",
    "thread_insts",
    "thread_insts_pred_on",
    "global_bytes_required",
    "global_sectors",
    "local_insts",
    "tma_load_insts",
    "occupancy_percent",
    "active_warp_cycles",
    "warp_slots",
    "issue_active_cycles",
    "issue_slots",
    "tensor_active_percent",
    "sm_cycles",
    "sm_clock_hz",
    "sampled_l2_sectors",
    "sm_active_cycles",
    "gpc_cycles",
    "tensor_active_cycles",
};

/// Names as CUPTI takes them: NUL-terminated, in the order that the pass counts rest on.
using MetricList = std::span<const char* const>;

/// The counters of one pass configuration without the instrumented ones, which cost one pass more.
struct MetricSet {
  MetricList hw;
  int hw_passes = 0;
};

/// The core set with the counters of the tensor types that a kernel's machine code executes.
struct TensorMetricSet {
  std::string_view name;    ///< "fp16_acc32"
  std::uint32_t types = 0;  ///< bits of TensorType
  std::string_view path;    ///< "wgmma", "mma.sync"; empty: the counters see every path
  MetricSet set;
};

/// Tensor types as counters tell them apart.
enum TensorType : std::uint32_t {
  kTensorFp16 = 1u << 0,
  kTensorFp16Acc16 = 1u << 1,
  kTensorBf16 = 1u << 2,
  kTensorTf32 = 1u << 3,
  kTensorFp64 = 1u << 4,
  kTensorInt8 = 1u << 5,
  kTensorInt4 = 1u << 6,
  kTensorInt1 = 1u << 7,
  kTensorFp8 = 1u << 8,
  kTensorFp6Fp4 = 1u << 9,
  kTensorScaledFp4 = 1u << 10,
};
struct TensorTypeName {
  TensorType bit;
  std::string_view name;
};
inline constexpr TensorTypeName kTensorTypes[] = {
    {kTensorFp16, "fp16"},
    {kTensorFp16Acc16, "fp16_acc16"},
    {kTensorBf16, "bf16"},
    {kTensorTf32, "tf32"},
    {kTensorFp64, "fp64"},
    {kTensorInt8, "int8"},
    {kTensorInt4, "int4"},
    {kTensorInt1, "int1"},
    {kTensorFp8, "fp8"},
    {kTensorFp6Fp4, "fp6_fp4"},
    {kTensorScaledFp4, "fp4_scaled"},
};

/// Chips whose metric lists are equal.
struct MetricFamily {
  std::string_view name;                ///< "GA102"
  MetricList chips;                     ///< as cuptiDeviceGetChipName spells them
  std::string_view compute_capability;  ///< of its first chip
  MetricList sass;                      ///< instrumented counters: one pass
  MetricSet core;
  std::span<const TensorMetricSet> tensor;  ///< empty: no tensor cores
  MetricSet tensor_all;  ///< every type at once, where machine code does not tell the type
  MetricSet memory;      ///< DRAM traffic where it needs a configuration of its own; else empty
  MetricList peaks;      ///< `*.peak_sustained`: no pass
  MetricList sampling;   ///< one pass of PM sampling; empty: the chip has none
};

/// What a metric name means.
struct MetricMeaning {
  std::string_view metric;
  std::optional<Role> role;
  std::string_view tensor_pipe;  ///< "tensor:bf16" of a tensor counter (operations, a multiply-add
                                 ///< is two); else empty
};

std::span<const MetricFamily> metric_families();  ///< oldest first
const MetricFamily* find_metric_family(std::string_view chip);
const MetricMeaning* find_metric_meaning(std::string_view metric);
/// What stands in the file of sets: "CUDA 13.0".
std::string_view metric_sets_toolkit();

}  // namespace roofline
