#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/fingerprint.hpp"
#include "ingest/formats/chrome_trace_op_log.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// What a call of NCCL or RCCL was asked to do, as it stands in the trace.
struct TraceCollective {
  std::string_view name, dtype, group_size, in_elements, out_elements;
  bool empty() const { return name.empty(); }
  /// Takes an argument of an event where it is one of these.
  void take(std::string_view key, std::string_view value);
  Operation operation() const;
};

/// Finds the operator that a launch was for: the one whose id the kernel carries, if it was running
/// on the thread that launched it, else the innermost that encloses the launching call. Of the
/// operators around it the innermost with a model is described, else the innermost with operands,
/// else the innermost; all of them stand in the attribute "stack", outermost first. Kernels of a
/// graph have one launch for all of them and stay without.
class TraceOperators {
 public:
  /// The arguments of an operator as they stand in the trace: lists in JSON, empty where absent.
  struct Arguments {
    std::string_view name, shapes, types, strides, values;
    TraceCollective collective;  ///< of record_param_comms
  };
  /// Notes an execution. `external`: its "External id", 0 for none.
  void add(std::uint32_t thread, std::uint64_t start, std::uint64_t end, std::uint64_t external,
           const Arguments& arguments);
  /// Notes the id that the next launch of the sink carries, 0 for none; once for each.
  void add_launch(std::uint64_t external);
  /// The launch has its operation already.
  static constexpr std::uint64_t kDescribed = ~std::uint64_t{0};
  /// The launches of a graph's node were recorded there and then, and are of the operator that was
  /// running. `launches` are numbers of the sink's; each is noted with kDescribed.
  void add_captured(std::uint32_t thread, std::uint64_t time, std::vector<std::uint32_t> launches);
  bool empty() const { return log_.empty(); }  ///< no operator was noted

  /// Gives the sink's launches their operations and the graphs that they are parts of. All launches
  /// and calls must have been added.
  void resolve(ImportSink& sink);

 private:
  struct Content {
    std::uint32_t name = 0;  // in names_
    bool operands = false, model = false, collective = false;
    std::string text;  // shapes, types, strides and values, or a collective, each behind its length
  };
  struct Query {
    std::uint64_t time = 0;
    std::uint32_t thread = 0, launch = 0;
    std::uint32_t captured = 0;  // one past the place in captured_ of what is asked for
  };
  struct Captured {
    std::uint32_t thread = 0;
    std::uint64_t time = 0;
    std::vector<std::uint32_t> launches;
  };
  struct Open {
    TraceOpLog::Row row;
    std::uint32_t launches = 0;  // that it was the operator of
  };
  std::uint32_t content(const Arguments& arguments);
  std::uint32_t name(std::string_view text);
  std::vector<Query> ask(ImportSink& sink,
                         std::unordered_multimap<std::uint32_t, std::uint32_t>& by_external) const;
  void answer(ImportSink& sink, std::vector<Open>& stack, std::size_t depth,
              std::span<const std::uint32_t> launches);
  std::uint64_t operation(ImportSink& sink, const std::vector<Open>& stack, std::size_t depth,
                          std::size_t chosen);

  TraceOpLog log_;
  std::vector<Content> contents_;
  std::unordered_map<Fingerprint, std::uint32_t, Fingerprint::Hash> content_ids_;
  std::vector<std::string> names_;
  std::unordered_map<Fingerprint, std::uint32_t, Fingerprint::Hash> name_ids_;
  std::unordered_map<Fingerprint, std::uint64_t, Fingerprint::Hash> operations_;
  std::deque<std::uint32_t> externals_;  // by launch
  std::vector<Captured> captured_;
  std::size_t content_bytes_ = 0;
  std::uint64_t operands_forgotten_ = 0;
};

}  // namespace roofline
