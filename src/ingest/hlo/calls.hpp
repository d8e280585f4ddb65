#pragma once

#include <cstdint>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "ingest/hlo/work.hpp"

/// What the custom calls of XLA have in common.
namespace roofline {
class JsonCursor;
}
namespace roofline::hlo {

/// Attention of Transformer Engine: `te_fused_attn_forward_ffi`, `te_fused_attn_backward_ffi`.
tl::expected<Work, std::string_view> count_transformer_engine(const Instruction& call,
                                                              const CallOperands& operands);
/// Attention of cuDNN: `__cudnn$fmhaSoftmax` and its kin.
tl::expected<Work, std::string_view> count_cudnn_attention(const Instruction& call,
                                                           const CallOperands& operands);

/// A number in JSON, which protobuf writes in quotes where it is of 64 bits.
double json_number(JsonCursor& json);
/// The same as a size or an axis; one that is none is larger than any.
std::uint64_t json_count(JsonCursor& json);
/// The results without the workspace behind them, which is bytes of no meaning.
std::vector<Shape> results_of(const Shape& shape);
/// Each operand once, each result once.
Work traffic(const CallOperands& operands, const std::vector<Shape>& results);

}  // namespace roofline::hlo
