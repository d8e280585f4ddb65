#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "roofline/machine/calibration.hpp"
#include "roofline/quantities/count.hpp"
#include "roofline/quantities/pipe.hpp"
#include "roofline/quantities/quantity.hpp"

namespace roofline {

/// Where a figure comes from and how far it is trusted.
struct Origin {
  std::vector<std::string> sources;  ///< keys into specs/sources.yaml
  std::string note;
  bool derived = false;      ///< computed from other figures of the entry
  bool unconfirmed = false;  ///< no source of good standing was read
  bool doubtful = false;     ///< sources disagree, or the figure fails its own arithmetic
  std::string measured_by;   ///< of measured figures
  std::string pattern;       ///< copy, triad
  std::string kind;          ///< "theoretical" or "measured" where the table holds either; empty: a stated figure
};

/// Title, revision and address of a document that figures come from.
struct Source {
  std::string key, title, revision, address, seen;
};

template <class T>
struct Figure {
  T value{};
  Origin origin;
};
template <class T>
using MaybeFigure = std::optional<Figure<T>>;

/// Which of the two clocks a peak is stated at. NVIDIA states tensor peaks of H100 at 1830 MHz and vector peaks at 1980.
enum class ClockKind { boost, tensor };

/// One arithmetic peak. "dense" never counts structured sparsity.
struct Peak {
  FlopRate dense;                              ///< FLOP/s, or op/s for integer types
  std::optional<FlopRate> sparse;              ///< the vendor's figure with 2:4 sparsity
  std::optional<double> fma_per_clock_per_sm;  ///< dense rate of the product, after product cuts
  ClockKind clock = ClockKind::boost;
  std::optional<DType> accumulate;  ///< type of the running sum, where the file says so
  Origin origin;
  std::vector<std::string> rate_sources;
};
using Peaks = std::array<std::optional<Peak>, kRateTypes>;  // by RateType

/// Time from one kernel to the next on the GPU, by how kernels are launched.
struct LaunchFloor {
  Figure<Seconds> stream, graph;
};

/// Shares of the ceilings that well-tuned kernels of a class reach, and the time a launch adds (docs/model.md).
struct AttainableShare {
  std::string op_class;  ///< "gemm", "attention", "memory" ...
  double bandwidth_share = 1, compute_share = 1;
  Seconds launch_floor;
  Origin origin;
};

/// A ratio of two dense tensor peaks that every product of a chip keeps: fp8 is twice fp16 on Hopper.
struct RateRatio {
  RateType of = RateType::none, to = RateType::none;
  double ratio = 1;
};

/// What a chip family can do per clock; products refer to it by name.
struct Architecture {
  std::string id, family;
  std::vector<std::string> cupti_chips;
  std::vector<RateType> tensor_unsupported, vector_unsupported;
  std::array<std::optional<double>, kRateTypes> vector_fma{}, tensor_fma{}, tensor_mma_sync_fma{}, tensor_sparse_fma{};
  Origin mma_sync_origin;
  std::string note;
  std::string compute_capability;
  Origin vector_origin, tensor_origin, sparse_origin;
  MaybeFigure<double> sfu_per_clock_per_sm, shared_bytes_per_clock_per_sm;
  MaybeFigure<double> l2_slice_read_bytes_per_clock, l2_to_sm_bytes_per_clock_per_sm;
  std::string sparsity = "2:4";  ///< the pattern behind "sparse"; the ratio to dense is 2 only for this one
  std::vector<RateRatio> fixed_ratios;
};

struct Deviation {
  std::string figure;  ///< "tensor/int8", "dram"
  std::string reason;
};

/// What was measured on the user's own GPU of an entry: beside the table's figures, never over them.
struct OwnCeilings {
  Calibration calibration;
  Origin origin;  ///< of each of them
};

/// Everything known of one accelerator. A figure that is absent is unknown.
struct Gpu {
  std::string id, name, vendor, architecture, scope;
  std::vector<std::string> aliases;
  bool preliminary = false;
  std::vector<std::string> notes, warnings;
  std::string why;  ///< the clock, sparsity and variant story of the card in two lines
  MaybeFigure<std::vector<std::string>> device_names, pci_device_ids;
  MaybeFigure<std::string> cupti_chip, compute_capability, memory_type;

  MaybeFigure<Count> sm_count, memory_bus_bits;
  MaybeFigure<Hertz> boost_clock, tensor_clock, memory_data_rate;  ///< the last in bit/s per pin
  MaybeFigure<Bytes> memory_capacity, l2_capacity, llc_capacity, scratchpad_capacity, shared_memory_per_sm;
  MaybeFigure<ByteRate> dram_bandwidth_disputed;  ///< what another document states for the same card
  MaybeFigure<ByteRate> dram_bandwidth, dram_bandwidth_measured, l2_bandwidth, llc_bandwidth;
  MaybeFigure<double> shared_bytes_per_clock_per_sm, sfu_per_clock_per_sm, tdp_watts;
  MaybeFigure<ByteRate> nvlink, c2c, pcie, gcd_link;  ///< per direction
  MaybeFigure<ByteRate> link_both_directions, ici_both_directions;

  Peaks vector, tensor;
  Peaks mma_sync;  ///< the lower tensor ceiling of kernels that issue mma.sync; derived from the architecture's rate
  std::vector<RateType> tensor_unsupported, vector_unsupported;  ///< of the architecture
  std::optional<LaunchFloor> launch_floor;
  std::vector<AttainableShare> attainable;
  std::optional<OwnCeilings> calibrated;
  std::vector<Deviation> expected_deviations;
  std::optional<Architecture> chip;  ///< the architecture's rates; absent in a user's file that names none
  std::vector<Source> own_sources;   ///< documents that a user's file brings along
  std::string file;                  ///< where a user's own entry was read from; empty for the built-in table

  std::optional<Hertz> clock(ClockKind kind) const;  ///< tensor clock where stated, else boost
  /// Switches of its NVLink may sum what passes through them: from compute capability 9.0 on
  /// (NVIDIA H100 Tensor Core GPU Architecture: third-generation NVSwitch with SHARP).
  bool switch_sums() const;
};

}  // namespace roofline
