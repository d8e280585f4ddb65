#include <gtest/gtest.h>

#include "ingest/exact_time.hpp"
#include "ingest/formats/amd_counters.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/kernel/measured_counters.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

namespace roofline {
namespace {

using test::corpus;
using test::counters_of;
using test::data;
using test::expected;
using test::import_back;
using test::TemporaryFile;

TEST(RocprofCsv, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  struct Row {
    const char* name;
    bool timed;
  };
  for (const auto& row : {Row{"rocm/v3_kernel_trace.csv", true},
                          {"rocm/v1_stats.csv", true},
                          {"rocm/vcopy_mi200_pmc_perf.csv", true},
                          {"rocm/vcopy_mi200_timestamps.csv", true},
                          {"rocm/v3_counter_collection.csv", false}}) {
    SCOPED_TRACE(row.name);
    const auto& facts = expected()[row.name];
    const auto back = import_back(corpus(row.name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "rocprof-csv");
    if (row.timed) {
      EXPECT_EQ(back.total_ns(), std::stoll(facts["total_ns"].get<std::string>()));
    }
    std::uint64_t count = 0;
    for (const auto& [name, launches] : facts["names"].items()) {
      count += launches.get<std::uint64_t>();
      const auto* kernel = back.find(canonical_name(formats::amd_kernel_name(name)));
      ASSERT_TRUE(kernel) << name;
      EXPECT_EQ(row.timed ? kernel->launches : kernel->counters.size(),
                launches.get<std::uint64_t>());
    }
    EXPECT_EQ(row.timed ? back.launches() : back.loss("duration_not_measured"), count);
  }
}

TEST(RocprofCsv, GridsCountBlocks) {
  SKIP_WITHOUT_CORPUS();
  const auto back = import_back(corpus("rocm/v3_kernel_trace.csv"));
  EXPECT_EQ(back.profile.kernels.at(0).grid, (std::array<std::uint64_t, 3>{16, 1024, 1}));
  EXPECT_EQ(back.profile.kernels.at(0).block, (std::array<std::uint64_t, 3>{64, 1, 1}));
}

TEST(RocprofCsv, CountersAndTheMachineBesideThem) {
  SKIP_WITHOUT_CORPUS();
  const TemporaryFile none("x", "");
  namespace fs = std::filesystem;
  const auto folder = fs::path(none.path()).parent_path();
  fs::copy_file(corpus("rocm/vcopy_mi200_pmc_perf.csv"), folder / "pmc_perf.csv");
  fs::copy_file(corpus("rocm/vcopy_mi200_sysinfo.csv"), folder / "sysinfo.csv");
  const auto back = import_back((folder / "pmc_perf.csv").string());
  ASSERT_FALSE(back.error) << back.error->what;
  ASSERT_EQ(back.profile.devices.size(), 1u);
  const auto& facts = expected()["rocm/vcopy_mi200_sysinfo.csv"];
  EXPECT_EQ(back.profile.devices[0].name, facts["gpu_model"].get<std::string>());
  EXPECT_EQ(std::to_string(back.profile.devices[0].facts.sm_count),
            facts["cu_per_gpu"].get<std::string>());
  // 1,048,576 doubles read once and written once; 6 requests of 64 B are the kernel's own.
  const auto counted = counters_of(back.profile.kernels.at(0));
  EXPECT_EQ(counted.dram_read->value(), 8388608.0 + 14 * 64);
  EXPECT_EQ(counted.dram_written->value(), 8388608.0);
  const auto alone = import_back(corpus("rocm/v3_counter_collection.csv"));
  double waves = 0;
  for (const auto& kernel : alone.profile.kernels)
    for (const auto& sample : kernel.counters) waves += sample.values.at("SQ_WAVES");
  EXPECT_EQ(
      waves,
      std::stod(expected()["rocm/v3_counter_collection.csv"]["counter_sum"].get<std::string>()));
}

TEST(RocprofCsv, SpoiledAndOtherTablesAreRefused) {
  SKIP_WITHOUT_CORPUS();
  const std::pair<const char*, const char*> kRows[] = {
      {"rocm/vcopy_mi300x_timestamps.csv", "8.1097E+14"},
      {"rocm/vcopy_mi300x_pmc_perf.csv", "8.1097E+14"},
      {"rocm/vcopy_mi300x_sysinfo.csv", "describes a machine"},
      {"rocm/vcopy_mi200_sysinfo.csv", "describes a machine"},
      {"rocm/vcopy_mi200_roofline.csv", "ceilings"},
  };
  for (const auto& [name, says] : kRows) {
    SCOPED_TRACE(name);
    const auto back = import_back(corpus(name));
    ASSERT_TRUE(back.error);
    EXPECT_NE(back.error->what.find(says), std::string::npos) << back.error->what;
    if (std::string_view(says) == "8.1097E+14") {
      EXPECT_EQ(back.error->where.line, 2);
    }
  }
  const auto calls = import_back(corpus("rocm/v3_hip_api_stats.csv"));
  EXPECT_EQ(calls.launches(), 0u);
}

constexpr std::string_view kTrace =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_"
    "Name\","
    "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\","
    "\"VGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\","
    "\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
    "\"KERNEL_DISPATCH\",\"Agent 4\",1,69,1,16,\"scale(float*, int) [clone .kd]\",1,1000,1600,512,"
    "0,24,64,1,1,1000,2,1\n"
    "\"KERNEL_DISPATCH\",\"Agent 4\",1,69,2,16,\"scale(float*, int) [clone .kd]\",2,2000,2700,512,"
    "0,24,64,1,1,1000,2,1\n";
constexpr std::string_view kAgents =
    "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Cu_Count\",\"Max_Engine_Clk_Fcompute\","
    "\"Name\",\"Vendor_Name\",\"Product_Name\"\n"
    "0,0,\"CPU\",24,0,\"EPYC\",\"CPU\",\"EPYC\"\n"
    "4,4,\"GPU\",304,2100,\"gfx942\",\"AMD\",\"AMD Instinct MI300X\"\n";

// Tables of the same columns, whose rows are no kernels.
TEST(RocprofCsv, SumsOfOtherThings) {
  const std::string columns =
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\","
      "\"StdDev\"\n";
  const TemporaryFile domains("run_domain_stats.csv",
                              columns +
                                  "\"HIP_API\",100,5000000,50000.0,62.5,100,1000000,10.0\n"
                                  "\"KERNEL_DISPATCH\",24,3000000,125000.0,37.5,100,200000,1\n");
  const auto refused = import_back(domains.path());
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->what, "this table of AMD's profiler holds no kernel");
  const TemporaryFile copies("run_memory_copy_stats.csv",
                             columns +
                                 "\"MEMORY_COPY_HOST_TO_DEVICE\",48,2411520,50240.0,100,49920,"
                                 "51200,320.1\n");
  const auto back = import_back(copies.path());
  EXPECT_EQ(back.launches(), 0u);
  EXPECT_EQ(back.loss("copies_summed"), 48u);
}

// Columns that were lined up by hand.
TEST(RocprofCsv, BlanksInTheHeader) {
  const std::string row = "0,\"copy(float*) [clone .kd]\",0,0,0,9,9, 16777216, 512";
  const TemporaryFile untimed(
      "lined_up.csv",
      "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,      grd, wgr\n" + row + "\n");
  const auto refused = import_back(untimed.path());
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->what, "this table names kernels and has neither times nor counters");
  const TemporaryFile timed(
      "timed.csv",
      "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,      grd, wgr, BeginNs, "
      "EndNs\n" +
          row + ",1000,1600\n");
  const auto back = import_back(timed.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.total_ns(), 600);
  ASSERT_EQ(back.profile.kernels.size(), 1u);
  EXPECT_EQ(back.profile.kernels[0].grid[0], 32768u);
}

TEST(RocprofCsv, NewerColumnsAndAgents) {
  const TemporaryFile file("run_kernel_trace.csv", kTrace);
  std::ofstream(std::filesystem::path(file.path()).parent_path() / "run_agent_info.csv") << kAgents;
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.total_ns(), 1300);
  ASSERT_EQ(back.profile.kernels.size(), 1u);
  const auto& kernel = back.profile.kernels[0];
  EXPECT_EQ(kernel.full_name, "scale(float*, int)");
  EXPECT_EQ(kernel.grid, (std::array<std::uint64_t, 3>{16, 2, 1}));  // 1000 items in groups of 64
  EXPECT_EQ(kernel.static_shared_bytes, 512u);
  EXPECT_EQ(kernel.registers, 24u);
  ASSERT_EQ(back.profile.devices.size(), 1u);
  EXPECT_EQ(back.profile.devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(back.profile.devices[0].facts.sm_count, 304u);
}

// rocprofv2 with short names of columns, rocprof v1 with counters and no times, both as AMD's
// documentation prints them.
TEST(RocprofCsv, OlderColumns) {
  const auto second = import_back(
      TemporaryFile("results_run.csv",
                    "Dispatch_ID,GPU_ID,Queue_ID,Queue_Index,PID,TID,GRD,WGR,LDS,SCR,Arch_VGPR,"
                    "ACCUM_VGPR,SGPR,Wave_Size,SIG,OBJ,Kernel_Name,Start_Timestamp,End_Timestamp,"
                    "Correlation_ID,GRBM_COUNT\n\n"
                    "1,4,1,1,15,15,1048576,16,512,0,8,0,16,64,140,1,\"hello(char*, char*) (.kd)\","
                    "140469300947216,140469300957216,33,12637.000000\n")
          .path());
  ASSERT_FALSE(second.error) << second.error->what;
  EXPECT_EQ(second.tool(), "rocprof");
  EXPECT_EQ(second.total_ns(), 10000);
  const auto* hello = second.find("hello(char*, char*)");
  ASSERT_NE(hello, nullptr);
  EXPECT_EQ(hello->grid[0], 1048576u / 16);
  EXPECT_EQ(hello->block[0], 16u);
  EXPECT_EQ(hello->static_shared_bytes, 512u);
  EXPECT_EQ(hello->counters.at(0).values.at("GRBM_COUNT"), 12637);

  const auto first = import_back(
      TemporaryFile(
          "results.csv",
          "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,"
          "fbar,sig,obj,FETCH_SIZE,WRITE_SIZE\n"
          "0,\"vec_add(float*, float*) [clone .kd]\",0,0,0,34,34,1048576,256,0,0,8,16,0,"
          "0x0,0x7f,8192.0,4096.0\n")
          .path());
  ASSERT_FALSE(first.error) << first.error->what;
  EXPECT_EQ(first.launches(), 0u);
  EXPECT_EQ(first.loss("duration_not_measured"), 1u);
  const auto* add = first.find("vec_add(float*, float*)");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->grid[0], 4096u);
  EXPECT_EQ(counters_of(*add).dram_read->value(), 8192.0 * 1024);  // in KiB
  EXPECT_EQ(counters_of(*add).dram_written->value(), 4096.0 * 1024);
}

