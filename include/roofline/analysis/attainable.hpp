#pragma once

#include <optional>
#include <string_view>

#include "roofline/analysis/floor.hpp"
#include "roofline/analysis/tile.hpp"

namespace roofline {

/// Class of kernels that share their attainable constants: "gemm" (16-bit operands), "gemm_8bit", "gemm_4bit",
/// "gemm_weight_only" (narrow weights, 16-bit activations), "attention_prefill", "attention_decode", else the op's family.
std::string_view op_class_of(const Kernel& kernel);

/// The constants of the kernel's class on this GPU, else those of the class "memory"; nullptr: none are known.
const AttainableShare* attainable_share(const Gpu& gpu, const Kernel& kernel);

/// Time of the datapath when the product runs in whole tiles and whole waves: `exact` over the best efficiency among
/// usual tiles, each in 1, 2 or 4 slices along k; or of `given` alone. `exact` where the SM count is unknown.
/// Source: docs/accuracy.md; the wave model is that of docs/model.md, "Tiles and waves".
Seconds wave_time(const Product& product, Seconds exact, const Ceilings& ceilings, const Tile* given = nullptr);

/// attainable = max(t_dram / bandwidth_share, t_compute / compute_share) + launch floor. What well-tuned kernels of the
/// class are seen to need; never a floor. `launch`: of the timing mode, where the class has no floor of its own.
/// `share`: from attainable_share(). nullopt: no constants for this GPU and class.
std::optional<Seconds> attainable_time(const Kernel& kernel, const AttainableShare* share, const Floor& floor,
                                       const Ceilings& ceilings, Seconds launch);

}  // namespace roofline
