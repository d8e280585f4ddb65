#include "roofline/kernel/kernel_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "roofline/base/yaml.hpp"

namespace roofline {
namespace {

KernelFile read(const std::string& text) {
  auto document = read_yaml(text, "kernels.yaml");
  EXPECT_TRUE(document) << text;
  auto file = KernelFile::read(*document);
  if (!file) ADD_FAILURE() << format_errors(file.error(), false);
  return std::move(*file);
}

Workload first_point(const KernelFile& file) {
  Workload workload;
  const auto errors = file.evaluate(0, workload);
  EXPECT_TRUE(errors.empty()) << format_errors(errors, false);
  return workload;
}

// ---------------------------------------------------------------- one kernel, figures by hand
struct EntryRow {
  const char* name;
  const char* entry;
  const char* flops;
  const char* read;
  const char* written;
};
constexpr EntryRow kEntryRows[] = {
    // 2*2*3*4 = 48; A 2x4 and B 4x3 at 2 bytes: 16 + 24; D 2x3: 12
    {"plain", "{op: gemm, m: 2, n: 3, k: 4, dtype: bf16}", "48", "40", "12"},
    {"aliases", "{op: gemm, M: 2, N: 3, K: 4, dtype: bf16}", "48", "40", "12"},
    {"nested", "{op: gemm, params: {m: 2, n: 3, k: 4}, dtype: bf16}", "48", "40", "12"},
    {"nested_and_beside", "{op: gemm, params: {m: 2, N: 3}, k: 4, dtype: bf16}", "48", "40", "12"},
    {"quoted", "{op: gemm, m: '2', n: \"1 + 2\", k: 2**2, dtype: bf16}", "48", "40", "12"},
    {"dtypes_beat_dtype", "{op: gemm, m: 2, n: 3, k: 4, dtype: bf16, dtypes: {d: fp32}}", "48",
     "40", "24"},
    {"other_operand_as_default", "{op: gemm, m: 2, n: 3, k: 4, dtypes: {a: fp8_e4m3}}", "48", "20",
     "6"},
    {"unused_dtypes_are_fine",
     "{op: gemm, m: 2, n: 3, k: 4, dtype: bf16, dtypes: {c: fp32, bias: fp32}}", "48", "40", "12"},
    // 8 elements; two inputs of 16 and 32 bytes
    {"dtype_per_input",
     "{op: elementwise, shape: [2, 4], inputs: [[2, 4], [2, 4]], flops_per_element: 3, dtypes: "
     "{inputs: [bf16, fp32], output: int8}}",
     "24", "48", "8"},
    {"shape_of_one", "{op: copy, shape: 8, dtype: fp32}", "0", "32", "32"},
    {"flag_and_choice", "{op: gemm, m: 2, n: 3, k: 4, bias: true, activation: relu, dtype: bf16}",
     "48", "46", "12"},
    {"fixed_dtype_stays", "{op: gather, indices: 4, width: 2, distinct: 3, dtype: fp16}", "0", "44",
     "16"},  // int64 indices
    {"optimizer_params_is_a_count", "{op: optimizer, kind: sgd, params: 10, dtype: fp32}", "20",
     "80", "40"},
    {"optimizer_params_nested", "{op: optimizer, params: {kind: sgd, params: 10}, dtype: fp32}",
     "20", "80", "40"},
    // causal 3x3: 6 pairs; 2 * 2 heads * 6 * (4+4) = 192
    {"alias_of_several_and_flag",
     "{op: attention, heads: 2, head_dim: 4, seq_len: 3, causal: true, dtype: bf16}", "192", "144",
     "48"},
    {"single_alias_beats_shared",
     "{op: attention, heads: 2, kv_heads: 1, head_dim: 4, seq_len: 3, causal: true, dtype: bf16}",
     "192", "96", "48"},
    {"flag_alias_false",
     "{op: attention, heads: 1, head_dim: 4, seq: 3, causal: false, dtype: bf16}", "144", "72",
     "24"},
    {"generic",
     "{op: generic, symbols: {N: 5, M: N + 2}, tensors: [{name: u, shape: [M], dtype: fp32, "
     "access: read},"
     " {name: v, shape: [N, 2], access: readwrite}], flops: 9*N, dtypes: {v: bf16}}",
     "45", "48", "20"},
    {"generic_work",
     "{op: generic, symbols: {N: 5}, tensors: [{name: u, shape: [N], dtype: fp64, access: write}], "
     "work: {matmul.bf16: 2*N, sfu: N}}",
     "10", "0", "40"},
    {"chain",
     "{op: fused_chain, shape: [2, 4], steps: [{reads: x, writes: [h], flops: 3, sfu: 1}, {reads: "
     "[h, g], writes: y, flops: 1}], outputs: y, dtype: bf16}",
     "40", "32", "16"},
    {"notes_are_free", "{op: copy, shape: [8], dtype: fp32, note: any text, description: more}",
     "0", "32", "32"},
};

class KernelEntry : public testing::TestWithParam<EntryRow> {};
TEST_P(KernelEntry, IsCounted) {
  const auto& row = GetParam();
  const auto file = read(std::string("kernels:\n- ") + row.entry + "\n");
  const auto workload = first_point(file);
  ASSERT_EQ(workload.kernels.size(), 1u);
  EXPECT_EQ(workload.kernels[0].work.flops().to_string(), row.flops);
  EXPECT_EQ(workload.kernels[0].work.bytes_read().to_string(), row.read);
  EXPECT_EQ(workload.kernels[0].work.bytes_written().to_string(), row.written);
}
INSTANTIATE_TEST_SUITE_P(Rows, KernelEntry, testing::ValuesIn(kEntryRows),
                         [](const auto& row) { return row.param.name; });

// ---------------------------------------------------------------- forms of a file
TEST(KernelFileForms, ListAtTheTop) {
  EXPECT_EQ(read("- {op: copy, shape: [8], dtype: fp32}\n- {op: copy, shape: [8], dtype: fp32}\n")
                .kernel_count(),
            2u);
}

TEST(KernelFileForms, LoneEntry) {
  const auto file = read(
      "schema: roofline.kernel/1\ngpu: [a, b]\nop: gemm\nparams: {m: 2, n: 3, k: 4}\ndtypes: {a: "
      "bf16}\n");
  EXPECT_EQ(file.kernel_count(), 1u);
  EXPECT_EQ(file.gpus(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.gpu_place()->line, 2);
}

TEST(KernelFileForms, Json) {
  const auto file = read(
      R"({"schema": "roofline.kernel/1", "params": {"M": [2, 4]}, "kernels": [{"op": "gemm", "m": "M", "n": 3, "k": 4, "dtype": "bf16"}]})");
  EXPECT_EQ(file.points(), Count(2));
}

TEST(KernelFileForms, NamesAreMadeUnique) {
  const auto workload =
      first_point(read("kernels:\n- &c {op: copy, shape: [8], dtype: fp32}\n- *c\n- {op: copy, "
                       "shape: [8], dtype: fp32, name: 'copy#2'}\n- *c\n"));
  std::vector<std::string> names;
  for (const auto& kernel : workload.kernels) names.push_back(kernel.name);
  EXPECT_EQ(names, (std::vector<std::string>{"copy", "copy#2", "copy#2#2", "copy#3"}));
}

// ---------------------------------------------------------------- keys that every op has
TEST(KernelFileKeys, EveryGeneralKey) {
  const auto file = read(R"(
params: {L: 4}
defaults: {dtype: bf16, launch_cost: 5 us, timing: graph, path: mma_sync, link: pcie, repeat: L}
kernels:
  - name: qkv
    op: gemm
    m: 2
    n: 3
    k: 4
    repeat: 8*L
    tile: {bm: 128, BN: 256, bk: 64, stages: L, ctas_per_sm: 2, group_m: 8, group_n: 1}
    time: 410 us
    timing: kernel
    working_set: 96 MiB
    launch_cost: 0 us
    path: default
    link: nvlink
    match: {regex: '^sm90_.*gemm', name: x}
  - {op: copy, shape: [8], match: my_copy, time: {median: 2 ms, samples: 30}}
)");
  const auto workload = first_point(file);
  const auto &own = workload.kernels[0], &inherited = workload.kernels[1];
  EXPECT_EQ(own.name, "qkv");
  EXPECT_EQ(own.repeat, Count(32));
  ASSERT_TRUE(own.tile);
  EXPECT_EQ(own.tile->bm, Count(128));
  EXPECT_EQ(own.tile->bn, Count(256));
  EXPECT_EQ(own.tile->bk, Count(64));
  EXPECT_EQ(own.tile->stages, Count(4));
  EXPECT_EQ(own.tile->ctas_per_sm, Count(2));
  EXPECT_EQ(own.tile->group_m, Count(8));
  EXPECT_EQ(own.tile->group_n, Count(1));
  EXPECT_DOUBLE_EQ(own.time->value(), 410e-6);
  EXPECT_EQ(own.timing, Timing::kernel);
  EXPECT_EQ(own.working_set, Count(96 * 1048576));
  EXPECT_DOUBLE_EQ(own.launch_cost->value(), 0);
  EXPECT_FALSE(own.mma_sync);
  EXPECT_EQ(own.link, "nvlink");
  EXPECT_EQ(own.match->regex, "^sm90_.*gemm");
  EXPECT_EQ(own.match->name, "x");
  EXPECT_EQ(own.where.line, 5);
  EXPECT_EQ(own.where.column, 5);
  EXPECT_EQ(own.where.file, "kernels.yaml");

  EXPECT_EQ(inherited.name, "copy");
  EXPECT_EQ(inherited.repeat, Count(4));
  EXPECT_FALSE(inherited.tile);
  EXPECT_DOUBLE_EQ(inherited.time->value(), 2e-3);
  EXPECT_EQ(inherited.samples, Count(30));
  EXPECT_EQ(inherited.timing, Timing::graph);
  EXPECT_DOUBLE_EQ(inherited.launch_cost->value(), 5e-6);
  EXPECT_TRUE(inherited.mma_sync);
  EXPECT_EQ(inherited.link, "pcie");
  EXPECT_EQ(inherited.match->name, "my_copy");
}

TEST(KernelFileKeys, DefaultsWithoutDefaults) {
  const auto kernel = first_point(read("[{op: copy, shape: [8], dtype: fp32}]")).kernels[0];
  EXPECT_EQ(kernel.repeat, Count(1));
  EXPECT_EQ(kernel.timing, Timing::unknown);
  EXPECT_FALSE(kernel.time || kernel.launch_cost || kernel.tile || kernel.match ||
               kernel.mma_sync || kernel.working_set);
  EXPECT_EQ(kernel.link, "");
}

TEST(KernelTiming, NamesGoBothWays) {
  for (const auto timing :
       {Timing::unknown, Timing::stream, Timing::kernel, Timing::event, Timing::graph, Timing::e2e})
    EXPECT_EQ(find_timing(timing_name(timing)), timing);
  EXPECT_FALSE(find_timing("warm"));
}

// ---------------------------------------------------------------- sweeps
std::vector<std::string> values_of(const std::string& params, const std::string& expression = "M") {
  const auto file = read("params: {" + params + "}\nkernels:\n- {op: copy, shape: ['" + expression +
                         "'], dtype: int8}\n");
  std::vector<std::string> values;
  Workload workload;
  for (Count point = 0; point < file.points(); point += Count(1)) {
    const auto errors = file.evaluate(point, workload);
    EXPECT_TRUE(errors.empty()) << format_errors(errors, false);
    values.push_back(workload.kernels[0].work.bytes_read().to_string());
  }
  return values;
}

struct SweepRow {
  const char* name;
  const char* params;
  const char* expression;
  std::vector<std::string> values;
};
const SweepRow kSweepRows[] = {
    {"list", "M: [1, 8, 64]", "M", {"1", "8", "64"}},
    {"list_of_expressions", "T: 3, M: [T, 2*T, T**2]", "M", {"3", "6", "9"}},
    {"list_of_one_is_no_sweep", "M: [7]", "M", {"7"}},
    {"range", "M: 3:6", "M", {"3", "4", "5", "6"}},
    {"range_with_step", "M: 1:10:4", "M", {"1", "5", "9"}},
    {"range_with_plus", "M: '1:10:+4'", "M", {"1", "5", "9"}},
    {"range_hits_its_end", "M: 2:10:4", "M", {"2", "6", "10"}},
    {"geometric", "M: '1:16:x2'", "M", {"1", "2", "4", "8", "16"}},
    {"geometric_stops_before", "M: '3:50:x3'", "M", {"3", "9", "27"}},
    {"bounds_are_expressions", "T: 4, M: 'T:3*T:T'", "M", {"4", "8", "12"}},
    {"last_is_fastest",
     "M: [1, 2], N: [10, 20, 30]",
     "M*100 + N",
     {"110", "120", "130", "210", "220", "230"}},
    {"computed_from_swept", "M: [1, 2], D: 10*M, E: D + M", "E", {"11", "22"}},
    {"list_over_swept", "M: [1, 2], N: [M, 10*M]", "N", {"1", "10", "2", "20"}},
    {"three_deep",
     "A: [0, 1], B: [0, 1], C: [0, 1]",
     "4*A + 2*B + C",
     {"0", "1", "2", "3", "4", "5", "6", "7"}},
};
class KernelSweep : public testing::TestWithParam<SweepRow> {};
TEST_P(KernelSweep, TakesTheseValues) {
  EXPECT_EQ(values_of(GetParam().params, GetParam().expression), GetParam().values);
}
INSTANTIATE_TEST_SUITE_P(Rows, KernelSweep, testing::ValuesIn(kSweepRows),
                         [](const auto& row) { return row.param.name; });

TEST(KernelFileSweep, PointsAreNamedAndNotExpanded) {
  const auto file = read(
      "params: {H: 8, M: '1:10**12', N: [5, 6]}\nkernels:\n- {op: gemm, m: M, n: N, k: H, dtype: "
      "int8}\n");
  EXPECT_EQ(file.points(), Count(2'000'000'000'000));
  EXPECT_EQ(std::vector<std::string>(file.swept().begin(), file.swept().end()),
            (std::vector<std::string>{"M", "N"}));
  Workload workload;
  ASSERT_TRUE(file.evaluate(Count(1'999'999'999'999), workload).empty());
  EXPECT_EQ(workload.point,
            (std::vector<Binding>{{"M", Count(1'000'000'000'000)}, {"N", Count(6)}}));
  EXPECT_EQ(workload.kernels[0].work.flops(), Count(2) * Count(1'000'000'000'000) * Count(6 * 8));
}

TEST(KernelFileSweep, HugeSweepsAreCountedExactly) {
  const auto file = read(
      "params: {A: '1:10**15', B: '1:10**15'}\nkernels:\n- {op: copy, shape: ['A', B], dtype: "
      "int8}\n");
  EXPECT_EQ(file.points().to_string(), "1000000000000000000000000000000");
  Workload workload;
  ASSERT_TRUE(file.evaluate(file.points() - Count(1), workload).empty());
  EXPECT_EQ(workload.kernels[0].work.bytes_read().to_string(), "1000000000000000000000000000000");
}

TEST(KernelFileSweep, AnyOrderOfPointsGivesTheSame) {
  const auto file = read(R"(
params: {M: 1:9, N: [3, 5], T: 7}
defaults: {dtype: bf16}
tensors: {x: {shape: [M, T]}, c: {shape: [T]}}
kernels:
  - {op: gemm, m: M, n: T, k: N, repeat: N, tile: {bm: M, bn: 8}}
  - {op: gemm, m: T, n: T, k: T}
  - {op: copy, shape: [T], operands: {src: c}}
  - {op: generic, symbols: {S: 2, Q: S*M}, tensors: [{name: x, access: read}], flops: Q*S}
)");
  Workload reused;
  for (const int point : {0, 17, 3, 3, 8, 1, 16}) {
    Workload fresh;
    ASSERT_TRUE(file.evaluate(Count(point), reused).empty());
    ASSERT_TRUE(file.evaluate(Count(point), fresh).empty());
    const Count m = Count(1 + point / 2), n = point % 2 == 0 ? Count(3) : Count(5);
    EXPECT_EQ(reused.point, fresh.point);
    EXPECT_EQ(reused.kernels[0].work.flops(), Count(2) * m * Count(7) * n);
    EXPECT_EQ(reused.kernels[0].repeat, n);
    EXPECT_EQ(reused.kernels[0].tile->bm, m);
    EXPECT_EQ(reused.kernels[1].work.flops(), Count(2 * 7 * 7 * 7));
    EXPECT_EQ(reused.kernels[3].work.flops(), Count(4) * m);
    EXPECT_EQ(reused.tensors[0].bytes, Count(14) * m);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(reused.kernels[i].work.bytes(), fresh.kernels[i].work.bytes()) << i;
  }
}

TEST(KernelFileSweep, AWorkloadOfAnotherFileIsFilledAnew) {
  const auto one = read(
      "params: {M: [1, 2]}\nkernels:\n- {op: copy, shape: [M], dtype: int8}\n- {op: copy, shape: "
      "[9], dtype: int8}\n");
  const auto two = read("params: {M: [3, 4]}\nkernels:\n- {op: copy, shape: [5], dtype: fp32}\n");
  Workload workload;
  ASSERT_TRUE(one.evaluate(1, workload).empty());
  ASSERT_TRUE(two.evaluate(1, workload).empty());
  ASSERT_EQ(workload.kernels.size(), 1u);
  EXPECT_EQ(workload.kernels[0].work.bytes_read(), Count(20));
}

TEST(KernelFileSweep, ErrorsNameThePoint) {
  const auto file = read(
      "params: {M: [4, 1, 2], N: 4 // M}\nkernels:\n- {op: gemm, m: 2 - N, n: 8 / N, k: 1, dtype: "
      "bf16}\n");
  Workload workload;
  const auto errors = file.evaluate(1, workload);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].what, "m is -2");
  EXPECT_EQ(errors[0].note, "at M = 1");
  EXPECT_EQ(errors[0].where.line, 3);
  EXPECT_EQ(errors[0].where.column, 17);
  ASSERT_TRUE(file.evaluate(2, workload).empty()) << "the next point starts anew";
  EXPECT_EQ(workload.kernels[0].work.flops(), Count(0));
  EXPECT_EQ(file.evaluate(3, workload).size(), 1u);
  EXPECT_EQ(file.evaluate(-1, workload).size(), 1u);
}

// ---------------------------------------------------------------- shared tensors
constexpr const char* kBlock = R"(
params: {T: 8, H: 16}
defaults: {dtype: bf16}
tensors:
  x: {shape: [T, H]}
  h: {shape: [T, H], intermediate: true}
  s: {shape: [T, H], intermediate: true}
  g: {shape: [T, H]}
  y: {shape: [T, H], dtype: fp8_e4m3}
kernels:
  - {op: rmsnorm, rows: T, cols: H, operands: {x: x, y: h}}
  - {op: activation, kind: silu, shape: [T, H], operands: {x: h, y: s}}
  - {op: elementwise, shape: [T, H], inputs: [[T, H], [T, H]], flops_per_element: 1, operands: {inputs: [s, g], output: y}}
  - {op: elementwise, shape: [T, H], inputs: [[T, H], [H]], flops_per_element: 1, operands: {in0: y}, dtypes: {output: fp32}}
  - {op: generic, reads: [x, g], writes: g, flops: T*H}
  - {op: fused_chain, shape: [T, H], steps: [{reads: x, writes: t, flops: 1}, {reads: [t, x], writes: g, flops: 1}], outputs: g, fused: false}
)";

