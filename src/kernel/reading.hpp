#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/yaml.hpp"

namespace roofline {

/// What one description's readers share: its text, for places, and every mistake found so far.
class Reading {
 public:
  Reading(const YamlDocument& document, Errors& errors) : document_(document), errors_(errors) {}

  const YamlDocument& document() const { return document_; }
  Errors& errors() { return errors_; }
  /// More mistakes than help anybody: reading stops, so that a file of mistakes costs no more than
  /// a good one.
  bool has_enough() const { return errors_.size() >= kMostErrors; }

  void report(Code code, const YamlNode& node, std::string what, std::string hint = {});
  /// An error that has its place. One that was said just before, of what kernels share, is not
  /// repeated.
  void report(Error error);
  /// An error whose column counts within the text of `scalar`.
  void report_inside(const YamlNode& scalar, Error error);
  /// "what must be `expected`, not a list"
  void report_kind(const YamlNode& node, std::string_view what, std::string_view expected,
                   std::string hint = {});

  static constexpr std::size_t kMostErrors = 1000;

 private:
  const YamlDocument& document_;
  Errors& errors_;
};

/// Place of a part of a scalar; the whole of it where its text does not stand in the file as it is
/// (escapes, folding).
Location place_inside(const YamlDocument& document, const YamlNode& scalar, const Location& part);

/// One of `choices` by its name, or nothing and an error with the nearest.
std::optional<std::size_t> read_choice(Reading& reading, const YamlNode& node,
                                       std::string_view what,
                                       std::span<const std::string_view> choices);

/// A time with its unit. Zero is allowed only where `zero_allowed`.
std::optional<double> read_seconds(Reading& reading, const YamlNode& node, std::string_view what,
                                   bool zero_allowed);

}  // namespace roofline
