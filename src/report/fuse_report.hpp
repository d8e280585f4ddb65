#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/analysis/fusion_audit.hpp"

namespace roofline {

/// Everything that `roofline fuse` says of one description on one GPU.
struct FuseReport {
  const Ceilings* ceilings = nullptr;
  std::string source_file;
  Chain chain;          ///< no kernels where the description is no chain
  FusionAudit audit;
  std::vector<AttentionAlternative> attention;
  struct Epilogue {
    std::string kernel;
    std::vector<EpilogueSaving> savings;
  };
  std::vector<Epilogue> epilogues;
};

/// Audits a workload: its chain, attention whose scores go through memory, and the epilogues of its products.
/// Errors: the chain's, where there is neither attention nor an epilogue to speak of; a missing rate.
Checked<FuseReport> fuse(const Workload& workload, const Ceilings& ceilings, const std::string& source_file);

void write_fuse_page(Page& page, const FuseReport& report, std::optional<Seconds> launch_cost);
void write_fuse_json(JsonWriter& json, const FuseReport& report);  ///< members of roofline.fusion/1 into the open object

}  // namespace roofline
