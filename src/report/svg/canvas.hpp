#pragma once

#include <string>
#include <string_view>

#include "report/palette.hpp"
#include "report/plot/shapes.hpp"
#include "report/xml.hpp"

namespace roofline::svg {

enum class Anchor { start, middle, end };

struct TextStyle {
  Ink ink = Ink::text;
  double size = 12;
  bool bold = false;
  Anchor anchor = Anchor::start;
  double degrees = 0;
  bool halo = false;  ///< lines behind it are kept away
  std::string_view strong = {};  ///< bold, before the text
};

struct Stroke {
  Ink ink = Ink::roof;
  double width = 1;
  std::string_view dashes = {};
};

/// Draws in the inks of one theme. Colours stand as plain attributes, which the weakest renderer
/// understands; `classes` repeats them as CSS classes ("f-memory", "s-roof"), so that a page around
/// the picture can change its theme.
class Canvas {
 public:
  Canvas(XmlWriter& xml, Theme theme, bool classes, std::string id_prefix = {})
      : xml_(xml), theme_(theme), classes_(classes), id_prefix_(std::move(id_prefix)) {}

  XmlWriter& xml() { return xml_; }
  bool classes() const { return classes_; }
  const std::string& id_prefix() const { return id_prefix_; }  ///< several pictures on one page

  void rect(const plot::Rect& rect, Ink fill);
  void outlined_rect(const plot::Rect& rect, std::string_view pattern, Ink ink);
  void outline(const plot::Rect& rect, const Stroke& stroke);
  void pill(const plot::Rect& rect, const Stroke& stroke);  ///< round ends, the background inside
  void line(plot::Point a, plot::Point b, const Stroke& stroke);
  void polyline(std::string_view points, const Stroke& stroke);
  void circle(plot::Point at, double radius, Ink fill, const Stroke& stroke);
  void path(std::string_view d, Ink fill, const Stroke& stroke);
  void text(plot::Point at, std::string_view text, const TextStyle& style = {});

  /// One hatch for each ink that a bar may have: "hatch-memory" ... Once in a document.
  void define_hatches();
  std::string hatch(Ink ink) const;

 private:
  void paint(Ink fill, const Stroke* stroke);
  void text_element(plot::Point at, std::string_view text, const TextStyle& style, bool as_halo);

  XmlWriter& xml_;
  Theme theme_;
  bool classes_;
  std::string id_prefix_;
};

/// `text` cut, with "...", so that it is no wider than `width` pixels.
std::string fitted(std::string_view text, double width, double size, bool bold = false);

/// "12.5,3" for a list of points or a path.
void append_point(std::string& out, plot::Point p);

}  // namespace roofline::svg
