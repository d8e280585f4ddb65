#include "roofline/quantities/pipe.hpp"

#include <algorithm>
#include <cctype>

namespace roofline {
namespace {

constexpr std::string_view kRateNames[kRateTypes] = {"none", "fp64", "fp32", "tf32", "fp16", "bf16", "fp8",
                                                     "fp6",  "fp4",  "int8", "int4", "fp16_acc16", "fp8_acc16"};

RateType tensor_rate(DType dtype) {
  switch (dtype) {
    case DType::fp64: case DType::complex128: return RateType::fp64;
    case DType::tf32: return RateType::tf32;
    case DType::fp16: return RateType::fp16;
    case DType::bf16: return RateType::bf16;
    case DType::fp8_e4m3: case DType::fp8_e5m2: return RateType::fp8;
    case DType::fp6_e3m2: case DType::fp6_e2m3: return RateType::fp6;
    case DType::fp4_e2m1: return RateType::fp4;
    case DType::int8: return RateType::int8;
    case DType::int4: return RateType::int4;
    default: return RateType::none;
  }
}

}  // namespace

std::string_view rate_name(RateType type) { return kRateNames[static_cast<int>(type)]; }

std::optional<RateType> find_rate(std::string_view name) {
  for (int i = 1; i < kRateTypes; ++i)
    if (kRateNames[i] == name) return static_cast<RateType>(i);
  return std::nullopt;
}

std::string pipe_name(Pipe pipe) {
  switch (pipe.kind) {
    case PipeKind::tensor: return "tensor:" + std::string(rate_name(pipe.type));
    case PipeKind::vector: return "vector:" + std::string(rate_name(pipe.type));
    case PipeKind::sfu: return "sfu";
    case PipeKind::integer: return "int";
    case PipeKind::link: return "link";
    case PipeKind::none: break;
  }
  return "none";
}

std::optional<Pipe> find_pipe(std::string_view name) {
  if (name == "none") return Pipe{};
  if (name == "sfu") return Pipe{PipeKind::sfu, RateType::none};
  if (name == "int" || name == "cuda:int" || name == "vector:int") return Pipe{PipeKind::integer, RateType::none};
  if (name == "link") return Pipe{PipeKind::link, RateType::none};
  const auto colon = name.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto type = find_rate(name.substr(colon + 1));
  const auto kind = name.substr(0, colon);
  if (!type) return std::nullopt;
  if (kind == "tensor") return Pipe{PipeKind::tensor, *type};
  if (kind == "vector" || kind == "cuda") return Pipe{PipeKind::vector, *type};
  return std::nullopt;
}

std::string pipe_title(Pipe pipe) {
  std::string type(rate_name(pipe.type));
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  switch (pipe.kind) {
    case PipeKind::tensor: return type + " tensor";
    case PipeKind::vector: return type + " vector";
    case PipeKind::sfu: return "special function";
    case PipeKind::integer: return "integer";
    case PipeKind::link: return "link";
    case PipeKind::none: break;
  }
  return "no arithmetic";
}

Pipe matmul_pipe(DType a, DType b) {
  const DType wider = describe(a).bits >= describe(b).bits ? a : b;
  if (wider == DType::fp32 || wider == DType::complex64) return {PipeKind::vector, RateType::fp32};
  const auto rate = tensor_rate(wider);
  return rate == RateType::none ? Pipe{} : Pipe{PipeKind::tensor, rate};
}

Pipe vector_pipe(DType dtype) {
  const bool is_double = dtype == DType::fp64 || dtype == DType::complex128;
  return {PipeKind::vector, is_double ? RateType::fp64 : RateType::fp32};
}

}  // namespace roofline
