#include "base/decompress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unpackers.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kInput = std::size_t{64} << 10, kMostEnds = 4096;

class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker(std::string name, Source source) : Unpacker(std::move(name), std::move(source)) {
    inflater_.leave_sums();
  }

 private:
  Result<Step> step(std::string_view in, char* out, std::size_t room) override {
    if (!inflater_.ready()) return unreadable("there is no memory to undo gzip");
    if (at_member_ && members_ > 0) {
      // Archivers fill the last block of a tape, and some writers a page, with zeros.
      const auto zeros = std::min(in.find_first_not_of('\0'), in.size());
      if (zeros > 0) {
        padded_ = true;
        return Step{zeros, 0};
      }
      if (padded_) return damaged("bytes after the end of the gzip data");
      inflater_.restart();
    }
    at_member_ = false;
    Step step;
    const int state = inflater_.run(in, out, room, step.taken, step.made);
    trailer_.take(in.substr(0, step.taken));
    if (state == Z_STREAM_END) {
      ++members_;
      at_member_ = true;
      step.check = {trailer_.sum(), trailer_.size(), true};
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      return damaged(fmt::format("damaged gzip data ({})", inflater_.message()), step.taken);
    }
    return step;
  }
  bool complete() const override { return at_member_; }

  Inflater inflater_{kAnyWindow + kGzip};
  GzipTrailer trailer_;
  std::uint64_t members_ = 0;
  bool at_member_ = false, padded_ = false;
};

#ifdef ROOFLINE_ZSTD
class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker(std::string name, Source source) : Unpacker(std::move(name), std::move(source)) {}

 private:
  Result<Step> step(std::string_view in, char* out, std::size_t room) override {
    if (!zstd_.stream) return unreadable("there is no memory to undo zstd");
    Step step;
    const auto state = zstd_.run(in, out, room, step.taken, step.made);
    if (::ZSTD_isError(state))
      return damaged(fmt::format("damaged zstd data ({})", ::ZSTD_getErrorName(state)), step.taken);
    at_frame_ = state == 0;
    return step;
  }
  bool complete() const override { return at_frame_; }

  ZstdStream zstd_;
  bool at_frame_ = false;
};
#endif

}  // namespace

Packing packing_of(std::string_view head) {
  if (head.starts_with("\x1f\x8b\x08"sv)) return Packing::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return Packing::zstd;
  if (head.size() >= 4 && (head[0] & 0xf0) == 0x50 && head.substr(1, 3) == "\x2a\x4d\x18"sv)
    return Packing::zstd;  // a skippable frame first: parallel and seekable writers
  // UTF-32 has the same mark and a zero behind it, as no text of UTF-16 has.
  if ((head.starts_with("\xff\xfe"sv) && head.substr(2, 2) != "\0\0"sv) ||
      head.starts_with("\xfe\xff"sv))
    return Packing::utf16;
  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv)) return Packing::zip;
  return Packing::none;
}

Unpacker::Unpacker(std::string name, Source source)
    : name_(std::move(name)), source_(std::move(source)), input_(kInput, '\0') {}

Result<std::unique_ptr<Unpacker>> Unpacker::create(Packing packing, std::string name,
                                                   Source source) {
  switch (packing) {
    case Packing::gzip: return std::make_unique<GzipUnpacker>(std::move(name), std::move(source));
    case Packing::zip: return make_zip_unpacker(std::move(name), std::move(source));
    case Packing::utf16: return make_utf16_decoder(std::move(name), std::move(source));
    case Packing::zstd:
#ifdef ROOFLINE_ZSTD
      return std::make_unique<ZstdUnpacker>(std::move(name), std::move(source));
#else
      return fail(Code::cannot_read, {name, 0, 0, 1, {}, 0}, "this roofline was built without zstd",
                  "unpack it first: zstd -dc FILE | roofline ... -");
#endif
    case Packing::none: break;
  }
  return fail(Code::internal, {name, 0, 0, 1, {}, 0}, "a packing that nobody undoes");
}

tl::unexpected<Error> Unpacker::damaged(std::string_view what, std::uint64_t ahead) const {
  return damaged_at(what, offset_ + ahead);
}

tl::unexpected<Error> Unpacker::damaged_at(std::string_view what, std::uint64_t offset) const {
  return unreadable(fmt::format("{} at byte {} of {}", what, offset,
                                depth_ == 0 ? "the file" : "what is packed in the file"),
                    "what comes after it cannot be read: copy the file again from where it is "
                    "whole");
}

tl::unexpected<Error> Unpacker::wrong_sum(const MemberEnd& end) {
  return last().wrong_sum_here(end);
}

