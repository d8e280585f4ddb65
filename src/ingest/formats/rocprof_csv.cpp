#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <vector>

#include "ingest/csv_rows.hpp"
#include "ingest/exact_time.hpp"
#include "ingest/formats/amd_counters.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// Tables of AMD's profilers: rocprof (v1, v2), rocprofv3 and ROCm Compute Profiler. What they call
/// a column changes by version; what a table holds is told by the columns that it has:
///
///     begin and end of each dispatch         kernel_trace, results, pmc_perf, timestamps
///     one counter to a row                   counter_collection
///     calls and their total time             stats, kernel_stats, hip_api_stats
namespace roofline::formats {
namespace {

constexpr std::string_view kName[] = {"Kernel_Name", "KernelName"};
constexpr std::string_view kStart[] = {"Start_Timestamp", "BeginNs", "Start_Timestamp(ns)"};
constexpr std::string_view kEnd[] = {"End_Timestamp", "EndNs", "End_Timestamp(ns)"};
constexpr std::string_view kDispatch[] = {"Dispatch_Id", "Dispatch_ID", "Index"};
constexpr std::string_view kDevice[] = {"Agent_Id", "GPU_ID", "gpu-id"};
constexpr std::string_view kQueue[] = {"Queue_Id", "Queue_ID", "queue-id"};

constexpr std::size_t kMostUntranslated = 64;  // counters of a dispatch that are kept as they are

/// A time of a dispatch in ns. One that a spreadsheet rounded ("8.1097E+14") makes every duration a
/// zero that looks measured.
Result<std::uint64_t> read_time(const CsvRows& rows, std::size_t column) {
  const auto text = rows.field(column);
  if (const auto time = exact_ns(text, 0)) return *time;
  if (text.find_first_of("eE") != std::string_view::npos)
    return fail(Code::bad_number, rows.where(column),
                fmt::format("the time {} was rounded: a spreadsheet has saved this table",
                            shortened(printable(text), 40)),
                "durations are lost: take the file as the profiler wrote it");
  return fail(Code::bad_number, rows.where(column),
              fmt::format("\"{}\" is no time in ns", shortened(printable(text), 40)),
              "take the file as the profiler wrote it");
}

std::uint64_t blocks(std::uint64_t items, std::uint64_t group) {
  return group == 0 ? items : (items + group - 1) / group;
}

/// Where the sizes of a dispatch stand: a grid is told in work items.
class SizeColumns {
 public:
  explicit SizeColumns(const CsvRows& rows) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string axis(1, "XYZ"[i]);
      grid_[i] = rows.column("Grid_Size_" + axis);
      group_[i] = rows.column("Workgroup_Size_" + axis);
    }
    if (grid_[0] == kNoColumn) grid_[0] = rows.column({"Grid_Size", "grd", "GRD"});
    if (group_[0] == kNoColumn) group_[0] = rows.column({"Workgroup_Size", "wgr", "WGR"});
    shared_ =
        rows.column({"Group_Segment_Size", "LDS_Block_Size", "LDS_Per_Workgroup", "lds", "LDS"});
    local_ =
        rows.column({"Private_Segment_Size", "Scratch_Size", "Scratch_Per_Workitem", "scr", "SCR"});
    registers_ = rows.column({"VGPR_Count", "Arch_VGPR", "arch_vgpr", "vgpr"});
  }
  void fill(const CsvRows& rows, capture::Shape& shape) const {
    for (std::size_t i = 0; i < 3; ++i) {
      shape.block[i] = std::max<std::uint64_t>(rows.number(group_[i]), i == 0 ? 0 : 1);
      shape.grid[i] = std::max<std::uint64_t>(blocks(rows.number(grid_[i]), shape.block[i]), 1);
    }
    if (grid_[0] == kNoColumn) shape.grid = shape.block = {};
    shape.static_shared_bytes = rows.number(shared_);
    shape.local_bytes_per_thread = rows.number(local_);
    shape.registers = rows.number(registers_);
  }

 private:
  std::array<std::size_t, 3> grid_{}, group_{};
  std::size_t shared_ = kNoColumn, local_ = kNoColumn, registers_ = kNoColumn;
};

/// Which columns are counters, and of which: "TCC_HIT[3]" is the fourth channel of TCC_HIT_sum.
std::vector<std::pair<std::size_t, std::string>> counter_columns(const CsvRows& rows) {
  std::vector<std::pair<std::size_t, std::string>> columns;
  for (std::size_t i = 0; i < rows.header().size(); ++i) {
    const auto& name = rows.header()[i];
    const bool counter = name.starts_with("SQ") || name.starts_with("TC") ||
                         name.starts_with("TA") || name.starts_with("TD") ||
                         name.starts_with("GRBM") || name.starts_with("CP") ||
                         name.starts_with("SPI") || name == "FETCH_SIZE" || name == "FetchSize" ||
                         name == "WRITE_SIZE" || name == "WriteSize";
    if (counter && !name.ends_with(']')) columns.emplace_back(i, name);
  }
  return columns;
}

