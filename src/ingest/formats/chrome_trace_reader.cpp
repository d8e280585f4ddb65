#include "ingest/formats/chrome_trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ingest/formats/json_repair.hpp"

namespace roofline {
namespace {

constexpr std::size_t kWindow = std::size_t{256} << 10;
/// An event that is longer than this has lost the end of a string somewhere, or a call stack as its
/// argument: both go through the repair.
constexpr std::size_t kLongEvent = kWindow / 2;
constexpr std::size_t kMostMember = std::size_t{4} << 20;
constexpr std::uint64_t kMostHopeless = 100;
constexpr std::uint64_t kProgressStep = std::uint64_t{4} << 20;

bool is_space(char c) { return static_cast<unsigned char>(c) <= ' '; }

/// Keys that an event may begin with.
constexpr std::string_view kEventKeys[] = {"ph",  "name", "cat", "ts", "pid",
                                           "tid", "args", "dur", "id", "s"};
bool looks_like_event(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && is_space(text[at])) ++at;
  if (at >= text.size() || text[at] != '"') return false;
  const auto close = text.find('"', at + 1);
  if (close == std::string_view::npos) return false;
  const auto key = text.substr(at + 1, close - at - 1);
  return std::find(std::begin(kEventKeys), std::end(kEventKeys), key) != std::end(kEventKeys);
}

}  // namespace

ChromeTraceReader::ChromeTraceReader(ByteStream stream, Progress progress)
    : stream_(std::move(stream)), progress_(std::move(progress)), window_(kWindow) {}

tl::unexpected<Error> ChromeTraceReader::not_a_trace(std::string what) const {
  return fail(Code::wrong_type, {stream_.name(), 0, 0, 1, {}, 0},
              fmt::format("{} (byte {})", what, offset_ + at_),
              "a Chrome trace is a list of events or an object with one under \"traceEvents\"");
}

tl::unexpected<Error> ChromeTraceReader::no_events() const {
  return not_a_trace(stream_.cut() || open_ ? "this file was cut before its list of events"
                                            : "there is no list of events in this document");
}

Result<void> ChromeTraceReader::read_on() {
  while (filled_ < window_.size() && !ended_) {
    const auto got = stream_.read(window_.data() + filled_, window_.size() - filled_);
    if (!got) return tl::unexpected(got.error());
    ended_ = *got == 0;
    filled_ += *got;
  }
  index_.extend(window_.data(), filled_, ended_);
  const auto read = offset_ + filled_;
  if (progress_ && read >= next_progress_) {
    next_progress_ = read + kProgressStep;
    progress_(read);
  }
  return {};
}

Result<bool> ChromeTraceReader::refill(std::size_t from) {
  const auto kept = filled_ - from;
  if (from > 0) {
    std::memmove(window_.data(), window_.data() + from, kept);
  } else if (kept == window_.size()) {
    window_.resize(2 * window_.size());
  }
  if (kept < kWindow / 2 && window_.size() > kWindow) window_.resize(kWindow);
  offset_ += from;
  filled_ = kept;
  index_.clear();
  if (auto read = read_on(); !read) return tl::unexpected(read.error());
  return filled_ > kept;
}

Result<char> ChromeTraceReader::past(char other) {
  for (;;) {
    while (at_ < index_.size() && (is_space(window_[at_]) || window_[at_] == other)) ++at_;
    if (at_ < index_.size()) return window_[at_];
    if (ended_) return '\0';
    if (auto more = refill_here(); !more) return tl::unexpected(more.error());
  }
}

Result<bool> ChromeTraceReader::begin() {
  if (auto read = read_on(); !read) return tl::unexpected(read.error());
  if (std::string_view(window_.data(), filled_).starts_with("\xef\xbb\xbf")) {
    if (auto more = refill(3); !more) return tl::unexpected(more.error());
  }
  const auto first = past(' ');
  if (!first) return tl::unexpected(first.error());
  if (*first != '{' && *first != '[')
    return not_a_trace(*first == '\0' ? "this file is empty" : "this is no JSON document");
  const bool bare = *first == '{' && begins_with_event();
  list_ = bare || *first == '[';
  place_ = list_ ? Place::events : Place::members;
  if (!bare) ++at_;
  return true;
}

/// Events without a list around them, one a line or so.
bool ChromeTraceReader::begins_with_event() {
  const auto end = index_.end_of(window_.data(), at_);
  if (end == std::string_view::npos) return false;
  JsonFields fields(window_.data(), index_, at_, end);
  bool is_event = false;
  while (fields.next()) {
    if (fields.key() == "traceEvents") return false;
    is_event = is_event || fields.key() == "ph";
  }
  return is_event;
}