TEST(KernelFileTensors, AreBoundByOperand) {
  const auto workload = first_point(read(kBlock));
  std::string uses;
  for (const auto& kernel : workload.kernels) {
    for (const auto& use : kernel.tensors)
      uses +=
          use.operand + "=" + use.tensor + (use.reads ? "r" : "") + (use.writes ? "w" : "") + " ";
    uses += "| ";
  }
  EXPECT_EQ(uses,
            "x=xr y=hw | x=hr y=sw | in0=sr in1=gr out=yw | in0=yr | x=xr g=grw | x=xr g=gw | ");
  ASSERT_EQ(workload.tensors.size(), 5u);
  EXPECT_EQ(workload.tensors[4].name, "y");
  EXPECT_EQ(workload.tensors[4].bytes, Count(128));
  EXPECT_EQ(workload.tensors[1].where.line, 6);
  EXPECT_TRUE(workload.tensors[1].intermediate);
}

TEST(KernelFileTensors, GiveTheirDtype) {
  const auto workload = first_point(read(kBlock));
  EXPECT_EQ(workload.kernels[2].work.bytes_written(), Count(128));
  EXPECT_EQ(workload.kernels[3].input.dtype_list("inputs")[0], DType::fp8_e4m3);
  EXPECT_EQ(workload.kernels[3].input.dtype_list("inputs")[1], DType::bf16);
}

