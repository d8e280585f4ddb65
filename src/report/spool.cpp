#include "report/spool.hpp"

namespace roofline {
namespace {
constexpr std::size_t kInMemory = std::size_t{4} << 20;
constexpr std::size_t kPiece = std::size_t{64} << 10;
}  // namespace

void Spool::append(std::string_view text) {
  memory_ += text;
  if (memory_.size() > kInMemory && file_works_) move_to_file();
}

void Spool::move_to_file() {
  if (!file_) {
    file_.reset(std::tmpfile());
    // Unbuffered: what fwrite says it wrote is in the file, so that after a full disk the rest can
    // follow from memory.
    if (file_) std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }
  const std::size_t written =
      file_ ? std::fwrite(memory_.data(), 1, memory_.size(), file_.get()) : 0;
  file_works_ = written == memory_.size();
  memory_.erase(0, written);
}

bool Spool::drain(const std::function<void(std::string_view)>& sink) {
  bool whole = true;
  if (file_) {
    std::string piece(kPiece, '\0');
    std::rewind(file_.get());
    for (std::size_t n = 0; (n = std::fread(piece.data(), 1, piece.size(), file_.get())) > 0;)
      sink(std::string_view(piece).substr(0, n));
    whole = std::ferror(file_.get()) == 0;
    file_.reset();
  }
  if (!memory_.empty()) sink(memory_);
  memory_.clear();
  file_works_ = true;
  return whole;
}

}  // namespace roofline
