#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace roofline {

/// What stands before a member of a zip archive, gathered from pieces.
/// Source: PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7 (local file header) and 4.5.3 (Zip64).
class ZipHeader {
 public:
  static constexpr unsigned kStored = 0, kDeflated = 8, kZstd = 93;

  /// How many of `in` belong to the header; all of them unless complete().
  std::size_t take(std::string_view in);
  bool complete() const { return complete_; }
  /// Not empty: no header, or none of a file.
  std::string_view problem() const { return problem_; }

  unsigned method() const { return method_; }
  bool encrypted() const { return (flags_ & 1U) != 0; }
  bool sizes_follow() const {
    return (flags_ & 8U) != 0;
  }  ///< sums and sizes stand behind the content
  bool is_folder() const { return folder_; }
  const std::string& name() const { return name_; }
  std::uint32_t sum() const { return sum_; }  ///< CRC-32 of the content
  std::uint64_t size() const { return size_; }
  std::uint64_t packed_size() const { return packed_size_; }

 private:
  std::size_t wanted() const;
  void read();

  std::string bytes_, name_;
  std::string_view problem_;
  bool complete_ = false, folder_ = false;
  unsigned method_ = 0, flags_ = 0;
  std::uint32_t sum_ = 0;
  std::uint64_t size_ = 0, packed_size_ = 0;
};

/// What stands behind a member whose sizes were not known before (APPNOTE 4.3.9).
class ZipTrailer {
 public:
  std::size_t take(std::string_view in);
  bool complete() const;
  std::uint32_t sum() const;

 private:
  bool marked() const;
  std::string bytes_;
};

}  // namespace roofline
