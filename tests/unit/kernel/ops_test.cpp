#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernel/ops/attention_mask.hpp"
#include "kernel/ops/expected_experts.hpp"
#include "kernel/ops/sliding_window.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "truth/op_case.hpp"

namespace roofline {
namespace {

using nlohmann::json;

// ---------------------------------------------------------------- the table

TEST(OpsTable, IsSortedAndFound) {
  ASSERT_EQ(ops().size(), 41u);
  for (std::size_t i = 0; i < ops().size(); ++i) {
    if (i > 0) {
      EXPECT_LT(ops()[i - 1].name, ops()[i].name);
    }
    EXPECT_EQ(find_op(ops()[i].name), &ops()[i]);
    EXPECT_EQ(op_names()[i], ops()[i].name);
  }
  EXPECT_EQ(find_op("gem"), nullptr);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
}

/// Whether the rule of an operand ends at `dtype:` or a fixed dtype.
bool resolves(const OpEntry& op, const OperandSpec& operand, std::size_t steps = 0) {
  if (operand.optional || operand.default_dtype.empty()) return true;
  if (operand.default_dtype.front() != '=') return find_dtype(operand.default_dtype).has_value();
  for (const auto& other : op.operands)
    if (other.name == operand.default_dtype.substr(1))
      return steps < op.operands.size() && !other.optional && resolves(op, other, steps + 1);
  return false;
}

class OpRow : public testing::TestWithParam<const OpEntry*> {};

TEST_P(OpRow, IsDocumented) {
  const auto& op = *GetParam();
  for (const auto text :
       {op.family, op.doc, op.work, op.bytes, op.intensity, op.source, op.example}) {
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(is_ascii(text)) << text;
  }
  EXPECT_FALSE(op.params.empty());
  EXPECT_NE(op.model, nullptr);
}

TEST_P(OpRow, HasWholeParameters) {
  std::set<std::string_view> names;
  for (const auto& param : GetParam()->params) {
    SCOPED_TRACE(param.name);
    EXPECT_TRUE(names.insert(param.name).second) << "twice";
    EXPECT_FALSE(param.doc.empty());
    EXPECT_EQ(param.type == roofline::ParamType::choice, !param.choices.empty());
    EXPECT_FALSE(param.required && !param.default_value.empty()) << "required, yet has a default";
    const bool word = param.type == roofline::ParamType::choice && !param.default_value.empty() &&
                      param.default_value.find(' ') == std::string_view::npos;
    if (word) {
      EXPECT_NE(std::find(param.choices.begin(), param.choices.end(), param.default_value),
                param.choices.end());
    }
  }
}

TEST_P(OpRow, HasWholeOperands) {
  std::set<std::string_view> names;
  for (const auto& operand : GetParam()->operands) {
    SCOPED_TRACE(operand.name);
    EXPECT_TRUE(names.insert(operand.name).second) << "twice";
    EXPECT_FALSE(operand.doc.empty());
    EXPECT_TRUE(resolves(*GetParam(), operand)) << operand.default_dtype;
  }
}

TEST_P(OpRow, HasAliasesOfParametersOnly) {
  const auto param = [](std::string_view name) {
    const auto params = GetParam()->params;
    return std::find_if(params.begin(), params.end(),
                        [&](const auto& p) { return p.name == name; });
  };
  std::set<std::string_view> names;
  for (const auto& alias : GetParam()->aliases) {
    SCOPED_TRACE(alias.alias);
    EXPECT_TRUE(names.insert(alias.alias).second) << "twice";
    EXPECT_EQ(param(alias.alias), GetParam()->params.end()) << "is a parameter";
    std::string_view rest = alias.targets;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(' '), rest.size());
      const auto target = param(rest.substr(0, end));
      ASSERT_NE(target, GetParam()->params.end()) << rest;
      if (!alias.value_if_true.empty()) {
        EXPECT_NE(std::find(target->choices.begin(), target->choices.end(), alias.value_if_true),
                  target->choices.end());
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

TEST_P(OpRow, HasAnExampleThatRuns) {
  const auto document = read_yaml(std::string(GetParam()->example), "example.yaml");
  ASSERT_TRUE(document) << format_errors(document.error(), false);
  const auto file = KernelFile::read(*document);
  ASSERT_TRUE(file) << format_errors(file.error(), false);
  Workload workload;
  const auto errors = file->evaluate(0, workload);
  ASSERT_TRUE(errors.empty()) << format_errors(errors, false);
  ASSERT_EQ(workload.kernels.size(), 1u);
  EXPECT_EQ(workload.kernels[0].op, GetParam());
  EXPECT_GT(workload.kernels[0].work.bytes(), Count(0));
}

INSTANTIATE_TEST_SUITE_P(Ops, OpRow, testing::ValuesIn([] {
                           std::vector<const OpEntry*> rows;
                           for (const auto& op : ops()) rows.push_back(&op);
                           return rows;
                         }()),
                         [](const auto& row) { return std::string(row.param->name); });

// ---------------------------------------------------------------- what is refused

struct Refusal {
  const char* name;
  const char* op;
  const char* params;  // JSON
  const char* dtypes;  // JSON
  const char* param;   // the parameter or operand that is blamed
};

constexpr const char* kBf16Gemm = R"({"a": "bf16", "b": "bf16", "d": "bf16"})";
constexpr const char* kConvDtypes = R"({"x": "fp16"})";

constexpr Refusal kRefusals[] = {
    {"input_does_not_broadcast", "elementwise",
     R"({"shape": [4, 5], "inputs": [[4, 5], [4]], "flops_per_element": 1})",
     R"({"inputs": "fp32", "output": "fp32"})", "inputs"},
    {"input_has_more_axes", "elementwise",
     R"({"shape": [5], "inputs": [[1, 5]], "flops_per_element": 1})",
     R"({"inputs": "fp32", "output": "fp32"})", "inputs"},
    {"dtypes_for_other_inputs", "elementwise",
     R"({"shape": [5], "inputs": [[5], [5], [5]], "flops_per_element": 1})",
     R"({"inputs": ["fp32", "bf16"], "output": "fp32"})", "inputs"},
    {"axis_past_the_last", "reduction", R"({"shape": [4, 5], "axes": [2], "kind": "sum"})",
     R"({"input": "fp32"})", "axes"},
    {"axis_before_the_first", "reduction", R"({"shape": [4, 5], "axes": [-3], "kind": "sum"})",
     R"({"input": "fp32"})", "axes"},
    {"axis_twice", "reduction", R"({"shape": [4, 5], "axes": [1, -1], "kind": "sum"})",
     R"({"input": "fp32"})", "axes"},
    {"product_of_int64", "gemm", R"({"m": 8, "n": 8, "k": 8})",
     R"({"a": "int64", "b": "bf16", "d": "bf16"})", "a"},
    {"group_of_two_numbers", "grouped_gemm", R"({"groups": [[1, 2, 3], [4, 5]]})", kBf16Gemm,
     "groups"},
    {"sparse_k_of_six", "sparse24_gemm", R"({"m": 8, "n": 8, "k": 6})", kBf16Gemm, "k"},
    {"group_of_a_fixed_format", "qgemm",
     R"({"m": 8, "n": 8, "k": 64, "format": "mxfp4", "group": 64})",
     R"({"a": "bf16", "d": "bf16"})", "group"},
    {"kernel_past_the_input", "conv",
     R"({"batch": 1, "c_in": 8, "c_out": 8, "in": [5, 5], "kernel": [3, 7]})", kConvDtypes,
     "kernel"},
    {"stride_of_another_rank", "conv",
     R"({"batch": 1, "c_in": 8, "c_out": 8, "in": [5, 5], "kernel": [3, 3], "stride": [1]})",
     kConvDtypes, "stride"},
    {"kernel_of_another_rank", "conv",
     R"({"batch": 1, "c_in": 8, "c_out": 8, "in": [5, 5], "kernel": [3, 3, 3]})", kConvDtypes,
     "kernel"},
    {"pad_of_another_rank", "pool",
     R"({"batch": 1, "channels": 8, "in": [5, 5], "kernel": [3, 3], "pad": [1, 1, 1], "kind": "max"})",
     kConvDtypes, "pad"},
    {"dilation_of_another_rank", "conv",
     R"({"batch": 1, "c_in": 8, "c_out": 8, "in": [5], "kernel": [3], "dilation": [1, 1]})",
     kConvDtypes, "dilation"},
    {"stride_zero", "conv",
     R"({"batch": 1, "c_in": 8, "c_out": 8, "in": [5], "kernel": [3], "stride": [0]})", kConvDtypes,
     "stride"},
    {"dilation_zero", "conv",
     R"({"batch": 1, "c_in": 8, "c_out": 8, "in": [5], "kernel": [3], "dilation": [0]})",
     kConvDtypes, "dilation"},
    {"groups_do_not_divide_inputs", "conv",
     R"({"batch": 1, "c_in": 9, "c_out": 8, "in": [5], "kernel": [3], "groups": 4})", kConvDtypes,
     "groups"},
    {"groups_do_not_divide_outputs", "conv",
     R"({"batch": 1, "c_in": 8, "c_out": 9, "in": [5], "kernel": [3], "groups": 4})", kConvDtypes,
     "groups"},
    {"heads_do_not_divide", "attention",
     R"({"heads_q": 10, "heads_kv": 4, "head_dim": 64, "seq_q": 8, "seq_k": 8})",
     R"({"q": "bf16"})", "heads_q"},
    {"no_lengths", "attention", R"({"heads_q": 8, "heads_kv": 4, "head_dim": 64, "seq_q": 8})",
     R"({"q": "bf16"})", "seq_k"},
    {"two_kinds_of_lengths", "attention",
     R"({"heads_q": 8, "heads_kv": 4, "head_dim": 64, "seq_q": 8, "seqs": [[1, 2]]})",
     R"({"q": "bf16"})", "seq_q"},
    {"sequence_of_three_numbers", "attention",
     R"({"heads_q": 8, "heads_kv": 4, "head_dim": 64, "seqs": [[1, 2, 3]]})", R"({"q": "bf16"})",
     "seqs"},
    {"window_of_a_causal_mask", "attention",
     R"({"heads_q": 8, "heads_kv": 4, "head_dim": 64, "seq_q": 8, "seq_k": 8, "mask": "causal", "left": 4})",
     R"({"q": "bf16"})", "left"},
    {"more_experts_per_token_than_there_are", "moe",
     R"({"tokens": 8, "experts": 4, "top_k": 5, "hidden": 8, "inter": 8})", R"({"x": "bf16"})",
     "top_k"},
    {"more_distinct_experts_than_there_are", "moe",
     R"({"tokens": 8, "experts": 4, "top_k": 2, "hidden": 8, "inter": 8, "distinct": 5})",
     R"({"x": "bf16"})", "distinct"},
    {"gated_activation_of_plain_experts", "moe",
     R"({"tokens": 8, "experts": 4, "top_k": 2, "hidden": 8, "inter": 8, "gated": false, "activation": "swiglu"})",
     R"({"x": "bf16"})", "activation"},
    {"more_distinct_rows_than_the_table", "embedding",
     R"({"tokens": 100, "vocab": 10, "hidden": 8, "distinct": 11})", R"({"table": "bf16"})",
     "distinct"},
    {"more_distinct_rows_than_indices", "gather", R"({"indices": 10, "width": 8, "distinct": 11})",
     R"({"src": "bf16"})", "distinct"},
    {"transform_of_no_power_of_two", "fft", R"({"n": 1000})", R"({"x": "complex64"})", "n"},
    {"complex_transform_of_reals", "fft", R"({"n": 1024})", R"({"x": "fp32"})", "x"},
    {"real_transform_of_complex", "fft", R"({"n": 1024, "real": true})", R"({"x": "complex64"})",
     "x"},
    {"more_values_than_cells", "spmv_csr", R"({"rows": 3, "cols": 4, "nnz": 13})",
     R"({"val": "fp64"})", "nnz"},
    {"shards_of_part_of_a_byte", "collective",
     R"({"kind": "all_gather", "ranks": 8, "size_bytes": 1001})", "{}", "size_bytes"},
    {"master_copy_of_sgd", "optimizer", R"({"params": 8, "kind": "sgd"})",
     R"({"p": "bf16", "master": "fp32"})", "master"},
    {"output_that_no_step_writes", "fused_chain",
     R"({"shape": [8], "steps": [{"reads": ["x"], "writes": ["y"], "flops": 1}], "outputs": ["z"]})",
     R"({"x": "fp32", "y": "fp32", "z": "fp32"})", "outputs"},
    {"old_value_of_an_intermediate", "fused_chain",
     R"({"shape": [8], "steps": [{"reads": ["y"], "writes": ["y"], "flops": 1}], "outputs": ["y"]})",
     R"({"y": "fp32"})", "steps"},
    {"no_dtype_of_a_step", "fused_chain",
     R"({"shape": [8], "steps": [{"reads": ["x"], "writes": ["y"], "flops": 1}], "outputs": ["y"]})",
     R"({"y": "fp32"})", "steps"},
    {"no_work", "generic", R"({"tensors": []})", "{}", "flops"},
    {"work_twice", "generic", R"({"tensors": [], "flops": 8, "work": {"vector.fp32": 8}})", "{}",
     "flops"},
    {"work_on_no_datapath", "generic", R"({"tensors": [], "work": {"vector.fp9": 8}})", "{}",
     "work"},
    {"negative_work", "generic", R"({"tensors": [], "flops": -8})", "{}", "flops"},
    {"negative_size", "generic",
     R"({"tensors": [{"name": "x", "shape": [-8], "access": "read"}], "flops": 8})",
     R"({"x": "fp32"})", "tensors"},
};

class OpRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(OpRefusal, NamesTheParameterAndTheWayOut) {
  const auto* op = find_op(GetParam().op);
  ASSERT_NE(op, nullptr);
  const auto params = json::parse(GetParam().params), dtypes = json::parse(GetParam().dtypes);
  OpInput input;
  ASSERT_TRUE(truth::to_input(*op, params, dtypes, input).empty());
  const auto work = op->model(input);
  ASSERT_FALSE(work);
  EXPECT_EQ(work.error().param, GetParam().param);
  EXPECT_FALSE(work.error().what.empty());
  EXPECT_FALSE(work.error().hint.empty());
}

INSTANTIATE_TEST_SUITE_P(Rows, OpRefusal, testing::ValuesIn(kRefusals),
                         [](const auto& row) { return std::string(row.param.name); });

// ---------------------------------------------------------------- closed forms against loops

op_models::Visible visible_by_loop(int rows, int keys, const op_models::AttentionMask& mask) {
  using Kind = op_models::AttentionMask::Kind;
  const int left = mask.kind == Kind::window ? static_cast<int>(mask.left.to_int64()) : -1;
  const int right = mask.kind == Kind::window   ? static_cast<int>(mask.right.to_int64())
                    : mask.kind == Kind::causal ? 0
                                                : -1;
  op_models::Visible seen;
  int first = keys, last = -1;
  for (int i = 0; i < rows; ++i) {
    const int j = i + keys - rows;
    int row = 0;
    for (int key = 0; key < keys; ++key) {
      if ((left >= 0 && key < j - left) || (right >= 0 && key > j + right)) continue;
      ++row;
      first = std::min(first, key);
      last = std::max(last, key);
    }
    seen.pairs += row;
    if (row > 0) seen.rows += 1;
  }
  seen.keys = std::max(0, last - first + 1);
  return seen;
}

TEST(AttentionMask, ClosedFormsEqualLoops) {
  using Kind = op_models::AttentionMask::Kind;
  for (const auto kind : {Kind::full, Kind::causal, Kind::window})
    for (int rows = 0; rows <= 9; ++rows)
      for (int keys = 0; keys <= 9; ++keys)
        for (int left = -1; left <= 11; ++left)
          for (int right = -1; right <= 11; ++right) {
            const op_models::AttentionMask mask{kind, left, right};
            const auto seen = op_models::visible(rows, keys, mask);
            const auto expected = visible_by_loop(rows, keys, mask);
            ASSERT_TRUE(seen.pairs == expected.pairs && seen.rows == expected.rows &&
                        seen.keys == expected.keys)
                << rows << " rows, " << keys << " keys, left " << left << ", right " << right;
          }
}

TEST(AttentionMask, ABillionRowsAreCountedWithoutVisitingThem) {
  const Count n = 1'000'000'000;
  const auto seen = op_models::visible(n, n, {op_models::AttentionMask::Kind::window, 4095, 0});
  EXPECT_EQ(seen.pairs, n * 4096 - Count(4096 * 4095 / 2));  // the first 4095 rows see fewer
  EXPECT_EQ(seen.rows, n);
  EXPECT_EQ(seen.keys, n);
}

TEST(SlidingWindow, ClosedFormsEqualLoops) {
  for (int in = 0; in <= 13; ++in)
    for (int kernel = 1; kernel <= 5; ++kernel)
      for (int stride = 1; stride <= 7; ++stride)
        for (int pad = 0; pad <= 4; ++pad)
          for (int dilation = 1; dilation <= 6; ++dilation) {
            const op_models::SlidingWindow window{in, kernel, stride, pad, dilation};
            const auto outputs = static_cast<int>(op_models::output_size(window).to_int64());
            std::set<int> touched;
            int taps = 0;
            for (int o = 0; o < outputs; ++o)
              for (int tap = 0; tap < kernel; ++tap) {
                const int i = o * stride - pad + tap * dilation;
                if (i < 0 || i >= in) continue;
                touched.insert(i);
                ++taps;
              }
            ASSERT_EQ(op_models::touched_inputs(window), Count(touched.size()))
                << in << ' ' << kernel << ' ' << stride << ' ' << pad << ' ' << dilation;
            ASSERT_EQ(op_models::valid_taps(window), Count(taps))
                << in << ' ' << kernel << ' ' << stride << ' ' << pad << ' ' << dilation;
          }
}

TEST(SlidingWindow, ATrillionInputsAreCountedWithoutVisitingThem) {
  const Count n = 1'000'000'000'000;
  EXPECT_EQ(op_models::touched_inputs({n, 1, 2, 0, 1}), Count(500'000'000'000));
  EXPECT_EQ(op_models::touched_inputs({n, n, 1, 0, 1}), n);
  EXPECT_EQ(op_models::valid_taps({n, 3, 1, 1, 1}), n * 3 - 2);
  // Stride 3, dilation 2: every residue but the ends is met; out = (n - 4 - 1)/3 + 1.
  EXPECT_EQ(op_models::output_size({n, 3, 3, 0, 2}), Count(333'333'333'332));
}

// ---------------------------------------------------------------- single figures

struct Experts {
  const char* name;
  int experts, top_k, tokens;
  double expected;  // E(1-(1-k/E)^T) as an exact fraction, to the nearest double
};
constexpr Experts kExperts[] = {
    {"no_tokens", 8, 2, 0, 0},
    {"one_token_picks_its_k", 256, 8, 1, 8},
    {"two_of_three", 3, 2, 1, 2},
    {"every_expert_per_token", 4, 4, 7, 4},
    {"halves", 2, 1, 2, 1.5},                       // 2(1 - 1/4)
    {"mixtral_8_tokens", 8, 2, 8, 58975.0 / 8192},  // 8(1 - 6561/65536)
    {"exact_tie_rounds_to_even", 8, 2, 27,
     8.0 * ((18014398509481984.0 - 7625597484987.0) / 18014398509481984.0)},
};

class ExpectedExperts : public testing::TestWithParam<Experts> {};

TEST_P(ExpectedExperts, IsTheNearestDouble) {
  const auto& row = GetParam();
  EXPECT_EQ(op_models::expected_experts(row.experts, row.top_k, row.tokens), row.expected);
}

INSTANTIATE_TEST_SUITE_P(Rows, ExpectedExperts, testing::ValuesIn(kExperts),
                         [](const auto& row) { return std::string(row.param.name); });

Work work_of(const char* op, const char* params, const char* dtypes) {
  const auto parsed = json::parse(params), types = json::parse(dtypes);
  OpInput input;
  truth::to_input(*find_op(op), parsed, types, input);
  return find_op(op)->model(input).value();
}

TEST(Ops, ProductsPastTheRangeOfCountsAreMarked) {
  const auto work =
      work_of("gemm", R"({"m": 1125899906842624, "n": 1125899906842624, "k": 1125899906842624})",
              kBf16Gemm);
  EXPECT_TRUE(work.overflowed());
}

TEST(Ops, EpiloguesOfFp64ProductsStayInFp64) {
  const auto work =
      work_of("gemm", R"({"m": 8, "n": 4, "k": 2, "bias": true})", R"({"a": "fp64"})");
  EXPECT_EQ(pipe_name(work.pipe()), "tensor:fp64");
  ASSERT_EQ(work.terms().size(), 2u);
  EXPECT_EQ(pipe_name(work.terms()[1].pipe), "vector:fp64");
  EXPECT_EQ(work.terms()[1].amount, Count(32));
}

TEST(Ops, CollectivesAndHostCopiesLoadTheLink) {
  const auto sum =
      work_of("collective", R"({"kind": "all_reduce", "ranks": 8, "size_bytes": 1048576})", "{}");
  EXPECT_EQ(sum.link_bytes(), Count(1835008));  // 2 * 7/8
  const auto copy =
      work_of("memcpy_hd", R"({"shape": [1000], "direction": "d2h"})", R"({"x": "fp32"})");
  EXPECT_EQ(copy.link_bytes(), Count(4000));
}

TEST(Ops, ArgmaxWritesInt64UnlessToldOtherwise) {
  const char* params = R"({"shape": [8, 100], "axes": [-1], "kind": "argmax"})";
  EXPECT_EQ(work_of("reduction", params, R"({"input": "bf16"})").bytes_written(), Count(64));
  EXPECT_EQ(work_of("reduction", params, R"({"input": "bf16", "output": "int32"})").bytes_written(),
            Count(32));
}

TEST(Ops, DistinctExpertsDefaultToTheExpectation) {
  const auto work =
      work_of("moe", R"({"tokens": 32, "experts": 256, "top_k": 8, "hidden": 2, "inter": 3})",
              R"({"x": "int8"})");
  for (const auto& traffic : work.operands()) {
    if (traffic.operand == "experts") {
      EXPECT_EQ(traffic.read, Count(163 * 3 * 2 * 3));  // 163.3 of 256
    }
  }
}

struct Declared {
  const char* name;
  const char* work;  // JSON
  const char* pipe;
  int flops;
};
constexpr Declared kDeclared[] = {
    {"vector", R"({"vector.fp32": 9})", "vector:fp32", 9},
    {"matmul_before_more_vector_work", R"({"vector.fp32": 9, "matmul.bf16": 4})", "tensor:bf16", 4},
    {"matmul_of_nothing_is_no_headline", R"({"vector.fp64": 9, "matmul.bf16": 0})", "vector:fp64",
     9},
    {"special_functions_alone", R"({"sfu": 5})", "vector:fp32", 5},
    {"special_functions_beside_vector_work", R"({"sfu": 5, "vector.fp32": 1})", "vector:fp32", 6},
    {"integers_alone", R"({"int": 5})", "int", 0},
    {"plain_fp32_product", R"({"matmul.fp32": 8})", "vector:fp32", 8},
    {"colon_and_encoding", R"({"matmul:fp8_e4m3": 8})", "tensor:fp8", 8},
    {"narrow_accumulator", R"({"matmul.fp16_acc16": 8})", "tensor:fp16_acc16", 8},
    {"nothing", R"({"matmul.bf16": 0})", "tensor:bf16", 0},
};

class DeclaredWork : public testing::TestWithParam<Declared> {};

TEST_P(DeclaredWork, HasItsHeadline) {
  const auto params = std::string(R"({"tensors": [], "work": )") + GetParam().work + "}";
  const auto work = work_of("generic", params.c_str(), "{}");
  EXPECT_EQ(pipe_name(work.pipe()), GetParam().pipe);
  EXPECT_EQ(work.flops(), Count(GetParam().flops));
}

INSTANTIATE_TEST_SUITE_P(Rows, DeclaredWork, testing::ValuesIn(kDeclared),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace roofline
