#include "ingest/formats/nsys_ranges.hpp"

#include <algorithm>
#include <string>

namespace roofline {
namespace {

/// The list that opens here, with its brackets; empty where it does not close.
std::string_view list_at(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && (depth == 0 || --depth == 0)) return text.substr(0, i + 1);
  }
  return {};
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

/// Threads are told apart by the low half of their global number: the thread and a part of the
/// process.
std::uint32_t thread_of(std::uint64_t global) { return static_cast<std::uint32_t>(global); }

/// Nodes of several processes have numbers of their own.
std::uint64_t node_key(std::uint64_t node, std::uint64_t global) {
  return node ^ (global >> 24 & 0xffffff) << 40;
}

}  // namespace

std::optional<EmittedRange> emitted_range(std::string_view text) {
  constexpr std::string_view kSizes = ", sizes = ";
  constexpr std::string_view kParts[] = {", seq = ", ", op_id = ", kSizes};
  auto end = std::string_view::npos;
  for (const auto part : kParts) end = std::min(end, text.find(part));
  if (end == std::string_view::npos) {
    if (text.starts_with("aten::")) return EmittedRange{text, {}};
    return std::nullopt;
  }
  EmittedRange range{text.substr(0, end), {}};
  if (const auto at = text.find(kSizes, end); at != std::string_view::npos)
    range.sizes = list_at(text.substr(at + kSizes.size()));
  return range;
}

void NsysRanges::add_launch(std::uint64_t graph_node, std::uint64_t process) {
  if (!has_events_) return;  // then none of them will get an operation
  if (graph_node != 0) by_node_[node_key(graph_node, process)].push_back(launches_);
  operators_.add_launch(graph_node != 0 ? TraceOperators::kDescribed : 0);
  ++launches_;
}

void NsysRanges::add_whole_graph() {
  if (!has_events_) return;
  operators_.add_launch(TraceOperators::kDescribed);
  ++launches_;
}

bool NsysRanges::read(ImportSink& sink) {
  constexpr std::string_view kColumns[] = {"start", "end", "text", "textId", "globalTid"};
  if (!has_events_) return true;
  SqliteRows rows(file_, kEvents, kColumns, "\"end\" IS NOT NULL");
  while (rows.next()) {
    const auto text = rows.is_text(2) ? std::string(rows.text(2)) : strings_.of(rows, 3);
    const auto start = clock_.of(rows, 0), end = clock_.of(rows, 1);
    if (text.empty() || start == 0 || end < start) continue;
    const auto emitted = emitted_range(text);
    if (emitted && emitted->is_operator()) {
      const auto name = json_escaped(emitted->name);
      operators_.add(
          thread_of(rows.number(4)), start, end, 0,
          {.name = name, .shapes = emitted->sizes, .types = {}, .strides = {}, .values = {}});
      continue;
    }
    sink.add(capture::Range{sink.text(emitted ? emitted->name : std::string_view(text)),
                            rows.number(4), start, end});
  }
  const bool whole = !rows.damaged() && (operators_.empty() || by_node_.empty() || read_nodes());
  if (operators_.empty()) return whole;
  find_captures();
  operators_.resolve(sink);
  return whole;
}

/// When nodes were made, and of which they are copies: a graph that is launched is a copy of the
/// one that was captured.
bool NsysRanges::read_nodes() {
  constexpr std::string_view kColumns[] = {"start", "globalTid", "graphNodeId",
                                           "originalGraphNodeId"};
  // The one of Nsight Systems 2022 had the same columns.
  for (const std::string_view table : {"CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS"}) {
    if (!file_.has_table(table)) continue;
    SqliteRows rows(file_, table, kColumns);
    while (rows.next()) {
      const auto node = rows.number(2), original = rows.number(3), global = rows.number(1);
      if (node == 0) continue;
      nodes_.try_emplace(node_key(node, global),
                         Node{clock_.of(rows, 0), original == 0 ? 0 : node_key(original, global),
                              thread_of(global)});
    }
    if (rows.damaged()) return false;
  }
  return true;
}

void NsysRanges::find_captures() {
  for (auto& [key, launches] : by_node_) {
    auto at = nodes_.find(key);
    constexpr int kMostCopies = 16;
    for (int i = 0; i < kMostCopies && at != nodes_.end() && at->second.original != 0 &&
                    at->second.original != at->first;
         ++i) {
      const auto original = nodes_.find(at->second.original);
      if (original == nodes_.end()) break;
      at = original;
    }
    if (at != nodes_.end() && at->second.time != 0)
      operators_.add_captured(at->second.thread, at->second.time, std::move(launches));
  }
}

}  // namespace roofline
