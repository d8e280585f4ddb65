#include "profile/plugin/message.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace roofline::profile::plugin {

void say(std::string_view text) noexcept {
  constexpr std::string_view kName = "roofline: ";
  std::array<char, 1024> line;  // no allocation: also called where there is no memory
  const auto shown = text.substr(0, line.size() - kName.size() - 1);
  auto end = std::copy(kName.begin(), kName.end(), line.begin());
  end = std::copy(shown.begin(), shown.end(), end);
  *end++ = '\n';
  const auto size = static_cast<std::size_t>(end - line.begin());
  if (write(STDERR_FILENO, line.data(), size) < 0) return;  // nobody left to tell
}

}  // namespace roofline::profile::plugin
