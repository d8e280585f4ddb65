#include "ingest/formats/chrome_trace_arguments.hpp"

#include <algorithm>

#include "ingest/hlo/operation.hpp"

namespace roofline {
namespace {

JsonFields fields_of(const ChromeTraceReader::Item& item, const TraceEvent& event,
                     JsonLayout* layout = nullptr) {
  return {item.text, *item.index, event.arguments, event.arguments_end, item.readable, layout};
}

// The keys that are read, and what each is.
constexpr std::string_view kGpuKeys[] = {"grid",           "block",         "device",
                                         "stream",         "correlation",   "External id",
                                         "external id",    "External Id",   "registers per thread",
                                         "shared memory",  "bytes",         "kind",
                                         "graph id",       "graph node id", "Collective name",
                                         "dtype",          "Group size",    "In msg nelems",
                                         "Out msg nelems", "grid_x",        "grid_y",
                                         "grid_z",         "block_x",       "block_y",
                                         "block_z"};
enum GpuKey : int {
  kGrid,
  kBlock,
  kDevice,
  kStream,
  kCorrelation,
  kExternal,
  kExternal2,
  kExternal3,
  kRegisters,
  kShared,
  kBytes,
  kKind,
  kGraph,
  kGraphNode,
  kCollective,
  kDtype,
  kGroupSize,
  kInElements,
  kOutElements,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
};
constexpr std::string_view kCallKeys[] = {"correlation", "correlationId", "External id",
                                          "external id", "External Id"};
enum CallKey : int { kCallCorrelation, kCallCorrelation2 };
constexpr std::string_view kOperatorKeys[] = {"External id",    "external id", "External Id",
                                              "Input Dims",     "Input type",  "Input Strides",
                                              "Concrete Inputs"};

/// What joins a call to its work: the correlation, or in traces without any the id of the operator,
/// which is no correlation of another's.
std::uint64_t joined(std::uint64_t correlation, std::uint64_t external) {
  constexpr std::uint64_t kIsExternal = std::uint64_t{1} << 63;
  return correlation != 0 || external == 0 ? correlation : external | kIsExternal;
}
enum OperatorKey : int { kId, kId2, kId3, kDims, kTypes, kStrides, kValues };

}  // namespace

JsonLayout GpuArguments::layout() { return JsonLayout(kGpuKeys); }
JsonLayout CallArguments::layout() { return JsonLayout(kCallKeys); }
JsonLayout OperatorArguments::layout() { return JsonLayout(kOperatorKeys); }

GpuArguments::GpuArguments(const ChromeTraceReader::Item& item, const TraceEvent& event,
                           JsonLayout& layout) {
  if (event.arguments == 0) return;
  auto fields = fields_of(item, event, &layout);
  while (fields.next()) {
    const auto number = [&] { return whole_number(fields.plain()).value_or(0); };
    switch (fields.key_number()) {
      case kGrid: grid = fields.value(); break;
      case kBlock: block = fields.value(); break;
      case kDevice: device = whole_number(fields.plain()); break;
      case kStream: stream = whole_number(fields.plain()); break;
      case kCorrelation: correlation = number(); break;
      case kExternal:
      case kExternal2:
      case kExternal3: external = number(); break;
      case kRegisters: registers = fields.plain(); break;
      case kShared: shared = fields.plain(); break;
      case kBytes: bytes = fields.plain(); break;
      case kKind: kind = fields.plain(); break;
      case kGraph: graph = number(); break;
      case kGraphNode:
        if (graph == 0 && number() != 0) graph = 1;
        break;
      case kCollective: collective.name = fields.plain(); break;
      case kDtype: collective.dtype = fields.plain(); break;
      case kGroupSize: collective.group_size = fields.plain(); break;
      case kInElements: collective.in_elements = fields.plain(); break;
      case kOutElements: collective.out_elements = fields.plain(); break;
      case kGridX: grid_sizes[0] = fields.plain(); break;
      case kGridY: grid_sizes[1] = fields.plain(); break;
      case kGridZ: grid_sizes[2] = fields.plain(); break;
      case kBlockX: block_sizes[0] = fields.plain(); break;
      case kBlockY: block_sizes[1] = fields.plain(); break;
      case kBlockZ: block_sizes[2] = fields.plain(); break;
      default: break;
    }
  }
  odd = fields.odd();
  correlation = joined(correlation, external);
}

std::array<std::uint64_t, 3> GpuArguments::three(std::string_view list) {
  std::array<std::uint64_t, 3> numbers{};
  if (list.size() < 2 || list.front() != '[') return numbers;
  JsonIndex index;
  index.extend(list.data(), list.size(), true);
  JsonFields fields(list.data(), index, 0, list.size());
  for (auto& number : numbers) {
    if (!fields.next()) break;
    number = whole_number(fields.plain()).value_or(0);
  }
  return numbers;
}

std::array<std::uint64_t, 3> GpuArguments::three(const std::array<std::string_view, 3>& sizes) {
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) numbers[i] = whole_number(sizes[i]).value_or(0);
  return numbers;
}

