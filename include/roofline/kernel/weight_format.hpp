#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "roofline/base/result.hpp"
#include "roofline/quantities/count.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline {

/// How a weight matrix W[n,k] is stored, and what it is multiplied with.
struct WeightFormat {
  std::string name;           ///< as shown: "bf16", "fp8_block", "gptq int3, groups of 128"
  DType dtype = DType::bf16;  ///< of the values; of `bits` wide integers the next wider type
  int bits = 16;              ///< of a value
  std::string_view qgemm{};   ///< format of the op qgemm that multiplies it; empty: gemm
  Count group = 0;            ///< values along k that share a scale; 0: no such scales
  Count group_rows = 1;       ///< rows that share it as well
  bool whole_row = false;     ///< the group is the row
  int scale_bits = 0, zero_bits = 0;  ///< of a group
  int row_scale_bits = 0;             ///< of a row
  int tensor_scale_bits = 0;          ///< of the matrix
  bool act_order = false;             ///< an int32 group index per input channel
  std::optional<DType> activation;    ///< what it is multiplied with; absent: the model's dtype
  bool every_matrix = false;          ///< plain storage: routers and the head as well
  friend bool operator==(const WeightFormat&, const WeightFormat&) = default;
};

/// Bytes of W[n,k] with its scales, zero points and indices; sub-byte values pack. Unit: B.
Count weight_bytes(const WeightFormat& format, Count n, Count k);

/// The same without the values: scales, zero points, indices.
Count scale_bytes(const WeightFormat& format, Count n, Count k);

/// Plain storage in one dtype.
WeightFormat plain_format(DType dtype);

/// One row of the table of names that `--weights` takes beside dtypes.
struct WeightFormatEntry {
  std::string_view name, doc;
};
std::span<const WeightFormatEntry> weight_formats();

/// A format by name ("fp8_block", "awq_int4", "awq_int4:64" with the size of a group), or a dtype
/// for plain storage. Errors: unknown_name with near ones. The Location is left for the caller.
Result<WeightFormat> find_weight_format(std::string_view name);

/// `format` multiplied with `activation` instead of what it names: nvfp4 with 16 bits is nvfp4_a16.
/// Errors: bad_option where no such product exists.
Result<WeightFormat> with_activation(WeightFormat format, DType activation);

}  // namespace roofline
