#include "report/audit/row_model.hpp"

#include <algorithm>
#include <cmath>

#include "report/audit/cell.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/tensor.hpp"

namespace roofline::audit_rows {
namespace {

constexpr double kCountsAgree = 1e-3;
constexpr double kMostDeclared = 1e30;  // FLOPs or bytes of one row; more is no measurement
constexpr double kKibi = 1024;

std::optional<Skip> skip(SkipReason reason, std::string_view detail = {}) { return Skip{reason, std::string(detail)}; }

int first_column(const RowFields& header, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (const int column = header.column(name); column >= 0) return column;
  return -1;
}

bool has_all(const RowFields& header, std::string_view names) {
  while (!names.empty()) {
    const auto stop = std::min(names.find(' '), names.size());
    if (header.column(names.substr(0, stop)) < 0) return false;
    names.remove_prefix(std::min(stop + 1, names.size()));
  }
  return true;
}

const ParamAlias* find_alias(const OpEntry& op, std::string_view name) {
  for (const auto& alias : op.aliases)
    if (lower_case(alias.alias) == name) return &alias;
  return nullptr;
}

bool several_targets(const ParamAlias* alias) { return alias && alias->targets.find(' ') != std::string_view::npos; }

const OperandSpec* find_operand(const OpEntry& op, std::string_view name) {
  for (const auto& operand : op.operands)
    if (operand.name == name) return &operand;
  return nullptr;
}

bool is_product(const OpEntry& op) { return op.name == "gemm" || op.name == "grouped_gemm"; }

/// A dtype by any word that tables use for one.
std::optional<DType> dtype_of(std::string_view word) {
  if (auto dtype = find_dtype(word)) return dtype;
  if (word == "nvfp4") return DType::fp4_e2m1;
  if (word == "u32" || word == "uint32") return DType::int32;
  return std::nullopt;
}

/// The names of a row that a mapping reads, each between blanks: "batch=b;in=[h,w]" -> " b h w ".
std::string source_names(std::string_view mapped) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  split_pairs(mapped, pairs);
  std::string names = " ";
  for (const auto& [param, sources] : pairs) {
    names += sources;
    names += ' ';
  }
  for (char& c : names)
    if (std::string_view("[],+|").find(c) != std::string_view::npos) c = ' ';
  return names;
}

bool apart(double ours, double theirs) { return theirs > 0 && std::abs(ours / theirs - 1) > kCountsAgree; }

}  // namespace

RowModel::RowModel(const RowFields& header, const AuditOptions& options)
    : options_(options),
      gpus_(options.ceilings),
      gpu_column_(first_column(header, {"gpu", "gpu_name", "accelerator", "device_name"})),
      op_column_(first_column(header, {"op", "operation"})),
      dtype_column_(first_column(header, {"dtype", "dtypes", "precision"})),
      kv_dtype_column_(first_column(header, {"kv_dtype"})),
      timing_column_(first_column(header, {"timing", "mode"})),
      flops_column_(first_column(header, {"flops"})),
      bytes_column_(first_column(header, {"bytes", "bytes_per_gpu_per_step"})),
      working_set_column_(first_column(header, {"working_set_bytes"})),
      working_set_kib_column_(first_column(header, {"working_set_kib"})),
      ws_over_l2_column_(first_column(header, {"ws_over_l2"})) {
  for (const auto& column : time_columns())
    if (!time_ && header.column(column.name) >= 0) time_ = &column, time_column_ = header.column(column.name);
  for (const auto& column : rate_columns()) {
    auto& rate = column.bytes ? byte_rate_ : flop_rate_;
    if (const int at = header.column(column.name); at >= 0 && rate.column < 0) rate = {at, column.unit};
  }
  for (const auto& layout : layouts())
    if (!layout_ && has_all(header, layout.columns)) layout_ = &layout;
}

std::optional<std::string> RowModel::hopeless() const {
  if (!time_ && flop_rate_.column < 0 && byte_rate_.column < 0) return "it has no column of times: time_us, or time with a unit in every cell";
  return std::nullopt;
}

