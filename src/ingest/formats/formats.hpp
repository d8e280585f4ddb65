#pragma once

#include "roofline/ingest/importer.hpp"

/// What the table of importers is made of: two functions for each format, defined in the file of
/// its name.
namespace roofline::formats {

bool is_nsys_sqlite(const FileHead& head);
Result<void> read_nsys_sqlite(const std::string& path, const ImportOptions& options,
                              ImportSink& sink);

bool is_ncu_csv(const FileHead& head);
Result<void> read_ncu_csv(const std::string& path, const ImportOptions& options, ImportSink& sink);

bool is_ncu_text(const FileHead& head);
Result<void> read_ncu_text(const std::string& path, const ImportOptions& options, ImportSink& sink);

bool is_ncu_rep(const FileHead& head);
Result<void> read_ncu_rep(const std::string& path, const ImportOptions& options, ImportSink& sink);

bool is_xplane(const FileHead& head);
Result<void> read_xplane(const std::string& path, const ImportOptions& options, ImportSink& sink);

bool is_rocprof_csv(const FileHead& head);
Result<void> read_rocprof_csv(const std::string& path, const ImportOptions& options,
                              ImportSink& sink);

bool is_nvprof_text(const FileHead& head);
bool holds_nvprof_text(std::string_view text);  ///< a table as it is printed for people
Result<void> read_nvprof_text(const std::string& path, const ImportOptions& options,
                              ImportSink& sink);
Result<void> read_nvprof_text(std::string_view text, const std::string& path, ImportSink& sink);
bool is_nvprof_csv(const FileHead& head);
Result<void> read_nvprof_csv(const std::string& path, const ImportOptions& options,
                             ImportSink& sink);

bool is_roofline_result(const FileHead& head);
Result<void> read_roofline_result(const std::string& path, const ImportOptions& options,
                                  ImportSink& sink);

bool is_nsys_stats(const FileHead& head);
Result<void> read_nsys_stats(const std::string& path, const ImportOptions& options,
                             ImportSink& sink);

bool is_proton(const FileHead& head);
Result<void> read_proton(const std::string& path, const ImportOptions& options, ImportSink& sink);

bool is_rocprofv3_json(const FileHead& head);
Result<void> read_rocprofv3_json(const std::string& path, const ImportOptions& options,
                                 ImportSink& sink);

bool is_chrome_trace(const FileHead& head);
Result<void> read_chrome_trace(const std::string& path, const ImportOptions& options,
                               ImportSink& sink);

bool is_nvbench_json(const FileHead& head);
Result<void> read_nvbench_json(const std::string& path, const ImportOptions& options,
                               ImportSink& sink);

bool is_google_benchmark(const FileHead& head);
Result<void> read_google_benchmark_json(const std::string& path, const ImportOptions& options,
                                        ImportSink& sink);

bool is_nvbench_markdown(const FileHead& head);
Result<void> read_nvbench_markdown(const std::string& path, const ImportOptions& options,
                                   ImportSink& sink);

bool is_cutlass_profiler(const FileHead& head);
Result<void> read_cutlass_profiler(const std::string& path, const ImportOptions& options,
                                   ImportSink& sink);

bool is_triton_table(const FileHead& head);
Result<void> read_triton_table(const std::string& path, const ImportOptions& options,
                               ImportSink& sink);

}  // namespace roofline::formats
