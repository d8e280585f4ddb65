#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/formats/chrome_trace_operators.hpp"
#include "ingest/formats/nsys_tables.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// A range that PyTorch wrote for an operator under torch.autograd.profiler.emit_nvtx: "aten::mm,
/// seq = 3, op_id = 12, sizes = [[128, 256], [256, 512]], input_op_ids = [(11,0)]", of which any
/// part behind the name may be missing (getNvtxStr of torch/csrc/profiler/util.cpp).
struct EmittedRange {
  std::string_view name;
  std::string_view sizes;  ///< "[[128, 256], [256, 512]]"; empty: not recorded
  bool is_operator() const { return name.find("::") != std::string_view::npos; }
};
/// nullopt: it is not of that form.
std::optional<EmittedRange> emitted_range(std::string_view text);

/// The NVTX ranges of an export of Nsight Systems. Those of operators tell what launches were for:
/// a kernel's by the call that launched it, that of a graph's kernel by the moment that its node
/// was made, which is within the operator that was captured.
class NsysRanges {
 public:
  NsysRanges(const SqliteFile& file, NsysStrings& strings, const NsysClock& clock)
      : file_(file), strings_(strings), clock_(clock) {}
  /// Notes the node and the process of the sink's next launch, 0 for none.
  void add_launch(std::uint64_t graph_node, std::uint64_t process);
  void add_whole_graph();
  /// Reads the ranges and gives the launches their operations. All launches and calls must have
  /// been added. False: the file could not be read further.
  bool read(ImportSink& sink);

 private:
  struct Node {
    std::uint64_t time = 0, original = 0;
    std::uint32_t thread = 0;
  };
  bool read_nodes();
  void find_captures();

  const SqliteFile& file_;
  NsysStrings& strings_;
  const NsysClock& clock_;
  static constexpr std::string_view kEvents = "NVTX_EVENTS";
  const bool has_events_ = file_.has_table(kEvents);
  TraceOperators operators_;
  std::uint32_t launches_ = 0;
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_node_;  // launches
  std::unordered_map<std::uint64_t, Node> nodes_;
};

}  // namespace roofline
