#pragma once

#include <functional>
#include <string>

#include "roofline/report/audit.hpp"

namespace roofline::audit_rows {

/// Adds rows up as they pass: counts, and the few rows that a report shows.
class Summing {
 public:
  explicit Summing(std::size_t notable) : notable_(notable) {}

  /// `shape` says what the row is of; it is asked only for rows that are kept.
  void add(const AuditedRow& row, const std::function<std::string()>& shape);
  AuditSummary& summary() { return summary_; }

 private:
  void add_judged(const AuditedRow& row);
  void keep(const AuditedRow& row, const std::function<std::string()>& shape);

  std::size_t notable_;
  AuditSummary summary_;
};

}  // namespace roofline::audit_rows