/// Kernels and calls of the host stand in tables of one kind; calls are bare names.
bool is_call(std::string_view name) {
  for (const std::string_view prefix : {"hip", "__hip", "hsa_", "roctx", "rccl", "nccl"})
    if (name.starts_with(prefix)) return name.find_first_of("(<:. ") == std::string_view::npos;
  return false;
}

/// A row of memory_copy_stats, or of rocprof's memcpy_stats.
bool is_copy(std::string_view name) {
  return name.starts_with("MEMORY_COPY_") || name.starts_with("CopyHostTo") ||
         name.starts_with("CopyDeviceTo");
}
/// A row of domain_stats, which sums up kinds of events.
bool is_domain(std::string_view name) {
  return name == "KERNEL_DISPATCH" || name == "MEMORY_COPY" || name == "MEMORY_ALLOCATION" ||
         name == "SCRATCH_MEMORY" ||
         (name.ends_with("_API") &&
          name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos);
}

class Reader {
 public:
  Reader(CsvRows rows, const std::string& path, const ImportOptions& options, ImportSink& sink)
      : rows_(std::move(rows)), path_(path), options_(options), sink_(sink) {}

  Result<void> read() {
    const bool timed = rows_.column(kStart) != kNoColumn && rows_.column(kEnd) != kNoColumn;
    Result<void> done;
    if (rows_.has("Counter_Name") && rows_.has("Counter_Value"))
      done = read_counters();
    else if (rows_.column(kName) != kNoColumn && (timed || !counter_columns(rows_).empty()))
      done = read_dispatches(timed);
    else if (rows_.has("Name") && rows_.has("Calls") && rows_.has("TotalDurationNs"))
      done = read_sums();
    else
      done = refuse();
    if (!done) return done;
    rows_.tell(sink_);
    return {};
  }

 private:
  Result<void> refuse() const {
    if (rows_.column(kName) != kNoColumn && rows_.column(kQueue) != kNoColumn)
      return fail(Code::empty_input, {rows_.name(), 1, 1, 1, {}, 0},
                  "this table names kernels and has neither times nor counters",
                  "rocprof --stats, or rocprofv3 --kernel-trace, records times");
    const bool machine = rows_.has("gpu_model") || rows_.has("gpu_arch");
    const bool roofs = rows_.has("HBMBw");
    const std::string what = machine ? "this table describes a machine and holds no kernel"
                             : roofs ? "this table holds measured ceilings and no kernel"
                                     : "this table of AMD's profiler holds no kernel";
    return fail(Code::wrong_type, {rows_.name(), 1, 1, 1, {}, 0}, what,
                machine || roofs
                    ? "give pmc_perf.csv of the same folder: the machine is read beside it"
                    : "kernel_trace.csv and counter_collection.csv have them");
  }

  capture::Shape shape_of(const SizeColumns& sizes, std::size_t name, std::size_t device) {
    capture::Shape shape;
    shape.name = sink_.text(amd_kernel_name(rows_.field(name)));
    sizes.fill(rows_, shape);
    shape.device = rows_.number(device);
    note_device(shape.device);
    return shape;
  }

  void note_device(std::uint64_t ordinal) {
    if (std::find(devices_.begin(), devices_.end(), ordinal) == devices_.end() &&
        devices_.size() < 1024)
      devices_.push_back(ordinal);
  }

  /// One row to a dispatch, with its times, its counters, or both.
  Result<void> read_dispatches(bool has_times) {
    const auto name = rows_.column(kName), start = rows_.column(kStart), end = rows_.column(kEnd),
               device = rows_.column(kDevice), queue = rows_.column(kQueue);
    const auto correlation = rows_.column({"Correlation_Id", "Correlation_ID"});
    const SizeColumns sizes(rows_);
    const auto counters = counter_columns(rows_);
    const bool short_names = rows_.has("GRD") || rows_.has("grd");
    sink_.tool(rows_.has("Kind")                 ? "rocprofv3"
               : counters.empty() || short_names ? "rocprof"
                                                 : "ROCm Compute Profiler");
    if (!counters.empty()) sink_.replayed();
    std::uint64_t timed = 0, untimed = 0;
    while (true) {
      const auto more = rows_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (rows_.has("Kind") && rows_.field(rows_.column("Kind")) != "KERNEL_DISPATCH") continue;
      if (!has_times) {
        add_columns(sink_.shape(shape_of(sizes, name, device)), counters);
        ++untimed;
        continue;
      }
      const auto from = read_time(rows_, start), to = read_time(rows_, end);
      if (!from) return tl::unexpected(from.error());
      if (!to) return tl::unexpected(to.error());
      const auto id = sink_.shape(shape_of(sizes, name, device));
      capture::Launch launch;
      launch.shape = id;
      launch.stream = rows_.number(queue);
      launch.start = *from;
      launch.end = *to;
      launch.correlation = rows_.number(correlation);
      sink_.add(launch);
      timed += *to > *from ? 1 : 0;
      if (!counters.empty()) add_columns(id, counters);
      if ((sink_.launches() & 0xffff) == 0 && options_.progress)
        options_.progress(0, sink_.launches());
    }
    if (untimed > 0) sink_.lose("duration_not_measured", untimed);
    if (has_times && timed == 0 && rows_.rows() > 1)
      return fail(Code::bad_number, {rows_.name(), 2, static_cast<int>(start) + 1, 1, {}, 0},
                  "every dispatch begins and ends at the same time: the times were rounded",
                  "take the file as the profiler wrote it");
    write_devices();
    return {};
  }

