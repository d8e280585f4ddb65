#include <gtest/gtest.h>
#include <sqlite3.h>

#include "ingest/api_role.hpp"
#include "ingest/formats/nsys_ranges.hpp"
#include "roofline/ingest/mapping.hpp"
#include "roofline/kernel/function_name.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

namespace roofline {
namespace {

using test::corpus;
using test::expected;
using test::import_back;
using test::TemporaryFile;

/// A database made of statements.
std::string made(const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_open(":memory:", &database);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << (message ? message : "");
  sqlite3_int64 size = 0;
  auto* content = sqlite3_serialize(database, "main", &size, 0);
  std::string bytes(reinterpret_cast<const char*>(content), static_cast<std::size_t>(size));
  sqlite3_free(content);
  sqlite3_close(database);
  return bytes;
}

const std::string kKernels =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES(1,'_Z5saxpyifPfS_'),(2,'saxpy(int, float, float *, float *)'),"
    "(3,'saxpy'),(4,'cudaLaunchKernel_v7000'),(5,'step');"
    "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','9.1.0'),"
    "('EXPORT_PRODUCT_VERSION','2031.1');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT,\"end\" INT,deviceId INT,streamId INT,"
    "correlationId INT,globalPid INT,mangledName INT,demangledName INT,shortName INT,"
    "gridX INT,gridY INT,gridZ INT,blockX INT,blockY INT,blockZ INT,novelty TEXT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    "(1000,1500,0,7,11,16777216,1,2,3,8,1,1,256,1,1,'new'),"
    "(2000,2700,0,7,12,16777216,1,2,3,8,1,1,256,1,1,'new');";

TEST(NsysSqlite, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    if (facts.value("kind", "") != "nsys sqlite" || !facts.contains("n_kernels")) continue;
    SCOPED_TRACE(name);
    ++files;
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "nsys-sqlite");
    EXPECT_EQ(back.launches(), facts["n_kernels"].get<std::uint64_t>());
    EXPECT_EQ(back.total_ns(), facts["kernel_ns"].get<long long>());
    // The file's own spelling differs from a demangler's ("(int)512"): the functions must agree,
    // and for each name of the list one of theirs has its count and time.
    using Sum = std::pair<std::uint64_t, long long>;
    std::map<std::string, std::map<std::string, Sum>> sums;
    for (const auto& kernel : back.profile.kernels) {
      auto& sum = sums[canonical_name(kernel.full_name)][kernel.full_name];
      sum.first += kernel.launches;
      sum.second += static_cast<long long>(kernel.time().value() * 1e9 + 0.5);
    }
    EXPECT_FALSE(facts["top_demangled"].empty());
    for (const auto& top : facts["top_demangled"]) {
      const auto at = sums.find(canonical_name(top[0].get<std::string>()));
      ASSERT_NE(at, sums.end()) << top[0];
      EXPECT_TRUE(std::any_of(at->second.begin(), at->second.end(), [&](const auto& one) {
        return one.second == Sum{top[1].get<std::uint64_t>(), top[2].get<long long>()};
      })) << top[0];
    }
    const auto& gpus = facts["gpus"];
    if (gpus.is_array()) {
      ASSERT_EQ(back.profile.devices.size(), gpus.size());
      for (std::size_t i = 0; i < gpus.size(); ++i)
        EXPECT_EQ(back.profile.devices[i].name, gpus[i]);
    } else {
      EXPECT_TRUE(back.profile.devices.empty());
      EXPECT_EQ(back.loss("gpu_not_named"), 1u);
    }
    std::map<std::uint64_t, std::uint64_t> on_device;
    for (const auto& device : back.profile.activity) on_device[device.device] += device.launches;
    for (const auto& row : facts["by_device"])
      EXPECT_EQ(on_device[row[0].get<std::uint64_t>()], row[1].get<std::uint64_t>());
    EXPECT_GE(test::copies_of(back),
              facts["memcpy"][0].get<std::uint64_t>());  // sets are copies as well
    EXPECT_NE(back.tool().find(facts["nsys"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(files, 6);
}

/// A product under emit_nvtx with two kernels, a fused kernel of no operator, and a graph of a
/// product and an addition that ran twice. Thread 16777217 is thread 1 of process 1.
const std::string kEmitted =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES(1,'ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn'),"
    "(2,'void splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>()'),(3,'cudaLaunchKernel'),"
    "(4,'cudaGraphLaunch'),(5,'void add_kernel<float>(float*)'),"
    "(6,'aten::linear, seq = 3, op_id = 11'),"
    "(7,'aten::addmm, seq = 3, op_id = 12, sizes = [[64], [32, 128], [128, 64], [], []]'),"
    "(8,'aten::mm, op_id = 20, sizes = [[16, 8], [8, 4]], input_op_ids = [(19,0)]'),"
    "(9,'aten::add, op_id = 21, sizes = [[16, 4], [16, 4], []]'),(10,'Optimizer.step, op_id = 30');"
    "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','3.20.0');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT,\"end\" INT,deviceId INT,streamId INT,"
    "correlationId INT,globalPid INT,demangledName INT,graphNodeId INT,graphId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    "(1000,1500,0,7,11,16777216,1,NULL,NULL),(1600,1700,0,7,12,16777216,2,NULL,NULL),"
    "(2000,2100,0,7,13,16777216,5,NULL,NULL),"
    "(5000,5100,0,7,14,16777216,1,71,3),(5200,5300,0,7,14,16777216,5,72,3),"
    "(6000,6100,0,7,15,16777216,1,71,3),(6200,6300,0,7,15,16777216,5,72,3);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT,\"end\" INT,globalTid INT,"
    "correlationId INT,nameId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(100,110,16777217,11,3),"
    "(120,130,16777217,12,3),(300,310,16777217,13,3),(4000,4010,16777217,14,4),"
    "(4020,4030,16777217,15,4);"
    "CREATE TABLE NVTX_EVENTS(start INT,\"end\" INT,text TEXT,textId INT,globalTid INT);"
    "INSERT INTO NVTX_EVENTS VALUES(80,200,NULL,6,16777217),(90,190,NULL,7,16777217),"
    "(3000,3100,NULL,8,16777217),(3200,3300,NULL,9,16777217),(250,400,NULL,10,16777217);"
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS(start INT,\"end\" INT,nameId INT,globalTid INT,"
    "graphNodeId INT,originalGraphNodeId INT);"
    "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES(3050,3050,3,16777217,61,NULL),"
    "(3250,3250,3,16777217,62,NULL),(3900,3900,3,16777217,71,61),(3900,3900,3,16777217,72,62);";

TEST(NsysSqlite, OperatorsOfEmitNvtx) {
  const TemporaryFile file("emitted.sqlite", made(kEmitted));
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  ASSERT_EQ(back.launches(), 7u);
  const auto of = [&](std::string_view operation) {
    std::vector<const ProfiledKernel*> kernels;
    for (const auto& kernel : back.profile.kernels)
      if (kernel.operation && operation_text(*kernel.operation) == operation)
        kernels.push_back(&kernel);
    return kernels;
  };
  // The innermost operator with operands, of which the second kernel is a part.
  const auto addmm = of("aten::addmm [64] x [32,128] x [128,64]");
  ASSERT_EQ(addmm.size(), 2u);
  EXPECT_EQ(addmm[0]->operation->attribute("stack"), "aten::linear;aten::addmm");
  EXPECT_EQ(addmm[0]->operation_starts + addmm[1]->operation_starts, 1u);
  // Types are not recorded; the kernel's name tells bf16. 2mnk, and A, B, D and the bias of 2 B.
  const auto work = map_operation(*addmm[0]->operation, addmm[0]->full_name);
  ASSERT_TRUE(work) << work.error();
  EXPECT_EQ(work->work.flops().to_double(), 2 * 32 * 64 * 128);
  EXPECT_EQ(work->work.bytes().to_double(), 2 * (32 * 128 + 128 * 64 + 32 * 64 + 64));
  EXPECT_EQ(work->name, "aten::addmm [64] x [32,128] x [128,64] bf16 by name");
  EXPECT_EQ(map_operation(*addmm[0]->operation, "gemm").error(), unmapped::kNoDtype);
  // Nodes of the graph were made within the operators that were captured, and ran twice.
  const auto mm = of("aten::mm [16,8] x [8,4]"), add = of("aten::add [16,4] x [16,4]");
  ASSERT_EQ(mm.size(), 1u);
  ASSERT_EQ(add.size(), 1u);
  EXPECT_EQ(mm[0]->launches, 2u);
  EXPECT_EQ(mm[0]->operation_starts, 2u);
  EXPECT_EQ(add[0]->operation_starts, 2u);
  EXPECT_EQ(mm[0]->in_graphs, 2u);
  // A range of the user's own is a phase by its name alone, and no operator.
  ASSERT_EQ(back.profile.ranges.size(), 2u);  // the first is the whole program
  EXPECT_EQ(back.profile.ranges[1].name, "Optimizer.step");
}

TEST(NsysSqlite, DamagedOperatorsEndWell) {
  constexpr std::size_t kHeader = 100;  // with another header it is no database
  test::expect_damage_ends_well("damaged.sqlite", made(kEmitted), {}, kHeader);
  // Nodes that are copies of one another in a circle.
  const TemporaryFile circle(
      "circle.sqlite", made(kEmitted + "UPDATE CUDA_GRAPH_NODE_EVENTS SET "
                                       "originalGraphNodeId=graphNodeId+10 WHERE graphNodeId<70;"));
  EXPECT_EQ(import_back(circle.path()).launches(), 7u);
}

TEST(NsysSqlite, NamesOfEmitNvtx) {
  struct Case {
    std::string_view text, name, sizes;
    bool is_operator;
  };
  const Case cases[] = {
      {"aten::view", "aten::view", "", true},
      {"aten::relu, seq = 12", "aten::relu", "", true},
      {"aten::mm, seq = 1, op_id = 2, sizes = [[2, 3], [3, 4]], input_op_ids = [(1,0)]", "aten::mm",
       "[[2, 3], [3, 4]]", true},
      {"MmBackward0, seq = 4, sizes = [[], [2]]", "MmBackward0", "[[], [2]]", false},
      {"aten::mm, sizes = [[2, 3]", "aten::mm", "", true},
      {"aten::mm, sizes = ]", "aten::mm", "]", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto range = emitted_range(c.text);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->name, c.name);
    EXPECT_EQ(range->sizes, c.sizes);
    EXPECT_EQ(range->is_operator(), c.is_operator);
  }
  for (const std::string_view text : {"step 3", "cub::DeviceReduce::Sum", "", "seq = 3"})
    EXPECT_FALSE(emitted_range(text)) << text;
}

TEST(NsysSqlite, NewSchemaIsProbed) {
  const TemporaryFile file(
      "new.sqlite",
      made(kKernels +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT,\"end\" INT,globalTid INT,"
           "correlationId INT,nameId INT);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(100,400,16777217,11,4);"
           "CREATE TABLE NVTX_EVENTS(start INT,\"end\" INT,text TEXT,textId INT,globalTid "
           "INT);INSERT INTO NVTX_EVENTS VALUES(900,2800,NULL,5,16777217);"
           "CREATE TABLE TARGET_INFO_GPU(id INT,name TEXT,smCount INT,clockRate INT);"
           "INSERT INTO TARGET_INFO_GPU VALUES(0,'GPU A',10,1000000000),"
           "(3,'GPU B',132,1980000000);"
           "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INT,cudaId INT,pid INT);"
           "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(3,0,1);"));
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.total_ns(), 500 + 700);
  ASSERT_EQ(back.profile.kernels.size(), 1u);
  const auto& kernel = back.profile.kernels[0];
  EXPECT_EQ(kernel.full_name, "saxpy(int, float, float*, float*)");
  EXPECT_EQ(kernel.grid[0], 8u);
  EXPECT_EQ(kernel.launch_cost.count(), 1u);
  EXPECT_EQ(back.tool(), "Nsight Systems 2031.1");
  // CUDA's device 0 of that process is the GPU with the id 3: it comes first.
  ASSERT_EQ(back.profile.devices.size(), 2u);
  EXPECT_EQ(back.profile.devices[0].name, "GPU B");
  EXPECT_EQ(back.profile.devices[0].facts.ordinal, 0u);
  EXPECT_EQ(back.profile.devices[0].facts.sm_count, 132u);
  EXPECT_EQ(back.profile.devices[0].facts.sm_clock_khz, 1980000u);
  bool step = false;
  for (const auto& range : back.profile.ranges) step = step || range.name == "step";
  EXPECT_TRUE(step);
}

TEST(NsysSqlite, GpuOfSeveralKindsIsGuessedAloud) {
  const TemporaryFile file("guess.sqlite",
                           made(kKernels + "CREATE TABLE TARGET_INFO_GPU(id INT,name TEXT);"
                                           "INSERT INTO TARGET_INFO_GPU VALUES(0,'A'),(1,'B');"));
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error);
  EXPECT_EQ(back.loss("gpu_guessed"), 1u);
}

struct Refused {
  const char* name;
  std::string sql;
  const char* says;
};
TEST(NsysSqlite, OtherDatabasesAreRefused) {
  const Refused rows[] = {
      {"another table", "CREATE TABLE test(a,b);", "none of its 1 table is known"},
      {"of rocprofv3", "CREATE TABLE rocpd_kernel_dispatch_00(a,b);", "a database of rocprofv3"},
      {"of nvprof",
       "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start,\"end\",name);"
       "CREATE TABLE StringTable(_id_,value);",
       "a database of nvprof"},
      {"a view that is called so",
       "CREATE TABLE t(start,\"end\");"
       "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM t;",
       "not of Nsight Systems"},
      {"no times", "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(a,b);", "\"start\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const TemporaryFile file("x.sqlite", made(row.sql));
    const auto back = import_back(file.path());
    ASSERT_TRUE(back.error);
    EXPECT_NE(back.error->what.find(row.says), std::string::npos) << back.error->what;
    EXPECT_FALSE(back.error->hint.empty());
  }
}

TEST(NsysSqlite, NothingOfTheFileRuns) {
  // A generated column calls for 20 MB, a trigger would write: neither is let in.
  const TemporaryFile file(
      "hostile.sqlite",
      made("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, \"end\" INT, deviceId INT AS "
           "(length(hex(zeroblob(10000000)))), demangledName TEXT);"
           "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END;"
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,\"end\",demangledName) "
           "VALUES(1,2,'k'),('x',3,x'00ff'),(5,4,NULL);"));
  const auto back = import_back(file.path());
  ASSERT_TRUE(back.error);
}

TEST(NsysSqlite, DamageIsNamed) {
  SKIP_WITHOUT_CORPUS();
  const auto cut = import_back(corpus("derived/nsys_cut.sqlite"));
  ASSERT_TRUE(cut.error);
  EXPECT_NE(cut.error->what.find("database disk image is malformed"), std::string::npos);
  EXPECT_NE(cut.error->hint.find("the file has 40960"), std::string::npos) << cut.error->hint;
  const auto empty = import_back(corpus("nsys/empty_one_table.sqlite"));
  ASSERT_TRUE(empty.error);
}

TEST(NsysSqlite, CutAnywhereEndsWell) {
  const auto whole = made(kKernels);
  for (int part = 0; part <= 16; ++part) {
    const TemporaryFile file("cut.sqlite",
                             whole.substr(0, whole.size() * static_cast<std::size_t>(part) / 16));
    const auto back = import_back(file.path());
    if (part == 16) {
      EXPECT_FALSE(back.error);
    } else if (!back.error) {
      EXPECT_LE(back.launches(), 2u);
    }
  }
}

struct Call {
  const char* name;
  capture::ApiRole role;
  capture::ApiDomain domain;
};
constexpr Call kCalls[] = {
    {"cudaLaunchKernel_v7000", capture::ApiRole::kernel_launch, capture::ApiDomain::runtime},
    {"cudaLaunchKernelExC_v11060", capture::ApiRole::kernel_launch, capture::ApiDomain::runtime},
    {"cuLaunchKernelEx", capture::ApiRole::kernel_launch, capture::ApiDomain::driver},
    {"cuLaunchHostFunc", capture::ApiRole::other, capture::ApiDomain::driver},
    {"cudaGraphLaunch_v10000", capture::ApiRole::graph_launch, capture::ApiDomain::runtime},
    {"cudaMemcpyAsync_v3020", capture::ApiRole::copy, capture::ApiDomain::runtime},
    {"cuMemsetD8Async", capture::ApiRole::set, capture::ApiDomain::driver},
    {"hipExtModuleLaunchKernel", capture::ApiRole::kernel_launch, capture::ApiDomain::runtime},
    {"hipModuleLaunchKernel", capture::ApiRole::kernel_launch, capture::ApiDomain::runtime},
    {"cudaStreamIsCapturing_v10000", capture::ApiRole::other, capture::ApiDomain::runtime},
    {"printf", capture::ApiRole::other, capture::ApiDomain::driver},
};
TEST(ApiRoles, ByName) {
  for (const auto& call : kCalls) {
    EXPECT_EQ(api_role(call.name), call.role) << call.name;
    EXPECT_EQ(api_domain(call.name), call.domain) << call.name;
  }
}

}  // namespace
}  // namespace roofline
