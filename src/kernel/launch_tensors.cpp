#include <algorithm>
#include <array>

#include "kernel/launch_reader.hpp"
#include "kernel/operand_check.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

// Limits that all devices share since compute capability 3.0 (CUDA C++ Programming Guide, technical
// specifications).
constexpr std::array<Count, 3> kMostBlock = {1024, 1024, 64},
                               kMostGrid = {2147483647, 65535, 65535};
constexpr Count kMostThreads = 1024;
constexpr Count kMostShared = 1 << 20, kMostLaunches = 1'000'000;

struct IntegerRange {
  Count least, most;
};
IntegerRange range_of(ArgumentType type) {
  switch (type) {
    case ArgumentType::u32: return {0, Count(0xffffffffL)};
    case ArgumentType::i64: return {Count(INT64_MIN), Count(INT64_MAX)};
    case ArgumentType::u64: return {0, Count(0xffffffffffffffffUL)};
    default: return {Count(INT32_MIN), Count(INT32_MAX)};
  }
}

Error at(const Place& place, const Surroundings& around, Code code, std::string what,
         std::string hint) {
  return {code,
          around.places.where(place.line, place.column, place.length),
          std::move(what),
          std::move(hint),
          {}};
}

std::optional<Error> check_sizes(const Entry& entry, const Surroundings& around,
                                 const LaunchRecipe& launch) {
  const auto wrong = [&](std::string what, std::string hint) {
    return at(entry.launch_place, around, Code::out_of_range, std::move(what), std::move(hint));
  };
  Count threads = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    threads *= launch.block[i];
    if (launch.block[i] > kMostBlock[i])
      return wrong("block has " + launch.block[i].to_string() + " threads in one direction",
                   "at most 1024, 1024 and 64 in x, y and z");
    if (launch.grid[i] > kMostGrid[i])
      return wrong("grid has " + launch.grid[i].to_string() + " blocks in one direction",
                   "at most 2147483647, 65535 and 65535 in x, y and z");
  }
  if (threads > kMostThreads)
    return wrong("block has " + threads.to_string() + " threads", "a block has 1024 at most");
  if (launch.shared_bytes > kMostShared)
    return wrong("shared is " + launch.shared_bytes.to_string() + " bytes",
                 "no SM has that much shared memory");
  if (launch.repeats > kMostLaunches || launch.warmups > kMostLaunches)
    return wrong("more than a million launches are asked for", "20 to 1000 repeats are plenty");
  return std::nullopt;
}

/// The dtype of one of the op's operands by the name under which it moves: "in1", "dq", a tensor of
/// generic.
DType dtype_of(const Kernel& kernel, std::string_view operand) {
  const auto& input = kernel.input;
  if (input.has_dtype(operand)) return input.dtype(operand);
  for (const auto& spec : kernel.op->operands) {
    if (!covers(spec, operand) || !input.has_dtype(spec.name)) continue;
    const auto list = input.dtype_list(spec.name);
    const auto digits = operand.find_first_of("0123456789");
    if (list.size() < 2 || digits == std::string_view::npos) return input.dtype(spec.name);
    const auto index = static_cast<std::size_t>(
        std::strtoul(std::string(operand.substr(digits)).c_str(), nullptr, 10));
    return list[std::min(index, list.size() - 1)];
  }
  return DType::fp32;
}

std::optional<LaunchTensor> find_buffer(const LaunchRecipe& launch, const std::string& name) {
  const auto found = std::find_if(launch.buffers.begin(), launch.buffers.end(),
                                  [&](const auto& b) { return b.name == name; });
  return found == launch.buffers.end() ? std::nullopt : std::optional(*found);
}

/// A shared tensor by its own name, or by that of the operand that is bound to it: its size is the
/// whole tensor's, also where the op touches a part of it.
std::optional<LaunchTensor> find_shared(const Kernel& kernel, const Surroundings& around,
                                        const std::string& name) {
  for (const auto& use : kernel.tensors) {
    if (use.tensor != name && use.operand != name) continue;
    const auto tensor = std::find_if(around.tensors.begin(), around.tensors.end(),
                                     [&](const SharedTensor& t) { return t.name == use.tensor; });
    if (tensor == around.tensors.end()) continue;
    return LaunchTensor{name, tensor->bytes, tensor->dtype, use.reads, use.writes, Fill::random, 0};
  }
  return std::nullopt;
}

std::optional<LaunchTensor> find_operand(const Kernel& kernel, const std::string& name) {
  for (const auto& traffic : kernel.work.operands()) {
    if (traffic.operand != name) continue;
    return LaunchTensor{name,
                        max(traffic.read, traffic.written),
                        dtype_of(kernel, name),
                        traffic.read > Count(0),
                        traffic.written > Count(0),
                        Fill::random,
                        0};
  }
  return std::nullopt;
}

Error unknown_tensor(const std::string& name, const Place& place, const Kernel& kernel,
                     const Surroundings& around) {
  std::vector<std::string_view> names;
  for (const auto& use : kernel.tensors) names.push_back(use.tensor);
  for (const auto& traffic : kernel.work.operands()) names.push_back(traffic.operand);
  for (const auto& buffer : kernel.launch.front().buffers) names.push_back(buffer.name);
  auto hint = did_you_mean(name, names);
  if (hint.empty())
    hint = "this kernel has " + joined(std::vector<std::string>(names.begin(), names.end())) +
           "; buffers: declares others, params: names integers";
  return at(place, around, Code::unknown_name, "no tensor or variable " + quoted(name),
            std::move(hint));
}

std::optional<Error> check_argument(const LaunchArgument& argument, const Place& place,
                                    const Surroundings& around, Kernel& kernel) {
  auto& launch = kernel.launch.front();
  if (argument.type == ArgumentType::tensor) {
    const auto known = [&](const LaunchTensor& t) { return t.name == argument.tensor; };
    if (std::any_of(launch.tensors.begin(), launch.tensors.end(), known)) return std::nullopt;
    auto tensor = find_buffer(launch, argument.tensor);
    if (!tensor) tensor = find_shared(kernel, around, argument.tensor);
    if (!tensor) tensor = find_operand(kernel, argument.tensor);
    if (!tensor) return unknown_tensor(argument.tensor, place, kernel, around);
    launch.tensors.push_back(std::move(*tensor));
    return std::nullopt;
  }
  const auto range = range_of(argument.type);
  if (argument.type >= ArgumentType::f16 ||
      (argument.integer >= range.least && argument.integer <= range.most))
    return std::nullopt;
  return at(place, around, Code::out_of_range,
            "the argument is " + argument.integer.to_string() + ", which no " +
                std::string(argument_type_name(argument.type)) + " holds",
            argument.type == ArgumentType::i32
                ? "write {i64: ...} if the kernel takes a 64-bit integer"
                : "");
}

}  // namespace

std::optional<Error> resolve_launch(const Entry& entry, const Surroundings& around,
                                    Kernel& kernel) {
  auto& launch = kernel.launch.front();
  launch.tensors.clear();
  if (auto error = check_sizes(entry, around, launch)) return error;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    if (auto error = check_argument(launch.arguments[i], entry.launch_places[i], around, kernel))
      return error;
  return std::nullopt;
}

}  // namespace roofline
