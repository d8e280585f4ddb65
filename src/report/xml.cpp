#include "report/xml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace roofline {
namespace {

constexpr std::size_t kSpill = std::size_t{64} * 1024;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// U+FFFE and U+FFFF: valid UTF-8 that XML 1.0 does not allow.
bool is_noncharacter(std::string_view rest) {
  return rest.size() >= 3 && rest[0] == '\xEF' && rest[1] == '\xBF' &&
         (rest[2] == '\xBE' || rest[2] == '\xBF');
}

}  // namespace

void append_xml_escaped(std::string& out, std::string_view text) {
  std::size_t written = 0;
  const auto put = [&](std::size_t at, std::size_t size, std::string_view instead) {
    out.append(text, written, at - written);
    out += instead;
    written = at + size;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&': put(i, 1, "&amp;"); break;
      case '<': put(i, 1, "&lt;"); break;
      case '>': put(i, 1, "&gt;"); break;
      case '"': put(i, 1, "&quot;"); break;
      case '\'': put(i, 1, "&#39;"); break;
      case '\t':
      case '\n': break;
      case '\xEF':
        if (is_noncharacter(text.substr(i))) put(i, 3, kReplacement);
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) put(i, 1, kReplacement);
    }
  }
  out.append(text, written);
}

void append_fixed(std::string& out, double value) {
  constexpr double kMost = 1e12;  // of pixels; beyond it nothing is drawn anyway
  if (!std::isfinite(value)) value = 0;
  const auto tenths = static_cast<long long>(std::llround(std::clamp(value, -kMost, kMost) * 10));
  if (tenths < 0) out += '-';
  const auto magnitude = tenths < 0 ? -tenths : tenths;
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, magnitude / 10).ptr;
  out.append(digits, end);
  if (magnitude % 10 != 0) {
    out += '.';
    out += static_cast<char>('0' + magnitude % 10);
  }
}

void XmlWriter::spill() {
  if (buffer_.size() < kSpill) return;
  flush();
}

void XmlWriter::flush() {
  sink_(buffer_);
  buffer_.clear();
}

void XmlWriter::end_tag() {
  if (in_tag_) buffer_ += '>';
  in_tag_ = false;
}

XmlWriter& XmlWriter::open(std::string_view name) {
  end_tag();
  buffer_ += '<';
  buffer_ += name;
  open_.push_back(name);
  in_tag_ = true;
  return *this;
}

XmlWriter& XmlWriter::attr(std::string_view name, std::string_view value) {
  buffer_ += ' ';
  buffer_ += name;
  buffer_ += "=\"";
  append_xml_escaped(buffer_, value);
  buffer_ += '"';
  return *this;
}

XmlWriter& XmlWriter::attr(std::string_view name, double value) {
  buffer_ += ' ';
  buffer_ += name;
  buffer_ += "=\"";
  append_fixed(buffer_, value);
  buffer_ += '"';
  return *this;
}

XmlWriter& XmlWriter::text(std::string_view value) {
  end_tag();
  append_xml_escaped(buffer_, value);
  return *this;
}

XmlWriter& XmlWriter::raw(std::string_view markup) {
  end_tag();
  buffer_ += markup;
  spill();
  return *this;
}

XmlWriter& XmlWriter::line() { return raw("\n"); }

XmlWriter& XmlWriter::close() {
  if (in_tag_) {
    buffer_ += "/>";
  } else {
    buffer_ += "</";
    buffer_ += open_.back();
    buffer_ += '>';
  }
  in_tag_ = false;
  open_.pop_back();
  spill();
  return *this;
}

}  // namespace roofline
