#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// SIMULATED: settings of the stand-ins, from the environment.
namespace roofline::sim {

inline std::string text_setting(const char* name, std::string_view otherwise = {}) {
  const char* value = std::getenv(name);
  return std::string(value ? std::string_view(value) : otherwise);
}

inline std::uint64_t number_setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// The value of `key` in a list `key=value,key=value,otherwise`.
inline std::uint64_t listed_number(std::string_view list, std::string_view key,
                                   std::uint64_t otherwise) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    const std::string item(list.substr(0, comma));
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
    const auto equals = item.rfind('=');
    if (equals == item.npos) {
      if (!item.empty()) otherwise = std::strtoull(item.c_str(), nullptr, 10);
    } else if (std::string_view(item).substr(0, equals) == key) {
      return std::strtoull(item.c_str() + equals + 1, nullptr, 10);
    }
  }
  return otherwise;
}

}  // namespace roofline::sim