CallArguments::CallArguments(const ChromeTraceReader::Item& item, const TraceEvent& event,
                             JsonLayout& layout) {
  if (event.arguments == 0) return;
  auto fields = fields_of(item, event, &layout);
  std::uint64_t external = 0;
  while (fields.next()) {
    const auto key = fields.key_number();
    if (key == JsonLayout::kOther) continue;
    const auto number = whole_number(fields.plain()).value_or(0);
    (key == kCallCorrelation || key == kCallCorrelation2 ? correlation : external) = number;
  }
  correlation = joined(correlation, external);
}

OperatorArguments::OperatorArguments(const ChromeTraceReader::Item& item, const TraceEvent& event,
                                     JsonLayout& layout) {
  lists.name = event.name;
  if (event.arguments == 0) return;
  const bool communicates = event.name == "record_param_comms";
  auto fields = fields_of(item, event, &layout);
  while (fields.next()) {
    switch (fields.key_number()) {
      case kId:
      case kId2:
      case kId3: external = whole_number(fields.plain()).value_or(0); break;
      case kDims: lists.shapes = fields.value(); break;
      case kTypes: lists.types = fields.value(); break;
      case kStrides: lists.strides = fields.value(); break;
      case kValues: lists.values = fields.value(); break;
      default: break;
    }
    if (communicates) lists.collective.take(fields.key(), fields.plain());
  }
}

TrackArguments::TrackArguments(const ChromeTraceReader::Item& item, const TraceEvent& event) {
  if (event.arguments == 0) return;
  auto fields = fields_of(item, event);
  while (fields.next()) {
    const auto key = fields.key();
    if (key == "correlation_id") correlation = whole_number(fields.plain()).value_or(0);
    if (key == "kernel_details") kernel_details = fields.plain();
    if (key == "memcpy_details" || key == "memset_details" || key == "Memset_details")
      copy_details = fields.plain();
    if (key == "hlo_module") module = fields.plain();
    if (key == "hlo_op") instruction = fields.plain();
    if (key == "long_name") text = fields.plain();
  }
}

Operation TrackArguments::operation() const {
  const auto plain = [](std::string_view escaped) {
    std::string unescaped;
    unescape_json(escaped, unescaped);
    return unescaped;
  };
  Operation operation;
  const auto printed = plain(text);
  if (const auto alone = printed.empty() ? std::nullopt : hlo::read_instruction(printed))
    operation = hlo::operation_of(*alone, {0, alone->computations[0].root});
  operation.name = "hlo::" + plain(instruction);
  if (!module.empty()) operation.attributes.emplace_back("hlo_module", plain(module));
  operation.attributes.emplace_back("hlo_op", plain(instruction));
  std::sort(operation.attributes.begin(), operation.attributes.end());
  return operation;
}

std::string track_name(const ChromeTraceReader::Item& item, const TraceEvent& event) {
  std::string name;
  if (event.arguments == 0) return name;
  auto fields = fields_of(item, event);
  while (fields.next())
    if (fields.key() == "name" && fields.is_string()) unescape_json(fields.plain(), name);
  return name;
}

}  // namespace roofline
