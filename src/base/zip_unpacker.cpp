#include <fmt/format.h>

#include <algorithm>

#include "base/unpackers.hpp"
#include "base/zip_header.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

class ZipUnpacker final : public Unpacker {
 public:
  ZipUnpacker(std::string name, Source source) : Unpacker(std::move(name), std::move(source)) {}

 private:
  enum class Place { header, content, trailer, next, end };

  Result<Step> step(std::string_view in, char* out, std::size_t room) override {
    switch (place_) {
      case Place::header: return read_header(in);
      case Place::content: return read_content(in, out, room);
      case Place::trailer: return read_trailer(in);
      case Place::next: return read_next(in);
      case Place::end: break;
    }
    return Step{};
  }
  bool complete() const override { return place_ == Place::next || place_ == Place::end; }
  bool finished() const override { return place_ == Place::end; }

  Result<Step> read_header(std::string_view in) {
    const auto taken = header_.take(in);
    if (!header_.problem().empty()) return damaged(header_.problem(), taken);
    if (!header_.complete()) return Step{taken, 0};
    if (header_.encrypted()) return unreadable("this zip archive is encrypted");
    left_ = header_.packed_size();
    switch (header_.method()) {
      case ZipHeader::kStored:
        if (header_.sizes_follow())
          return unreadable("the first file of this zip archive is stored without its length");
        break;
      case ZipHeader::kDeflated: inflater_ = std::make_unique<Inflater>(-kAnyWindow); break;
#ifdef ROOFLINE_ZSTD
      case ZipHeader::kZstd: zstd_ = std::make_unique<ZstdStream>(); break;
#endif
      default:
        return unreadable(fmt::format("the first file of this zip archive is packed by method {}, "
                                      "which is not read",
                                      header_.method()),
                          "deflate is read: zip writes it unless told otherwise");
    }
    place_ = Place::content;
    if (header_.method() == ZipHeader::kStored && left_ == 0) close_member();
    return Step{taken, 0};
  }

  Result<Step> read_content(std::string_view in, char* out, std::size_t room) {
    Step step;
    bool ended = false;
    if (header_.method() == ZipHeader::kStored) {
      step.taken = step.made = std::min<std::uint64_t>({in.size(), room, left_});
      std::copy_n(in.data(), step.taken, out);
      left_ -= step.taken;
      ended = left_ == 0;
    } else if (inflater_) {
      if (!inflater_->ready()) return unreadable("there is no memory to undo zip");
      const int state = inflater_->run(in, out, room, step.taken, step.made);
      if (state != Z_OK && state != Z_BUF_ERROR && state != Z_STREAM_END)
        return damaged(fmt::format("damaged zip data ({})", inflater_->message()), step.taken);
      ended = state == Z_STREAM_END;
    }
#ifdef ROOFLINE_ZSTD
    else {
      const auto state = zstd_->run(in, out, room, step.taken, step.made);
      if (::ZSTD_isError(state))
        return damaged(fmt::format("damaged zip data ({})", ::ZSTD_getErrorName(state)),
                       step.taken);
      ended = state == 0;
    }
#endif
    if (!ended) return step;
    if (header_.sizes_follow()) {
      place_ = Place::trailer;
    } else {
      step.check = {header_.sum(), header_.size()};
      close_member();
    }
    return step;
  }

  Result<Step> read_trailer(std::string_view in) {
    const auto taken = trailer_.take(in);
    if (!trailer_.complete()) return Step{taken, 0};
    const Step step{taken, 0, MemberCheck{trailer_.sum()}};
    close_member();
    return step;
  }

  /// What stands behind the file: the end, or the next one.
  Result<Step> read_next(std::string_view in) {
    if (left_ > 0) {
      const auto passed = std::min<std::uint64_t>(left_, in.size());
      left_ -= passed;
      return Step{passed, 0};
    }
    const auto taken = header_.take(in);
    if (!header_.problem().empty()) place_ = Place::end;
    if (!header_.complete()) return Step{taken, 0};
    // macOS keeps what its file system knows of a file as another one.
    if (!header_.is_folder() && !header_.name().starts_with("__MACOSX/"))
      return unreadable(fmt::format("this zip archive holds several files, {} and {} among them",
                                    quoted(file_), quoted(header_.name())),
                        "unpack it and give those that are meant");
    if (header_.sizes_follow())
      place_ = Place::end;  // what comes behind it is not known without undoing it
    else
      left_ = header_.packed_size();
    header_ = {};
    return Step{taken, 0};
  }
  static std::string quoted(std::string_view name) { return '"' + printable(name) + '"'; }

  /// A folder comes before what it holds.
  void close_member() {
    place_ = header_.is_folder() ? Place::header : Place::next;
    file_ = header_.name();
    left_ = 0;
    header_ = {};
    trailer_ = {};
    inflater_.reset();
  }

  Place place_ = Place::header;
  ZipHeader header_;
  std::string file_;  // the name of what was read
  ZipTrailer trailer_;
  std::unique_ptr<Inflater> inflater_;
#ifdef ROOFLINE_ZSTD
  std::unique_ptr<ZstdStream> zstd_;
#endif
  std::uint64_t left_ = 0;
};

}  // namespace

std::unique_ptr<Unpacker> make_zip_unpacker(std::string name, Unpacker::Source source) {
  return std::make_unique<ZipUnpacker>(std::move(name), std::move(source));
}

}  // namespace roofline
