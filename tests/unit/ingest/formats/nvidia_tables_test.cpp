#include <gtest/gtest.h>

#include <cmath>

#include "roofline/kernel/function_name.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

/// What nvprof and nsys stats print.
namespace roofline {
namespace {

using test::copies_of;
using test::corpus;
using test::data;
using test::expected;
using test::import_back;
using test::TemporaryFile;

long long ns(Seconds time) { return std::llround(time.value() * 1e9); }

TEST(NsysStats, CorpusAgreesWithItsDatabase) {
  SKIP_WITHOUT_CORPUS();
  const auto& facts = expected()["nsys/a100_resnet50_stats.txt"];
  const auto back = import_back(corpus("nsys/a100_resnet50_stats.txt"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "nsys-stats");
  EXPECT_EQ(back.launches(), facts["instances"].get<std::uint64_t>());
  EXPECT_EQ(back.total_ns(), facts["total_ns"].get<long long>());
  EXPECT_EQ(back.profile.kernels.size(), facts["kern_sum_rows"].get<std::size_t>());
  EXPECT_EQ(back.loss("names_cut"), facts["cut_names"].get<std::uint64_t>());
  EXPECT_EQ(back.loss("copies_summed"), 320u + 9u);
  const auto* top = back.find("cudnn::bn_fw_inf_1C11_kernel_NCHW");
  ASSERT_TRUE(top);
  EXPECT_EQ(top->launches, 424u);
  EXPECT_EQ(ns(top->time()), 36917512);
}

TEST(NsysStats, TraceAsCsv) {
  const auto back = import_back(data("nsys/cuda_gpu_trace.csv"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.total_ns(), 12345 + 55);
  EXPECT_EQ(copies_of(back), 1u);
  ASSERT_EQ(back.profile.kernels.size(), 1u);
  const auto& kernel = back.profile.kernels[0];
  EXPECT_EQ(kernel.grid, (std::array<std::uint64_t, 3>{4096, 2, 1}));
  EXPECT_EQ(kernel.dynamic_shared_bytes, 2000u);
  EXPECT_EQ(back.profile.devices.at(0).name, "NVIDIA L4");
}

TEST(NsysStats, SumsAsText) {
  const auto back = import_back(data("nsys/kern_sum.txt"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 4u);
  EXPECT_EQ(back.total_ns(), 1234567 + 411523);
  EXPECT_EQ(back.loss("names_cut"), 1u);
  const auto* dot = back.find("dot");
  ASSERT_TRUE(dot);
  EXPECT_EQ(ns(*dot->sums.at(0).median), 411523);
}

// cuda_kern_exec_trace: launches with the calls that made them, by number of the device.
TEST(NsysStats, TraceOfKernelsAlone) {
  const TemporaryFile file(
      "exec.csv",
      "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),"
      "Kernel Dur (ns),Total Dur (ns),PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n"
      "1000,5000,6000,1200,7200,41000,47200,9,9,0,cudaLaunchKernel,\"  128    2    1\","
      "\" 256    1    1\",\"void a<int>(int, int)\"\n"
      "52000,5000,,,58000,20000,26000,9,9,1,cudaGraphLaunch_v12000,16 1 1,64 1 1,b\n");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "nsys-stats");
  EXPECT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.total_ns(), 41'000 + 20'000);
  EXPECT_EQ(back.loss("gpu_not_named"), 1u);
  const auto* a = back.find("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->grid, (std::array<std::uint64_t, 3>{128, 2, 1}));
  EXPECT_EQ(a->block[0], 256u);
}

// Of a table people keep the columns that they need.
TEST(NsysStats, ColumnsThatSomebodyKept) {
  const TemporaryFile trace("kept.csv",
                            "Processing report...\nStart (ns),Duration (ns),CorrId,Name\n"
                            "1,900000,7,\"void fill<int, float>()\"\n900001,10000,8,k\n"
                            "930001,700000,9,[CUDA memcpy DtoH]\n");
  const auto launches = import_back(trace.path());
  ASSERT_FALSE(launches.error) << launches.error->what;
  EXPECT_EQ(launches.launches(), 2u);
  EXPECT_EQ(launches.total_ns(), 910'000);
  EXPECT_EQ(copies_of(launches), 1u);
  const TemporaryFile sums(
      "sums.csv",
      "Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),Name\n1200,2,600,500,700,k\n");
  const auto summed = import_back(sums.path());
  ASSERT_FALSE(summed.error) << summed.error->what;
  EXPECT_EQ(summed.launches(), 2u);
  EXPECT_EQ(summed.total_ns(), 1200);
  for (const char* calls :
       {"Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
        "100,2000,cudaLaunchKernel,0,1,9,9,20,main\n",
        "Name,Start (ns),Duration (ns),Projected Start (ns),Projected Duration "
        "(ns),Num GPU Ops,CorrId\nstep,10,100,20,80,2,1\n"}) {
    const TemporaryFile file("calls.csv", calls);
    const auto refused = import_back(file.path());
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->what, "this text of nsys holds no table that has each kernel once");
  }
}

// nsys stats --format table
TEST(NsysStats, TablesWithBorders) {
  const TemporaryFile file(
      "borders.txt",
      " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
      "+----------+-----------------+-----------+----------+----------------------+\n"
      "| Time (%) | Total Time (ns) | Instances | Avg (ns) |         Name         |\n"
      "+----------+-----------------+-----------+----------+----------------------+\n"
      "|     75.0 |           3,000 |         2 |   1500.0 | void k<int>(int, int) |\n"
      "|     25.0 |           1,000 |         1 |   1000.0 | sgemm_32x32x32_NN…   |\n"
      "+----------+-----------------+-----------+----------+----------------------+\n\n"
      " ** CUDA API Summary (cuda_api_sum):\n\n"
      "+----------+-----------------+-----------+------------------+\n"
      "| Time (%) | Total Time (ns) | Num Calls |       Name       |\n"
      "+----------+-----------------+-----------+------------------+\n"
      "|    100.0 |           9,000 |         3 | cudaLaunchKernel |\n"
      "+----------+-----------------+-----------+------------------+\n");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 3u);
  EXPECT_EQ(back.total_ns(), 4000);
  EXPECT_EQ(back.loss("names_cut"), 1u);
  EXPECT_EQ(back.profile.kernels.size(), 2u);
}

// cuda_api_gpu_sum
TEST(NsysStats, SumsOfCallsAndKernels) {
  const TemporaryFile file(
      "mixed.csv",
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Category,"
      "Operation\n"
      "60.0,6000,3,2000.0,2000.0,1900,2100,1.0,CUDA_KERNEL,\"void k<int>(int, int)\"\n"
      "30.0,3000,3,1000.0,1000.0,1000,1000,0.0,CUDA_API,cudaLaunchKernel\n"
      "10.0,1000,2,500.0,500.0,500,500,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]\n");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 3u);
  EXPECT_EQ(back.total_ns(), 6000);
  EXPECT_EQ(back.loss("copies_summed"), 2u);
  EXPECT_EQ(back.loss("host_calls_passed_over"), 1u);
}

// A kernel counts under each range around it: such sums are none of the run.
TEST(NsysStats, SumsByRangeAreRefused) {
  const TemporaryFile file(
      "by_range.csv",
      "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),"
      "Max (ns),StdDev (ns),Kernel Name\n"
      ":step,PushPop,9,9,3,30,3000000,100000.0,100000.0,90000,110000,100.0,k\n");
  const auto back = import_back(file.path());
  ASSERT_TRUE(back.error);
  EXPECT_EQ(back.error->what, "this text of nsys holds no table that has each kernel once");
}

TEST(NsysStats, TablesOfOthersAreRefused) {
  SKIP_WITHOUT_CORPUS();
  const auto back = import_back(corpus("nsys/a100_cloverleaf_gpu_trace_events.csv"));
  ASSERT_TRUE(back.error);
  EXPECT_NE(back.error->what.find("no format"), std::string::npos);
}

// Times in whatever unit the header names; one that is not known makes no time.
TEST(NsysStats, UnitsOfTheHeader) {
  constexpr std::string_view kRest =
      ",CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem,DymSMem,Bytes,Thru,SrcMemKd,DstMemKd,"
      "Device,Ctx,Strm,Name\n"
      "0.123456789,5000,1,16,1,1,256,1,1,16,0,0,,,,,NVIDIA A100-SXM4-80GB (0),1,7,k(float*)\n";
  const std::pair<std::string_view, long long> kRows[] = {
      {"Start (ns),Duration (ns)", 5000},
      {"Start(sec),Duration(nsec)", 5000},
      {"Start (s),Duration (us)", 5000000},
  };
  for (const auto& [times, ns] : kRows) {
    SCOPED_TRACE(times);
    const auto back =
        import_back(TemporaryFile("a.csv", std::string(times) + std::string(kRest)).path());
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.total_ns(), ns);
    EXPECT_EQ(back.launches(), 1u);
  }
  const TemporaryFile unknown("a.csv", "Start (ticks),Duration (ticks)" + std::string(kRest));
  EXPECT_TRUE(import_back(unknown.path()).error);
}

// What nsys says before a table, and the columns of --report gpukernsum:base with grids.
TEST(NsysStats, LinesBeforeAndGrids) {
  const auto back = import_back(
      TemporaryFile("a.csv",
                    "Generating SQLite file /tmp/a.sqlite\nProcessing [/tmp/a.sqlite]...\n"
                    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
                    "StdDev (ns),GridXYZ,BlockXYZ,Name\n"
                    "50.0,500,10,50.0,50.0,50,50,0.1,\" 896    1    1\",\" 128    1    1\","
                    "\"void k<1, 2>(float *)\"\n"
                    "50.0,500,10,50.0,50.0,50,50,0.1,\" 256    1    1\",\" 128    1    1\","
                    "\"void k<1, 2>(float *)\"\n")
          .path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 20u);
  ASSERT_EQ(back.profile.kernels.size(), 2u);
  EXPECT_EQ(back.profile.kernels[0].grid[0] + back.profile.kernels[1].grid[0], 896u + 256);
}

TEST(NvprofCsv, Corpus) {
  SKIP_WITHOUT_CORPUS();
  const auto cells = import_back(corpus("nvprof/units_in_cells.csv"));
  ASSERT_FALSE(cells.error) << cells.error->what;
  EXPECT_EQ(cells.format, "nvprof-csv");
  const auto& facts = expected()["nvprof/units_in_cells.csv"];
  EXPECT_EQ(cells.profile.kernels.size(), facts["kernel_rows"].get<std::size_t>());
  EXPECT_EQ(cells.total_ns(), std::llround(std::stod(facts["kernel_ms"].get<std::string>()) * 1e6));
  const auto* red = cells.find("red_sor");
  ASSERT_TRUE(red);
  EXPECT_EQ(red->launches, 150u);
  EXPECT_EQ(ns(red->time()), 237430000);
  EXPECT_EQ(std::count(red->full_name.begin(), red->full_name.end(), ','), 12);  // 13 parameters
  EXPECT_EQ(cells.loss("copies_summed"), 45u + 10u);

  const auto runs = import_back(corpus("nvprof/two_runs_units_row.csv"));
  ASSERT_FALSE(runs.error) << runs.error->what;
  EXPECT_EQ(runs.launches(), 0u);
  EXPECT_EQ(runs.loss("copies_summed"), 4u);

  const auto trace = import_back(corpus("nvprof/gpu_trace_fragment.csv"));
  ASSERT_FALSE(trace.error) << trace.error->what;
  EXPECT_EQ(trace.launches(), 0u);
  EXPECT_EQ(copies_of(trace), 2u);
  EXPECT_EQ(trace.profile.devices.at(0).name, "GeForce RTX 2080 Ti");

  const auto calls = import_back(corpus("nvprof/api_summary_fragment.csv"));
  ASSERT_FALSE(calls.error) << calls.error->what;
  EXPECT_EQ(calls.launches(), 0u);
  EXPECT_EQ(calls.loss("host_calls_passed_over"), 2u);
}

TEST(NvprofCsv, TraceAndSums) {
  const auto trace = import_back(data("nvprof/gpu_trace.csv"));
  ASSERT_FALSE(trace.error) << trace.error->what;
  EXPECT_EQ(trace.launches(), 1u);
  EXPECT_EQ(trace.total_ns(), 3001);
  EXPECT_EQ(trace.profile.kernels.at(0).dynamic_shared_bytes, 1536u);
  EXPECT_EQ(trace.profile.devices.at(0).facts.ordinal, 1u);
  EXPECT_EQ(trace.profile.processes.at(0).command, "./app 1");
  const auto sums = import_back(data("nvprof/sums.csv"));
  ASSERT_FALSE(sums.error) << sums.error->what;
  EXPECT_EQ(sums.launches(), 3u);
  EXPECT_EQ(sums.total_ns(), 1500000);
  EXPECT_EQ(ns(*sums.profile.kernels.at(0).sums.at(0).least), 400000);
  EXPECT_EQ(sums.loss("host_calls_passed_over"), 1u);
  EXPECT_EQ(sums.loss("copies_summed"), 2u);
}

TEST(NvprofText, Sums) {
  const auto sums = import_back(data("nvprof/printed.txt"));
  ASSERT_FALSE(sums.error) << sums.error->what;
  EXPECT_EQ(sums.format, "nvprof-text");
  EXPECT_EQ(sums.launches(), 4u);
  EXPECT_EQ(sums.total_ns(), 1'500'000 + 250'500);
  const auto* scale = sums.find("scale");
  ASSERT_TRUE(scale);
  EXPECT_EQ(scale->full_name, "void scale<float, int=4>(float*, float, int)");
  EXPECT_EQ(ns(*scale->sums.at(0).least), 400'000);
  EXPECT_EQ(ns(*scale->sums.at(0).most), 650'000);
  EXPECT_EQ(sums.profile.processes.at(0).command, "./app 1");
  EXPECT_EQ(sums.loss("copies_summed"), 3u);
  EXPECT_EQ(sums.loss("host_calls_passed_over"), 2u);
  EXPECT_EQ(sums.loss("rows_unreadable"), 0u);
}

TEST(NvprofText, TableOfOldVersionsBehindLongOutput) {
  const TemporaryFile file(
      "old.txt", "==9== NVPROF is profiling process 9, command: ./old\n" +
                     std::string(200'000, '.') +
                     "\n==9== Profiling result:\n"
                     "Time(%)      Time     Calls       Avg       Min       Max  Name\n"
                     " 98.00%  98.000us        10  9.8000us  9.0000us  11.000us  k(int)\n"
                     "  2.00%  2.0000us         1  2.0000us  2.0000us  2.0000us  [CUDA memset]\n\n"
                     "==9== API calls:\n"
                     "Time(%)      Time     Calls       Avg       Min       Max  Name\n"
                     "100.00%  1.2000s        10  1.2000ms  1.0000ms  2.0000ms  cudaLaunch\n");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 10u);
  EXPECT_EQ(back.total_ns(), 98'000);
  EXPECT_EQ(back.loss("copies_summed"), 1u);
  EXPECT_EQ(back.loss("host_calls_passed_over"), 1u);
}

// Each kernel stands once more under every NVTX range that it ran in.
TEST(NvprofText, TablesOfRangesRepeatTheSums) {
  const std::string columns =
      "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n";
  const TemporaryFile printed(
      "ranges.txt",
      "==10== Profiling result:\n" + columns +
          " GPU activities:  100.00%  70.000ms         2  35.000ms  34.000ms  36.000ms"
          "  k(float*)\n"
          "      API calls:  100.00%  153.71ms         2  76.855ms  749.80us  152.96ms"
          "  cudaMalloc\n\n"
          "==10== NVTX result:\n"
          "==10==   Thread \"<unnamed>\" (id = 3)\n"
          "==10==     Domain \"<unnamed>\"\n"
          "==10==       Range \"step\"\n" +
          columns +
          "          Range:  100.00%  40.000ms         1  40.000ms  40.000ms  40.000ms"
          "  step\n"
          " GPU activities:  100.00%  34.000ms         1  34.000ms  34.000ms  34.000ms"
          "  k(float*)\n"
          "      API calls:  100.00%  52.000us         1  52.000us  52.000us  52.000us"
          "  cudaLaunchKernel\n");
  const TemporaryFile csv(
      "ranges.csv",
      "==10== Profiling result:\n"
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
      ",%,ms,,ms,ms,ms,\n"
      "\"GPU activities\",100,70.0,2,35.0,34.0,36.0,\"k(float*)\"\n"
      "\"API calls\",100,153.71,2,76.855,0.7498,152.96,\"cudaMalloc\"\n\n"
      "==10== NVTX result:\n"
      "==10==   Thread \"<unnamed>\" (id = 3)\n"
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
      ",%,ms,,ms,ms,ms,\n"
      "\"Range\",100,40.0,1,40.0,40.0,40.0,\"step\"\n"
      "\"GPU activities\",100,34.0,1,34.0,34.0,34.0,\"k(float*)\"\n");
  for (const auto* file : {&printed, &csv}) {
    const auto back = import_back(file->path());
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.launches(), 2u);
    EXPECT_EQ(back.total_ns(), 70'000'000);
    EXPECT_EQ(back.loss("host_calls_passed_over"), 1u);
    EXPECT_EQ(back.loss("rows_repeated"), 1u);
  }
}

TEST(NvprofText, TraceHasTimesAndNoOrder) {
  const auto trace = import_back(data("nvprof/printed_trace.txt"));
  ASSERT_FALSE(trace.error) << trace.error->what;
  EXPECT_EQ(trace.launches(), 4u);
  EXPECT_EQ(trace.total_ns(), 4'000 + 2'000 + 3'000 + 4'000);
  const auto* scale = trace.find("scale");
  ASSERT_TRUE(scale);
  EXPECT_EQ(scale->launches, 3u);
  EXPECT_EQ(ns(*scale->sums.at(0).median), 3'000);
  EXPECT_EQ(ns(*scale->sums.at(0).least), 2'000);
  EXPECT_EQ(ns(*scale->sums.at(0).most), 4'000);
  EXPECT_EQ(scale->grid[1], 3u);
  EXPECT_EQ(scale->block[0], 16u);
  EXPECT_EQ(scale->registers, 12u);
  EXPECT_EQ(scale->dynamic_shared_bytes, 1536u);
  EXPECT_EQ(trace.profile.devices.at(0).name, "Tesla T4");
  EXPECT_TRUE(trace.profile.activity.empty());
  EXPECT_EQ(trace.loss("starts_too_coarse"), 1u);
  EXPECT_EQ(trace.loss("copies_summed"), 1u);
}

TEST(NvidiaTables, DamageEndsWell) {
  for (const char* name : {"nsys/cuda_gpu_trace.csv", "nsys/kern_sum.txt", "nvprof/gpu_trace.csv",
                           "nvprof/sums.csv", "nvprof/printed.txt", "nvprof/printed_trace.txt"}) {
    test::expect_damage_ends_well("damaged", test::bytes_of(data(name)),
                                  std::string_view("\",\n-E\x00\xff(", 8));
  }
}

}  // namespace
}  // namespace roofline
