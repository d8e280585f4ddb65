#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/machine/catalog.hpp"

namespace roofline {

/// What `roofline gpus list` is asked for. Empty fields match everything; letter case, blanks and hyphens do not matter.
struct GpuFilter {
  std::string text;          ///< part of an id, name, alias, device name, vendor or family of chips
  std::string vendor;        ///< "nvidia"
  std::string architecture;  ///< part of an architecture's id or family: "hopper", "gb20x"
};
std::vector<Gpu> matching_gpus(std::span<const Gpu> gpus, const GpuFilter& filter);

/// One row per accelerator: id, name (where the line has room), DRAM bandwidth, L2, ridge points per dtype, flags; a
/// legend below.
std::string list_gpus(std::span<const Gpu> gpus, std::size_t width = 100);
std::string list_gpus_json(std::span<const Gpu> gpus);  ///< roofline.gpu-list/1

/// Every ceiling of one accelerator with unit, kind, clock, density and document, its warnings and notes.
std::string show_gpu(const Gpu& gpu, std::size_t width = 100);
std::string show_gpu_json(const Gpu& gpu);  ///< roofline.gpu-figures/1, base units

/// The sparsity, variant and clock story of the card, two lines, and the traps.
std::string why_gpu(const Gpu& gpu);

struct VerifiedGpu {
  std::string id;
  bool has_chip = false;  ///< its architecture is known, so the rates were held against the chip's
  Verification verification;
};
std::vector<VerifiedGpu> verify_gpus(std::span<const Gpu> gpus);
bool all_passed(std::span<const VerifiedGpu> verified);
/// Deviations above 2 % with their reasons, failures, and the count of what was derived again.
std::string verify_report(std::span<const VerifiedGpu> verified);
std::string verify_report_json(std::span<const VerifiedGpu> verified);  ///< roofline.gpu-verify/1

/// A commented roofline.gpu/1 file to start one's own from; it reads and verifies as it stands.
std::string_view gpu_template();

}  // namespace roofline
