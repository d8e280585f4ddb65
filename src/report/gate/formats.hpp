#pragma once

#include "report/json_writer.hpp"
#include "roofline/report/gate.hpp"

namespace roofline {

// One per row of the table of formats.
void write_gate_table(const GateResult& result, const GateWriteOptions& options,
                      const TextSink& sink);
void write_gate_json(const GateResult& result, const GateWriteOptions& options,
                     const TextSink& sink);
void write_gate_jsonl(const GateResult& result, const GateWriteOptions& options,
                      const TextSink& sink);
void write_gate_csv(const GateResult& result, const GateWriteOptions& options,
                    const TextSink& sink);
void write_gate_markdown(const GateResult& result, const GateWriteOptions& options,
                         const TextSink& sink);
void write_gate_junit(const GateResult& result, const GateWriteOptions& options,
                      const TextSink& sink);
void write_gate_github(const GateResult& result, const GateWriteOptions& options,
                       const TextSink& sink);
void write_gate_gitlab(const GateResult& result, const GateWriteOptions& options,
                       const TextSink& sink);
void write_gate_openmetrics(const GateResult& result, const GateWriteOptions& options,
                            const TextSink& sink);
void write_gate_badge(const GateResult& result, const GateWriteOptions& options,
                      const TextSink& sink);

/// One assertion as an object of roofline.gate-result/1.
void write_gate_row(JsonWriter& json, const AssertionResult& row, std::string_view file);

}  // namespace roofline