std::vector<std::string> RowModel::unused_columns(const RowFields& header) const {
  std::vector<std::string> unused;
  for (int column = 0; column < static_cast<int>(header.columns()); ++column) {
    const auto& name = header.name(static_cast<std::size_t>(column));
    const int used[] = {gpu_column_,   op_column_,    dtype_column_,       kv_dtype_column_,   time_column_,
                        flop_rate_.column, byte_rate_.column, timing_column_, flops_column_, bytes_column_,
                        working_set_column_, working_set_kib_column_, ws_over_l2_column_};
    if (std::find(std::begin(used), std::end(used), column) != std::end(used)) continue;
    if (name == "params" || name == "window" || name == "wdtype" || name == "kv" || is_about_the_measurement(name)) continue;
    const auto is_own = [column](const auto& plan) {
      return std::any_of(plan.second.own.begin(), plan.second.own.end(), [column](const auto& own) { return own.column == column; });
    };
    const auto is_mapped = [&](const auto& plan) { return plan.second.maps_from(name); };
    if (std::any_of(plans_.begin(), plans_.end(), is_own) || std::any_of(plans_.begin(), plans_.end(), is_mapped)) continue;
    unused.push_back(name);
  }
  return unused;
}

bool RowModel::Plan::maps_from(std::string_view name) const {
  auto rest = std::string_view(mapped_names);
  while (!rest.empty()) {
    const auto stop = std::min(rest.find(' '), rest.size());
    if (stop > 0 && rest.substr(0, stop) == name) return true;
    rest.remove_prefix(std::min(stop + 1, rest.size()));
  }
  return false;
}

std::vector<int> RowModel::shape_columns() const {
  std::vector<int> columns;
  if (const auto plan = plans_.find(op_word_); plan != plans_.end())
    for (const auto& own : plan->second.own) columns.push_back(own.column);
  std::sort(columns.begin(), columns.end());
  return columns;
}

const RowModel::Plan* RowModel::plan_for(std::string_view word, const RowFields& row) {
  if (const auto known = plans_.find(word); known != plans_.end()) return &known->second;
  const auto* special = find_op_word(word);
  const auto* op = find_op(special ? special->op : word);
  if (!op || op->name == "generic") return nullptr;
  Plan plan{.op = op, .product = is_product(*op)};
  plan.foreign_words = special != nullptr;
  if (special) {
    std::vector<std::pair<std::string_view, std::string_view>> pairs;
    split_pairs(special->fixed, pairs);
    for (const auto& [name, text] : pairs)
      if (const auto* param = find_param(*op, name))
        if (auto value = read_value(*param, text)) plan.fixed.emplace_back(param, std::move(*value));
    plan.mapped = parse_mappings(*op, special->mapped);
    plan.mapped_names = source_names(special->mapped);
  }
  for (std::size_t column = 0; column < row.columns(); ++column) {
    const auto& name = row.name(column);
    const auto at = static_cast<int>(column);
    if (at == dtype_column_ || at == timing_column_ || at == time_column_) continue;
    if (plan.maps_from(name)) continue;
    if (const auto* param = find_param(*op, name)) plan.own.push_back({at, param, nullptr});
    else if (const auto* alias = find_alias(*op, name)) plan.own.push_back({at, nullptr, alias});
  }
  // `heads` stands for query and key heads; `kv_heads` then says otherwise.
  std::stable_sort(plan.own.begin(), plan.own.end(), [](const Plan::Own& a, const Plan::Own& b) {
    return several_targets(a.alias) && !several_targets(b.alias);
  });
  return &plans_.emplace(std::string(word), std::move(plan)).first->second;
}

std::optional<Skip> RowModel::read(const RowFields& row) {
  gpu_ = nullptr;
  counts_differ_ = one_second_ = false;
  extra_read_ = 0;
  op_word_ = row.cell(op_column_);
  if (op_word_.empty() && layout_) op_word_ = layout_->op;
  if (auto bad = read_gpu(row)) return bad;
  if (auto bad = read_op(row)) return bad;
  if (auto bad = read_time(row)) return bad;
  read_working_set(row);
  return std::nullopt;
}

std::optional<Skip> RowModel::read_gpu(const RowFields& row) {
  std::string_view name = row.cell(gpu_column_);
  if (name.empty() && time_) name = time_->gpu;
  if (name.empty() && !options_.gpu) return skip(SkipReason::no_gpu);
  gpu_ = name.empty() ? gpus_.find_given(*options_.gpu) : gpus_.find(name);
  return gpu_ ? std::nullopt : skip(SkipReason::unknown_gpu, name);
}

