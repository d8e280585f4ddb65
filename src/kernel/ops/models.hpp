#pragma once

#include <span>
#include <string>
#include <string_view>

#include "roofline/kernel/op.hpp"
#include "roofline/kernel/tensor.hpp"

/// What the families of ops share, and their rows. A family's file holds everything about its ops:
/// parameters, operands, aliases, documentation and the model function. ops.cpp only lists the
/// rows.
namespace roofline::op_models {

/// What a model function returns: the work, or why it cannot be counted.
using Counted = tl::expected<Work, OpError>;

/// The error side of Counted. `param`: the parameter or operand at fault; empty: the whole entry.
inline tl::unexpected<OpError> refuse(std::string_view param, std::string what,
                                      std::string hint = {}) {
  return tl::unexpected<OpError>(OpError{std::string(param), std::move(what), std::move(hint)});
}

/// Bytes of n elements; short, because it is the commonest word of a model function.
inline Count bytes(Count n, DType dtype) { return tensor_bytes(n, dtype); }

/// A list parameter without a copy: models run once per point of a sweep. nullptr when absent.
const ValueList* list_of(const OpInput& input, std::string_view name);

/// An item of a list of counts, and a named field of a map; 0 and nullptr where it is something
/// else.
Count count_of(const Value& value);
std::string_view text_of(const Value& value);
const Value* field(const ValueMap& map, std::string_view name);

/// Elements of a shape: 1 for an empty list (a scalar), 0 as soon as one size is 0.
Count elements(const ValueList& shape);
Count elements(std::span<const Count> shape);
Count elements(const OpInput& input, std::string_view name);

/// "[56, 56]".
std::string shape_text(const ValueList& shape);
std::string shape_text(std::span<const Count> shape);

/// Datapath of a matrix product of operands `a` and `b` (their names, for the error).
tl::expected<Pipe, OpError> contraction_pipe(const OpInput& input, std::string_view a,
                                             std::string_view b);

/// Shape of the table of rows: one object per op, defined in its family's file.
extern const OpEntry kActivation, kAttention, kBatchnorm, kBlas1, kCollective, kConv, kCopy,
    kCrossEntropy, kElementwise, kEmbedding, kFft, kFusedChain, kGather, kGemm, kGemv, kGeneric,
    kGroupedGemm, kHistogram, kKvAppend, kLayernorm, kMemcpyHd, kMlaDecode, kMoe, kMonteCarlo,
    kNbody, kOptimizer, kPool, kQgemm, kQuantize, kRadixSort, kReduction, kRmsnorm, kRope, kScan,
    kScatterAdd, kSoftmax, kSparse24Gemm, kSpmvCsr, kSsmScan, kStencil, kSyrk;

}  // namespace roofline::op_models
