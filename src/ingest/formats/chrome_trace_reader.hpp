#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/json_fields.hpp"
#include "roofline/base/byte_stream.hpp"

namespace roofline {

/// Takes a Chrome trace apart into its events and its other members while it is read, in a window
/// of a quarter of a megabyte that grows for what does not fit, to a few megabytes at most. Events
/// that a writer spoiled are repaired where that can be done; whatever is passed over is counted.
/// Source: "Trace Event Format", Google: the list of events is the whole document or "traceEvents".
/// Events without a list around them, one a line, are taken as one.
class ChromeTraceReader {
 public:
  using Progress = std::function<void(std::uint64_t bytes_read)>;
  ChromeTraceReader(ByteStream stream, Progress progress);

  /// One event, or one member of the document beside the events.
  struct Item {
    bool is_event = false;
    std::string_view key;  ///< of a member
    const char* text = nullptr;
    const JsonIndex* index = nullptr;
    std::size_t begin = 0, end = 0;  ///< of the event or of the member's value in `text`
    std::size_t readable = 0;        ///< bytes at `text`, of which some may be of other items
    JsonFields fields() const { return {text, *index, begin, end}; }
    JsonFields fields(JsonLayout& layout) const {
      return {text, *index, begin, end, readable, &layout};
    }
    std::string_view value() const { return {text + begin, end - begin}; }
  };

  /// The next item; false at the end. It is valid until the next call. Errors: those of the stream;
  /// wrong_type for what is no list of events.
  Result<bool> next(Item& item);
  /// The event that next() gave is not JSON inside: the same event again, repaired. False: it is
  /// hopeless, and the reader goes on behind it.
  Result<bool> repair(Item& item);

  std::uint64_t events() const { return events_; }    ///< given so far
  std::uint64_t damaged() const { return damaged_; }  ///< repaired, or passed over
  /// The file ended before the document did. Lists may lack their closing bracket.
  bool cut() const { return cut_; }
  /// Something stands behind the document, which is not read.
  bool behind() const { return behind_; }

 private:
  enum class Place { begin, members, events, end };

  /// Makes room by dropping what is before `from` and reads on; `from` becomes 0. False: nothing
  /// more came.
  Result<bool> refill(std::size_t from);
  Result<bool> refill_here() {
    auto more = refill(at_);
    at_ = 0;
    return more;
  }
  Result<void> read_on();
  /// The next byte that is neither space nor `other`, which is where at_ is then; 0 at the end.
  Result<char> past(char other);
  Result<bool> begin();
  bool begins_with_event();
  Result<bool> next_event(Item& item);
  Result<bool> next_member(Item& item);
  Result<bool> find_events(Item& item);
  Result<bool> skip_value(char first);
  Result<bool> repaired(Item& item);
  Result<bool> resynchronise();
  bool well_delimited(std::size_t end) const;
  tl::unexpected<Error> not_a_trace(std::string what) const;
  tl::unexpected<Error> no_events() const;

  ByteStream stream_;
  Progress progress_;
  std::vector<char> window_;
  JsonIndex index_;
  std::size_t filled_ = 0, at_ = 0, event_at_ = 0;
  bool ended_ = false, cut_ = false, list_ = false, any_ = false, behind_ = false;
  bool open_ = false;  // the document ended within an object
  Place place_ = Place::begin;
  std::uint64_t offset_ = 0;  // of the window in the document
  std::uint64_t events_ = 0, damaged_ = 0, hopeless_ = 0, next_progress_ = 0;
  std::string repaired_;
  JsonIndex repaired_index_;
};

}  // namespace roofline
