#include <algorithm>
#include <filesystem>
#include <string>

#include "ingest/formats/chrome_trace_events.hpp"
#include "ingest/formats/chrome_trace_reader.hpp"
#include "ingest/formats/formats.hpp"

namespace roofline::formats {
namespace {

/// What comes first that is no space, behind a byte order mark.
std::string_view begun(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// An event by itself, and another behind it.
bool begins_with_event(std::string_view text) {
  JsonIndex index;
  index.extend(text.data(), text.size(), true);
  const auto end = index.end_of(text.data(), 0);
  if (end == std::string_view::npos) return false;
  bool has_phase = false, has_time = false;
  JsonFields fields(text.data(), index, 0, end);
  while (fields.next()) {
    if (fields.key() == "traceEvents") return false;
    has_phase = has_phase || fields.key() == "ph";
    has_time = has_time || fields.key() == "ts";
  }
  auto rest = begun(text.substr(end));
  if (rest.starts_with(',')) rest = begun(rest.substr(1));
  return has_phase && has_time && rest.starts_with('{');
}

/// Gives the events of a trace, and but for `again` what stands beside them.
Result<void> read_all(ChromeTraceReader& reader, ChromeTraceEvents& events, bool again) {
  auto layout = event_layout();
  ChromeTraceReader::Item item;
  TraceEvent event;
  for (;;) {
    const auto more = reader.next(item);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    if (!item.is_event) {
      if (!again) events.member(item);
      continue;
    }
    bool good = read_trace_event(item, layout, event);
    if (!good) {
      const auto repaired = reader.repair(item);
      if (!repaired) return tl::unexpected(repaired.error());
      good = *repaired && read_trace_event(item, layout, event);
      if (*repaired && !good && !again) events.damaged();
    }
    if (good && (event.kind != TraceKind::other || event.is_end())) events.event(item, event);
  }
}

}  // namespace

bool is_chrome_trace(const FileHead& head) {
  const auto text = begun(head.bytes);
  if (text.starts_with('{') && begins_with_event(text)) return true;
  if (text.starts_with('{'))
    return text.find("\"traceEvents\"") != std::string_view::npos ||
           (text.find("\"schemaVersion\"") != std::string_view::npos &&
            text.find("\"deviceProperties\"") != std::string_view::npos);
  if (!text.starts_with('[')) return false;
  const auto event = begun(text.substr(1));
  if (!event.starts_with('{')) return false;
  const auto phase = event.find("\"ph\"");
  return phase != std::string_view::npos && begun(event.substr(phase + 4)).starts_with(':');
}

Result<void> read_chrome_trace(const std::string& path, const ImportOptions& options,
                               ImportSink& sink) {
  ChromeTraceEvents events(sink);
  ChromeTraceReader::Progress progress;
  if (options.progress)
    progress = [&](std::uint64_t bytes) { options.progress(bytes, sink.launches()); };
  auto stream = ByteStream::open(path);
  if (!stream) return tl::unexpected(std::move(stream.error()));
  ChromeTraceReader reader(std::move(*stream), progress);
  if (auto read = read_all(reader, events, false); !read) return read;
  // Standard input, and what else gives its bytes once, cannot be told again.
  std::error_code error;
  if (events.are_late() && std::filesystem::is_regular_file(path, error)) {
    events.again();
    auto once_more = ByteStream::open(path);
    if (!once_more) return tl::unexpected(std::move(once_more.error()));
    ChromeTraceReader second(std::move(*once_more), progress);
    if (auto read = read_all(second, events, true); !read) return read;
  }
  events.finish(reader.damaged(), reader.cut());
  if (reader.behind()) sink.lose("data_behind_document");
  if (reader.cut())
    sink.truncated(reader.events() == 0 ? "before the first event"
                                        : "after event " + std::to_string(reader.events()));
  return {};
}

}  // namespace roofline::formats
