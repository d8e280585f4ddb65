#pragma once

#include <string_view>

#include "roofline/machine/gpu.hpp"

namespace roofline {

/// Fills `mma_sync`: architecture's mma.sync rate x SMs x 2 x clock (tensor where stated, else boost), cut as the
/// product's dense rate is cut from the chip's, rounded to whole operations per second. Types whose rate the entry
/// does not state stay empty: the cut is not known then.
void derive_mma_sync(Gpu& gpu);

/// Fills what every GPU of the catalog has: the launch floor (`defaults` where the entry states none) and the
/// attainable share of the class "memory", which is the measured DRAM bandwidth over the peak.
void complete_ceilings(Gpu& gpu, const LaunchFloor& defaults);

/// Whether the entry holds a figure that verify() derives again: "dram", "vector/<type>", "tensor/<type>".
bool has_checked_figure(const Gpu& gpu, std::string_view figure);

}  // namespace roofline
