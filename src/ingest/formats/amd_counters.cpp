#include "ingest/formats/amd_counters.hpp"

#include <optional>

#include "roofline/base/text.hpp"

namespace roofline::formats {
namespace {

using Counters = std::map<std::string, double, std::less<>>;

std::optional<double> find(const Counters& counters,
                           std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (const auto at = counters.find(name); at != counters.end()) return at->second;
  return std::nullopt;
}

constexpr double kLanes = 64, kFlopsOfMop = 512;

struct Row {
  std::string_view counter, metric;
  double worth;
};
// Packed half precision is one instruction there and two operations here: half of the lanes.
constexpr Row kWork[] = {
    {"SQ_INSTS_VALU_ADD_F16", "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", kLanes / 2},
    {"SQ_INSTS_VALU_TRANS_F16", "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", kLanes / 2},
    {"SQ_INSTS_VALU_MUL_F16", "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", kLanes / 2},
    {"SQ_INSTS_VALU_FMA_F16", "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", kLanes / 2},
    {"SQ_INSTS_VALU_ADD_F32", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_TRANS_F32", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_MUL_F32", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_FMA_F32", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_ADD_F64", "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_TRANS_F64", "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_MUL_F64", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_FMA_F64", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", kLanes},
    {"SQ_INSTS_VALU_MFMA_MOPS_F16", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", kFlopsOfMop},
    {"SQ_INSTS_VALU_MFMA_MOPS_BF16", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", kFlopsOfMop},
    {"SQ_INSTS_VALU_MFMA_MOPS_F64", "sm__ops_path_tensor_src_fp64.sum", kFlopsOfMop},
    {"SQ_INSTS_VALU_MFMA_MOPS_I8", "sm__ops_path_tensor_src_int8.sum", kFlopsOfMop},
};

}  // namespace

std::string_view amd_kernel_name(std::string_view name) {
  for (const std::string_view suffix : {" [clone .kd]", " (.kd)", "(.kd)", ".kd"})
    if (name.ends_with(suffix)) return trimmed(name.substr(0, name.size() - suffix.size()));
  return name;
}

std::vector<std::pair<std::string, double>> translated_amd_counters(const Counters& counters) {
  std::vector<std::pair<std::string, double>> metrics;
  const auto reads = find(counters, {"TCC_EA_RDREQ_sum", "TCC_EA0_RDREQ_sum"});
  const auto small = find(counters, {"TCC_EA_RDREQ_32B_sum", "TCC_EA0_RDREQ_32B_sum"});
  if (reads && small) {
    const auto large = find(counters, {"TCC_BUBBLE_sum"}).value_or(0);
    metrics.emplace_back("dram__bytes_read.sum",
                         128 * large + 64 * (*reads - large - *small) + 32 * *small);
  } else if (const auto kilobytes = find(counters, {"FETCH_SIZE", "FetchSize"})) {
    metrics.emplace_back("dram__bytes_read.sum", *kilobytes * 1024);
  }
  const auto writes = find(counters, {"TCC_EA_WRREQ_sum", "TCC_EA0_WRREQ_sum"});
  const auto wide = find(counters, {"TCC_EA_WRREQ_64B_sum", "TCC_EA0_WRREQ_64B_sum"});
  if (writes && wide)
    metrics.emplace_back("dram__bytes_write.sum", 64 * *wide + 32 * (*writes - *wide));
  else if (const auto kilobytes = find(counters, {"WRITE_SIZE", "WriteSize"}))
    metrics.emplace_back("dram__bytes_write.sum", *kilobytes * 1024);
  std::map<std::string_view, double> work;
  for (const auto& row : kWork)
    if (const auto count = find(counters, {row.counter})) work[row.metric] += *count * row.worth;
  for (const auto& [metric, value] : work) metrics.emplace_back(metric, value);
  return metrics;
}

}  // namespace roofline::formats
