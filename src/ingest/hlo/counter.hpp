#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/hlo/work.hpp"

namespace roofline::hlo {

/// How much of an array is needed: elements, and of them those that static slices take.
struct Demand {
  std::uint64_t elements = 0;
  std::vector<const Instruction*> slices;  // that are needed whole
};

/// Elements that at least one of the slices takes: exact where they differ along one axis and have
/// no steps there, else the largest slice, which is no more than that.
std::uint64_t united(const std::vector<const Instruction*>& slices);

/// Walks a computation from its results to its parameters.
class Counter {
 public:
  Counter(const Module& module, Work& work) : module_(module), work_(work) {}
  std::string_view reason() const { return reason_; }

  /// Adds the work of computing `wanted` elements of each result of `computation`; what of its
  /// parameters is needed goes to `parameters`. Results that change an array in place
  /// (dynamic-update-slice, scatter) are `in_place`. False: see reason().
  bool count(const Computation& computation, std::optional<std::uint64_t> wanted, bool results,
             std::vector<Demand>& parameters);
  /// The same for one instruction of which `wanted` elements are needed: `demands` are those of
  /// its operands.
  bool visit(const Computation& computation, const Instruction& instruction, std::uint64_t wanted,
             bool in_place, bool index_only, std::vector<Demand>& demands);

 private:
  bool no(std::string_view reason) {
    reason_ = reason;
    return false;
  }
  bool reducer(const Instruction& instruction, std::uint64_t applications);
  bool product(const Instruction& instruction, std::uint64_t wanted, const Instruction& a,
               const Instruction& b, std::vector<Demand>& demands);
  bool convolution(const Instruction& instruction, std::uint64_t wanted, const Instruction& x,
                   const Instruction& w, std::vector<Demand>& demands);
  bool reduction(const Instruction& instruction, std::uint64_t wanted,
                 const std::vector<const Instruction*>& of, std::vector<Demand>& demands);
  bool windows(const Instruction& instruction, std::uint64_t wanted,
               const std::vector<const Instruction*>& of, std::vector<Demand>& demands);
  bool moves(const Instruction& instruction, std::uint64_t wanted, bool in_place,
             const std::vector<const Instruction*>& of, std::vector<Demand>& demands, bool& known);

  const Module& module_;
  Work& work_;
  std::string_view reason_;
  int depth_ = 0;
};

}  // namespace roofline::hlo
