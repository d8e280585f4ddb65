#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "ingest/api_role.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/nsys_copies.hpp"
#include "ingest/formats/nsys_devices.hpp"
#include "ingest/formats/nsys_ranges.hpp"
#include "ingest/formats/nsys_tables.hpp"
#include "ingest/sqlite_reader.hpp"
#include "roofline/kernel/function_name.hpp"

/// Nsight Systems, `nsys export --type sqlite`. Schemas 2.9 to 3.25 were seen; tables and columns
/// are asked for, never assumed. Names are NVIDIA's: docs.nvidia.com/nsight-systems, "SQLite Schema
/// Reference".
namespace roofline::formats {
namespace {

/// Databases of other profilers, by a table that they have.
struct OtherDatabase {
  std::string_view table_begins, what, hint;
};
constexpr OtherDatabase kOthers[] = {
    {"rocpd_", "a database of rocprofv3",
     "rocprofv3 --output-format json (or csv) writes files that are read"},
    {"StringTable", "a database of nvprof",
     "nvprof --csv --print-gpu-trace -i FILE prints a table that is read"},
};

constexpr std::string_view kKernelTables[] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                              "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"};
constexpr std::string_view kMetadataTables[] = {"META_DATA_EXPORT", "EXPORT_META_DATA"};

class Reader {
 public:
  Reader(SqliteFile file, const ImportOptions& options, ImportSink& sink)
      : file_(std::move(file)),
        options_(options),
        sink_(sink),
        strings_(file_),
        clock_(file_),
        ranges_(file_, strings_, clock_),
        devices_(file_) {}

  Result<void> read() {
    const bool metadata = read_metadata();
    std::string_view table;
    for (const auto name : kKernelTables)
      if (table.empty() && file_.has_table(name)) table = name;
    const bool none = table.empty() && !metadata && !file_.has_table("CUPTI_ACTIVITY_KIND_RUNTIME");
    if (none || other_database()) return tl::unexpected(not_of_nsys());
    if (table.empty()) {
      sink_.lose("no_kernel_table");
    } else if (auto kernels = read_kernels(table); !kernels) {
      return kernels;
    }
    read_graphs();
    if (!read_nsys_copies(file_, clock_, processes_, devices_, sink_))
      sink_.truncated("behind the kernels");
    read_calls();
    if (!ranges_.read(sink_)) sink_.truncated("behind the kernels");
    read_overhead();
    devices_.write(sink_);
    sink_.process(main_process_);
    name_process();
    return {};
  }

 private:
  const OtherDatabase* other_database() const {
    for (const auto& other : kOthers)
      for (const auto& table : file_.tables())
        if (std::string_view(table).starts_with(other.table_begins)) return &other;
    return nullptr;
  }

  Error not_of_nsys() const {
    if (const auto* other = other_database())
      return {Code::wrong_type,
              {file_.name(), 0, 0, 1, {}, 0},
              fmt::format("this is {}, whose tables are not read", other->what),
              std::string(other->hint),
              {}};
    return {
        Code::wrong_type,
        {file_.name(), 0, 0, 1, {}, 0},
        fmt::format("this SQLite file is not of Nsight Systems: none of its {} table{} is known",
                    file_.tables().size(), file_.tables().size() == 1 ? "" : "s"),
        "nsys export --type sqlite REPORT.nsys-rep makes one that is read",
        {}};
  }

  bool read_metadata() {
    constexpr std::string_view kPair[] = {"name", "value"};
    std::string product = "Nsight Systems", version;
    bool found = false;
    for (const auto table : kMetadataTables) {
      if (!file_.has_table(table)) continue;
      SqliteRows rows(file_, table, kPair);
      while (rows.next()) {
        const auto name = rows.text(0);
        if (name == "EXPORT_PRODUCT_VERSION") version = rows.text(1);
        if (name == "EXPORT_PRODUCT_VERSION" || name == "EXPORT_SCHEMA_VERSION") found = true;
        if (name == "EXPORT_PARAM_INPUT_FILE" || name == "EXPORT_INPUT_FILE")
          report_ = rows.text(1);
      }
    }
    sink_.tool(version.empty() ? product : product + ' ' + version);
    if (clock_.known()) sink_.started(clock_.base());
    if (file_.has_table("TARGET_INFO_SYSTEM_ENV")) {
      SqliteRows rows(file_, "TARGET_INFO_SYSTEM_ENV", kPair);
      while (rows.next())
        if (rows.text(0) == "Hostname") sink_.host(rows.text(1));
    }
    return found;
  }

