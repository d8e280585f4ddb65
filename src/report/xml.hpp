#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/report/report.hpp"

namespace roofline {

/// Writes XML piece by piece, so that nothing in a name can leave its place: text and attributes
/// are escaped, and what XML cannot hold becomes U+FFFD. SVG, the SVG inside HTML and HTML itself
/// are written with it.
class XmlWriter {
 public:
  explicit XmlWriter(TextSink sink) : sink_(std::move(sink)) {}

  XmlWriter& open(std::string_view name);
  XmlWriter& attr(std::string_view name, std::string_view value);
  XmlWriter& attr(std::string_view name, const char* value) {
    return attr(name, std::string_view(value));
  }
  /// With one decimal at most, whatever the locale: the same bytes everywhere.
  XmlWriter& attr(std::string_view name, double value);
  XmlWriter& text(std::string_view value);
  /// What is XML already.
  XmlWriter& raw(std::string_view markup);
  XmlWriter& line();  ///< between elements
  XmlWriter& close();
  void flush();

 private:
  void end_tag();
  void spill();

  TextSink sink_;
  std::string buffer_;
  std::vector<std::string_view> open_;  // names are literals
  bool in_tag_ = false;
};

/// `text` as the inside of an element or an attribute in quotes.
void append_xml_escaped(std::string& out, std::string_view text);

/// "12.5", "12", "-0.5": one decimal at most, never an exponent; what is not finite is 0.
void append_fixed(std::string& out, double value);

}  // namespace roofline
