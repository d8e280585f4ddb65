#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/machine/gpu.hpp"
#include "roofline/quantities/pipe.hpp"

namespace roofline {

/// Something a kernel uses up: DRAM, a datapath, or a link to another device; L2 and shared memory, whose rates no
/// floor is made of.
enum class LinkKind : unsigned char { none, nvlink, pcie, c2c, gcd, ici, other };
struct Resource {
  enum class Kind : unsigned char { none, dram, l2, shared, pipe, link };
  Kind kind = Kind::none;
  Pipe pipe;
  LinkKind link = LinkKind::none;
  friend constexpr bool operator==(Resource, Resource) = default;

  static constexpr Resource dram() { return {Kind::dram, {}, LinkKind::none}; }
  static constexpr Resource on(Pipe pipe) { return {Kind::pipe, pipe, LinkKind::none}; }
  static constexpr Resource over(LinkKind link) { return {Kind::link, {}, link}; }
  bool is_compute() const { return kind == Kind::pipe; }
};
std::string resource_name(Resource resource);   ///< the key in JSON: "dram", "l2", "tensor:bf16", "sfu", "link:nvlink"
std::optional<Resource> find_resource(std::string_view name);  ///< the resource of that key
std::string resource_title(Resource resource);  ///< for people: "DRAM", "BF16 tensor", "NVLink"
std::optional<LinkKind> find_link(std::string_view name);

/// The three kinds of ceiling are never mixed inside one ridge point (docs/model.md).
enum class CeilingKind { datasheet, calibrated, observed };
std::string_view ceiling_kind_name(CeilingKind kind);

/// One limit of a machine: a slope (B/s) or a flat line (FLOP/s), with where it comes from.
struct Ceiling {
  Resource resource;
  CeilingKind kind = CeilingKind::datasheet;
  double per_second = 0;          ///< B/s for DRAM and links; FLOP/s or op/s for pipes
  const Origin* origin = nullptr; ///< of the figure; lives in the Gpu
  bool sparse = false;            ///< the vendor's 2:4 figure, asked for explicitly
  bool mma_sync = false;          ///< the lower tensor ceiling of mma.sync
  std::optional<Hertz> clock = std::nullopt;  ///< SM clock that it was measured at; of calibrated ones
  std::string_view unit() const;  ///< "B/s", "FLOP/s", "op/s"
};

struct CeilingOptions {
  bool sparsity_two_four = false;  ///< tensor pipes at the vendor's 2:4 rate
  bool mma_sync = false;           ///< every tensor kernel through mma.sync
};

/// The ceilings of one GPU as kernels meet them. Keeps a pointer to the Gpu, which must outlive it.
class Ceilings {
 public:
  explicit Ceilings(const Gpu& gpu, CeilingOptions options = {});

  const Gpu& gpu() const { return *gpu_; }
  const CeilingOptions& options() const { return options_; }
  const Ceiling& dram() const { return dram_; }

  /// The ceiling that work on `pipe` meets. A contraction goes to the fastest unit that takes its operands: fp64 to
  /// the vector pipe where there is no fp64 tensor core, fp32 to a matrix unit where one exists (AMD, AWS).
  /// nullopt: this GPU has no such unit, or nobody published its rate.
  std::optional<Ceiling> of(Pipe pipe, bool contraction, bool mma_sync = false) const;

  /// `name` empty: the fastest link that the op can use (host copies: C2C or PCIe; collectives: NVLink and its kin).
  std::optional<Ceiling> link(std::string_view name, bool to_host) const;

  /// Everything the table knows, then what was calibrated and is believed, for reports.
  std::vector<Ceiling> all() const;
  /// What was calibrated alone. A resource with several figures has one: DRAM that of copies, the host's link that of
  /// its slower direction, a datapath its best.
  std::vector<Ceiling> calibrated() const;

  /// Tensor dtypes with a rate, for the message when one is missing.
  std::vector<std::string> tensor_types() const;

 private:
  const Gpu* gpu_;
  CeilingOptions options_;
  Ceiling dram_;
};

/// Special-function rate: units x rate x clock, at the tensor clock where one is stated, as FlashAttention-3
/// (section 3.1) quotes 3.9 T/s for H100. nullopt where the rate, the count or the clock is unknown.
std::optional<FlopRate> special_function_rate(const Gpu& gpu);

}  // namespace roofline
