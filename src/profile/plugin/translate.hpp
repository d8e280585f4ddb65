#pragma once

#include <cstdint>

#include "profile/plugin/api_roles.hpp"
#include "profile/plugin/capture_writer.hpp"
#include "profile/plugin/cupti_api.hpp"
#include "profile/plugin/devices.hpp"
#include "profile/plugin/losses.hpp"
#include "profile/plugin/nvtx_ranges.hpp"

namespace roofline::profile::plugin {

/// Where translated records go, and what translating needs to know.
struct Translation {
  std::uint32_t cupti_version = 0;  ///< of the library that wrote the records
  const ApiRoles& roles;
  NvtxRanges& ranges;
  Devices& devices;
  Losses& losses;
};

/// One CUPTI activity record to records of the capture. This file alone names versions of CUPTI's
/// structs: they only ever grew at the end, so the fields of an old version are read from a new
/// record, and those that a version brought only where the library is at least that new.
void translate(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch);

}  // namespace roofline::profile::plugin
