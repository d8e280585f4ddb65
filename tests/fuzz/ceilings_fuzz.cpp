#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "roofline/machine/foreign_ceilings.hpp"

/// libFuzzer's entry for outputs of benchmarks: any bytes are read or refused, and what is read is
/// finite and not empty.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = roofline::read_foreign_ceilings(text, "input", 0);
  if (!read) return 0;
  if (read->ceilings.empty()) std::abort();
  for (const auto& ceiling : read->ceilings)
    if (!(ceiling.value >= 0)) std::abort();
  return 0;
}