std::optional<Skip> RowModel::read_time(const RowFields& row) {
  kernel_.timing = Timing::unknown;
  const auto said = find_timing_word(row.cell(timing_column_));
  if (said) kernel_.timing = *said;
  else if (options_.timing) kernel_.timing = *options_.timing;
  else if (layout_) kernel_.timing = layout_->timing;
  if (const auto cell = row.cell(time_column_); !cell.empty()) {
    const auto time = roofline::audit_rows::read_time(cell, time_->unit);
    if (!time) return skip(time.error(), cell);
    kernel_.time = *time;
    return std::nullopt;
  }
  if (one_second_) {
    kernel_.time = Seconds(1);
    return std::nullopt;
  }
  const auto& work = kernel_.work;
  for (const auto* rate : {&flop_rate_, &byte_rate_}) {
    const auto cell = row.cell(rate->column);
    const Count amount = rate == &byte_rate_ ? work.bytes() : work.flops();
    if (cell.empty() || amount == Count(0)) continue;
    const auto value = read_decimal(cell);
    if (!value) return skip(value.error(), cell);
    if (!(*value > 0)) return skip(SkipReason::time_not_positive, cell);
    kernel_.time = Seconds(amount.to_double() / (*value * rate->unit));
    return std::nullopt;
  }
  return skip(SkipReason::time_missing);
}

std::optional<Skip> RowModel::read_op(const RowFields& row) {
  const bool has_counts = flops_column_ >= 0 || bytes_column_ >= 0 || flop_rate_.column >= 0 || byte_rate_.column >= 0;
  if (op_word_.empty() && !has_counts) return skip(SkipReason::no_op);
  const auto* plan = op_word_.empty() ? nullptr : plan_for(op_word_, row);
  if (!plan) {
    if (!has_counts) return skip(SkipReason::unknown_op, op_word_);
    return declare_work(row);
  }
  if (same_as_before(*plan, row)) {
    if (auto bad = rewrite_arguments(*plan, row)) return bad;
    if (auto bad = count_work(*plan)) return bad;
    compare_counts(row);
    return std::nullopt;
  }
  before_ = {};
  kernel_.op = plan->op;
  kernel_.input.clear();
  foreign_words_ = plan->foreign_words;
  if (auto bad = read_arguments(*plan, row)) {
    // The shape is not all there or written in another way, but the table counted the work itself.
    const bool counted = !row.cell(flops_column_).empty() && !row.cell(bytes_column_).empty();
    if (counted && !declare_work(row)) return std::nullopt;
    return bad;
  }
  if (auto bad = read_dtypes(*plan, row)) return bad;
  if (plan->op->name == "attention") read_cache(row);
  if (auto bad = count_work(*plan)) return bad;
  compare_counts(row);
  remember(*plan, row);
  return std::nullopt;
}

/// Tables mostly change one size from row to row: then dtypes and parameters stand, and only counts are written anew.
void RowModel::remember(const Plan& plan, const RowFields& row) {
  const bool counts_only = std::all_of(plan.own.begin(), plan.own.end(), [](const Plan::Own& own) {
    return own.param && own.param->type == ParamType::count;
  });
  if (!counts_only || !plan.mapped.empty() || !row.pairs().empty() || plan.op->name == "attention") return;
  before_.plan = &plan;
  before_.dtype = row.cell(dtype_column_);
}

bool RowModel::same_as_before(const Plan& plan, const RowFields& row) const {
  return before_.plan == &plan && row.pairs().empty() && before_.dtype == row.cell(dtype_column_) &&
         std::none_of(plan.own.begin(), plan.own.end(), [&row](const Plan::Own& own) { return row.cell(own.column).empty(); });
}

std::optional<Skip> RowModel::rewrite_arguments(const Plan& plan, const RowFields& row) {
  for (const auto& own : plan.own)
    if (auto bad = set_argument(*own.param, row.cell(own.column))) return bad;
  if (plan.product) add_scales(row.cell(dtype_column_));
  return std::nullopt;
}

/// Block scales of the weights, a byte each, in formats whose tables count them.
void RowModel::add_scales(std::string_view dtype) {
  const auto* types = find_product_types(dtype);
  const auto& input = kernel_.input;
  if (types && types->scale_group > 0 && input.count("m") > Count(0))
    extra_read_ = input.count("batch", 1) * input.count("n") * ceil_div(input.count("k"), types->scale_group);
}

std::optional<Skip> RowModel::set_argument(const ParamSpec& param, std::string_view text) {
  auto value = read_value(param, text);
  // A word of another table ("phase" context, "impl" cudnn) is no mistake in a parameter that need not be given.
  if (!value && param.type == ParamType::choice && !param.required && foreign_words_) return std::nullopt;
  if (!value) return skip(SkipReason::bad_parameter, std::string(param.name) + "=" + std::string(text));
  kernel_.input.set(param.name, std::move(*value));
  return std::nullopt;
}