TEST(KernelFileTensors, MayBeTouchedInPartWhereTheOpDoes) {
  const auto workload = first_point(
      read("tensors: {table: {shape: [100, 16], dtype: bf16}}\nkernels:\n- {op: embedding, tokens: "
           "8, vocab: 100, hidden: 16, distinct: 3, dtype: bf16, operands: {table: table}}\n"));
  EXPECT_EQ(workload.kernels[0].tensors[0].tensor, "table");
}

TEST(KernelFileTensors, ASizeThatDisagreesLaterIsAnErrorThere) {
  const auto file = read(
      "params: {M: [4, 8]}\ntensors: {x: {shape: [M], dtype: bf16}}\nkernels:\n- {op: copy, shape: "
      "[4], operands: {src: x}, dtype: bf16}\n");
  Workload workload;
  ASSERT_TRUE(file.evaluate(0, workload).empty());
  const auto errors = file.evaluate(1, workload);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, Code::operands_disagree);
  EXPECT_EQ(errors[0].note, "tensor \"x\" is declared in line 2\nat M = 8");
}

TEST(KernelFileTensors, EmptyOnesMayBeInAnyOrder) {
  EXPECT_EQ(first_point(read("params: {T: 0}\ntensors: {h: {shape: [T], dtype: bf16, intermediate: "
                             "true}}\nkernels:\n"
                             "- {op: copy, shape: [T], operands: {dst: h}}\n- {op: copy, shape: "
                             "[T], operands: {src: h}, dtype: fp32}\n"))
                .kernels.size(),
            2u);
}

