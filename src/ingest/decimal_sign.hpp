#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roofline/base/result.hpp"

namespace roofline {

/// Which of point and comma stands before decimals in the numbers of one file. "117.344" is
/// ambiguous by itself: 117 and a bit, or 117,344 grouped. Each number of the file is shown here
/// first; one that can be read in a single way ("65,77", "27.595.520", "4,963,609.19") settles it
/// for all.
class DecimalSign {
 public:
  void observe(std::string_view number, int line, int column);

  /// The sign. `said` is the user's word, which must not contradict the numbers. Errors: bad_number
  /// where numbers of both kinds are met; needs_unit where there are ambiguous ones and nothing
  /// settles them: the hint names --decimal.
  Result<char> settle(std::optional<char> said, const std::string& file) const;

 private:
  struct Seen {
    std::string number;
    int line = 0, column = 0;
  };
  std::optional<Seen> point_, comma_, ambiguous_;
};

/// A number as a program of that locale writes it: groups of three by the other sign, a space, an
/// apostrophe or a narrow space. Nothing: it is none ("n/a", "", "12 (3; 4)" is 12).
std::optional<double> read_number(std::string_view text, char decimal);

}  // namespace roofline