  enum KernelColumn : int {
    kStart,
    kEnd,
    kStream,
    kCorrelation,
    kProcess,
    kGraphNode,
    kGraph,
    kShort,
    kMangled,  // from here on: what makes a shape
    kDemangled,
    kDevice,
    kContext,
    kGridX,
    kBlockX = kGridX + 3,
    kClusterX = kBlockX + 3,
    kStaticShared = kClusterX + 3,
    kDynamicShared,
    kRegisters,
    kLocal,
  };
  /// What one launch is of. Rows of one kernel come again by the thousand: its shape is found by
  /// the numbers of the row.
  struct ShapeKey {
    std::array<std::int64_t, 17> numbers;
    bool operator==(const ShapeKey&) const = default;
  };
  struct ShapeHash {
    std::size_t operator()(const ShapeKey& key) const {
      // The name, the grid, the block and the dynamic shared memory tell nearly all apart.
      std::uint64_t hash = 0;
      for (const auto at : {kMangled, kGridX, kBlockX, kDynamicShared})
        hash = (hash ^
                static_cast<std::uint64_t>(key.numbers[static_cast<std::size_t>(at - kMangled)])) *
               0x9e3779b97f4a7c15u;
      return static_cast<std::size_t>(hash ^ hash >> 32);
    }
  };
  static constexpr std::string_view kKernelColumns[] = {"start",
                                                        "end",
                                                        "streamId",
                                                        "correlationId",
                                                        "globalPid",
                                                        "graphNodeId",
                                                        "graphId",
                                                        "shortName",
                                                        "mangledName",
                                                        "demangledName",
                                                        "deviceId",
                                                        "contextId",
                                                        "gridX",
                                                        "gridY",
                                                        "gridZ",
                                                        "blockX",
                                                        "blockY",
                                                        "blockZ",
                                                        "clusterX",
                                                        "clusterY",
                                                        "clusterZ",
                                                        "staticSharedMemory",
                                                        "dynamicSharedMemory",
                                                        "registersPerThread",
                                                        "localMemoryPerThread"};

  /// As the driver gives it where that can be made readable, so that it is the name that other
  /// tools give; else as Nsight wrote it out.
  std::string kernel_name(const SqliteRows& row) {
    auto name = std::string(strings_.of(row, kMangled));
    const bool opaque = name.starts_with("_Z") && demangle(name) == name;
    if (name.empty() || opaque)
      if (const auto& written = strings_.of(row, kDemangled); !written.empty()) name = written;
    if (name.empty()) name = strings_.of(row, kShort);
    return name;
  }

  std::uint64_t shape_of(const SqliteRows& row) {
    ShapeKey key{};
    for (const auto column : shape_columns_)
      key.numbers[static_cast<std::size_t>(column - kMangled)] = row.integer(column);
    // A name that is a text reads as 0, as none does: such rows are told apart one by one.
    const bool plain = key.numbers[0] != 0 || key.numbers[1] != 0;
    if (plain) {
      if (key == last_key_) return last_shape_;
      if (const auto at = shapes_.find(key); at != shapes_.end()) {
        last_key_ = key;
        return last_shape_ = at->second;
      }
    }
    capture::Shape shape;
    shape.name = sink_.text(kernel_name(row));
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      shape.grid[at] = row.number(kGridX + i);
      shape.block[at] = row.number(kBlockX + i);
      shape.cluster[at] = row.number(kClusterX + i);
    }
    shape.static_shared_bytes = row.number(kStaticShared);
    shape.dynamic_shared_bytes = row.number(kDynamicShared);
    shape.registers = row.number(kRegisters);
    shape.local_bytes_per_thread = row.number(kLocal);
    shape.device = devices_.ordinal(row.number(kDevice), nsys_process_of(row.number(kProcess)));
    shape.context = row.number(kContext);
    const auto id = sink_.shape(shape);
    if (plain) {
      shapes_.try_emplace(key, id);
      last_key_ = key;
      last_shape_ = id;
    }
    return id;
  }

  Result<void> read_kernels(std::string_view table) {
    SqliteRows rows(file_, table, kKernelColumns);
    if (!rows.has(kStart) || !rows.has(kEnd))
      return fail(Code::wrong_type, {file_.name(), 0, 0, 1, {}, 0},
                  fmt::format("{} has no columns \"start\" and \"end\"", table),
                  "export it again: nsys export --type sqlite REPORT.nsys-rep");
    for (int column = kMangled; column <= kLocal; ++column)
      if (rows.has(column)) shape_columns_.push_back(column);
    std::uint64_t count = 0;
    while (rows.next()) {
      capture::Launch launch;
      const auto global = rows.number(kProcess);
      launch.correlation = processes_.correlation(rows.number(kCorrelation), global);
      launch.shape = shape_of(rows);
      launch.stream = rows.number(kStream);
      launch.start = clock_.of(rows, kStart);
      launch.end = clock_.of(rows, kEnd);
      if (rows.has(kGraphNode)) launch.graph_node = rows.number(kGraphNode);
      // Older schemas tell the node and not its graph: of one graph, as far as is known.
      if (rows.has(kGraph)) launch.graph = rows.number(kGraph);
      if (launch.graph == 0 && launch.graph_node != 0) launch.graph = 1;
      if (main_process_ == 0) main_process_ = static_cast<long long>(nsys_process_of(global));
      ranges_.add_launch(launch.graph_node, global);
      sink_.add(launch);
      if ((++count & 0xffff) == 0 && options_.progress) options_.progress(0, count);
    }
    if (!rows.damaged()) return {};
    if (count == 0) return tl::unexpected(file_.error());
    sink_.truncated(fmt::format("after kernel {}", count));
    return {};
  }

