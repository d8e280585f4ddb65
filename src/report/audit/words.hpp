#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "roofline/kernel/kernel.hpp"
#include "roofline/quantities/dtype.hpp"

/// What tables of times call things. Data only: a new spelling is a row.
namespace roofline::audit_rows {

/// A word of the `op` column that is not the name of one of our ops, or needs more than it.
struct OpWord {
  std::string_view word, op;
  std::string_view fixed;   ///< parameters that the word implies: "b_broadcast=true"
  /// Parameters from other names of the row: "batch=b;in=[h,w];seq_k=prefix+q_len|q". "a|b" is the first that is there;
  /// a parameter whose names are missing is left out.
  std::string_view mapped;
};
const OpWord* find_op_word(std::string_view word);

/// A word of the `dtype` column for a product: types of both operands and of the result. Measured products of narrow
/// operands write 16-bit results, whatever the word.
struct ProductTypes {
  std::string_view word;
  DType a, b, d;
  int scale_group = 0;  ///< values along k that share one byte of scale of b (nvfp4); 0: scales are not counted
};
const ProductTypes* find_product_types(std::string_view word);

/// A column that holds a time, and its unit in seconds; without one the cells carry their own.
struct TimeColumn {
  std::string_view name;
  std::optional<double> unit;
  std::string_view gpu = {};  ///< which the column is of, where its name says so
};
std::span<const TimeColumn> time_columns();  ///< in order of preference

/// A rate where there is no time: bytes or FLOPs per second. The row's time follows from its bytes or FLOPs; where it has
/// none, the row is of what one second does.
struct RateColumn {
  std::string_view name;
  double unit;  ///< of B/s or FLOP/s
  bool bytes;   ///< else FLOPs
};
std::span<const RateColumn> rate_columns();

/// What a table without a column of ops is of, by the columns that it has.
struct Layout {
  std::string_view columns;  ///< all of these, separated by spaces
  std::string_view op;       ///< a word of the `op` column, where there is none
  Timing timing;             ///< how the times of such a table are taken
};
std::span<const Layout> layouts();  ///< the first whose columns are all there

/// How a time was taken, by the first word of the `timing` (or `mode`) cell: "event, best of 100".
std::optional<Timing> find_timing_word(std::string_view text);

/// Our id of a GPU that tables spell in a way of their own; empty: none. `name` in lower case.
std::string_view gpu_word(std::string_view name);

/// Columns that say something about the measurement which no verdict needs.
bool is_about_the_measurement(std::string_view column);

}  // namespace roofline::audit_rows
