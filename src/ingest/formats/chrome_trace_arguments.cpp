#include "ingest/formats/chrome_trace_arguments.hpp"

#include <algorithm>

#include "ingest/hlo/operation.hpp"

namespace roofline {
namespace {

JsonFields fields_of(const ChromeTraceReader::Item& item, const TraceEvent& event) {
  return {item.text, *item.index, event.arguments, event.arguments_end};
}

bool is_external_id(std::string_view key) {
  return key == "External id" || key == "external id" || key == "External Id";
}

}  // namespace

GpuArguments::GpuArguments(const ChromeTraceReader::Item& item, const TraceEvent& event) {
  if (event.arguments == 0) return;
  auto fields = fields_of(item, event);
  while (fields.next()) {
    const auto key = fields.key();
    const auto number = [&] { return whole_number(fields.plain()).value_or(0); };
    switch (key.size()) {
      case 4:
        if (key == "grid") grid = fields.value();
        if (key == "kind") kind = fields.plain();
        break;
      case 5:
        if (key == "block") block = fields.value();
        if (key == "bytes") bytes = fields.plain();
        if (key == "dtype") collective.dtype = fields.plain();
        break;
      case 6:
        if (key == "device") device = whole_number(fields.plain());
        if (key == "stream") stream = whole_number(fields.plain());
        break;
      case 8:
        if (key == "graph id") graph = number();
        break;
      case 10:
        if (key == "Group size") collective.group_size = fields.plain();
        break;
      case 11:
        if (key == "correlation") correlation = number();
        if (is_external_id(key)) external = number();
        break;
      case 13:
        if (key == "shared memory") shared = fields.plain();
        if (key == "In msg nelems") collective.in_elements = fields.plain();
        if (key == "graph node id" && graph == 0 && number() != 0) graph = 1;
        break;
      case 14:
        if (key == "Out msg nelems") collective.out_elements = fields.plain();
        break;
      case 15:
        if (key == "Collective name") collective.name = fields.plain();
        break;
      case 20:
        if (key == "registers per thread") registers = fields.plain();
        break;
      default: break;
    }
  }
  odd = fields.odd();
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

CallArguments::CallArguments(const ChromeTraceReader::Item& item, const TraceEvent& event) {
  if (event.arguments == 0) return;
  auto fields = fields_of(item, event);
  while (fields.next())
    if (fields.key() == "correlation" || fields.key() == "correlationId")
      correlation = whole_number(fields.plain()).value_or(0);
}

OperatorArguments::OperatorArguments(const ChromeTraceReader::Item& item, const TraceEvent& event) {
  lists.name = event.name;
  if (event.arguments == 0) return;
  const bool communicates = event.name == "record_param_comms";
  auto fields = fields_of(item, event);
  while (fields.next()) {
    const auto key = fields.key();
    if (is_external_id(key)) external = whole_number(fields.plain()).value_or(0);
    if (key == "Input Dims") lists.shapes = fields.value();
    if (key == "Input type") lists.types = fields.value();
    if (key == "Input Strides") lists.strides = fields.value();
    if (key == "Concrete Inputs") lists.values = fields.value();
    if (communicates) lists.collective.take(key, fields.plain());
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