// ---------------------------------------------------------------- solving
TEST(KernelFileSolve, VariablesThatAKernelDependsOn) {
  const auto file = read(
      "params: {A: 2, B: 3*A, C: [5, 6], D: [C, A], E: 9, F: E}\nkernels:\n- {op: copy, shape: "
      "[B], dtype: int8}\n"
      "- {op: copy, shape: [D], dtype: int8}\n- {op: copy, shape: [1], dtype: int8, repeat: F}\n- "
      "{op: copy, shape: [1], dtype: int8}\n");
  EXPECT_EQ(file.variables(0, 0), (std::vector<Binding>{{"A", 2}, {"B", 6}}));
  EXPECT_EQ(file.variables(3, 1), (std::vector<Binding>{{"A", 2}, {"C", 6}, {"D", 2}}));
  EXPECT_EQ(file.variables(0, 2), (std::vector<Binding>{{"E", 9}, {"F", 9}}));
  EXPECT_TRUE(file.variables(0, 3).empty());
  EXPECT_TRUE(file.variables(0, 4).empty());
}

TEST(KernelFileSolve, OverridesReachWhatIsComputedFromThem) {
  const auto file = read(
      "params: {A: 2, B: 3*A, C: [5, 6]}\ntensors: {x: {shape: [B], dtype: int8}}\nkernels:\n"
      "- {op: copy, shape: [B], dtype: int8, operands: {src: x}}\n- {op: copy, shape: [C], dtype: "
      "int8}\n");
  const std::vector<Binding> a = {{"A", 10}}, b = {{"B", 1}}, c = {{"C", 99}}, unknown = {{"Z", 1}},
                             negative = {{"A", -1}};
  EXPECT_EQ(file.evaluate_with(0, 0, a)->work.bytes_read(), Count(30));
  EXPECT_EQ(file.evaluate_with(0, 0, b)->work.bytes_read(), Count(1));
  EXPECT_EQ(file.evaluate_with(1, 1, {})->work.bytes_read(), Count(6));
  EXPECT_EQ(file.evaluate_with(1, 1, c)->work.bytes_read(), Count(99));
  EXPECT_EQ(file.evaluate_with(1, 1, c)->name, "copy#2");
  EXPECT_EQ(file.evaluate_with(0, 0, unknown).error()[0].code, Code::unknown_name);
  EXPECT_EQ(file.evaluate_with(0, 0, negative).error()[0].note, "with A = -1");
  EXPECT_FALSE(file.evaluate_with(2, 0, a));
  EXPECT_FALSE(file.evaluate_with(0, 2, a));
}