std::optional<Skip> RowModel::set_aliased(const ParamAlias& alias, std::string_view text) {
  const auto& op = *kernel_.op;
  if (!alias.value_if_true.empty()) {
    const bool yes = text == "true" || text == "1";
    if (!yes && text != "false" && text != "0") return skip(SkipReason::bad_parameter, std::string(alias.alias) + "=" + std::string(text));
    const auto* param = find_param(op, alias.targets);
    if (yes && param) kernel_.input.set(param->name, Value{std::string(alias.value_if_true)});
    return std::nullopt;
  }
  auto targets = alias.targets;
  while (!targets.empty()) {
    const auto stop = std::min(targets.find(' '), targets.size());
    if (const auto* param = find_param(op, targets.substr(0, stop)))
      if (auto bad = set_argument(*param, text)) return bad;
    targets.remove_prefix(std::min(stop + 1, targets.size()));
  }
  return std::nullopt;
}

std::optional<Skip> RowModel::read_arguments(const Plan& plan, const RowFields& row) {
  auto& input = kernel_.input;
  const auto& op = *plan.op;
  for (const auto& [param, value] : plan.fixed) input.set(param->name, value);
  for (const auto& own : plan.own) {
    const auto text = row.cell(own.column);
    if (text.empty()) continue;
    if (auto bad = own.param ? set_argument(*own.param, text) : set_aliased(*own.alias, text)) return bad;
  }
  for (const auto& [name, text] : row.pairs()) {
    if (text.empty() || plan.maps_from(name)) continue;
    const auto key = lower_case(name);
    const auto* param = find_param(op, key);
    const auto* alias = param ? nullptr : find_alias(op, key);
    if (!param && !alias) continue;
    if (auto bad = param ? set_argument(*param, text) : set_aliased(*alias, text)) return bad;
  }
  for (const auto& mapping : plan.mapped)
    if (auto value = mapping.value(row)) input.set(mapping.param().name, std::move(*value));
  for (const auto& param : op.params)
    if (param.required && !input.has(param.name)) return skip(SkipReason::missing_parameter, param.name);
  return std::nullopt;
}

std::optional<Skip> RowModel::read_dtypes(const Plan& plan, const RowFields& row) {
  auto& input = kernel_.input;
  const auto text = row.cell(dtype_column_);
  if (text.find('=') != std::string_view::npos) {
    if (auto bad = read_operand_dtypes(*plan.op, text)) return bad;
  } else if (!text.empty()) {
    const auto* types = plan.product ? find_product_types(text) : nullptr;
    const auto dtype = types ? std::optional(types->a) : dtype_of(text);
    if (!dtype) return skip(SkipReason::unknown_dtype, text);
    for (const auto& operand : plan.op->operands)
      if (!operand.optional && (operand.default_dtype.empty() || operand.default_dtype.starts_with('=')))
        input.set_dtype(operand.name, *dtype);
    if (types) {
      input.set_dtype("b", types->b);
      input.set_dtype("d", types->d);
      add_scales(text);
    }
  }
  return finish_dtypes(*plan.op);
}

std::optional<Skip> RowModel::read_operand_dtypes(const OpEntry& op, std::string_view text) {
  split_pairs(text, dtype_pairs_);
  for (const auto& [name, word] : dtype_pairs_) {
    const auto* operand = find_operand(op, name);
    const auto dtype = dtype_of(word);
    if (!operand || !dtype) return skip(SkipReason::unknown_dtype, std::string(name) + "=" + std::string(word));
    kernel_.input.set_dtype(operand->name, *dtype);
  }
  return std::nullopt;
}

/// What the row did not say: the operand's own default, or the dtype of another operand.
std::optional<Skip> RowModel::finish_dtypes(const OpEntry& op) {
  auto& input = kernel_.input;
  for (std::size_t round = 0; round < op.operands.size(); ++round)
    for (const auto& operand : op.operands) {
      if (operand.optional || input.has_dtype(operand.name)) continue;
      const auto other = operand.default_dtype;
      if (other.starts_with('=')) {
        if (input.has_dtype(other.substr(1))) input.set_dtype(operand.name, input.dtype(other.substr(1)));
      } else if (const auto fixed = other.empty() ? std::nullopt : find_dtype(other)) {
        input.set_dtype(operand.name, *fixed);
      }
    }
  for (const auto& operand : op.operands)
    if (!operand.optional && !input.has_dtype(operand.name)) return skip(SkipReason::no_dtype, operand.name);
  return std::nullopt;
}

