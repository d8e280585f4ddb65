#include <fmt/format.h>

#include <array>

#include "ingest/formats/formats.hpp"
#include "ingest/formats/not_read.hpp"
#include "roofline/base/text.hpp"
#include "roofline/ingest/importer.hpp"

namespace roofline {
namespace {

// The most specific sniff first.
constexpr Importer kImporters[] = {
    {"nsys-sqlite", "Nsight Systems, nsys export --type sqlite, .sqlite", formats::is_nsys_sqlite,
     formats::read_nsys_sqlite},
    {"roofline-result", "roofline profile, what it saved, .json", formats::is_roofline_result,
     formats::read_roofline_result},
    {"ncu-rep", "Nsight Compute's report, .ncu-rep", formats::is_ncu_rep, formats::read_ncu_rep},
    {"xplane", "XLA's profile (JAX, TensorFlow), .xplane.pb", formats::is_xplane,
     formats::read_xplane},
    {"proton", "Triton's Proton, .hatchet", formats::is_proton, formats::read_proton},
    {"rocprofv3-json", "AMD's rocprofv3 --output-format json, .json", formats::is_rocprofv3_json,
     formats::read_rocprofv3_json},
    {"ncu-csv", "Nsight Compute, ncu --csv, and logs of ncu, .csv", formats::is_ncu_csv,
     formats::read_ncu_csv},
    {"ncu-text", "Nsight Compute, the pages that ncu prints, .txt", formats::is_ncu_text,
     formats::read_ncu_text},
    {"chrome-trace", "PyTorch (Kineto) and other Chrome traces, .json", formats::is_chrome_trace,
     formats::read_chrome_trace},
    {"rocprof-csv", "AMD's rocprof, rocprofv3 and ROCm Compute Profiler, .csv",
     formats::is_rocprof_csv, formats::read_rocprof_csv},
    {"nvprof-text", "nvprof, what it prints: sums or --print-gpu-trace, .txt",
     formats::is_nvprof_text, formats::read_nvprof_text},
    {"nvprof-csv", "nvprof --csv, sums or --print-gpu-trace, .csv", formats::is_nvprof_csv,
     formats::read_nvprof_csv},
    {"nsys-stats", "Nsight Systems, what nsys stats prints, text or .csv", formats::is_nsys_stats,
     formats::read_nsys_stats},
    {"nvbench-json", "nvbench --json, .json", formats::is_nvbench_json, formats::read_nvbench_json},
    {"nvbench-markdown", "nvbench, what it prints, .md", formats::is_nvbench_markdown,
     formats::read_nvbench_markdown},
    {"google-benchmark", "Google Benchmark --benchmark_out, .json", formats::is_google_benchmark,
     formats::read_google_benchmark_json},
    {"cutlass-profiler", "cutlass_profiler, .csv or what it prints", formats::is_cutlass_profiler,
     formats::read_cutlass_profiler},
    {"triton-table", "triton.testing.perf_report with times, .csv", formats::is_triton_table,
     formats::read_triton_table},
};

}  // namespace

std::span<const Importer> importers() { return kImporters; }

const Importer* find_importer(std::string_view name) {
  for (const auto& importer : importers())
    if (importer.name == name) return &importer;
  return nullptr;
}

Result<FileHead> read_head(const std::string& path) {
  auto stream = ByteStream::open_to_look(path);
  if (!stream) return tl::unexpected(std::move(stream.error()));
  FileHead head{stream->name(), std::string(FileHead::kBytes, '\0'), false};
  std::size_t size = 0;
  while (size < head.bytes.size()) {
    const auto got = stream->read(head.bytes.data() + size, head.bytes.size() - size);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) {
      head.whole = true;
      break;
    }
    size += *got;
  }
  head.bytes.resize(size);
  return head;
}

const Importer* importer_of(const FileHead& head) {
  for (const auto& importer : importers())
    if (importer.sniff(head)) return &importer;
  return nullptr;
}

bool is_known_otherwise(const FileHead& head) { return formats::known_otherwise(head).has_value(); }

Result<Imported> import_file(const std::string& path, const Importer* importer,
                             const ImportOptions& options) {
  if (!importer) {
    const auto head = read_head(path);
    if (!head) return tl::unexpected(head.error());
    importer = importer_of(*head);
    if (!importer)
      if (auto known = formats::known_otherwise(*head)) return tl::unexpected(std::move(*known));
    if (!importer)
      return fail(Code::wrong_type, {head->name, 0, 0, 1, {}, 0},
                  head->bytes.empty() ? "this file is empty"
                                      : "this file is of no format that is read here",
                  "roofline import --list names the formats; --from NAME says which one it is");
  }
  ImportSink sink;
  sink.format(importer->name);
  auto read = importer->read(path, options, sink);
  if (!read) return tl::unexpected(std::move(read.error()));
  return Imported{importer, sink.finish()};
}

}  // namespace roofline
