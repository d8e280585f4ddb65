#pragma once

#include <span>
#include <string_view>

#include "machine/name_index.hpp"

/// The spec table as it is compiled in. The definitions are generated from specs/ by machine/embed when the program
/// is built, after every file has passed the readers and verify().
namespace roofline::embedded {

struct Blob {
  std::string_view name;
  std::string_view bytes;
};

std::span<const std::string_view> gpu_ids();           ///< in table order
std::span<const std::string_view> gpu_blobs();         ///< packed roofline.gpu/1 trees, in table order
std::span<const NameRow> gpu_names();                  ///< sorted by key
std::span<const std::string_view> spelled_names();     ///< ids and aliases, sorted: for did-you-mean
std::span<const std::string_view> architecture_ids();  ///< sorted
std::span<const std::string_view> architecture_blobs();
std::span<const std::string_view> source_keys();  ///< sorted
std::span<const std::string_view> source_blobs();
std::string_view defaults_blob();
std::string_view revision();
std::span<const Blob> files();  ///< as they stand, sorted by name

}  // namespace roofline::embedded
