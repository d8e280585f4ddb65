#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "ingest/hlo/module.hpp"

namespace roofline::hlo {

/// What an instruction has to do at least, by the rules of docs/model.md, section 1: each element
/// of its operands that a result depends on is read once, each result written once, each
/// operation done once.
struct Work {
  std::map<std::string, std::uint64_t, std::less<>> amounts;  ///< "matmul.bf16", "vector.fp32",
                                                              ///< "sfu", "int": operations
  std::uint64_t read_bytes = 0, written_bytes = 0;
  std::vector<Shape> inputs;  ///< the arrays that are read, each once; whole, for people

  void add(std::string_view path, std::uint64_t amount);
};

/// The work of one instruction of a module, with that of the computation that it calls. Unexpected:
/// a reason of `unmapped` (ingest/mapping.hpp): what depends on values, on code that is not in the
/// module, or on an instruction that no cost is known of is not guessed.
tl::expected<Work, std::string_view> count_work(const Module& module, Place place);

/// Operations for one element of a result, where they are a fixed number.
struct Arithmetic {
  std::string_view opcode;
  unsigned vector = 0, sfu = 0;
};
/// nullptr: not an instruction that works element by element. Moves and conversions cost nothing.
const Arithmetic* find_arithmetic(std::string_view opcode);
/// The operations of `elements` results of such an instruction. `of`: the type that is worked on.
/// False: no cost is known for that type.
bool add_arithmetic(Work& work, const Arithmetic& arithmetic, const Type& of,
                    std::uint64_t elements);

/// The datapath of a matrix product of two types: "matmul.bf16"; empty: none is known.
std::string product_path(const Type& a, const Type& b);

struct CallOperand {
  const Shape* shape = nullptr;
  bool repeated = false;  ///< an array that an operand before it is, too
};
using CallOperands = std::vector<CallOperand>;
/// Matrix products and convolutions of vendor libraries: `__cublas$gemm`, `__cudnn$convForward` and
/// their kin.
tl::expected<Work, std::string_view> count_custom_call(const Instruction& call,
                                                       const CallOperands& operands);

/// The elements of the input channels and taps that one result of a convolution sums. nullopt: the
/// axes are not those of the kernel.
std::optional<std::uint64_t> convolution_taps(const Details& details, const Shape& kernel);
/// Elements of the input that at least one tap falls on: steps wider than the kernel pass others
/// over. nullopt: axes that contradict one another, or are too long to be walked.
std::optional<std::uint64_t> convolution_touched(const Details& details, const Shape& input,
                                                 const Shape& kernel, const Shape& output);

}  // namespace roofline::hlo
