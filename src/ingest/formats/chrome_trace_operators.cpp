#include "ingest/formats/chrome_trace_operators.hpp"

#include <algorithm>
#include <tuple>

#include "ingest/formats/chrome_trace_operands.hpp"
#include "ingest/formats/json_fields.hpp"
#include "ingest/mapping/known_operations.hpp"

namespace roofline {
namespace {

/// Distinct operands of operators are kept up to so many bytes; of all further ones the name alone.
constexpr std::size_t kMostContentBytes = std::size_t{20} << 20;

constexpr std::uint32_t kNoThread = ~std::uint32_t{0};
constexpr auto kKernelLaunch = static_cast<std::uint64_t>(capture::ApiRole::kernel_launch);
constexpr auto kGraphLaunch = static_cast<std::uint64_t>(capture::ApiRole::graph_launch);

// In externals_: ids are folded to 32 bits, which is what finds them again; two marks are taken.
constexpr std::uint32_t kIsDescribed = ~std::uint32_t{0};
std::uint32_t folded(std::uint64_t external) {
  if (external == TraceOperators::kDescribed) return kIsDescribed;
  const auto low = static_cast<std::uint32_t>(external ^ external >> 32);
  return external != 0 && (low == 0 || low == kIsDescribed) ? 1 : low;
}

void append_sized(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}
std::string_view take_sized(std::string_view& text) {
  const auto colon = text.find(':');
  std::size_t size = 0;
  for (std::size_t i = 0; i < colon; ++i)
    size = 10 * size + static_cast<std::size_t>(text[i] - '0');
  const auto taken = text.substr(colon + 1, size);
  text.remove_prefix(colon + 1 + size);
  return taken;
}

}  // namespace

void TraceCollective::take(std::string_view key, std::string_view value) {
  if (key == "Collective name") name = value;
  if (key == "dtype") dtype = value;
  if (key == "Group size") group_size = value;
  if (key == "In msg nelems") in_elements = value;
  if (key == "Out msg nelems") out_elements = value;
}

Operation TraceCollective::operation() const {
  Operation made;
  made.name = "nccl";
  const std::pair<const char*, std::string_view> attributes[] = {
      {"collective", name},           {"dtype", dtype},
      {"group_size", group_size},     {"in_elements", in_elements},
      {"out_elements", out_elements},
  };
  for (const auto& [key, value] : attributes) {
    if (value.empty()) continue;
    std::string plain;
    unescape_json(value, plain);
    made.attributes.emplace_back(key, std::move(plain));
  }
  return made;
}

std::uint32_t TraceOperators::name(std::string_view text) {
  Fingerprint key;
  key.add(text);
  const auto [at, is_new] = name_ids_.try_emplace(key, static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    std::string plain;
    unescape_json(text, plain);
    names_.push_back(std::move(plain));
  }
  return at->second;
}

std::uint32_t TraceOperators::content(const Arguments& arguments) {
  Fingerprint key;
  for (const auto part :
       {arguments.name, arguments.shapes, arguments.types, arguments.strides, arguments.values})
    key.add(part);
  const auto& collective = arguments.collective;
  const auto told = {collective.name, collective.dtype, collective.group_size,
                     collective.in_elements, collective.out_elements};
  if (!collective.empty())
    for (const auto part : told) key.add(part);
  const auto next = static_cast<std::uint32_t>(contents_.size());
  if (const auto known = content_ids_.find(key); known != content_ids_.end()) return known->second;
  const auto bytes = arguments.shapes.size() + arguments.types.size() + arguments.strides.size() +
                     arguments.values.size();
  const bool has_operands = !arguments.shapes.empty();
  if (bytes > 0 && content_bytes_ + bytes + sizeof(Content) > kMostContentBytes) {
    operands_forgotten_ += has_operands ? 1 : 0;
    return content({arguments.name, {}, {}, {}, {}, {}});
  }
  content_ids_.emplace(key, next);
  content_bytes_ += bytes + sizeof(Content);
  Content made;
  made.name = name(arguments.name);
  made.operands = has_operands;
  made.model = has_model(names_[made.name]);
  if (!collective.empty()) {
    made.operands = made.model = made.collective = true;
    for (const auto part : told) append_sized(made.text, part);
    content_bytes_ += made.text.size();
  } else if (has_operands)
    for (const auto part : {arguments.shapes, arguments.types, arguments.strides, arguments.values})
      append_sized(made.text, part);
  contents_.push_back(std::move(made));
  return next;
}

void TraceOperators::add(std::uint32_t thread, std::uint64_t start, std::uint64_t end,
                         std::uint64_t external, const Arguments& arguments) {
  log_.add({start, std::max(start, end), thread, content(arguments), folded(external)});
}

void TraceOperators::add_launch(std::uint64_t external) { externals_.push_back(folded(external)); }

void TraceOperators::add_captured(std::uint32_t thread, std::uint64_t time,
                                  std::vector<std::uint32_t> launches) {
  captured_.push_back({thread, time, std::move(launches)});
}

/// What is asked of the operators, by thread and time of the launching call; launches without a
/// call by their id alone.
std::vector<TraceOperators::Query> TraceOperators::ask(
    ImportSink& sink, std::unordered_multimap<std::uint32_t, std::uint32_t>& by_external) const {
  struct Join {
    std::uint64_t correlation = 0;
    std::uint32_t call = 0;
  };
  std::vector<Join> joins;
  for (std::uint32_t i = 0; i < sink.calls(); ++i) {
    const auto call = sink.call(i);
    if (call.correlation != 0 && (call.role == kKernelLaunch || call.role == kGraphLaunch))
      joins.push_back({call.correlation, i});
  }
  // Of calls with the same id the runtime's encloses the driver's and began first.
  std::sort(joins.begin(), joins.end(), [&](const Join& a, const Join& b) {
    if (a.correlation != b.correlation) return a.correlation < b.correlation;
    const auto x = sink.call(a.call), y = sink.call(b.call);
    return std::tie(x.start, a.call) < std::tie(y.start, b.call);
  });
  std::vector<Query> queries;
  if (!log_.empty()) queries.reserve(externals_.size());
  for (std::uint32_t i = 0; i < externals_.size(); ++i) {
    const auto correlation = sink.correlation(i);
    const auto at =
        std::lower_bound(joins.begin(), joins.end(), correlation,
                         [](const Join& join, std::uint64_t id) { return join.correlation < id; });
    if (at != joins.end() && at->correlation == correlation) {
      const auto call = sink.call(at->call);
      if (call.role == kGraphLaunch) {
        sink.assign_graph(i, 1);
        continue;
      }
      if (externals_[i] != kIsDescribed && !log_.empty())
        queries.push_back({call.start, static_cast<std::uint32_t>(call.thread), i, 0});
    } else if (externals_[i] != kIsDescribed && externals_[i] != 0) {
      by_external.emplace(externals_[i], i);
    }
  }
  for (std::uint32_t i = 0; i < captured_.size(); ++i)
    queries.push_back(
        {captured_[i].time, captured_[i].thread, captured_[i].launches.front(), i + 1});
  std::sort(queries.begin(), queries.end(), [](const Query& a, const Query& b) {
    return std::tie(a.thread, a.time, a.launch) < std::tie(b.thread, b.time, b.launch);
  });
  return queries;
}

void TraceOperators::resolve(ImportSink& sink) {
  std::unordered_multimap<std::uint32_t, std::uint32_t> by_external;
  const auto queries = ask(sink, by_external);
  auto query = queries.begin();
  std::vector<Open> stack;
  std::uint32_t thread = kNoThread;
  const auto close_before = [&](std::uint64_t time) {
    while (!stack.empty() && stack.back().row.end < time) stack.pop_back();
  };
  // One past the open operator that carries the launch's id; 0 where none does.
  const auto named = [&](std::uint32_t launch) {
    const auto external = externals_[launch];
    for (auto i = stack.size(); external != 0 && i-- > 0;)
      if (stack[i].row.external == external) return i + 1;
    return std::size_t{0};
  };
  // Those asked about on a thread before a time, all operators that began by then being open.
  const auto answer_until = [&](std::uint32_t of_thread, std::uint64_t time) {
    for (;
         query != queries.end() && std::tie(query->thread, query->time) < std::tie(of_thread, time);
         ++query) {
      if (query->thread != thread) continue;
      if (query->captured != 0) {
        close_before(query->time);
        answer(sink, stack, stack.size(), captured_[query->captured - 1].launches);
        continue;
      }
      if (externals_[query->launch] == kIsDescribed) continue;
      close_before(query->time);
      const auto depth = named(query->launch);
      answer(sink, stack, depth != 0 ? depth : stack.size(), {&query->launch, 1});
    }
  };
  // In whole microseconds a launch may seem to be as late as the operator after its own.
  const auto answer_named_at = [&](const TraceOpLog::Row& next) {
    for (auto at = query; at != queries.end() && at->thread == next.thread &&
                          at->thread == thread && at->time == next.start;
         ++at) {
      const auto depth = at->captured == 0 ? named(at->launch) : 0;
      if (depth == 0) continue;
      answer(sink, stack, depth, {&at->launch, 1});
      externals_[at->launch] = kIsDescribed;
    }
  };
  const bool read = log_.visit([&](const TraceOpLog::Row& row) {
    answer_until(row.thread, row.start);
    if (row.thread != thread) {
      stack.clear();
      thread = row.thread;
    }
    close_before(row.start);
    answer_named_at(row);
    // An operator that ends as the next begins has called it only where both take no time.
    while (!stack.empty() && stack.back().row.end <= row.start && row.end > stack.back().row.end)
      stack.pop_back();
    stack.push_back({row, 0});
    const auto [first, last] = by_external.equal_range(row.external);
    if (row.external == 0 || first == last) return;
    std::vector<std::uint32_t> launches;
    for (auto at = first; at != last; ++at) launches.push_back(at->second);
    by_external.erase(first, last);
    std::sort(launches.begin(), launches.end());
    for (const auto& launch : launches) answer(sink, stack, stack.size(), {&launch, 1});
  });
  answer_until(kNoThread, ~std::uint64_t{0});
  if (!read) sink.lose("operators_unreadable");
  if (operands_forgotten_ > 0) sink.lose("operations_past_limit", operands_forgotten_);
}

void TraceOperators::answer(ImportSink& sink, std::vector<Open>& stack, std::size_t depth,
                            std::span<const std::uint32_t> launches) {
  if (depth == 0) return;
  const auto innermost = [&](auto wanted) {
    for (auto i = depth; i-- > 0;)
      if (wanted(contents_[stack[i].row.content])) return i;
    return depth;
  };
  auto chosen = innermost([](const Content& c) { return c.model && c.operands; });
  if (chosen == depth) chosen = innermost([](const Content& c) { return c.operands; });
  if (chosen == depth) chosen = depth - 1;
  const auto part = stack[chosen].launches++;
  const auto id = operation(sink, stack, depth, chosen);
  for (const auto launch : launches) sink.assign(launch, id, part);
}

std::uint64_t TraceOperators::operation(ImportSink& sink, const std::vector<Open>& stack,
                                        std::size_t depth, std::size_t chosen) {
  constexpr std::size_t kDeepest = 32;  // of the names that are written out
  const auto first = depth > kDeepest ? depth - kDeepest : 0;
  Fingerprint key;
  key.add(std::uint64_t{stack[chosen].row.content});
  for (auto i = first; i < depth; ++i) key.add(std::uint64_t{contents_[stack[i].row.content].name});
  const auto [at, is_new] = operations_.try_emplace(key, 0);
  if (!is_new) return at->second;
  const auto& content = contents_[stack[chosen].row.content];
  Operation made;
  made.name = names_[content.name];
  std::string_view text = content.text;
  if (content.collective) {
    TraceCollective collective;
    for (auto* part : {&collective.name, &collective.dtype, &collective.group_size,
                       &collective.in_elements, &collective.out_elements})
      *part = take_sized(text);
    return at->second = sink.operation(collective.operation());
  }
  if (content.operands) {
    const auto shapes = take_sized(text), types = take_sized(text), strides = take_sized(text),
               values = take_sized(text);
    made.operands = trace_operands(shapes, types, strides, values);
  }
  if (depth > 1) {
    std::string names;
    for (auto i = first; i < depth; ++i)
      names += (i > first ? ";" : "") + names_[contents_[stack[i].row.content].name];
    made.attributes.emplace_back("stack", std::move(names));
  }
  return at->second = sink.operation(made);
}

}  // namespace roofline
