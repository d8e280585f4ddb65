#include <algorithm>
#include <array>

#include "ingest/formats/chrome_trace_event.hpp"
#include "ingest/formats/json_repair.hpp"
#include "ingest/mapping/known_operations.hpp"
#include "roofline/ingest/mapping.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

namespace roofline {
namespace {

using test::corpus;
using test::data;
using test::import_back;
using test::TemporaryFile;

const ProfiledKernel& kernel(const test::ReadBack& back, std::string_view symbol) {
  static const ProfiledKernel kNone;
  for (const auto& k : back.profile.kernels)
    if (k.symbol == symbol) return k;
  ADD_FAILURE() << "no kernel " << symbol;
  return kNone;
}

/// "name stack [shapes]" of the operation behind a kernel.
std::string told(const ProfiledKernel& k) {
  if (!k.operation) return "";
  std::string text = k.operation->name + " (" + std::string(k.operation->attribute("stack")) + ")";
  for (const auto& operand : k.operation->operands) {
    text += ' ';
    if (!operand.tensor) {
      text += operand.value.empty() ? "-" : operand.value;
      continue;
    }
    for (std::size_t i = 0; i < operand.shape.size(); ++i)
      text += (i == 0 ? "" : "x") + std::to_string(operand.shape[i]);
  }
  return text;
}

// Events without categories: what the process and the thread are called tells what they are.
TEST(ChromeTrace, TracksOfXla) {
  const auto back = import_back(data("traces/xla_browser.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.tool(), "XLA");
  EXPECT_EQ(back.launches(), 1U);  // "XLA Ops" repeats it
  EXPECT_EQ(back.total_ns(), 12'250);
  const auto& fusion = kernel(back, "loop_fusion");
  EXPECT_EQ(fusion.grid[0], 4096U);
  EXPECT_EQ(fusion.block[0], 256U);
  EXPECT_EQ(fusion.registers, 24U);
  ASSERT_TRUE(fusion.operation);
  EXPECT_EQ(fusion.operation->name, "hlo::fusion.1");
  ASSERT_EQ(back.profile.activity.size(), 1U);
  EXPECT_EQ(back.profile.activity[0].copies, 1U);
  EXPECT_NEAR(back.profile.activity[0].span.value(), 23e-6, 1e-12);  // 100.5 to 123.5 us
}

// Two executions of a product by two kernels each, with the instruction as XLA prints it.
TEST(ChromeTrace, InstructionsOfXlaByTheirText) {
  const auto event = [](int start, const char* name) {
    return std::string(R"(, {"ph": "X", "pid": 1, "tid": 13, "ts": )") + std::to_string(start) +
           R"(, "dur": 5, "name": ")" + name +
           R"(", "args": {"hlo_module": "jit_f", "hlo_op": "dot.1", "long_name": "%dot.1 = f32[8,2]{1,0} dot(bf16[8,4]{1,0} %a, bf16[4,2]{1,0} %b), lhs_contracting_dims={1}"}})";
  };
  const TemporaryFile file(
      "xla.json",
      R"json({"traceEvents": [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
          {"ph": "M", "pid": 1, "tid": 13, "name": "thread_name", "args": {"name": "Stream #13(Kernel)"}})json" +
          event(10, "pack") + event(20, "product") + event(30, "pack") + event(40, "product") +
          "]}");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  const auto &pack = kernel(back, "pack"), &product = kernel(back, "product");
  ASSERT_TRUE(product.operation);
  EXPECT_EQ(operation_text(*product.operation), "hlo::dot.1 [8,4] x [4,2] bf16");
  EXPECT_EQ(pack.operation_starts, 2u);
  EXPECT_EQ(product.operation_starts, 0u);
  const auto work = map_operation(*product.operation, product.full_name);
  ASSERT_TRUE(work) << work.error();
  EXPECT_EQ(work->work.flops().to_double(), 2 * 8 * 2 * 4);
}

TEST(ChromeTrace, TracksOfRocprof) {
  const auto back = import_back(data("traces/rocprof_results.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.tool(), "rocprof");
  EXPECT_EQ(back.launches(), 1U);
  EXPECT_EQ(back.total_ns(), 5'000);
  EXPECT_EQ(back.profile.kernels[0].full_name, "vec_add(float*, float*)");
  EXPECT_EQ(back.profile.processes[0].launch_calls, 1U);
}

TEST(ChromeTrace, TracksOfTheProfilerBeforeKineto) {
  const TemporaryFile file(
      "old.json",
      R"([{"name": "aten::mm", "ph": "X", "ts": 10.5, "dur": 30, "tid": 0, "pid": "CPU functions", "args": {}},
          {"name": "aten::mm", "ph": "s", "ts": 10.5, "tid": 0, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda", "args": {}},
          {"name": "volta_sgemm_128x64_nn", "ph": "f", "ts": 20, "tid": 7, "pid": "CUDA functions", "id": 1, "cat": "cpu_to_cuda", "args": {}},
          {"name": "volta_sgemm_128x64_nn", "ph": "X", "ts": 20, "dur": 12.5, "tid": 7, "pid": "CUDA functions", "args": {}}])");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 1U);
  EXPECT_EQ(back.total_ns(), 12'500);
  EXPECT_EQ(back.tool(), "PyTorch's profiler before Kineto");
}

// In 2021 a step is an operator around the others. It is a range, and the same operator in two
// steps is one.
TEST(ChromeTrace, StepsAmongTheOperatorsOf2021) {
  std::string events;
  for (int step = 0; step < 2; ++step) {
    const auto at = [&](int us) { return std::to_string(1000 * (step + 1) + us); };
    const auto id = std::to_string(step + 1);
    events += R"({"ph":"X","cat":"Operator","name":"ProfilerStep#)" + id +
              R"(","pid":1,"tid":1,"ts":)" + at(0) + R"(,"dur":900,"args":{"External id":)" +
              std::to_string(10 + step) + "}},";
    events += R"({"ph":"X","cat":"Operator","name":"aten::relu","pid":1,"tid":1,"ts":)" + at(10) +
              R"(,"dur":50,"args":{"External id":)" + id +
              R"(,"Input Dims":[[64]],"Input type":["float"]}},)";
    events += R"({"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)" +
              at(20) + R"(,"dur":5,"args":{"correlation":)" + id + R"(,"external id":)" + id +
              "}},";
    events += R"({"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":)" + at(40) +
              R"(,"dur":7,"args":{"device":0,"stream":7,"correlation":)" + id +
              R"(,"external id":)" + id + "}},";
  }
  events.pop_back();
  const auto back =
      import_back(TemporaryFile("a.json", R"({"traceEvents":[)" + events + "]}").path());
  ASSERT_FALSE(back.error) << back.error->what;
  ASSERT_EQ(back.profile.kernels.size(), 1U);
  EXPECT_EQ(back.profile.kernels[0].launches, 2U);
  EXPECT_EQ(told(back.profile.kernels[0]), "aten::relu () 64");
  ASSERT_EQ(back.profile.ranges.size(), 3U);  // the whole, and two steps
  EXPECT_EQ(back.profile.ranges[1].name, "ProfilerStep#1");
  EXPECT_EQ(back.profile.ranges[1].runs.at(0).launches, 1U);
}

TEST(ChromeTrace, KinetoOfToday) {
  const auto back = import_back(data("traces/kineto.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "chrome-trace");
  EXPECT_EQ(back.tool(), "PyTorch Kineto");
  EXPECT_EQ(back.launches(), 5U);
  EXPECT_EQ(back.total_ns(), 43'250);  // 10.25 + 2 + 3 + 8 + 20 us
  EXPECT_EQ(back.loss("events_damaged"), 0U);

  const auto& process = back.profile.processes[0];
  EXPECT_EQ(process.command, "train.json");
  EXPECT_EQ(process.rank, 1);
  EXPECT_EQ(process.world_size, 2);
  EXPECT_EQ(process.pid, 100);
  // Two GPUs are listed, kernels ran on the second.
  ASSERT_EQ(back.profile.devices.size(), 1U);
  const auto& gpu = back.profile.devices[0];
  EXPECT_EQ(gpu.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.facts.ordinal, 1U);
  EXPECT_EQ(gpu.facts.sm_count, 132U);
  EXPECT_EQ(gpu.facts.major, 9U);
  ASSERT_EQ(back.profile.activity.size(), 1U);
  EXPECT_EQ(back.profile.activity[0].copies, 2U);
  // 10.25 + 2 + 3 and, of two streams, 22 of 28.
  EXPECT_NEAR(back.profile.activity[0].kernels.value(), 37.25e-6, 1e-12);

  const auto& gemm = kernel(back, "void gemm<\"quoted\", {lambda()#1}>(int)");
  EXPECT_EQ(gemm.grid, (std::array<std::uint64_t, 3>{8, 4, 1}));
  EXPECT_EQ(gemm.block, (std::array<std::uint64_t, 3>{256, 1, 1}));
  EXPECT_EQ(gemm.registers, 128U);
  EXPECT_EQ(gemm.static_shared_bytes, 49152U);
  EXPECT_EQ(told(gemm), "aten::addmm (aten::linear;aten::addmm) 512 64x1024 1024x512 1 1");
  ASSERT_TRUE(gemm.operation);
  EXPECT_EQ(gemm.operation->operands[2].strides, (std::vector<std::uint64_t>{1, 1024}));
  EXPECT_EQ(gemm.operation->operands[2].type, "c10::BFloat16");
  EXPECT_EQ(gemm.operation_starts, 1U);
  // The second kernel of the same execution.
  const auto& reduce = kernel(back, "splitk_reduce");
  EXPECT_EQ(told(reduce), told(gemm));
  EXPECT_EQ(reduce.operation_starts, 0U);

  const auto& cat = kernel(back, "cat_kernel");
  EXPECT_EQ(told(cat), "aten::cat () [[8,64],[8,32]] -1");
  // Its id is of no operator here: the call's time tells.
  EXPECT_EQ(told(kernel(back, "sgemm")),
            "aten::mm (autograd::engine::evaluate_function: MmBackward0;aten::mm) 16x32 32x8");

  const auto& nccl =
      kernel(back, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
  ASSERT_TRUE(nccl.operation);
  EXPECT_EQ(nccl.operation->name, "nccl");
  EXPECT_EQ(nccl.operation->attribute("collective"), "allreduce");
  EXPECT_EQ(nccl.operation->attribute("group_size"), "2");
  EXPECT_EQ(nccl.operation->attribute("in_elements"), "1048576");
  EXPECT_EQ(nccl.operation->attribute("out_elements"), "1048576");
  EXPECT_EQ(nccl.operation->attribute("dtype"), "Float");

  // The step has what both threads launched; the collective has no call in the file.
  const auto& ranges = back.profile.ranges;
  const auto step = std::find_if(ranges.begin(), ranges.end(),
                                 [](const auto& r) { return r.name == "ProfilerStep#7"; });
  ASSERT_NE(step, ranges.end());
  EXPECT_EQ(step->runs.at(0).launches, 4U);
}

// Before kernels of NCCL carried their messages, the operator around them did. A kernel that tells
// its own goes by that.
TEST(ChromeTrace, MessagesOfTheCollectiveAroundAKernel) {
  const TemporaryFile file("nccl.json", R"JSON({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "c10d::allreduce_", "pid": 1, "tid": 2, "ts": 10, "dur": 40, "args": {"External id": 7, "Input Dims": [[], []], "Input type": ["TensorList", ""]}},
{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 2, "ts": 12, "dur": 30, "args": {"External id": 8, "Collective name": "allreduce", "dtype": "Half", "In msg nelems": 1048576, "Out msg nelems": 1048576, "Group size": 4, "Process Group Ranks": "[0, 1, 2, 3]"}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 20, "dur": 5, "args": {"correlation": 3}},
{"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)", "pid": 0, "tid": 7, "ts": 60, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 3}},
{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 2, "ts": 212, "dur": 30, "args": {"External id": 9, "Collective name": "allreduce", "dtype": "Half", "In msg nelems": 8, "Group size": 4}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 220, "dur": 5, "args": {"correlation": 4}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Broadcast_RING_LL(ncclDevComm*)", "pid": 0, "tid": 7, "ts": 260, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 4, "Collective name": "broadcast", "dtype": "Float", "In msg nelems": 100, "Out msg nelems": 100, "Group size": 2}}
]})JSON");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  const auto& reduce = kernel(back, "ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)");
  const auto& broadcast = kernel(back, "ncclDevKernel_Broadcast_RING_LL(ncclDevComm*)");
  ASSERT_TRUE(reduce.operation && broadcast.operation);
  const auto work = map_operation(*reduce.operation, reduce.full_name);
  ASSERT_TRUE(work) << work.error();
  EXPECT_EQ(work->work.link_bytes().to_double(), 2.0 * 3 / 4 * 2 * 1048576);  // a ring of four
  EXPECT_EQ(broadcast.operation->attribute("collective"), "broadcast");
}

// PyTorch names types as its compiler does.
TEST(ChromeTrace, TypesAsWindowsNamesThem) {
  const TemporaryFile file("windows.json", R"JSON({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::embedding", "pid": 1, "tid": 2, "ts": 10, "dur": 40, "args": {"External id": 1, "Input Dims": [[100, 8], [4]], "Input type": ["struct c10::Half", "__int64"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 20, "dur": 5, "args": {"correlation": 7}},
{"ph": "X", "cat": "kernel", "name": "lookup", "pid": 0, "tid": 7, "ts": 60, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 7}}
]})JSON");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  const auto& lookup = kernel(back, "lookup");
  ASSERT_TRUE(lookup.operation);
  EXPECT_EQ(lookup.operation->operands.at(0).type, "c10::Half");
  const auto work = map_operation(*lookup.operation, lookup.full_name);
  ASSERT_TRUE(work) << work.error();
  EXPECT_EQ(work->work.bytes().to_double(), 2 * 8 + 2 * 4 * 8 + 8 * 4);  // one row, 4 of it, ids
}

// Without correlations the id that a call and a kernel have in common joins them; the id of an
// operator is no correlation of another's call.
TEST(ChromeTrace, CallsAndKernelsJoinedByExternalIds) {
  const TemporaryFile file("external.json", R"JSON({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 10, "dur": 40, "args": {"Input Dims": [[8, 4], [4, 2]], "Input type": ["Half", "Half"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 20, "dur": 5, "args": {"External id": 100}},
{"ph": "X", "cat": "kernel", "name": "product", "pid": 0, "tid": 7, "ts": 60, "dur": 100, "args": {"device": 0, "stream": 7, "External id": 100}},
{"ph": "X", "cat": "cpu_op", "name": "aten::neg", "pid": 1, "tid": 2, "ts": 210, "dur": 40, "args": {"External id": 101, "Input Dims": [[3]], "Input type": ["float"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 30, "dur": 5, "args": {"correlation": 101, "External id": 5}},
{"ph": "X", "cat": "kernel", "name": "minus", "pid": 0, "tid": 7, "ts": 260, "dur": 100, "args": {"device": 0, "stream": 7, "External id": 101}}
]})JSON");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(told(kernel(back, "product")), "aten::mm () 8x4 4x2");
  EXPECT_EQ(told(kernel(back, "minus")), "aten::neg () 3");
}

TEST(ChromeTrace, KinetoOf2021) {
  const auto back = import_back(data("traces/kineto_2021.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2U);
  EXPECT_EQ(back.total_ns(), 3'000);
  ASSERT_EQ(back.profile.devices.size(), 1U);
  EXPECT_EQ(back.profile.devices[0].name, "Tesla V100-DGXS-32GB");
  EXPECT_EQ(back.profile.devices[0].facts.major, 7U);
  EXPECT_EQ(back.profile.activity.at(0).copies, 1U);
  // The launch of the first and the start of the second operator are the same microsecond.
  EXPECT_EQ(told(kernel(back, "add_kernel")), "aten::add () 32x8 32x8 -");
  EXPECT_EQ(told(kernel(back, "mul_kernel")), "aten::mul () 32x8 1");
  EXPECT_EQ(kernel(back, "add_kernel").launches, 1U);  // a duration of 0 is one
}

TEST(ChromeTrace, OneGraphLaunchForManyKernels) {
  const auto back = import_back(data("traces/hip_graph.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 4U);
  EXPECT_EQ(back.total_ns(), 22'000);
  const auto& process = back.profile.processes[0];
  EXPECT_EQ(process.graph_launches, 1U);
  EXPECT_EQ(process.launch_calls, 1U);
  EXPECT_EQ(kernel(back, "Cijk_gemm").in_graphs, 1U);
  const auto& attention = kernel(back, "attn_fwd");
  EXPECT_EQ(attention.launches, 2U);
  EXPECT_EQ(attention.in_graphs, 2U);
  EXPECT_FALSE(attention.operation);  // the operator around the graph's launch is not theirs
  EXPECT_EQ(told(kernel(back, "copy_kernel")), "aten::copy_ () 4 4 -");
  ASSERT_EQ(back.profile.devices.size(), 1U);
  EXPECT_EQ(back.profile.devices[0].name, "");
  EXPECT_EQ(back.profile.devices[0].facts.ordinal, 1U);

  const auto node = import_back(data("traces/graph_node.json"));
  ASSERT_FALSE(node.error);
  EXPECT_EQ(kernel(node, "Kernel").in_graphs, 1U);
  EXPECT_EQ(node.total_ns(), 20);
}

TEST(ChromeTrace, ListOfAnotherToolWithoutItsBracket) {
  const auto back = import_back(data("traces/converter_list.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.tool(), "a Chrome trace");
  EXPECT_EQ(back.launches(), 2U);
  EXPECT_EQ(back.total_ns(), 3'312);
  EXPECT_EQ(back.cut(), "");
  EXPECT_EQ(back.loss("gpu_not_named"), 1U);
  EXPECT_EQ(back.profile.activity.at(0).device, 3U);
}

TEST(ChromeTrace, BeginningsFindTheirEnds) {
  const auto back = import_back(data("traces/pairs.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2U);
  EXPECT_EQ(back.total_ns(), 4'250 + 1'000);
  EXPECT_EQ(kernel(back, "outer").grid, (std::array<std::uint64_t, 3>{2, 1, 1}));
  EXPECT_EQ(back.profile.activity.at(0).copies, 2U);
  EXPECT_EQ(back.loss("events_unpaired"), 1U);
}

TEST(ChromeTrace, CutBeforeItsEvents) {
  for (const char* text :
       {R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA)",
        R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "displayTimeUnit": "ms",)",
        R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEv)"}) {
    const TemporaryFile file("cut.json", text);
    const auto back = import_back(file.path());
    ASSERT_TRUE(back.error) << text;
    EXPECT_NE(back.error->what.find("cut before its list of events"), std::string::npos)
        << back.error->what;
  }
  const TemporaryFile whole("whole.json",
                            R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}]})");
  const auto back = import_back(whole.path());
  ASSERT_TRUE(back.error);
  EXPECT_NE(back.error->what.find("no list of events"), std::string::npos) << back.error->what;
}

TEST(ChromeTrace, KernelsInAnyCapitals) {
  for (const char* category : {"kernel", "Kernel", "KERNEL"})
    EXPECT_EQ(trace_kind(category), TraceKind::kernel) << category;
  for (const char* category : {"kernels", "kerne1", ""})
    EXPECT_EQ(trace_kind(category), TraceKind::other) << category;
}

// Ends without a category, in and around pairs of categories that are of no interest.
TEST(ChromeTrace, EndsNeedNotSayMoreThanTheirThread) {
  const TemporaryFile file("ends.json",
                           R"([{"ph":"B","cat":"stack","name":"of Python","pid":0,"tid":7,"ts":1},
          {"ph":"B","cat":"kernel","name":"copy","pid":0,"tid":7,"ts":2,"args":{"device":0}},
          {"ph":"B","name":"untold","pid":0,"tid":7,"ts":3},
          {"ph":"s","cat":"ac2g","name":"flow","id":1,"pid":0,"tid":7,"ts":3},
          {"ph":"E","pid":0,"tid":7,"ts":4},
          {"ph":"E","pid":0,"tid":8,"ts":4},
          {"ph":"E","pid":0,"tid":7,"ts":6.5},
          {"ph":"E","pid":0,"tid":7,"ts":9}])");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 1U);
  EXPECT_EQ(back.total_ns(), 4'500);
  EXPECT_EQ(back.loss("events_unpaired"), 0U);
}

// A name behind the events that it is of: they are told again, and none twice.
TEST(ChromeTrace, NamesOfTracksBehindTheirEvents) {
  const std::string process =
      R"j({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}})j";
  const std::string thread =
      R"j({"ph": "M", "pid": 1, "tid": 13, "name": "thread_name",
           "args": {"name": "Stream #13(Kernel)"}})j";
  const auto kernel_at = [](int ts) {
    return R"j({"ph": "X", "pid": 1, "tid": 13, "ts": )j" + std::to_string(ts) +
           R"j(, "dur": 2, "name": "fusion", "args": {}})j";
  };
  const auto list = [](std::initializer_list<std::string> events) {
    std::string text;
    for (const auto& event : events) text += (text.empty() ? "[" : ",") + event;
    return text + ']';
  };
  for (const auto& text : {list({process, thread, kernel_at(10), kernel_at(20)}),
                           list({kernel_at(10), kernel_at(20), process, thread}),
                           list({process, kernel_at(10), thread, kernel_at(20)})}) {
    const TemporaryFile file("names.json", text);
    const auto back = import_back(file.path());
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.tool(), "XLA");
    EXPECT_EQ(back.launches(), 2U);
    EXPECT_EQ(back.total_ns(), 4'000);
    EXPECT_EQ(back.loss("events_before_their_track"), 0U);
  }
}

// What the process of all streams shows is shown again by that of copies, and the operator's own.
TEST(ChromeTrace, TimelineOfTensorflow) {
  const TemporaryFile file("timeline.json",
                           R"({"traceEvents": [
        {"name": "process_name", "ph": "M", "pid": 1,
         "args": {"name": "/job:localhost/replica:0/task:0/device:GPU:1 Compute"}},
        {"name": "process_name", "ph": "M", "pid": 3,
         "args": {"name": "/device:GPU:1/stream:all Compute"}},
        {"name": "process_name", "ph": "M", "pid": 5,
         "args": {"name": "/device:GPU:1/memcpy Compute"}},
        {"args": {"name": "dense/MatMul", "op": "MatMul"}, "cat": "Op", "dur": 40,
         "name": "MatMul", "ph": "X", "pid": 1, "tid": 0, "ts": 1000},
        {"args": {"name": "dense/MatMul", "op": "MatMul"}, "cat": "Op", "dur": 120,
         "name": "MatMul", "ph": "X", "pid": 3, "tid": 0, "ts": 1050},
        {"args": {"name": "edge_8_x", "op": "MEMCPYHtoD"}, "cat": "Op", "dur": 30,
         "name": "MEMCPYHtoD", "ph": "X", "pid": 3, "tid": 1, "ts": 900},
        {"args": {"name": "edge_8_x", "op": "MEMCPYHtoD"}, "cat": "Op", "dur": 30,
         "name": "MEMCPYHtoD", "ph": "X", "pid": 5, "tid": 0, "ts": 900},
        {"args": {}, "cat": "DataFlow", "id": 2, "name": "x", "ph": "s", "pid": 1, "tid": 0,
         "ts": 1040}]})");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.tool(), "TensorFlow's timeline");
  EXPECT_EQ(back.launches(), 1U);
  EXPECT_EQ(back.total_ns(), 120'000);
  EXPECT_EQ(kernel(back, "MatMul").launches, 1U);
  ASSERT_EQ(back.profile.activity.size(), 1U);
  EXPECT_EQ(back.profile.activity[0].device, 1U);
  EXPECT_EQ(back.profile.activity[0].copies, 1U);
}

// Numbers are text, and one by one; no process is a GPU.
TEST(ChromeTrace, ProfileOfOnnxRuntime) {
  const TemporaryFile file("onnxruntime.json",
                           R"([
{"cat" : "Session","pid" :1234,"tid" :1234,"dur" :512,"ts" :4,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :25,"ts" :650,"ph" : "X","name" :"gemm","args" : {"stream" : "17","block_x" : "128","block_y" : "2","block_z" : "1","grid_x" : "64","grid_y" : "3","grid_z" : "1"}},
{"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :5,"ts" :690,"ph" : "X","name" :"gemm","args" : {"stream" : "17","block_x" : "128","block_y" : "2","block_z" : "1","grid_x" : "65","grid_y" : "3","grid_z" : "1"}}
])");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.total_ns(), 30'000);
  ASSERT_EQ(back.profile.kernels.size(), 2U);
  EXPECT_EQ(back.profile.kernels[0].grid, (std::array<std::uint64_t, 3>{64, 3, 1}));
  EXPECT_EQ(back.profile.kernels[0].block, (std::array<std::uint64_t, 3>{128, 2, 1}));
  EXPECT_EQ(back.profile.kernels[1].grid, (std::array<std::uint64_t, 3>{65, 3, 1}));
  ASSERT_EQ(back.profile.activity.size(), 1U);
  EXPECT_EQ(back.profile.activity[0].device, 0U);
}

TEST(ChromeTrace, SpoiledEventsAreRepairedAndCounted) {
  const auto back = import_back(data("traces/damaged.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 11U);
  EXPECT_EQ(back.total_ns(), 11'000);
  EXPECT_EQ(kernel(back, "good").launches, 5U);
  for (const char* name : {"a \"quoted\" name", "one \" quote", "a raw\n\tline", "C:\\path\\",
                           "bad \\p escape", "bytes \xff\xfe here"})
    EXPECT_EQ(kernel(back, name).launches, 1U);
  // The six above, two words that are no numbers, and an event that is of no other interest.
  EXPECT_EQ(back.loss("events_damaged"), 9U);
  EXPECT_EQ(back.cut(), "");
}

TEST(ChromeTrace, WithoutKernelsTheReasonIsTold) {
  const auto none = import_back(data("traces/no_kernels.json"));
  ASSERT_FALSE(none.error) << none.error->what;
  EXPECT_EQ(none.launches(), 0U);
  EXPECT_EQ(none.loss("no_kernel_events"), 1U);
  EXPECT_EQ(none.profile.processes[0].rank, 34);
  const auto other = import_back(data("traces/other_accelerator.json"));
  ASSERT_FALSE(other.error) << other.error->what;
  EXPECT_EQ(other.loss("events_of_other_accelerators"), 1U);
  EXPECT_EQ(other.loss("profiler_ranges"), 1U);
  EXPECT_EQ(other.loss("no_kernel_events"), 1U);
}

/// Cut at any byte a trace is read up to the last whole event, which is told.
TEST(ChromeTrace, CutAnywhere) {
  std::ifstream file(data("traces/kineto.json"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  const auto first = whole.find("\"traceEvents\": [") + 16;
  std::uint64_t launches = 0;
  for (std::size_t size = first; size + 2 < whole.size(); size += 7) {
    const TemporaryFile cut("cut.json", std::string_view(whole).substr(0, size));
    const auto imported = import_file(cut.path(), find_importer("chrome-trace"), {});
    ASSERT_TRUE(imported) << size << ": " << imported.error().what;
    ASSERT_NE(imported->capture.find("\"cut\":"), std::string::npos) << size;
    if ((size - first) % 98 != 0) continue;  // reading a capture back takes longer
    const auto back = import_back(cut.path(), {}, "chrome-trace");
    ASSERT_FALSE(back.error) << size << ": " << back.error->what;
    EXPECT_GE(back.launches(), launches) << size;
    EXPECT_EQ(back.loss("events_damaged"), 0U) << size;
    launches = back.launches();
  }
  EXPECT_EQ(launches, 5U);
}

TEST(ChromeTrace, WhatIsNoTraceIsRefused) {
  for (const char* text : {"", "hello", "{}", "{\"benchmarks\": [1, 2]}", "[1, 2", "{\"a\": \"",
                           "[{\"a\": 1}]", "{\"traceEvents\": 3}"}) {
    const TemporaryFile file("x.json", text);
    const auto back = import_back(file.path(), {}, "chrome-trace");
    // A list of anything is a trace without events; all else is refused.
    EXPECT_EQ(back.error.has_value(), text[0] != '[') << text;
    if (back.error) {
      EXPECT_EQ(back.error->code, Code::wrong_type) << text;
    }
  }
}

/// An event that is longer than the window, and members that are longer than what is kept.
TEST(ChromeTrace, LongEventsAndMembers) {
  const std::string long_text(700'000, 'x'), huge(6'000'000, 'y');
  const std::string event =
      "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": 5.5, "
      "\"dur\": 2.25, \"args\": {\"Call stack\": \"" +
      long_text + "\", \"device\": 0}}";
  const TemporaryFile file("long.json", "{\"stackFrames\": {\"a\": [\"" + huge +
                                            "\", \"]}\"]}, \"systemTraceEvents\": \"" + huge +
                                            "\", \"traceEvents\": [" + event + "," + event +
                                            "], \"traceName\": \"end\"}");
  const auto back = import_back(file.path(), {}, "chrome-trace");
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2U);
  EXPECT_EQ(back.total_ns(), 4'500);
  EXPECT_EQ(back.profile.processes[0].command, "end");
  EXPECT_EQ(back.loss("events_damaged"), 0U);
  EXPECT_EQ(back.cut(), "");
}

std::string kernel_event(int start) {
  return R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": )" +
         std::to_string(start) + R"(, "dur": 2, "args": {"stream": 7, "device": 0}})";
}

TEST(ChromeTrace, EventsByThemselvesOneALine) {
  for (const char* between : {"\n", "\r\n", ",\n", " "}) {
    const TemporaryFile file("lines.json",
                             kernel_event(1) + between + kernel_event(5) + between + "\n");
    const auto back = import_back(file.path());
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.launches(), 2U);
    EXPECT_EQ(back.loss("events_damaged"), 0U);
    EXPECT_EQ(back.loss("data_behind_document"), 0U);
    EXPECT_EQ(back.cut(), "");
  }
}

TEST(ChromeTrace, WhatStandsBehindTheDocumentIsTold) {
  const auto list = "[" + kernel_event(1) + "]", object = R"({"traceEvents": )" + list + "}";
  const struct {
    std::string text;
    std::uint64_t behind;
  } rows[] = {{list, 0},         {object, 0},          {object + " \r\n" + std::string(3, '\0'), 0},
              {list + list, 1},  {object + object, 1}, {object + "\n" + list, 1},
              {list + " end", 1}};
  for (const auto& row : rows) {
    const TemporaryFile file("two.json", row.text);
    const auto back = import_back(file.path());
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.launches(), 1U) << row.text;
    EXPECT_EQ(back.loss("data_behind_document"), row.behind) << row.text;
  }
}

TEST(ChromeTrace, NanosecondsAreExact) {
  struct Row {
    const char* text;
    std::optional<std::int64_t> ns;
  };
  const Row rows[] = {
      {"0", 0},
      {"12", 12'000},
      {"12.0", 12'000},
      {"0.020", 20},
      {"1623142623460147", 1'623'142'623'460'147'000},
      {"1649034698999999.123", 1'649'034'698'999'999'123},
      {"4458676522709.0594", 4'458'676'522'709'059},
      {"4458676522709.0595", 4'458'676'522'709'060},
      {"0.00049", 0},
      {"0.0005", 1},
      {"0.00050", 1},
      {"7.", 7'000},
      {".25", 250},
      {"7.12345678901234567890", 7'123},
      {"000000000000000000012.5", 12'500},
      {"9223372036854774.9995", 9'223'372'036'854'775'000},
      {"12.5 ", std::nullopt},
      {"12.5x", std::nullopt},
      {"-1.5", -1'500},
      {"1.5e3", 1'500'000},
      {"1E-3", 1},
      {"9223372036854775", 9'223'372'036'854'775'000},
      {"9223372036854776", std::nullopt},
      {"1e30", std::nullopt},
      {"0e30", 0},
      {"", std::nullopt},
      {".", std::nullopt},
      {"NaN", std::nullopt},
      {"1.2.3", std::nullopt},
      {"12 us", std::nullopt},
  };
  for (const auto& row : rows) EXPECT_EQ(nanoseconds(row.text), row.ns) << row.text;
}

TEST(ChromeTrace, RepairEndsWhereTheEventEnds) {
  struct Row {
    const char* text;
    const char* repaired;
    std::size_t taken;
  };
  const Row rows[] = {
      {R"({"a": 1}, {"b": 2})", R"({"a": 1})", 8},
      {R"({"a": "x "y" z"}, {)", R"({"a": "x \"y\" z"})", 16},
      {R"({"a": "x " z", "b": [1, {}]}])", R"({"a": "x \" z", "b": [1, {}]})", 28},
      {R"({"a": "C:\", "b": "\"q\""},)", R"({"a": "C:\\", "b": "\"q\""})", 26},
      {R"({"a": ["x", "y"]},)", R"({"a": ["x", "y"]})", 17},
  };
  for (const auto& row : rows) {
    const auto made = repair_json(row.text, true);
    EXPECT_EQ(made.outcome, RepairedJson::Outcome::done) << row.text;
    EXPECT_EQ(made.text, row.repaired);
    EXPECT_EQ(made.taken, row.taken) << row.text;
  }
  EXPECT_EQ(repair_json(R"({"a": "x)", true).outcome, RepairedJson::Outcome::cut);
}

TEST(ChromeTrace, KnownOperations) {
  EXPECT_TRUE(has_model("aten::mm"));
  EXPECT_TRUE(has_model("aten::_softmax"));
  EXPECT_FALSE(has_model("mm"));
  EXPECT_FALSE(has_model("aten::empty"));
}

/// TraceLens's table of the same trace (tables/tracelens_h100_qwen_gemm.csv): M, N, K and how
/// often.
TEST(ChromeTrace, MatrixSizesAreThoseOfTraceLens) {
  SKIP_WITHOUT_CORPUS();
  const auto back = import_back(corpus("traces/h100_qwen15_05b.json.gz"));
  ASSERT_FALSE(back.error);
  std::map<std::string, std::uint64_t> seen;
  for (const auto& k : back.profile.kernels) {
    if (!k.operation) continue;
    const auto& name = k.operation->name;
    if (name != "aten::mm" && name != "aten::addmm" && name != "aten::bmm") continue;
    const auto& a = k.operation->operands.at(name == "aten::addmm" ? 1 : 0).shape;
    const auto& b = k.operation->operands.at(name == "aten::addmm" ? 2 : 1).shape;
    const auto batch = a.size() == 3 ? std::to_string(a[0]) + "*" : "";
    const auto m = a[a.size() - 2], n = b.back(), depth = a.back();
    seen[name + " " + batch + std::to_string(m) + "x" + std::to_string(n) + "x" +
         std::to_string(depth)] += k.operation_starts;
  }
  std::map<std::string, std::uint64_t> theirs;
  theirs["aten::mm 8944x2816x1024"] = 48;
  theirs["aten::addmm 8944x1024x1024"] = 72;
  theirs["aten::mm 8944x1024x2816"] = 24;
  theirs["aten::mm 8944x1024x1024"] = 24;
  theirs["aten::bmm 1*32x559x1"] = 1;
  EXPECT_EQ(seen, theirs);
}

}  // namespace
}  // namespace roofline
