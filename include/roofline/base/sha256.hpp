#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// SHA-256 of `bytes` as 64 hexadecimal digits: says which gate file decided. Source: FIPS 180-4.
std::string sha256(std::string_view bytes);

}  // namespace roofline
