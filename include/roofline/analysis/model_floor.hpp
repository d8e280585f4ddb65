#pragma once

#include <optional>
#include <vector>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/transformer.hpp"

namespace roofline {

/// Least time of a whole step on one GPU: its compulsory bytes at the DRAM's bandwidth, its matrix
/// products at the peaks of their datapaths, its collectives at the link's. What lies between
/// kernels is taken to stay on chip, so it is below the sum of the kernels' floors. Source:
/// docs/models.md; decode as in truth/values/models.json.
struct StepFloor {
  double bytes = 0;               ///< experts in expectation
  Seconds memory, compute, link;  ///< compute: products of all datapaths, one after another
  Seconds time;                   ///< the greatest
  Bound bound = Bound::memory;
  Count link_bytes;  ///< per direction
  std::optional<Intensity> intensity;
  std::optional<Ceiling> headline;  ///< of the datapath with most of the compute time
};

/// Errors: no_rate, where the GPU lacks a datapath of the step (with those it has).
Result<StepFloor> step_floor(const ModelStep& step, const Ceilings& ceilings);

/// Time of matrix products at the peaks of their datapaths. Errors: no_rate.
Result<Seconds> compute_time(std::span<const Term> products, const Ceilings& ceilings);

/// The smallest batch at which a decode step of this model, context and sharing spends as long on
/// products as on bytes. nullopt: each further sequence brings more cache time than product time,
/// so there is none. Errors: no_rate.
Result<std::optional<Count>> crossover_batch(const ModelStep& decode, const Ceilings& ceilings);

/// Whether weights, cache (and what the optimizer keeps) lie in the GPU's memory; activations are
/// not counted. nullopt: the capacity is unknown.
std::optional<bool> fits_memory(const ModelStep& step, const Gpu& gpu);

}  // namespace roofline
