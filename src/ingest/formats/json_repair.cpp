#include "ingest/formats/json_repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace roofline {
namespace {

constexpr std::size_t kLongestKey = 200;

class Repair {
 public:
  Repair(std::string_view text, bool ends)
      : text_(text.substr(0, kMostRepaired)), ends_(ends && text.size() <= kMostRepaired) {}

  RepairedJson run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (!take_string()) break;
        continue;
      }
      out_.text += c;
      ++at_;
      if (c == '{' || c == '[') {
        open_.push_back(c);
        wants_key_ = c == '{';
      } else if (c == '}' || c == ']') {
        if (open_.empty() || (open_.back() == '{') != (c == '}')) return hopeless();
        open_.pop_back();
        wants_key_ = false;
        if (open_.empty()) {
          out_.outcome = RepairedJson::Outcome::done;
          out_.taken = at_;
          return std::move(out_);
        }
      } else if (c == ',') {
        wants_key_ = !open_.empty() && open_.back() == '{';
      } else if (c == ':') {
        wants_key_ = false;
      }
    }
    out_.outcome = ends_ || text_.size() < kMostRepaired ? RepairedJson::Outcome::cut
                                                         : RepairedJson::Outcome::hopeless;
    return std::move(out_);
  }

 private:
  RepairedJson hopeless() {
    out_.outcome = RepairedJson::Outcome::hopeless;
    return std::move(out_);
  }
  std::size_t past_space(std::size_t at) const {
    while (at < text_.size() && static_cast<unsigned char>(text_[at]) <= ' ') ++at;
    return at;
  }
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  /// "name" and a colon.
  bool key_at(std::size_t place) const {
    if (at(place) != '"') return false;
    const auto close =
        text_.substr(0, std::min(text_.size(), place + kLongestKey)).find('"', place + 1);
    if (close == std::string_view::npos) return place + kLongestKey > text_.size() && !ends_;
    const auto key = text_.substr(place + 1, close - place - 1);
    return key.find_first_of("\\\n{}") == std::string_view::npos &&
           at(past_space(close + 1)) == ':';
  }

  /// Whether the quote at `place` ends the string that stands there.
  bool closes(std::size_t place) const {
    auto next = past_space(place + 1);
    if (wants_key_) return at(next) == ':';
    const bool in_object = !open_.empty() && open_.back() == '{';
    if (at(next) == ',') {
      next = past_space(next + 1);
      return in_object ? key_at(next) : at(next) != '\0';
    }
    if (at(next) != (in_object ? '}' : ']')) return next >= text_.size() && ends_;
    const auto behind = at(past_space(next + 1));
    return behind == ',' || behind == '}' || behind == ']' || behind == '\0';
  }

  /// False: it does not end.
  bool take_string() {
    out_.text += '"';
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (closes(at_)) {
          out_.text += '"';
          ++at_;
          return true;
        }
        changed("\\\"");
      } else if (c == '\\') {
        take_backslash();
      } else if (static_cast<unsigned char>(c) < ' ') {
        changed(fmt::format("\\u{:04x}", static_cast<unsigned>(c)));
      } else {
        out_.text += c;
      }
    }
    return false;
  }

  void take_backslash() {
    const char next = at(at_ + 1);
    constexpr std::string_view kKnown = "\\/bfnrtu";
    if (next == '"' && closes(at_ + 1)) {
      changed("\\\\");  // a path that ends in a backslash: the quote is the string's
    } else if (next == '"' || (next != '\0' && kKnown.find(next) != std::string_view::npos)) {
      out_.text += '\\';
      out_.text += next;
      ++at_;
    } else {
      changed("\\\\");
    }
  }

  void changed(std::string_view into) {
    out_.text += into;
    out_.changed = true;
  }

  std::string_view text_;
  bool ends_;
  std::size_t at_ = 0;
  std::vector<char> open_;
  bool wants_key_ = false;
  RepairedJson out_;
};

}  // namespace

RepairedJson repair_json(std::string_view text, bool ends) { return Repair(text, ends).run(); }

}  // namespace roofline