  void add_columns(std::uint64_t shape,
                   const std::vector<std::pair<std::size_t, std::string>>& columns) {
    std::map<std::string, double, std::less<>> values;
    for (const auto& [column, counter] : columns)
      if (const auto value = rows_.real(column)) values[counter] = *value;
    auto metrics = translated_amd_counters(values);
    if (metrics.empty())  // none that becomes a figure: as they stand
      for (const auto& value : values)
        if (metrics.size() < kMostUntranslated) metrics.emplace_back(value);
    add_counters(shape, metrics);
  }

  void add_counters(std::uint64_t shape,
                    const std::vector<std::pair<std::string, double>>& metrics) {
    capture::Counters record;
    record.shape = shape;
    record.occurrence = occurrences_[shape]++;
    for (const auto& [metric, value] : metrics) {
      record.metrics.push_back(sink_.text(metric));
      record.values.push_back(value);
    }
    sink_.add(record);
  }

  /// One row for each counter of a dispatch; those of one dispatch need not stand together.
  Result<void> read_counters() {
    sink_.tool("rocprofv3");
    sink_.replayed();
    const auto name = rows_.column(kName), device = rows_.column(kDevice),
               dispatch = rows_.column(kDispatch), start = rows_.column(kStart),
               end = rows_.column(kEnd), counter = rows_.column("Counter_Name"),
               value = rows_.column("Counter_Value");
    const SizeColumns sizes(rows_);
    struct Dispatch {
      std::uint64_t shape = 0, start = 0, end = 0;
      std::map<std::string, double, std::less<>> values;
    };
    std::map<std::uint64_t, Dispatch> dispatches;
    while (true) {
      const auto more = rows_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      const auto [at, is_new] = dispatches.try_emplace(rows_.number(dispatch));
      if (is_new) at->second.shape = sink_.shape(shape_of(sizes, name, device));
      if (is_new && start != kNoColumn && end != kNoColumn) {
        const auto from = read_time(rows_, start), to = read_time(rows_, end);
        if (!from) return tl::unexpected(from.error());
        if (!to) return tl::unexpected(to.error());
        at->second.start = *from;
        at->second.end = *to;
      }
      if (const auto count = rows_.real(value))
        at->second.values[std::string(rows_.field(counter))] += *count;
    }
    std::uint64_t untimed = 0;
    for (const auto& [id, seen] : dispatches) {
      auto metrics = translated_amd_counters(seen.values);
      metrics.insert(metrics.end(), seen.values.begin(), seen.values.end());  // by AMD's names too
      add_counters(seen.shape, metrics);
      if (seen.start == 0) {
        ++untimed;
        continue;
      }
      capture::Launch launch;
      launch.shape = seen.shape;
      launch.start = seen.start;
      launch.end = seen.end;
      sink_.add(launch);
    }
    if (untimed > 0) sink_.lose("duration_not_measured", untimed);
    write_devices();
    return {};
  }

  Result<void> read_sums() {
    sink_.tool("rocprof");
    const auto name = rows_.column("Name"), calls = rows_.column("Calls"),
               total = rows_.column("TotalDurationNs"), least = rows_.column("MinNs"),
               most = rows_.column("MaxNs");
    std::uint64_t passed_over = 0, copies = 0;
    while (true) {
      const auto more = rows_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (is_domain(rows_.field(name))) return refuse();
      if (is_call(rows_.field(name))) {
        ++passed_over;
        continue;
      }
      if (is_copy(rows_.field(name))) {
        copies += rows_.number(calls);
        continue;
      }
      const auto time = read_time(rows_, total);
      if (!time) return tl::unexpected(time.error());
      const auto seconds = [&](std::size_t column) {
        const auto ns = exact_ns(rows_.field(column), 0);
        return ns ? static_cast<double>(*ns) / 1e9 : std::numeric_limits<double>::quiet_NaN();
      };
      capture::Summary summary;
      summary.shape = sink_.shape(amd_kernel_name(rows_.field(name)));
      summary.launches = rows_.number(calls);
      const double none = std::numeric_limits<double>::quiet_NaN();
      summary.seconds = {static_cast<double>(*time) / 1e9, none, none, seconds(least),
                         seconds(most)};
      sink_.add(summary);
    }
    if (passed_over > 0) sink_.lose("host_calls_passed_over", passed_over);
    if (copies > 0) sink_.lose("copies_summed", copies);
    sink_.lose("gpu_not_named");
    return {};
  }