Result<bool> ChromeTraceReader::next(Item& item) {
  if (place_ == Place::begin)
    if (auto good = begin(); !good) return good;
  while (place_ != Place::end) {
    auto got = place_ == Place::events ? next_event(item) : next_member(item);
    if (!got || *got) return got;
  }
  cut_ = cut_ || stream_.cut();
  if (cut_ || behind_) return false;
  const auto more = past(' ');
  if (!more) return tl::unexpected(more.error());
  behind_ = *more != '\0';
  return false;
}

/// Behind an event comes a comma and the next, or the end of the list. Elsewhere its end was not
/// its end.
bool ChromeTraceReader::well_delimited(std::size_t end) const {
  const auto past_space = [&](std::size_t at) {
    while (at < filled_ && is_space(window_[at])) ++at;
    return at;
  };
  auto at = past_space(end);
  if (at == filled_ || window_[at] == ']') return true;
  if (window_[at] != ',') return window_[at] == '{';  // a comma was forgotten
  at = past_space(at + 1);
  return at == filled_ || window_[at] == '{' || window_[at] == ']' || window_[at] == ',';
}

Result<bool> ChromeTraceReader::next_event(Item& item) {
  for (;;) {
    const auto first = past(',');
    if (!first) return tl::unexpected(first.error());
    if (*first == ']') {
      ++at_;
      place_ = list_ ? Place::end : Place::members;
      return false;
    }
    if (*first == '\0') {
      // A list may lack its bracket; an object may not lack its own.
      cut_ = !list_;
      place_ = Place::end;
      return false;
    }
    if (*first != '{') {
      if (window_[at_] == 'n' || (window_[at_] >= '0' && window_[at_] <= '9')) {
        ++at_;  // "null" in a list of events: some writers end with it
        while (at_ < index_.size() && window_[at_] != ',' && window_[at_] != ']') ++at_;
        continue;
      }
      ++damaged_;
      auto found = resynchronise();
      if (!found) return found;
      continue;
    }
    const auto end = index_.end_of(window_.data(), at_);
    const bool found = end != std::string_view::npos && end - at_ <= kLongEvent;
    if (!found && !ended_ && filled_ - at_ < kLongEvent) {
      if (auto more = refill_here(); !more) return more;
      continue;
    }
    event_at_ = at_;
    if (!found || index_.raw_control(at_, end) < end || !well_delimited(end)) {
      auto got = repaired(item);
      if (!got || *got) return got;
      if (place_ == Place::end) return false;
      continue;
    }
    item = {true, {}, window_.data(), &index_, at_, end, window_.size()};
    at_ = end;
    ++events_;
    return true;
  }
}

Result<bool> ChromeTraceReader::repair(Item& item) {
  // The event may lie in the window still, or have been repaired in vain.
  if (item.text != window_.data()) {
    ++damaged_;
    return false;
  }
  --events_;
  at_ = event_at_;
  return repaired(item);
}

Result<bool> ChromeTraceReader::repaired(Item& item) {
  const auto strict_end = index_.end_of(window_.data(), at_);
  bool moved = false;
  for (;;) {
    auto repair = repair_json({window_.data() + at_, filled_ - at_}, ended_);
    if (repair.outcome == RepairedJson::Outcome::cut && !ended_) {
      if (auto more = refill_here(); !more) return more;
      moved = true;
      continue;
    }
    if (repair.outcome == RepairedJson::Outcome::cut) {
      cut_ = true;
      place_ = Place::end;
      return false;
    }
    if (repair.outcome == RepairedJson::Outcome::hopeless) {
      ++damaged_;
      auto found = resynchronise();
      if (!found) return found;
      return false;
    }
    moved = moved || at_ + repair.taken != strict_end;
    at_ += repair.taken;
    if (repair.changed) ++damaged_;
    if (moved)  // the index may have strings and their gaps exchanged
      if (auto more = refill_here(); !more) return more;
    repaired_ = std::move(repair.text);
    repaired_index_.clear();
    repaired_index_.extend(repaired_.data(), repaired_.size(), true);
    item = {true, {}, repaired_.data(), &repaired_index_, 0, repaired_.size(), repaired_.size()};
    ++events_;
    return true;
  }
}

/// Goes on at the next place that looks like an event.
Result<bool> ChromeTraceReader::resynchronise() {
  if (++hopeless_ > kMostHopeless)
    return not_a_trace(
        fmt::format("more than {} places are no JSON, the last one here", kMostHopeless));
  constexpr std::size_t kBeginning = 64;
  ++at_;
  for (;;) {
    const std::string_view rest(window_.data() + at_, filled_ - at_);
    for (auto i = rest.find('{'); i != std::string_view::npos; i = rest.find('{', i + 1)) {
      if (!ended_ && rest.size() - i < kBeginning) break;
      if (!looks_like_event(rest.substr(i, kBeginning))) continue;
      at_ += i;
      return refill_here();
    }
    if (ended_) {
      at_ = filled_;
      return false;
    }
    at_ = filled_ - std::min(filled_ - at_, kBeginning - 1);
    if (auto more = refill_here(); !more) return more;
  }
}