TEST(RocprofCsv, CutAndDamaged) {
  const std::string whole(kTrace);
  const auto cut = import_back(TemporaryFile("a.csv", whole.substr(0, whole.size() - 20)).path());
  ASSERT_FALSE(cut.error);
  EXPECT_EQ(cut.launches(), 1u);
  EXPECT_EQ(cut.cut(), "after row 1");
  test::expect_damage_ends_well("damaged.csv", whole, std::string_view("\",\n9E\x00\xff;", 8));
}

TEST(AmdCounters, BytesAndWork) {
  // MI300: 10 reads of 128 B, 4 of 32 B and 6 of 64 B; 3 writes of 64 B and 5 of 32 B.
  const auto metrics = formats::translated_amd_counters({{"TCC_EA0_RDREQ_sum", 20},
                                                         {"TCC_BUBBLE_sum", 10},
                                                         {"TCC_EA0_RDREQ_32B_sum", 4},
                                                         {"TCC_EA0_WRREQ_sum", 8},
                                                         {"TCC_EA0_WRREQ_64B_sum", 3},
                                                         {"SQ_INSTS_VALU_FMA_F32", 2},
                                                         {"SQ_INSTS_VALU_TRANS_F32", 1},
                                                         {"SQ_INSTS_VALU_MFMA_MOPS_BF16", 7}});
  const auto measured = measured_counters(metrics);
  EXPECT_EQ(measured.dram_read->value(), 1280 + 128 + 384);
  EXPECT_EQ(measured.dram_written->value(), 192 + 160);
  EXPECT_EQ(measured.flops("vector:fp32"), 2 * 64 * 2 + 64);
  EXPECT_EQ(measured.flops("tensor:bf16"), 7 * 512);
  EXPECT_TRUE(formats::translated_amd_counters({}).empty());
}

struct Time {
  const char* text;
  int exponent;
  std::uint64_t ns;
};
TEST(ExactTimes, ToTheNanosecond) {
  const Time kRows[] = {{"1411551767635712", 0, 1411551767635712u},
                        {"1711964646000000.123", 3, 1711964646000000123u},
                        {"4643.346000", 3, 4643346},
                        {"1.5829", 6, 1582900},
                        {"12.0", 0, 12},
                        {"12.6", 0, 13},
                        {"2.0005", 3, 2001},
                        {"0.25", 9, 250000000},
                        {" 7 ", 3, 7000}};
  for (const auto& row : kRows) {
    ASSERT_TRUE(exact_ns(row.text, row.exponent)) << row.text;
    EXPECT_EQ(*exact_ns(row.text, row.exponent), row.ns) << row.text;
  }
  for (const char* none : {"", ".", "8.1E+14", "-1", "n/a", "99999999999999999999", "1.2.3"})
    EXPECT_FALSE(exact_ns(none, 0)) << none;
}

}  // namespace
}  // namespace roofline