tl::unexpected<Error> Unpacker::wrong_sum_here(const MemberEnd& end) const {
  return damaged_at("damaged data (its checksum is another)", end.offset);
}

tl::unexpected<Error> Unpacker::unreadable(std::string what, std::string hint) const {
  return fail(Code::cannot_read, {name_, 0, 0, 1, {}, 0}, std::move(what), std::move(hint));
}

Result<void> Unpacker::look_inside() {
  looked_ = true;
  held_.resize(kInput);
  std::size_t known = 0;
  while (known < kMagicBytes) {
    const auto got = unpack(held_.data() + known, held_.size() - known);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
    known += *got;
  }
  held_.resize(known);
  const auto packing = packing_of(held_);
  if (packing == Packing::none) return {};
  if (depth_ == kMostNested)
    return unreadable(fmt::format("this file is packed more than {} times over", kMostNested + 1),
                      "unpack it first");
  auto inner =
      create(packing, name_, [this, sums = MemberSums()](char* into, std::size_t room) mutable {
        return summed(sums, into, read_here(into, room));
      });
  if (!inner) return tl::unexpected(std::move(inner.error()));
  inner_ = std::move(*inner);
  inner_->depth_ = depth_ + 1;
  return {};
}

Result<std::size_t> Unpacker::read_here(char* into, std::size_t room) {
  if (held_taken_ == held_.size()) return unpack(into, room);
  const auto count = held_.copy(into, room, held_taken_);
  held_taken_ += count;
  if (held_taken_ == held_.size()) held_ = {}, held_taken_ = 0;
  return count;
}

Result<std::size_t> Unpacker::summed(MemberSums& sums, const char* bytes, Result<std::size_t> got) {
  const auto good = sums.take({bytes, got.value_or(0)}, std::exchange(ends_, {}));
  if (good == 0 && sums.wrong()) return wrong_sum_here(*sums.wrong());
  if (!got) return got;
  return good;
}

Result<std::size_t> Unpacker::read(char* into, std::size_t room) {
  auto got = read_unsummed(into, room);
  return last().summed(sums_, into, std::move(got));
}

std::vector<MemberEnd> Unpacker::take_ends() { return std::exchange(last().ends_, {}); }

Result<std::size_t> Unpacker::read_unsummed(char* into, std::size_t room) {
  if (!looked_)
    if (auto looked = look_inside(); !looked) return tl::unexpected(std::move(looked.error()));
  return inner_ ? inner_->read_unsummed(into, room) : read_here(into, room);
}

void Unpacker::end_member(MemberCheck check) {
  const MemberEnd end{made_, offset_, check.sum};
  // An empty one is summed up already: files of nothing else are no reason to fill memory.
  if (made_ > member_began_)
    ends_.push_back(end);
  else if (check.sum != 0)
    failed_ = wrong_sum_here(end).value();
  auto length = made_ - member_began_;
  if (check.modulo) length &= 0xffffffff;  // RFC 1952: ISIZE
  if (check.length.value_or(length) != length)
    failed_ = damaged("damaged data (its length is another)").value();
  member_began_ = made_;
}

Result<std::size_t> Unpacker::unpack(char* into, std::size_t room) {
  std::size_t used = 0;
  while (used < room && !finished() && !cut_ && !failed_) {
    if (begin_ == end_ && !source_ended_) {
      if (used > 0) break;  // hand over what there is before waiting for more
      const auto got = source_(input_.data(), input_.size());
      if (!got) return tl::unexpected(got.error());
      begin_ = 0;
      end_ = *got;
      source_ended_ = *got == 0;
    }
    const std::string_view in(input_.data() + begin_, end_ - begin_);
    if (in.empty() && complete()) break;
    auto done = step(in, into + used, room - used);
    if (!done) {
      failed_ = std::move(done.error());
      break;
    }
    begin_ += done->taken;
    offset_ += done->taken;
    made_ += done->made;
    used += done->made;
    if (done->check) end_member(*done->check);
    if (used > 0 && ends_.size() >= kMostEnds) break;
    cut_ = in.empty() && done->made == 0 && !complete();
    if (made_ > kFreeBytes && made_ / kMostRatio > offset_)
      failed_ = Error{Code::limit_exceeded,
                      {name_, 0, 0, 1, {}, 0},
                      fmt::format("{} packed bytes became {}: more than {} times as many", offset_,
                                  made_, kMostRatio),
                      "a file made to fill memory or disk looks like this",
                      {}};
  }
  if (used == 0 && failed_) return tl::unexpected(*failed_);
  return used;
}

}  // namespace roofline
