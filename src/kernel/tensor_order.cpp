#include "kernel/tensor_order.hpp"

#include <algorithm>

#include "kernel/quoted.hpp"

namespace roofline {
namespace {

struct Access {
  bool reads = false, writes = false, reads_first = false;
};

/// As the description says, where it says so; else what the op moves. An empty tensor moves
/// nothing: any order is right.
Access access_of(const OperandUse& use, const Kernel& kernel, const SharedTensor& tensor) {
  if (use.declared) return {use.reads, use.writes, use.reads_first};
  if (tensor.bytes == Count(0)) return {true, true, false};
  Access access;
  for (const auto& noted : kernel.tensors)
    if (noted.tensor == tensor.name) {
      access.reads = access.reads || noted.reads;
      access.writes = access.writes || noted.writes;
    }
  access.reads_first = access.reads;
  return access;
}

void report(Reading& reading, Location where, Code code, std::string what, std::string hint) {
  reading.report({code, std::move(where), std::move(what), std::move(hint), {}});
}

}  // namespace

void TensorOrder::pass(Reading& reading, const Entry& entry, const Kernel& kernel,
                       const Surroundings& around) {
  for (const auto& use : entry.uses) {
    auto& state = states_[use.tensor];
    const auto access = access_of(use, kernel, around.tensors[use.tensor]);
    if (access.reads_first && !state.written && around.declared.intermediate(use.tensor) &&
        !state.reported) {
      report(reading, around.places.where(use.place.line, use.place.column, use.place.length),
             Code::contradiction,
             "intermediate " + quoted(around.declared.name(use.tensor)) +
                 " is read before any kernel writes it",
             "put the kernel that writes it first, or leave out intermediate: true");
      state.reported = true;
    }
    state.used = true;
    state.read = state.read || access.reads;
  }
  for (const auto& use : entry.uses)  // after all reads of this kernel
    if (access_of(use, kernel, around.tensors[use.tensor]).writes)
      states_[use.tensor].written = true;
}

void TensorOrder::close(Reading& reading, const Surroundings& around) const {
  for (std::size_t i = 0; i < states_.size() && !reading.has_enough(); ++i) {
    const auto& state = states_[i];
    const std::string name = quoted(around.declared.name(i));
    const auto where = [&] { return around.declared.where(i, around.places); };
    if (!state.used)
      report(reading, where(), Code::contradiction, "no kernel uses tensor " + name,
             "bind it (operands: {x: " + around.declared.name(i) + "}), or leave it out");
    else if (around.declared.intermediate(i) && !state.written && !state.reported)
      report(reading, where(), Code::contradiction, "no kernel writes intermediate " + name,
             "an input is not an intermediate");
    else if (around.declared.intermediate(i) && !state.read)
      report(reading, where(), Code::contradiction, "no kernel reads intermediate " + name,
             "an output is not an intermediate");
  }
}

}  // namespace roofline
