#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>

/// A trace as PyTorch's profiler writes it, made without end: operators first, then calls, flows
/// and kernels, in the shares of a training run (about 5 operators, 3.5 calls and 1 kernel; kernel
/// names of some hundred characters). Nothing in it was measured.
namespace bench {

inline const char kTraceBegins[] =
    "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": \"NVIDIA "
    "H100 "
    "80GB HBM3\", \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132}\n  ],\n  "
    "\"traceEvents\": [\n";
inline const char kTraceEnds[] =
    "  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"end\", \"pid\": \"Spans\", \"tid\": "
    "\"x\", \"ts\": 1, \"dur\": 1\n  }\n  ],\n  \"traceName\": \"made.json\"\n}\n";

/// The operators of launches [from, to).
inline void append_operators(std::string& out, std::uint64_t from, std::uint64_t to) {
  static const char* const kOps[] = {"aten::linear", "aten::addmm", "aten::empty", "aten::view",
                                     "aten::as_strided"};
  for (auto i = from; i < to; ++i)
    for (unsigned k = 0; k < 5; ++k)
      fmt::format_to(
          std::back_inserter(out),
          "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{}\", \"pid\": 2910249, "
          "\"tid\": 2910249,\n    \"ts\": {}.{:03}, \"dur\": {}.{:03},\n    \"args\": {{\n      "
          "\"External id\": {},\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\", "
          "\"1\", \"1\"], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", "
          "\"c10::BFloat16\", \"Scalar\", \"Scalar\"], \"Input Strides\": [[1], [1024, 1], [1, "
          "1024], [], []], \"Input Dims\": [[1024], [{}, 1024], [1024, 1024], [], []], \"Ev Idx\": "
          "{}\n    }}\n  }},\n",
          kOps[k], 4458676457532 + 40 * i + 3 * k, i % 1000, k < 2 ? 30 - 3 * k : 1, i % 1000,
          5 * i + k + 1, 256 * (1 + i % 7), 5 * i + k);
}

/// The calls, flows and kernels of launches [from, to).
inline void append_launches(std::string& out, std::uint64_t from, std::uint64_t to) {
  static const char* const kTypes[] = {"float", "c10::BFloat16", "c10::Half", "double"};
  for (auto i = from; i < to; ++i) {
    const auto ts = 4458676457532 + 40 * i;
    for (unsigned k = 0; k < 3; ++k)
      fmt::format_to(std::back_inserter(out),
                     "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"{}\", "
                     "\"pid\": 2910249, \"tid\": 2910249,\n    \"ts\": {}.{:03}, \"dur\": "
                     "2.{:03},\n    \"args\": {{\n      \"External id\": {}, \"cbid\": 211, "
                     "\"correlation\": {}\n    }}\n  }},\n",
                     k == 1 ? "cudaLaunchKernel" : "cudaStreamIsCapturing", ts + 5 + 3 * k,
                     i % 1000, i % 900, 5 * i + 2, 4 * i + k);
    fmt::format_to(
        std::back_inserter(out),
        "  {{\n    \"ph\": \"s\", \"id\": {0}, \"pid\": 2910249, \"tid\": 2910249, "
        "\"ts\": {1}.{2:03},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  }},\n  {{\n  "
        "  \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
        "at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<{3}, "
        "{3}, {3}, at::native::binary_internal::MulFunctor<{3}> >, "
        "at::detail::Array<char*, 2> >(int, at::native::AUnaryFunctor<{3}, {3}, {3}, "
        "at::native::binary_internal::MulFunctor<{3}> >, at::detail::Array<char*, 2>)\", "
        "\"pid\": 0, \"tid\": 7,\n    \"ts\": {4}.{2:03}, \"dur\": 7.{5:03},\n    "
        "\"args\": {{\n      \"External id\": {6},\n      \"queued\": 0, \"device\": 0, "
        "\"context\": 1,\n      \"stream\": 7, \"correlation\": {0},\n      \"registers "
        "per thread\": 16,\n      \"shared memory\": 0,\n      \"blocks per SM\": "
        "0.009259,\n      \"warps per SM\": 0.037037,\n      \"grid\": [{7}, 1, 1],\n   "
        "   \"block\": [128, 1, 1],\n      \"est. achieved occupancy %\": 0\n    }}\n  "
        "}},\n  {{\n    \"ph\": \"f\", \"id\": {0}, \"pid\": 0, \"tid\": 7, \"ts\": "
        "{4}.{2:03},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  }},\n",
        4 * i + 1, ts + 8, i % 1000, kTypes[i % 4], ts + 20, i % 1000, 5 * i + 2, 1 + i % 50);
  }
}

/// Writes a trace of at least `bytes` bytes piece by piece; gives how many kernels are in it.
template <class Write>
std::uint64_t make_trace(std::uint64_t bytes, Write write) {
  constexpr std::uint64_t kBytesPerLaunch = 5'320, kPiece = 200;
  const auto launches = bytes / kBytesPerLaunch + 1;
  std::string piece = kTraceBegins;
  for (const bool operators : {true, false})
    for (std::uint64_t from = 0; from < launches; from += kPiece) {
      const auto to = from + kPiece < launches ? from + kPiece : launches;
      if (operators)
        append_operators(piece, from, to);
      else
        append_launches(piece, from, to);
      write(piece);
      piece.clear();
    }
  write(kTraceEnds);
  return launches;
}

}  // namespace bench