// ---------------------------------------------------------------- bounds
std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

Errors errors_of(const std::string& text) {
  const auto document = read_yaml(text, "kernels.yaml");
  EXPECT_TRUE(document);
  const auto file = KernelFile::read(*document);
  return file ? Errors{} : file.error();
}

TEST(KernelFileBounds, ReadingStopsAfterManyErrors) {
  const auto errors =
      errors_of("kernels:\n" + repeated("- {op: gemm, m: x, n: 010, k: 1e6}\n", 20'000));
  EXPECT_GE(errors.size(), 1000u);
  EXPECT_LE(errors.size(), 1010u);
  EXPECT_EQ(errors.back().code, Code::limit_exceeded);
}

TEST(KernelFileBounds, ManyKernelsAreRefusedWithTheWayOut) {
  const auto errors = errors_of("[" + repeated("{op: copy},", 250'001) + "]");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, Code::limit_exceeded);
  EXPECT_NE(errors[0].hint.find("repeat"), std::string::npos);
}

TEST(KernelFileBounds, ListsVariablesAndSymbolsAreBounded) {
  std::string params, symbols;
  for (int i = 0; i < 1001; ++i) {
    params += "V" + std::to_string(i) + ": 1, ";
    symbols += "S" + std::to_string(i) + ": 1, ";
  }
  for (const auto& text :
       {"params: {" + params + "}\nkernels: [{op: copy, shape: [1], dtype: int8}]",
        "[{op: generic, symbols: {" + symbols + "}, tensors: [], flops: 1}]",
        "[{op: copy, dtype: int8, shape: [" + repeated("1, ", 10'001) + "]}]",
        "[{op: fused_chain, dtype: int8, shape: [1], outputs: y, steps: [" +
            repeated("{reads: x, writes: y}, ", 1001) + "]}]"}) {
    const auto errors = errors_of(text);
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors[0].code, Code::limit_exceeded) << errors[0].what;
  }
}

}  // namespace
}  // namespace roofline