/// Passes over a value that is too long to hold; `first` is its first byte, at at_.
Result<bool> ChromeTraceReader::skip_value(char first) {
  int depth = 0;
  bool opened = false;
  for (;;) {
    while (at_ < index_.size()) {
      if (first == '"') {
        const auto quote = index_.next_quote(at_);
        at_ = std::min(quote + 1, index_.size());
        if (quote == index_.size()) break;
        if (opened) return true;
        opened = true;
      } else {
        const auto bracket = index_.next_bracket(at_);
        at_ = std::min(bracket + 1, index_.size());
        if (bracket == index_.size()) break;
        depth += window_[bracket] == '{' || window_[bracket] == '[' ? 1 : -1;
        if (depth == 0) return true;
      }
    }
    if (ended_) return false;
    const auto indexed = index_.size();
    std::memmove(window_.data(), window_.data() + indexed, filled_ - indexed);
    offset_ += indexed;
    filled_ -= indexed;
    at_ = 0;
    index_.continue_elsewhere();
    if (auto read = read_on(); !read) return tl::unexpected(read.error());
  }
}

Result<bool> ChromeTraceReader::next_member(Item& item) {
  const auto first = past(',');
  if (!first) return tl::unexpected(first.error());
  if (*first == '}' || *first == '\0') {
    open_ = *first == '\0';
    if (!any_) return no_events();
    if (*first == '}') ++at_;
    cut_ = *first == '\0';
    place_ = Place::end;
    return false;
  }
  if (*first != '"') return find_events(item);
  // The key, the value and what is between them, in one window.
  for (;;) {
    const auto close = index_.next_quote(at_ + 1);
    auto value = close + 1;
    while (value < index_.size() && (is_space(window_[value]) || window_[value] == ':')) ++value;
    const bool known = close < index_.size() && value < index_.size();
    const std::string_view key(window_.data() + at_ + 1, known ? close - at_ - 1 : 0);
    if (known && key == "traceEvents" && window_[value] == '[') {
      any_ = true;
      at_ = value + 1;
      place_ = Place::events;
      return false;
    }
    auto end = std::string_view::npos;
    if (known) {
      const char kind = window_[value];
      if (kind == '"') {
        const auto quote = index_.next_quote(value + 1);
        if (quote < index_.size()) end = quote + 1;
      } else if (kind == '{' || kind == '[') {
        end = index_.end_of(window_.data(), value);
      } else {
        const auto comma = std::find_if(window_.data() + value, window_.data() + index_.size(),
                                        [](char c) { return c == ',' || c == '}' || is_space(c); });
        if (comma != window_.data() + index_.size() || ended_)
          end = static_cast<std::size_t>(comma - window_.data());
      }
    }
    if (end != std::string_view::npos) {
      item = {false, key, window_.data(), &index_, value, end, window_.size()};
      at_ = end;
      return true;
    }
    if (ended_) {
      open_ = true;
      if (!any_) return find_events(item);
      cut_ = true;
      place_ = Place::end;
      return false;
    }
    if (known && filled_ - at_ >= kMostMember) {
      at_ = value;
      auto skipped = skip_value(window_[value]);
      if (!skipped) return skipped;
      if (!*skipped) {
        open_ = true;
        if (!any_) return no_events();
        cut_ = true;
        place_ = Place::end;
      }
      return false;
    }
    if (!known && filled_ - at_ >= kMostMember) return find_events(item);
    if (auto more = refill_here(); !more) return more;
  }
}

/// What stands before the events is no JSON: they are looked for by their name.
Result<bool> ChromeTraceReader::find_events(Item&) {
  constexpr std::string_view kName = "\"traceEvents\"";
  ++damaged_;
  for (;;) {
    const std::string_view rest(window_.data() + at_, filled_ - at_);
    const auto found =
        any_ ? std::string_view::npos : rest.find(kName, 1);  // not the one that failed
    if (found != std::string_view::npos) {
      at_ += found;
      return refill_here().map([](bool) { return false; });
    }
    if (ended_) {
      if (!any_) return no_events();
      place_ = Place::end;
      return false;
    }
    at_ = filled_ - std::min(filled_ - at_, kName.size() + 1);
    if (auto more = refill_here(); !more) return more;
  }
}

}  // namespace roofline
