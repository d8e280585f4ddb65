#pragma once

#include <span>
#include <string_view>

#include "ingest/mapping/arguments.hpp"
#include "roofline/ingest/mapping.hpp"

/// The operators that work is made of, by family: one table each, in the file of its name.
namespace roofline::mapping {

struct Row {
  std::string_view name;  ///< "mm" of "aten::mm"; a whole name elsewhere
  Mapped (*map)(const Arguments& arguments);
};

std::span<const Row> products();      ///< mm, addmm, linear, ...
std::span<const Row> attentions();    ///< scaled_dot_product_attention and what it calls
std::span<const Row> convolutions();  ///< forward and backward
std::span<const Row> row_ops();       ///< norms, softmax, reductions
std::span<const Row> group_norms();   ///< forward and backward
std::span<const Row> pools();         ///< maximum and average, forward and backward
std::span<const Row> data_moves();    ///< copy_, cat, embedding, fills
std::span<const Row> selections();    ///< sort, topk, gather, cumsum
std::span<const Row> indexings();     ///< scatter, index_add, the gradient of an embedding
std::span<const Row> optimizers();    ///< one step of all parameters, and what else takes lists

// By their whole names:
std::span<const Row> attention_libraries();  ///< of flash-attn and AITER
std::span<const Row> serving_ops();          ///< of vLLM, SGLang and AITER
std::span<const Row> quantised_ops();         ///< of bitsandbytes and AITER
std::span<const Row> collectives();          ///< of torch.distributed

/// Elementwise operators are one function over a table of their arithmetic.
Mapped map_elementwise(std::string_view name, const Arguments& arguments);
bool is_elementwise(std::string_view name);
/// The same over lists of tensors: "_foreach_add_".
Mapped map_foreach(std::string_view name, const Arguments& arguments);
bool is_foreach(std::string_view name);

/// Kernels that torch.compile writes, by their own names: each tensor once, as what is read and
/// what is written is not told; the arithmetic, which is not told either, is not counted.
Mapped map_inductor(std::string_view name, const Arguments& arguments);
bool is_inductor(std::string_view name);

/// y[..., n] = x[..., k] W[n, k]^T + b.
Mapped map_linear(const Arguments& args);

/// The type that an argument names by its code of c10::ScalarType, of those that products give.
std::optional<std::string_view> scalar_type(const Arguments& args, std::size_t i);

/// Operations that are no framework's: a collective, a benchmark's row, declared work.
Mapped map_collective(const Operation& operation, const MappingContext& context);
Mapped map_cutlass(const Operation& operation);
Mapped map_declared(const Operation& operation);
/// An instruction of XLA, whose work was counted from its program (ingest/hlo/operation.hpp).
Mapped map_hlo(const Operation& operation, std::string_view kernel_name);

/// The whole number of an attribute; nullopt: it has none.
std::optional<std::uint64_t> attribute_number(const Operation& operation, std::string_view key);

}  // namespace roofline::mapping