  /// Tables of the same run that lie beside this one name the GPU.
  void write_devices() {
    namespace fs = std::filesystem;
    const fs::path path(path_);
    const auto file = path.filename().string();
    std::vector<std::string> named;
    for (const std::string_view part : {"kernel_trace", "counter_collection"})
      if (const auto at = file.find(part); at != std::string::npos)
        named.push_back(std::string(file).replace(at, part.size(), "agent_info"));
    for (const std::string_view part : {"pmc_perf", "timestamps"})
      if (const auto at = file.find(part); at != std::string::npos)
        named.push_back(std::string(file).replace(at, part.size(), "sysinfo"));
    bool written = false;
    for (const auto& sibling : named) {
      std::error_code ignored;
      if (path_ != "-" && fs::is_regular_file(path.parent_path() / sibling, ignored))
        written = written || read_machine((path.parent_path() / sibling).string());
    }
    if (!written) sink_.lose("gpu_not_named");
  }

  /// Columns: sysinfo.csv of ROCm Compute Profiler, or agent_info.csv of rocprofv3 (one row to an
  /// agent, the host's processors among them).
  bool read_machine(const std::string& path) {
    auto machine = CsvRows::open(path);
    if (!machine) return false;
    const bool agents = machine->has("Node_Id");
    const auto name = machine->column({"gpu_model", "Product_Name", "Name"}),
               node = machine->column("Node_Id"), type = machine->column("Agent_Type"),
               units = machine->column({"cu_per_gpu", "Cu_Count"}),
               clock = machine->column({"max_sclk", "Max_Engine_Clk_Fcompute"}),
               cache = machine->column("gpu_l2"), host = machine->column("hostname"),
               command = machine->column("command"), memory = machine->column("max_mclk");
    bool found = false;
    while (true) {
      const auto more = machine->next();
      if (!more || !*more) return found;
      capture::Device device;
      device.name = sink_.text(machine->field(name));
      device.sm_count = machine->number(units);
      device.sm_clock_khz = machine->number(clock) * 1000;
      device.memory_clock_khz = machine->number(memory) * 1000;
      device.l2_bytes = machine->number(cache) * 1024;
      if (!agents) {
        sink_.host(machine->field(host));
        sink_.command(machine->field(command));
        for (const auto ordinal : devices_) {
          device.ordinal = ordinal;
          sink_.add(device);
        }
        return !devices_.empty();
      }
      device.ordinal = machine->number(node);
      const bool used =
          std::find(devices_.begin(), devices_.end(), device.ordinal) != devices_.end();
      if (!used || machine->field(type) == "CPU") continue;
      sink_.add(device);
      found = true;
    }
  }

  CsvRows rows_;
  const std::string& path_;
  const ImportOptions& options_;
  ImportSink& sink_;
  std::vector<std::uint64_t> devices_;
  std::map<std::uint64_t, std::uint64_t> occurrences_;
};

}  // namespace

bool is_rocprof_csv(const FileHead& head) {
  const auto line = std::string_view(head.bytes).substr(0, head.bytes.find('\n'));
  const auto all = [&](std::initializer_list<std::string_view> words) {
    return std::all_of(words.begin(), words.end(), [&](std::string_view word) {
      return line.find(word) != std::string_view::npos;
    });
  };
  return all({"Kernel_Name", "Dispatch_Id"}) || all({"Kernel_Name", "Start_Timestamp"}) ||
         all({"Dispatch_ID", "GPU_ID"}) || all({"KernelName", "BeginNs"}) ||
         all({"KernelName", "grd", "wgr"}) || all({"Name", "Calls", "TotalDurationNs"}) ||
         all({"Kind", "Direction", "Start_Timestamp"}) ||
         all({"Domain", "Function", "Start_Timestamp"}) || all({"gpu_model", "gpu_arch"}) ||
         all({"HBMBw", "FP32Flops"});
}

Result<void> read_rocprof_csv(const std::string& path, const ImportOptions& options,
                              ImportSink& sink) {
  auto rows = CsvRows::open(path);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  return Reader(std::move(*rows), path, options, sink).read();
}

}  // namespace roofline::formats
