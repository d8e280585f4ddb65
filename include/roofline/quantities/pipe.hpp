#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "roofline/quantities/dtype.hpp"

namespace roofline {

/// A datapath with a rate of its own.
enum class PipeKind : unsigned char { none, tensor, vector, sfu, integer, link };

/// What a tensor or vector pipe is rated for. fp8 covers both encodings, fp6 and fp4 likewise.
enum class RateType : unsigned char { none, fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, int8, int4, fp16_acc16, fp8_acc16 };
inline constexpr int kRateTypes = 13;

struct Pipe {
  PipeKind kind = PipeKind::none;
  RateType type = RateType::none;
  friend constexpr bool operator==(Pipe, Pipe) = default;
};

std::string_view rate_name(RateType type);                  ///< "bf16"
std::optional<RateType> find_rate(std::string_view name);
std::string pipe_name(Pipe pipe);                           ///< "tensor:bf16", "vector:fp32", "sfu", "int", "link", "none"
std::optional<Pipe> find_pipe(std::string_view name);       ///< also takes "cuda:<type>" for "vector:<type>"
std::string pipe_title(Pipe pipe);                          ///< "BF16 tensor", "FP32 vector", "special function"

/// Datapath of a contraction of operands a and b: the wider of the two decides (int4 weights with bf16 activations
/// run at the bf16 rate); plain fp32 is vector work, tf32 is tensor work. Source: facts on datapaths, docs/model.md.
Pipe matmul_pipe(DType a, DType b);
/// Datapath of elementwise arithmetic: fp64 for fp64 and complex128, else fp32.
Pipe vector_pipe(DType dtype);

}  // namespace roofline
