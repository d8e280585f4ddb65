#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/audit/gpu_slots.hpp"
#include "report/audit/mapping.hpp"
#include "report/audit/row_fields.hpp"
#include "report/audit/words.hpp"
#include "roofline/kernel/kernel.hpp"
#include "roofline/report/audit.hpp"

namespace roofline::audit_rows {

/// Why a row cannot be judged.
struct Skip {
  SkipReason reason = SkipReason::no_work;
  std::string detail;
};

/// Makes kernels of rows: what was done (an op of ours with its parameters, or declared counts), on which GPU, in what
/// time. One of these serves a whole table.
class RowModel {
 public:
  RowModel(const RowFields& header, const AuditOptions& options);

  /// The kernel of `row` with its time, into memory that is reused; the reason where there is none.
  std::optional<Skip> read(const RowFields& row);

  const Kernel& kernel() const { return kernel_; }
  const GpuSlot& gpu() const { return *gpu_; }
  const GpuSlot* known_gpu() const { return gpu_; }  ///< also of a row that is skipped; nullptr: none
  std::string_view op_word() const { return op_word_; }
  bool counts_differ() const { return counts_differ_; }
  bool rates_only() const { return one_second_; }
  std::vector<int> shape_columns() const;  ///< those that gave the last row its parameters

  /// Names what is missing for any row of the table to be judged; nothing where some could be.
  std::optional<std::string> hopeless() const;
  /// Columns that no row makes use of.
  std::vector<std::string> unused_columns(const RowFields& header) const;

 private:
  /// What the columns of the table are to one word of the `op` column.
  struct Plan {
    const OpEntry* op = nullptr;
    std::vector<std::pair<const ParamSpec*, Value>> fixed;
    std::vector<Mapping> mapped;
    struct Own {
      int column;
      const ParamSpec* param;
      const ParamAlias* alias;  ///< the column's name is one
    };
    std::vector<Own> own;
    std::string mapped_names;  ///< of the row, each between blanks
    bool product = false;
    bool foreign_words = false;  ///< the op column's word is another table's

    /// The word gives this name of a row a meaning of its own (k of a convolution is no length).
    bool maps_from(std::string_view name) const;
  };
  const Plan* plan_for(std::string_view word, const RowFields& row);

  std::optional<Skip> read_gpu(const RowFields& row);
  std::optional<Skip> read_time(const RowFields& row);
  std::optional<Skip> read_op(const RowFields& row);
  void remember(const Plan& plan, const RowFields& row);
  bool same_as_before(const Plan& plan, const RowFields& row) const;
  std::optional<Skip> rewrite_arguments(const Plan& plan, const RowFields& row);
  void add_scales(std::string_view dtype);
  std::optional<Skip> read_arguments(const Plan& plan, const RowFields& row);
  std::optional<Skip> set_argument(const ParamSpec& param, std::string_view text);
  std::optional<Skip> set_aliased(const ParamAlias& alias, std::string_view text);
  std::optional<Skip> read_dtypes(const Plan& plan, const RowFields& row);
  std::optional<Skip> read_operand_dtypes(const OpEntry& op, std::string_view text);
  std::optional<Skip> finish_dtypes(const OpEntry& op);
  void read_cache(const RowFields& row);
  std::optional<Skip> count_work(const Plan& plan);
  std::optional<Skip> declare_work(const RowFields& row);
  void compare_counts(const RowFields& row);
  void read_working_set(const RowFields& row);
  std::optional<double> declared(const RowFields& row, int column) const;

  AuditOptions options_;
  GpuSlots gpus_;
  const Layout* layout_ = nullptr;
  const TimeColumn* time_ = nullptr;
  struct Rate {
    int column = -1;
    double unit = 1;
  };
  Rate flop_rate_, byte_rate_;
  int gpu_column_, op_column_, dtype_column_, kv_dtype_column_, time_column_ = -1, timing_column_, flops_column_,
      bytes_column_, working_set_column_, working_set_kib_column_, ws_over_l2_column_;
  std::map<std::string, Plan, std::less<>> plans_;
  std::vector<std::pair<std::string_view, std::string_view>> dtype_pairs_;

  Kernel kernel_;
  const GpuSlot* gpu_ = nullptr;
  std::string_view op_word_;
  bool counts_differ_ = false, foreign_words_ = false, one_second_ = false;
  struct Before {
    const Plan* plan = nullptr;
    std::string dtype;
  };
  Before before_;  ///< what the kernel's parameters and dtypes are of; no plan: they cannot be used again
  Count extra_read_;  ///< bytes that no operand of the op stands for (scales, 16-bit queries of an fp8 attention)
};

}  // namespace roofline::audit_rows
