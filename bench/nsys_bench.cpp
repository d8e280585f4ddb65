#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "roofline/ingest/importer.hpp"
#include "side_by_side.hpp"

/// Nsight Systems databases: importing one against a bare SELECT over the same rows of kernels and
/// calls, every column fetched and added up, nothing kept. Rows: 400,000 kernels of 200 shapes in
/// the columns of schema 3.20 and as many calls that launch them. Target: at least 0.7 of the bare
/// rate (issue of imports, "limited by SQLite's own scan").
namespace {

constexpr int kRows = 400'000;
constexpr double kTarget = 0.7;

void run(sqlite3* database, const char* sql) {
  char* message = nullptr;
  if (sqlite3_exec(database, sql, nullptr, nullptr, &message) != SQLITE_OK) {
    std::fprintf(stderr, "%s\n", message);
    std::exit(1);
  }
}

void make(const std::string& path) {
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  run(database,
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
      "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
      "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','3.20.3');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL,\"end\" INTEGER NOT NULL,"
      "deviceId INTEGER,contextId INTEGER,greenContextId INTEGER,streamId INTEGER,correlationId "
      "INTEGER,globalPid INTEGER,demangledName INTEGER,shortName INTEGER,mangledName "
      "INTEGER,launchType INTEGER,cacheConfig INTEGER,registersPerThread INTEGER,gridX "
      "INTEGER,gridY INTEGER,gridZ INTEGER,blockX INTEGER,blockY INTEGER,blockZ "
      "INTEGER,staticSharedMemory INTEGER,dynamicSharedMemory INTEGER,localMemoryPerThread "
      "INTEGER,localMemoryTotal INTEGER,gridId INTEGER,sharedMemoryExecuted INTEGER,graphNodeId "
      "INTEGER,sharedMemoryLimitConfig INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL,\"end\" INTEGER NOT NULL,"
      "eventClass INTEGER NOT NULL,globalTid INTEGER,correlationId INTEGER,nameId INTEGER NOT "
      "NULL,returnValue INTEGER NOT NULL,callchainId INTEGER);");
  std::string fill =
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<199) INSERT INTO "
      "StringIds SELECT i+1,'_Z'||length('kernel_'||i)||'kernel_'||i||'Pfi' FROM n;"
      "INSERT INTO StringIds VALUES(1000,'cudaLaunchKernel_v7000');"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<" +
      std::to_string(kRows - 1) +
      ") INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 4000000000+i*9000,4000005000+i*9000+i%777,"
      "0,1,0,7,i+1,283440612114432,i%200+1,i%200+1,i%200+1,1,1,40,i%200+64,1,1,256,1,1,0,0,0,"
      "127401984,i,32768,NULL,0 FROM n;"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<" +
      std::to_string(kRows - 1) +
      ") INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 3999000000+i*9000,3999004000+i*9000,1,"
      "283440612231593,i+1,1000,0,NULL FROM n;";
  run(database, fill.c_str());
  sqlite3_close(database);
}

long long scan(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
  long long sum = 0;
  const int columns = sqlite3_column_count(statement);
  while (sqlite3_step(statement) == SQLITE_ROW)
    for (int i = 0; i < columns; ++i) sum += sqlite3_column_int64(statement, i);
  sqlite3_finalize(statement);
  return sum;
}

/// The columns that the import asks for.
void bare(const std::string& path) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &database,
                  SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  const auto sum =
      scan(
          database,
          "SELECT start,\"end\",streamId,correlationId,globalPid,graphNodeId,shortName,mangledName,"
          "demangledName,deviceId,contextId,gridX,gridY,gridZ,blockX,blockY,blockZ,"
          "staticSharedMemory,dynamicSharedMemory,registersPerThread,localMemoryPerThread FROM "
          "CUPTI_ACTIVITY_KIND_KERNEL") +
      scan(database,
           "SELECT start,\"end\",globalTid,correlationId,nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  sqlite3_close(database);
  if (sum == 0) std::exit(1);
}

}  // namespace

int main() {
  const auto path =
      (std::filesystem::temp_directory_path() / "roofline_nsys_bench.sqlite").string();
  std::filesystem::remove(path);
  make(path);
  const auto* importer = roofline::find_importer("nsys-sqlite");
  const auto ours = [&] {
    const auto imported = roofline::import_file(path, importer, {});
    if (!imported) std::exit(1);
  };
  const auto result = bench::compare(
      ours, [&] { bare(path); }, 7);
  const double rows = 2.0 * kRows;
  char figure[64];
  std::snprintf(figure, sizeof figure, "%.2f M rows/s, bare %.2f", rows / result.ours / 1e6,
                rows / result.reference / 1e6);
  const bool holds = bench::report("nsys database, against a bare SELECT", figure, 1 / result.ratio,
                                   kTarget, false);
  std::filesystem::remove(path);
  return holds ? 0 : 1;
}
