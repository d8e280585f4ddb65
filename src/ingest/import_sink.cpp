#include "roofline/ingest/import_sink.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "roofline/base/text.hpp"
#include "roofline/kernel/profiled.hpp"

namespace roofline {
namespace {

constexpr std::uint64_t kMostNames = 900'000;  // a reader of captures takes ids up to a million

/// `text` as a JSON string. Bytes that are not UTF-8 become U+FFFD, or the header would be no JSON.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

template <class Map, class Make>
std::uint64_t id_in(Map& map, std::string_view content, Make make) {
  const auto next = static_cast<std::uint64_t>(map.size()) + 1;
  const auto [at, is_new] = map.try_emplace(std::string(content), next);
  if (is_new) make(next);
  return at->second;
}

}  // namespace

void ImportSink::command(std::string_view text) { command_ = text; }
void ImportSink::host(std::string_view name) { host_ = name; }
void ImportSink::tool(std::string_view name_and_version) { tool_ = name_and_version; }
void ImportSink::format(std::string_view name) { format_ = name; }
void ImportSink::rank(long long rank, std::optional<long long> world_size) {
  rank_ = rank;
  world_size_ = world_size;
}
void ImportSink::process(long long pid) { pid_ = pid; }
void ImportSink::started(std::uint64_t unix_ns) { started_ = unix_ns; }
void ImportSink::replayed() { replayed_ = true; }
void ImportSink::truncated(std::string_view where) {
  is_cut_ = true;
  cut_ = where;
}

std::uint64_t ImportSink::text(std::string_view value) {
  if (value.empty()) return 0;
  if (texts_.size() >= kMostNames) {
    if (const auto known = texts_.find(std::string(value)); known != texts_.end())
      return known->second;
    lose("names_past_limit");
    return 0;
  }
  return id_in(texts_, value, [&](std::uint64_t id) {
    capture::append(records_, last_, capture::Text{id, std::string(value)});
  });
}

std::uint64_t ImportSink::shape(const capture::Shape& shape) {
  auto plain = shape;
  plain.id = 0;
  std::string key;
  capture::Last ignored;
  capture::append(key, ignored, plain);
  if (shapes_.size() >= kMostNames) {
    if (const auto known = shapes_.find(key); known != shapes_.end()) return known->second;
    lose("kernels_past_limit");
    return 0;
  }
  return id_in(shapes_, key, [&](std::uint64_t id) {
    plain.id = id;
    capture::append(records_, last_, plain);
  });
}

std::uint64_t ImportSink::shape(std::string_view kernel_name, std::array<std::uint64_t, 3> grid,
                                std::array<std::uint64_t, 3> block, std::uint64_t device) {
  capture::Shape shape;
  shape.name = text(kernel_name);
  shape.grid = grid;
  shape.block = block;
  shape.device = device;
  return this->shape(shape);
}

std::uint64_t ImportSink::operation(const Operation& operation) {
  capture::Operation record;
  record.content = pack(operation, [&](std::string_view value) { return text(value); });
  std::string key;
  capture::Last ignored;
  capture::append(key, ignored, record);
  if (operations_.size() >= kMostNames && !operations_.contains(key)) {
    lose("operations_past_limit");
    return 0;
  }
  return id_in(operations_, key, [&](std::uint64_t id) {
    record.id = id;
    capture::append(records_, last_, record);
  });
}

void ImportSink::add(capture::Device device) { capture::append(records_, last_, device); }

void ImportSink::add(const capture::Launch& launch) {
  // An end before the start is what the reader counts as an invalid time; it is kept as one.
  const bool valid = launch.start != 0 && launch.end >= launch.start;
  launches_.push_back(
      {valid ? launch.start : 0, launch.correlation, launch.stream,
       valid ? launch.end - launch.start : 0, static_cast<std::uint32_t>(launch.shape),
       static_cast<std::uint32_t>(launch.operation), static_cast<std::uint32_t>(launch.part),
       static_cast<std::uint32_t>(launch.graph)});
}

void ImportSink::add(const capture::Copy& copy) { capture::append(records_, last_, copy); }

void ImportSink::add(const capture::Api& api) {
  if (api.role == static_cast<std::uint64_t>(capture::ApiRole::other)) return;
  const auto next = static_cast<std::uint32_t>(threads_.size());
  const auto [at, is_new] = thread_index_.try_emplace(api.thread, next);
  if (is_new) threads_.push_back(api.thread);
  calls_.push_back({api.start, api.correlation, api.end >= api.start ? api.end - api.start : 0,
                    at->second, static_cast<std::uint8_t>(api.domain),
                    static_cast<std::uint8_t>(api.role)});
}

void ImportSink::assign(std::uint64_t launch, std::uint64_t operation, std::uint64_t part) {
  launches_[launch].operation = static_cast<std::uint32_t>(operation);
  launches_[launch].part = static_cast<std::uint32_t>(part);
}

void ImportSink::assign_graph(std::uint64_t launch, std::uint64_t graph) {
  auto& row = launches_[launch];
  if (row.graph == 0) row.graph = static_cast<std::uint32_t>(graph);
}

capture::Api ImportSink::call(std::size_t number) const {
  const auto& row = calls_[number];
  return {row.domain,     0, row.role, threads_[row.thread], row.start, row.start + row.duration,
          row.correlation};
}

void ImportSink::add(const capture::Overhead& overhead) {
  capture::append(records_, last_, overhead);
}
void ImportSink::add(const capture::Range& range) { capture::append(records_, last_, range); }
void ImportSink::add(const capture::Counters& counters) {
  capture::append(records_, last_, counters);
}
void ImportSink::add(const capture::Summary& summary) {
  ++summaries_;
  capture::append(records_, last_, summary);
}
void ImportSink::lose(std::string_view reason, std::uint64_t count) {
  losses_[std::string(reason)] += count;
}

std::string ImportSink::header() const {
  std::string line = fmt::format("{{\"schema\":\"{}\",\"pid\":{},\"host\":{},\"command\":{}",
                                 capture::kSchema, pid_, quoted(host_), quoted(command_));
  line += fmt::format(",\"mode\":\"{}\"", replayed_ ? kReplayMode : kImportMode);
  line += ",\"format\":" + quoted(format_);
  line += ",\"imported_from\":" + quoted(tool_.empty() ? format_ : tool_);
  if (rank_) line += fmt::format(",\"rank\":{}", *rank_);
  if (world_size_) line += fmt::format(",\"world_size\":{}", *world_size_);
  if (started_ != 0) line += fmt::format(",\"started_unix_ns\":{}", started_);
  if (is_cut_) line += ",\"cut\":" + quoted(cut_);
  return line + "}\n";
}

void ImportSink::write_events(std::string& out) {
  const auto in_order = [](auto& rows) {
    const auto earlier = [](const auto& a, const auto& b) { return a.start < b.start; };
    if (!std::is_sorted(rows.begin(), rows.end(), earlier))
      std::stable_sort(rows.begin(), rows.end(), earlier);
  };
  in_order(launches_);
  in_order(calls_);
  const auto write_call = [&] {
    const auto& call = calls_.front();
    capture::append(out, last_,
                    capture::Api{call.domain, 0, call.role, threads_[call.thread], call.start,
                                 call.start + call.duration, call.correlation});
    calls_.pop_front();
  };
  for (; !launches_.empty(); launches_.pop_front()) {
    const auto& row = launches_.front();
    while (!calls_.empty() && calls_.front().start <= row.start) write_call();
    capture::append(out, last_,
                    capture::Launch{row.shape, row.stream, row.start, row.start + row.duration,
                                    row.correlation, row.graph, 0, row.operation, row.part});
  }
  while (!calls_.empty()) write_call();
}

std::string ImportSink::finish() {
  if (is_cut_) lose("file_cut");
  for (const auto& [reason, count] : std::map(losses_)) {
    const capture::Loss loss{text(reason), count};
    capture::append(records_, last_, loss);
  }
  const capture::End end{text("imported")};
  // An event takes some fifteen bytes: room for all at once, where growing would copy them.
  constexpr std::size_t kEvent = 16;
  std::string out;
  out.reserve(records_.size() + (launches_.size() + calls_.size()) * kEvent + 4096);
  out += header();
  out += records_;
  records_ = {};
  write_events(out);
  capture::append(out, last_, end);
  return out;
}

}  // namespace roofline
