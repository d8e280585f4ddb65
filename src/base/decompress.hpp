#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/member_sums.hpp"
#include "roofline/base/result.hpp"

namespace roofline {

enum class Packing { none, gzip, zstd, zip, utf16 };

/// As many bytes as packing_of() looks at.
inline constexpr std::size_t kMagicBytes = 4;
/// How a file is packed, by its first bytes and never by its name. zstd's skippable frames and an
/// empty zip archive count; text of UTF-16 is one to be undone like the others.
Packing packing_of(std::string_view head);

/// Undoes a packing piece by piece: all members of a gzip file, all frames of a zstd file, the one
/// file of a zip archive (of several it cannot be known which is meant: an error that names two);
/// and what is packed in what was packed, a few times over. Memory: the decoder's own window and
/// 64 KiB.
class Unpacker {
 public:
  /// Gives up to `room` packed bytes, 0 at their end.
  using Source = std::function<Result<std::size_t>(char* into, std::size_t room)>;
  /// `name` stands for the file in messages. Errors: cannot_read, where this build cannot undo the
  /// packing.
  static Result<std::unique_ptr<Unpacker>> create(Packing packing, std::string name, Source source);
  virtual ~Unpacker() = default;

  /// Up to `room` bytes into `into`; how many, 0 at the end. Errors: those of the source;
  /// cannot_read for damaged data, with the offset in the packed file; limit_exceeded for a bomb:
  /// more than kMostRatio times the packed bytes once kFreeBytes are passed.
  Result<std::size_t> read(char* into, std::size_t room);
  /// The same, but for the checksums of what it gives: take_ends() says which they are. Summing
  /// takes long enough to be worth another processor.
  Result<std::size_t> read_unsummed(char* into, std::size_t room);
  std::vector<MemberEnd> take_ends();
  /// cannot_read, for a member that MemberSums found damaged.
  tl::unexpected<Error> wrong_sum(const MemberEnd& end);
  /// The packed bytes ended early: what read() gave is all that could be read.
  bool cut() const { return cut_ || (inner_ && inner_->cut()); }

  static constexpr std::uint64_t kMostRatio = 10'000;
  static constexpr int kMostNested = 3;
  static constexpr std::uint64_t kFreeBytes = std::uint64_t{1} << 30;

 protected:
  /// What a member says of its content: the CRC-32, and of its length the last 32 bits or all.
  struct MemberCheck {
    std::uint32_t sum = 0;
    std::optional<std::uint64_t> length = {};
    bool modulo = false;
  };
  struct Step {
    std::size_t taken = 0, made = 0;
    std::optional<MemberCheck> check = {};  ///< a member ends here
  };
  Unpacker(std::string name, Source source);
  /// Decodes of `in` into `out`; uses up the one or fills the other, unless finished().
  virtual Result<Step> step(std::string_view in, char* out, std::size_t room) = 0;
  /// The packed bytes may end here.
  virtual bool complete() const = 0;
  /// Whatever follows is of no interest.
  virtual bool finished() const { return false; }
  /// cannot_read at the present offset, plus `ahead` bytes.
  tl::unexpected<Error> damaged(std::string_view what, std::uint64_t ahead = 0) const;
  tl::unexpected<Error> unreadable(std::string what, std::string hint = {}) const;

 private:
  /// Reads on; whatever is packed in it stays so.
  Result<std::size_t> unpack(char* into, std::size_t room);
  Result<std::size_t> read_here(char* into, std::size_t room);  ///< behind what was looked at
  void end_member(MemberCheck check);
  /// Of `got` bytes those that `sums` has nothing against.
  Result<std::size_t> summed(MemberSums& sums, const char* bytes, Result<std::size_t> got);
  Unpacker& last() { return inner_ ? inner_->last() : *this; }
  tl::unexpected<Error> damaged_at(std::string_view what, std::uint64_t offset) const;
  tl::unexpected<Error> wrong_sum_here(const MemberEnd& end) const;
  Result<void> look_inside();

  std::string name_;
  Source source_;
  std::string input_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t offset_ = 0, made_ = 0, member_began_ = 0;
  std::vector<MemberEnd> ends_;  // of what was made and not yet told
  MemberSums sums_;
  bool source_ended_ = false, cut_ = false;
  std::optional<Error> failed_;  // told after all that was good
  bool looked_ = false;
  std::string held_;  // how it begins, until somebody reads it
  std::size_t held_taken_ = 0;
  std::unique_ptr<Unpacker> inner_;  // of what is packed in it
  int depth_ = 0;
};

}  // namespace roofline