/// Attention over a cache: `window` and the cache's own dtype. Queries and results are 16 bits wide in memory also
/// where the products run on 8-bit units.
void RowModel::read_cache(const RowFields& row) {
  auto& input = kernel_.input;
  const auto first = [&](std::string_view a, std::string_view b) {
    const auto text = row.find(a);
    return text ? text : row.find(b);
  };
  if (!first("q_len", "q")) return;  // another layout: mask and dtypes are as the row says
  const auto window = row.find("window");
  const auto wide = window ? read_count(*window) : std::nullopt;
  if (wide && *wide > Count(0)) {
    input.set("mask", Value{std::string("window")});
    input.set("left", Value{*wide - 1});
    input.set("right", Value{Count(0)});
  } else if (!input.has("mask")) {
    input.set("mask", Value{std::string("causal")});
  }
  const auto kv = first("kv_dtype", "kv");
  if (const auto dtype = kv ? dtype_of(*kv) : std::nullopt) {
    input.set_dtype("k", *dtype);
    input.set_dtype("v", *dtype);
  }
  if (describe(input.dtype("q")).bits != 8) return;
  input.set_dtype("o", DType::bf16);
  extra_read_ = input.count("batch", 1) * input.count("seq_q") * input.count("heads_q") * input.count("head_dim");
}

std::optional<Skip> RowModel::count_work(const Plan& plan) {
  auto work = plan.op->model(kernel_.input);
  if (!work) return skip(SkipReason::refused, work.error().what);
  kernel_.work = std::move(*work);
  if (extra_read_ > Count(0)) kernel_.work.read(plan.product ? "b_scale" : "q", extra_read_);
  if (kernel_.work.overflowed()) return skip(SkipReason::refused, "a count passes 2^127");
  return std::nullopt;
}

std::optional<double> RowModel::declared(const RowFields& row, int column) const {
  const auto text = row.cell(column);
  if (text.empty()) return std::nullopt;
  const auto value = read_decimal(text);
  if (!value || *value < 0 || *value > kMostDeclared) return std::nullopt;
  return *value;
}

/// FLOPs and bytes as the table counts them, for what is not one of our ops. A product or a model runs on the fastest
/// unit that takes its type, so that the floor stays a floor.
std::optional<Skip> RowModel::declare_work(const RowFields& row) {
  kernel_.op = nullptr;
  kernel_.input.clear();
  auto flops = declared(row, flops_column_), bytes = declared(row, bytes_column_);
  const auto none = [&] { return (!flops || *flops == 0) && (!bytes || *bytes == 0); };
  if (none()) {
    bytes = declared(row, working_set_kib_column_);
    if (bytes) *bytes *= kKibi;
  }
  if (none() && row.cell(time_column_).empty()) {  // rates alone: what one second does
    flops = declared(row, flop_rate_.column);
    bytes = declared(row, byte_rate_.column);
    if (flops) *flops *= flop_rate_.unit;
    if (bytes) *bytes *= byte_rate_.unit;
    one_second_ = !none();
  }
  if (none()) return skip(SkipReason::no_work, op_word_);
  Pipe pipe;
  if (flops && *flops > 0) {
    const auto text = row.cell(dtype_column_);
    if (text.empty()) return skip(SkipReason::no_dtype);
    const auto dtype = dtype_of(text);
    if (!dtype) return skip(SkipReason::unknown_dtype, text);
    pipe = matmul_pipe(*dtype, *dtype);
    if (pipe.kind == PipeKind::none) pipe = vector_pipe(*dtype);
  }
  const auto rounded = [](double value) { return Count::from_int128(static_cast<__int128>(std::nearbyint(value))); };
  kernel_.work = Work(pipe.kind == PipeKind::none ? Work::Headline::vector : Work::Headline::matmul, pipe);
  if (flops && *flops > 0) kernel_.work.matmul(rounded(*flops));
  if (bytes && *bytes > 0) kernel_.work.read("declared", rounded(*bytes));
  return std::nullopt;
}

void RowModel::compare_counts(const RowFields& row) {
  const auto& work = kernel_.work;
  const auto flops = declared(row, flops_column_), bytes = declared(row, bytes_column_);
  const bool product = work.headline() == Work::Headline::matmul;  // other FLOP columns are nominal: 4 or 5 per element
  counts_differ_ = (product && flops && apart(work.flops().to_double(), *flops)) ||
                   (bytes && apart(work.bytes().to_double(), *bytes));
}

void RowModel::read_working_set(const RowFields& row) {
  kernel_.working_set.reset();
  auto bytes = declared(row, working_set_column_);
  if (!bytes)
    if (const auto kib = declared(row, working_set_kib_column_)) bytes = *kib * kKibi;
  if (!bytes && gpu_->gpu.l2_capacity)
    if (const auto ratio = declared(row, ws_over_l2_column_)) bytes = *ratio * gpu_->gpu.l2_capacity->value.value();
  if (bytes && *bytes > 0) kernel_.working_set = Count::from_int128(static_cast<__int128>(*bytes));
}

}  // namespace roofline::audit_rows