  /// Where whole graphs were traced, each stands for its kernels.
  void read_graphs() {
    constexpr std::string_view kColumns[] = {"start",    "end",           "deviceId", "graphId",
                                             "streamId", "correlationId", "globalPid"};
    constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    if (!file_.has_table(kTable)) return;
    SqliteRows rows(file_, kTable, kColumns);
    while (rows.next()) {
      const auto graph = std::max<std::uint64_t>(rows.number(3), 1);
      const auto device = devices_.ordinal(rows.number(2), nsys_process_of(rows.number(6)));
      capture::Launch launch;
      launch.shape = sink_.shape(fmt::format("[CUDA graph {}]", graph), {}, {}, device);
      launch.start = clock_.of(rows, 0);
      launch.end = clock_.of(rows, 1);
      launch.graph = graph;
      launch.stream = rows.number(4);
      launch.correlation = processes_.correlation(rows.number(5), rows.number(6));
      ranges_.add_whole_graph();
      sink_.add(launch);
    }
    note_damage(rows);
  }

  void read_calls() {
    constexpr std::string_view kColumns[] = {"start", "end", "globalTid", "correlationId",
                                             "nameId"};
    constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
    if (!file_.has_table(kTable)) return;
    struct Kind {
      std::uint64_t domain, role;
    };
    std::unordered_map<std::int64_t, Kind> kinds;
    SqliteRows rows(file_, kTable, kColumns);
    while (rows.next()) {
      const auto [at, is_new] = kinds.try_emplace(rows.integer(4));
      if (is_new) {
        const auto& name = strings_.of(rows, 4);
        at->second = {static_cast<std::uint64_t>(api_domain(name)),
                      static_cast<std::uint64_t>(api_role(name))};
      }
      if (at->second.role == static_cast<std::uint64_t>(capture::ApiRole::other)) continue;
      capture::Api api;
      api.domain = at->second.domain;
      api.role = at->second.role;
      api.start = clock_.of(rows, 0);
      api.end = clock_.of(rows, 1);
      api.thread = rows.number(2);
      api.correlation = processes_.correlation(rows.number(3), rows.number(2));
      if (api.start != 0) sink_.add(api);
    }
    note_damage(rows);
  }

  void read_overhead() {
    constexpr std::string_view kColumns[] = {"start", "end", "globalTid"};
    for (const std::string_view table : {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}) {
      if (!file_.has_table(table)) continue;
      SqliteRows rows(file_, table, kColumns);
      while (rows.next()) {
        const capture::Overhead overhead{0, rows.number(2), clock_.of(rows, 0), clock_.of(rows, 1)};
        if (overhead.start != 0 && overhead.end >= overhead.start) sink_.add(overhead);
      }
      note_damage(rows);
    }
  }

  /// Kernels were read whole; of another table a part is missing.
  void note_damage(const SqliteRows& rows) {
    if (rows.damaged()) sink_.truncated("behind the kernels");
  }

  void name_process() {
    constexpr std::string_view kColumns[] = {"name"};
    if (main_process_ != 0 && file_.has_table("PROCESSES")) {
      SqliteRows rows(file_, "PROCESSES", kColumns, "\"pid\"=?");
      rows.bind(main_process_);
      if (rows.next() && !rows.text(0).empty()) return sink_.command(rows.text(0));
    }
    if (!report_.empty()) sink_.command(report_);
  }

  SqliteFile file_;
  const ImportOptions& options_;
  ImportSink& sink_;
  NsysStrings strings_;
  NsysClock clock_;
  NsysRanges ranges_;
  NsysDevices devices_;
  std::vector<int> shape_columns_;  // of the table, those that make a shape
  std::unordered_map<ShapeKey, std::uint64_t, ShapeHash> shapes_;
  ShapeKey last_key_{};
  std::uint64_t last_shape_ = 0;
  NsysProcesses processes_;
  long long main_process_ = 0;
  std::string report_;
};

}  // namespace

bool is_nsys_sqlite(const FileHead& head) {
  return head.bytes.starts_with(std::string_view("SQLite format 3\0", 16));
}

Result<void> read_nsys_sqlite(const std::string& path, const ImportOptions& options,
                              ImportSink& sink) {
  auto file = SqliteFile::open(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  return Reader(std::move(*file), options, sink).read();
}

}  // namespace roofline::formats
