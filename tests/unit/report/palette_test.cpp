#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "report/palette.hpp"

namespace roofline {
namespace {

using Rgb = std::array<double, 3>;  // linear light, 0 to 1

Rgb linear(std::string_view hex) {
  Rgb rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

/// WCAG 2.1, relative luminance and contrast ratio.
double contrast(std::string_view a, std::string_view b) {
  const auto luminance = [](std::string_view hex) {
    const auto c = linear(hex);
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  };
  const double one = luminance(a) + 0.05, two = luminance(b) + 0.05;
  return std::max(one, two) / std::min(one, two);
}

using Matrix = std::array<Rgb, 3>;
/// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear light.
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan = {{{0.152286, 1.052583, -0.204868},
                             {0.114503, 0.786281, 0.099216},
                             {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan = {{{0.367322, 0.860646, -0.227968},
                             {0.280085, 0.672501, 0.047413},
                             {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritan = {{{1.255528, -0.076749, -0.178779},
                             {-0.078411, 0.930809, 0.147602},
                             {0.004733, 0.691367, 0.303900}}};

Rgb lab(const Rgb& rgb) {
  const double x = (0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047;
  const double y = 0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2];
  const double z = (0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883;
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double difference(std::string_view a, std::string_view b, const Matrix& vision) {
  const auto seen = [&](std::string_view hex) {
    const auto c = linear(hex);
    Rgb result{};
    for (std::size_t i = 0; i < 3; ++i)
      result[i] =
          std::clamp(vision[i][0] * c[0] + vision[i][1] * c[1] + vision[i][2] * c[2], 0.0, 1.0);
    return lab(result);
  };
  const auto one = seen(a), two = seen(b);
  return std::hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
}

TEST(Contrast, agrees_with_known_figures) {
  EXPECT_NEAR(contrast("#000000", "#ffffff"), 21, 1e-9);
  EXPECT_NEAR(contrast("#0064a8", "#ffffff"), 6.2, 0.05);  // from the table of the design
  EXPECT_NEAR(contrast("#e8701a", "#0d1117"), 6.1, 0.05);
}

class EveryTheme : public testing::TestWithParam<Theme> {
 protected:
  std::string_view ink(Ink which) const { return colour(GetParam(), which); }
};
constexpr Ink kGrounds[] = {Ink::background, Ink::memory_region, Ink::compute_region};
constexpr Ink kMarks[] = {Ink::memory, Ink::compute, Ink::overhead, Ink::other};

TEST_P(EveryTheme, marks_and_lines_stand_out) {
  for (const auto ground : kGrounds)
    for (const auto mark :
         {Ink::memory, Ink::compute, Ink::overhead, Ink::other, Ink::roof, Ink::ghost})
      EXPECT_GE(contrast(ink(mark), ink(ground)), 3)
          << ink_name(mark) << " on " << ink_name(ground);
}

TEST_P(EveryTheme, text_can_be_read) {
  for (const auto ground : kGrounds)
    for (const auto text : {Ink::text, Ink::muted})
      EXPECT_GE(contrast(ink(text), ink(ground)), 4.5)
          << ink_name(text) << " on " << ink_name(ground);
  for (const auto mark : kMarks)
    EXPECT_GE(contrast(ink(ink_on(mark)), ink(mark)), 4.5) << ink_name(mark);
  // Headings over the frame are in the colours of the bounds.
  for (const auto mark : {Ink::memory, Ink::compute})
    EXPECT_GE(contrast(ink(mark), ink(Ink::background)), 4.5);
}

TEST_P(EveryTheme, bounds_differ_for_every_eye) {
  for (const auto* vision : {&kNormal, &kProtan, &kDeutan, &kTritan})
    for (std::size_t a = 0; a < std::size(kMarks); ++a)
      for (std::size_t b = a + 1; b < std::size(kMarks); ++b)
        EXPECT_GE(difference(ink(kMarks[a]), ink(kMarks[b]), *vision), 30)
            << ink_name(kMarks[a]) << " and " << ink_name(kMarks[b]);
}
INSTANTIATE_TEST_SUITE_P(Themes, EveryTheme,
                         testing::Values(Theme::light, Theme::dark, Theme::print));

}  // namespace
}  // namespace roofline
