#include <cmath>

#include "report/csv_line.hpp"
#include "report/gate/formats.hpp"

namespace roofline {
namespace {

void cell(CsvLine& line, const std::optional<double>& value) {
  if (value) line.number(*value);
  else line.empty();
}
void cell(CsvLine& line, const std::optional<Seconds>& value) {
  if (value) line.number(value->value());
  else line.empty();
}
void whole(CsvLine& line, int value) {
  if (value > 0) line.number(value);
  else line.empty();
}

}  // namespace

/// One row per assertion, in base units.
void write_gate_csv(const GateResult& result, const GateWriteOptions&, const TextSink& sink) {
  sink("id,assertion,outcome,value,lo,hi,limit,unit,value_text,limit_text,runs,sessions,floor_s,time_s,lost_s,time_share,"
       "reason,text,kernel,file,line\n");
  CsvLine line;
  for (const auto& row : result.results) {
    line.clear();
    line.name(row.id);
    line.name(row.assertion);
    line.word(outcome_name(row.outcome));
    cell(line, row.value);
    cell(line, row.lo);
    cell(line, row.hi);
    cell(line, row.limit);
    line.word(unit_name(row.unit));
    line.name(row.value_text);
    line.name(row.limit_text);
    whole(line, row.runs);
    whole(line, row.sessions);
    cell(line, row.floor);
    cell(line, row.time);
    cell(line, row.lost);
    cell(line, row.time_share);
    line.word(row.reason ? code_name(*row.reason) : std::string());
    line.name(row.text);
    line.name(row.kernel);
    line.name(result.file);
    whole(line, row.line);
    sink(line.text() + "\n");
  }
}

}  // namespace roofline
