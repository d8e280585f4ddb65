#include <gtest/gtest.h>
#include <sqlite3.h>

#include "ingest/api_role.hpp"
#include "roofline/kernel/function_name.hpp"
#include "unit/ingest/formats/imported.hpp"

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
    std::uint64_t copies = 0;
    for (const auto& device : back.profile.activity) copies += device.copies;
    EXPECT_GE(copies, facts["memcpy"][0].get<std::uint64_t>());  // sets are copies as well
    EXPECT_NE(back.tool().find(facts["nsys"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(files, 6);
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
    {"hipModuleLaunchKernel", capture::ApiRole::kernel_launch, capture::ApiDomain::driver},
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
