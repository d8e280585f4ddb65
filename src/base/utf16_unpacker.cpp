#include <cstring>

#include "base/unpackers.hpp"
#include "base/utf8.hpp"

namespace roofline {
namespace {

class Utf16Decoder final : public Unpacker {
 public:
  Utf16Decoder(std::string name, Source source) : Unpacker(std::move(name), std::move(source)) {}

 private:
  static constexpr char32_t kReplacement = 0xfffd, kMark = 0xfeff;

  Result<Step> step(std::string_view in, char* out, std::size_t room) override {
    Step step;
    for (;;) {
      const auto count = pending_.copy(out + step.made, room - step.made);
      pending_.erase(0, count);
      step.made += count;
      if (step.made == room || step.taken == in.size()) return step;
      take(static_cast<unsigned char>(in[step.taken++]));
    }
  }
  bool complete() const override { return !half_ && high_ == 0 && pending_.empty(); }

  void take(unsigned char byte) {
    if (!half_) {
      half_ = byte;
      return;
    }
    const char32_t unit = big_ ? *half_ << 8 | byte : byte << 8 | *half_;
    half_.reset();
    if (!begun_) {
      begun_ = true;
      big_ = unit != kMark;  // the mark of the other order reads as 0xfffe
      return;
    }
    const bool low = unit >= 0xdc00 && unit <= 0xdfff, high = unit >= 0xd800 && unit <= 0xdbff;
    if (high_ != 0) {
      const auto first = high_;
      high_ = 0;
      if (low) return append_utf8(pending_, 0x10000 + ((first - 0xd800) << 10) + (unit - 0xdc00));
      append_utf8(pending_, kReplacement);
    }
    if (high)
      high_ = unit;
    else
      append_utf8(pending_, low ? kReplacement : unit);
  }

  std::string pending_;  // decoded, for want of room
  std::optional<unsigned> half_;
  char32_t high_ = 0;  // the first half of a pair
  bool big_ = false, begun_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> make_utf16_decoder(std::string name, Unpacker::Source source) {
  return std::make_unique<Utf16Decoder>(std::move(name), std::move(source));
}

}  // namespace roofline
