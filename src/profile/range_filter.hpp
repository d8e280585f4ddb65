#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "roofline/base/pattern.hpp"
#include "roofline/profile/capture_file.hpp"

namespace roofline {

/// When the ranges of some names were open, on any thread, and which calls were made meanwhile: a
/// first reading of a capture. Memory: about 16 bytes for each call.
class RangeTimes final : public CaptureVisitor {
 public:
  explicit RangeTimes(const Pattern& names) : names_(&names) {}

  void record(const capture::Text& text) override;
  void record(const capture::Range& range) override;
  void record(const capture::Api& api) override;

  /// No more records: puts the times in order.
  void finish();
  bool any() const { return !times_.empty(); }
  const std::unordered_set<std::string>& all_names() const { return all_names_; }

  /// Whether what was enqueued by the call of this id belongs to the ranges; where its call is not
  /// recorded, whether it began in them itself.
  bool holds(std::uint64_t correlation, std::uint64_t start) const;
  bool at(std::uint64_t time) const;  ///< whether a range was open then

 private:
  const Pattern* names_;
  std::unordered_map<std::uint64_t, std::string> texts_;
  std::unordered_set<std::string> all_names_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      times_;  // start, end; disjoint after finish()
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      calls_;  // correlation, start; sorted after finish()
};

/// Hands on only what belongs to the ranges: the second reading.
class OnlyInRanges final : public CaptureVisitor {
 public:
  OnlyInRanges(const RangeTimes& times, CaptureVisitor& inner) : times_(times), inner_(inner) {}

  void record(const capture::Text& r) override { inner_.record(r); }
  void record(const capture::Device& r) override { inner_.record(r); }
  void record(const capture::Shape& r) override { inner_.record(r); }
  void record(const capture::Launch& r) override {
    if (times_.holds(r.correlation, r.start)) inner_.record(r);
  }
  void record(const capture::Copy& r) override {
    if (times_.holds(r.correlation, r.start)) inner_.record(r);
  }
  void record(const capture::Graph& r) override {
    if (times_.holds(r.correlation, r.start)) inner_.record(r);
  }
  void record(const capture::Api& r) override {
    if (times_.at(r.start)) inner_.record(r);
  }
  void record(const capture::Overhead& r) override { inner_.record(r); }
  void record(const capture::Wait& r) override { inner_.record(r); }
  void record(const capture::Range& r) override {
    if (times_.at(r.start)) inner_.record(r);
  }
  void record(const capture::Counters& r) override { inner_.record(r); }
  void record(const capture::Loss& r) override { inner_.record(r); }
  void record(const capture::Clock& r) override { inner_.record(r); }
  void record(const capture::Status& r) override { inner_.record(r); }
  void record(const capture::Code& r) override { inner_.record(r); }
  void record(const capture::End& r) override { inner_.record(r); }
  void record(const capture::Sample& r) override { inner_.record(r); }
  void record(const capture::Operation& r) override { inner_.record(r); }
  void record(const capture::Summary& r) override { inner_.record(r); }

 private:
  const RangeTimes& times_;
  CaptureVisitor& inner_;
};

}  // namespace roofline
