#include "ingest/hlo/counter.hpp"

#include <algorithm>

#include "roofline/ingest/mapping.hpp"

namespace roofline::hlo {
namespace {

std::uint64_t length(const SliceAxis& axis) {
  return axis.limit <= axis.start || axis.stride == 0
             ? 0
             : (axis.limit - axis.start + axis.stride - 1) / axis.stride;
}

/// Instructions that only tell where elements lie: integers and predicates made of counters and
/// constants. Hash functions are made of counters, too, and are not among them.
std::vector<bool> index_arithmetic(const Computation& computation) {
  std::vector<bool> only(computation.instructions.size(), false);
  for (std::size_t i = 0; i < only.size(); ++i) {
    const auto& instruction = computation.instructions[i];
    const auto kind = instruction.shape.type->kind;
    if (kind != TypeClass::integer && kind != TypeClass::boolean) continue;
    const auto opcode = instruction.opcode;
    if (is_one_of(opcode, {"iota", "constant", "partition-id", "replica-id"}))
      only[i] = true;
    else if (opcode == "parameter")
      only[i] = instruction.shape.elements() == 1;
    else if (is_one_of(opcode, {"add",     "subtract",  "multiply", "divide",      "remainder",
                                "compare", "select",    "clamp",    "maximum",     "minimum",
                                "and",     "or",        "not",      "broadcast",   "reshape",
                                "bitcast", "transpose", "convert",  "concatenate", "slice"}))
      only[i] = std::all_of(instruction.operands.begin(), instruction.operands.end(),
                            [&](auto operand) { return only[operand]; });
  }
  return only;
}

}  // namespace

std::uint64_t united(const std::vector<const Instruction*>& slices) {
  std::uint64_t largest = 0;
  for (const auto* slice : slices) largest = std::max(largest, slice->shape.elements());
  if (slices.size() < 2) return largest;
  const auto& first = slices.front()->more().slices;
  std::optional<std::size_t> axis;
  for (const auto* slice : slices) {
    const auto& own = slice->more().slices;
    if (own.size() != first.size()) return largest;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].start == first[i].start && own[i].limit == first[i].limit &&
          own[i].stride == first[i].stride)
        continue;
      if (axis && *axis != i) return largest;
      axis = i;
    }
  }
  if (!axis) return largest;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for (const auto* slice : slices) {
    const auto& own = slice->more().slices[*axis];
    if (own.stride != 1) return largest;
    pieces.emplace_back(own.start, own.limit);
  }
  std::sort(pieces.begin(), pieces.end());
  std::uint64_t covered = 0, end = 0;
  for (const auto& [start, limit] : pieces) {
    if (limit > std::max(start, end)) covered += limit - std::max(start, end);
    end = std::max(end, limit);
  }
  for (std::size_t i = 0; i < first.size(); ++i)
    if (i != *axis) covered = times(covered, length(first[i]));
  return covered;
}

bool Counter::count(const Computation& computation, std::optional<std::uint64_t> wanted,
                    bool results, std::vector<Demand>& parameters) {
  constexpr int kDeepest = 32;
  if (depth_ >= kDeepest) return no(unmapped::kNotModelled);
  ++depth_;
  const auto& all = computation.instructions;
  if (module_.visits_left < all.size()) return no(unmapped::kNotModelled);
  module_.visits_left -= all.size();
  const auto index_only = index_arithmetic(computation);
  std::vector<Demand> demands(all.size());
  std::vector<bool> in_place(all.size(), false);
  const auto want = [&](std::uint32_t at) {
    const auto whole = all[at].shape.elements();
    demands[at].elements =
        std::max(demands[at].elements, wanted ? std::min(*wanted, whole) : whole);
    in_place[at] = results;
  };
  if (all[computation.root].opcode == "tuple")
    for (const auto operand : all[computation.root].operands) want(operand);
  else
    want(computation.root);
  for (std::size_t i = all.size(); i-- > 0;) {
    auto& own = demands[i];
    own.elements = std::min(std::max(own.elements, united(own.slices)), all[i].shape.elements());
    if (own.elements == 0 || all[i].opcode == "tuple") continue;
    if (all[i].opcode == "parameter") {
      if (all[i].shape.tuple || all[i].number >= parameters.size())
        return no(unmapped::kNotModelled);
      auto& outer = parameters[static_cast<std::size_t>(all[i].number)];
      outer.elements = std::max(outer.elements, own.elements);
      continue;
    }
    if (in_place[i] && all[i].opcode == "bitcast" && all[i].operands.size() == 1)
      in_place[all[i].operands.front()] = true;
    std::vector<Demand> needed(all[i].operands.size());
    if (!visit(computation, all[i], own.elements, in_place[i], index_only[i], needed)) return false;
    for (std::size_t k = 0; k < needed.size(); ++k) {
      auto& operand = demands[all[i].operands[k]];
      operand.elements = std::max(operand.elements, needed[k].elements);
      operand.slices.insert(operand.slices.end(), needed[k].slices.begin(), needed[k].slices.end());
    }
  }
  --depth_;
  return true;
}

/// The computation that an instruction applies to pairs of elements, so many times.
bool Counter::reducer(const Instruction& instruction, std::uint64_t applications) {
  if (instruction.called.empty()) return no(unmapped::kNotModelled);
  const auto& called = module_.computations[instruction.called.front()];
  Work once;
  Counter counter(module_, once);
  std::vector<Demand> parameters(called.instructions.size());
  counter.depth_ = depth_;
  if (!counter.count(called, std::nullopt, false, parameters)) return no(counter.reason_);
  for (const auto& [path, amount] : once.amounts) work_.add(path, times(amount, applications));
  return true;
}

bool Counter::product(const Instruction& instruction, std::uint64_t wanted, const Instruction& a,
                      const Instruction& b, std::vector<Demand>& demands) {
  if (instruction.more().sparse) return no(unmapped::kNotModelled);
  const auto path = product_path(*a.shape.type, *b.shape.type);
  if (path.empty()) return no(unmapped::kNotModelled);
  std::uint64_t inner = 1;
  for (const auto axis : instruction.more().lhs_contract) {
    if (axis >= a.shape.sizes.size()) return no(unmapped::kContradiction);
    inner = times(inner, a.shape.sizes[static_cast<std::size_t>(axis)]);
  }
  work_.add(path, times(2, times(wanted, inner)));
  const bool whole = wanted == instruction.shape.elements();
  demands[0].elements = whole ? a.shape.elements() : inner;
  demands[1].elements = whole ? b.shape.elements() : inner;
  return true;
}

/// As it stands, without holes in its input: gradients, which have them, are calls of a library.
bool Counter::convolution(const Instruction& instruction, std::uint64_t wanted,
                          const Instruction& x, const Instruction& w,
                          std::vector<Demand>& demands) {
  const auto& more = instruction.more();
  const auto holes = std::any_of(more.window.begin(), more.window.end(),
                                 [](const WindowAxis& axis) { return axis.base_dilation > 1; });
  const auto path = product_path(*x.shape.type, *w.shape.type);
  if (holes || more.batch_groups > 1 || path.empty()) return no(unmapped::kNotModelled);
  const auto taps = convolution_taps(more, w.shape);
  const auto touched = convolution_touched(more, x.shape, w.shape, instruction.shape);
  if (!taps || !touched) return no(unmapped::kContradiction);
  work_.add(path, times(2, times(wanted, *taps)));
  const bool whole = wanted == instruction.shape.elements();
  demands[0].elements = whole ? *touched : 0;
  demands[1].elements = whole ? w.shape.elements() : *taps;
  return true;
}

/// n values into one takes n - 1 applications of the reducer.
bool Counter::reduction(const Instruction& instruction, std::uint64_t wanted,
                        const std::vector<const Instruction*>& of, std::vector<Demand>& demands) {
  const auto out = instruction.shape.elements(), in = of[0]->shape.elements();
  if (out == 0 || in % out != 0) return no(unmapped::kContradiction);
  const auto each = in / out;
  for (std::size_t i = 0; i < of.size(); ++i)
    demands[i].elements = i < of.size() / 2 ? times(wanted, each) : 1;
  return reducer(instruction, times(wanted, each == 0 ? 0 : each - 1));
}

/// A window that spans its axis is a running sum, which takes one application for each further
/// element; other windows take one less than they have elements.
bool Counter::windows(const Instruction& instruction, std::uint64_t wanted,
                      const std::vector<const Instruction*>& of, std::vector<Demand>& demands) {
  const auto& window = instruction.more().window;
  const auto& sizes = of[0]->shape.sizes;
  if (window.size() != sizes.size()) return no(unmapped::kContradiction);
  std::uint64_t taps = 1;
  bool running = false;
  for (std::size_t i = 0; i < window.size(); ++i) {
    if (window[i].base_dilation > 1) return no(unmapped::kNotModelled);
    running = running || (window[i].size == sizes[i] && window[i].size > 1 &&
                          (window[i].low > 0 || window[i].high > 0));
    taps = times(taps, window[i].size);
  }
  const bool whole = wanted == instruction.shape.elements();
  for (std::size_t i = 0; i < of.size(); ++i) {
    // Windows with gaps between them leave elements out: then those of the windows, at most.
    const auto touched = times(wanted, running ? 1 : taps);
    demands[i].elements = i >= of.size() / 2 ? 1
                          : whole            ? std::min(of[i]->shape.elements(), touched)
                                             : std::min(of[i]->shape.elements(), taps);
  }
  return reducer(instruction, times(wanted, running ? 1 : taps - 1));
}

/// What only moves elements. `known`: it was one of these.
bool Counter::moves(const Instruction& instruction, std::uint64_t wanted, bool in_place,
                    const std::vector<const Instruction*>& of, std::vector<Demand>& demands,
                    bool& known) {
  const auto opcode = instruction.opcode;
  const auto all = instruction.shape.elements();
  const auto size = [&](std::size_t i) { return of[i]->shape.elements(); };
  // Of n elements of which all but `wanted` results are left out.
  const auto rest = [&](std::uint64_t n) {
    const auto left_out = all - std::min(all, wanted);
    return n > left_out ? n - left_out : 0;
  };
  known = true;
  if (is_one_of(opcode, {"iota", "constant", "partition-id", "replica-id", "after-all"}))
    return true;
  if (opcode == "broadcast" && of.size() == 1) {
    const auto copies = size(0) == 0 ? 1 : std::max<std::uint64_t>(all / size(0), 1);
    demands[0].elements = (wanted + copies - 1) / copies;
  } else if (opcode == "slice" && of.size() == 1) {
    if (wanted == all) demands[0].slices.push_back(&instruction);
    demands[0].elements = wanted;
  } else if (opcode == "pad" && of.size() == 2) {
    demands[0].elements = std::min(size(0), rest(size(0)));
    demands[1].elements = 1;
  } else if (opcode == "concatenate") {
    for (std::size_t i = 0; i < of.size(); ++i) demands[i].elements = rest(size(i));
  } else if (opcode == "dynamic-slice" && !of.empty()) {
    demands[0].elements = wanted;
    for (std::size_t i = 1; i < of.size(); ++i) demands[i].elements = 1;
  } else if (opcode == "dynamic-update-slice" && of.size() >= 2) {
    // In place the array around the slice stays where it is.
    demands[0].elements = in_place ? 0 : rest(all - std::min(all, size(1)));
    demands[1].elements = rest(size(1));
    for (std::size_t i = 2; i < of.size(); ++i) demands[i].elements = 1;
  } else if (opcode == "gather" && of.size() == 2) {
    // The least is that all indices name the same slice.
    std::uint64_t slice = 1;
    for (const auto length : instruction.more().slice_sizes) slice = times(slice, length);
    demands[0].elements = std::min({slice, wanted, size(0)});
    demands[1].elements = wanted == all ? size(1) : 1;
  } else if (opcode == "scatter" && of.size() == 3) {
    demands[0].elements = in_place ? 0 : rest(all - std::min(all, size(2)));
    demands[1].elements = size(1);
    demands[2].elements = size(2);
    return reducer(instruction, size(2));
  } else {
    known = false;
  }
  return true;
}

bool Counter::visit(const Computation& computation, const Instruction& instruction,
                    std::uint64_t wanted, bool in_place, bool index_only,
                    std::vector<Demand>& demands) {
  std::vector<const Instruction*> of;
  for (const auto operand : instruction.operands) of.push_back(&computation.instructions[operand]);
  const auto opcode = instruction.opcode;
  bool known = false;
  if (!moves(instruction, wanted, in_place, of, demands, known)) return false;
  if (known) return true;
  if (opcode == "dot" && of.size() == 2)
    return product(instruction, wanted, *of[0], *of[1], demands);
  if (opcode == "convolution" && of.size() == 2)
    return convolution(instruction, wanted, *of[0], *of[1], demands);
  if (opcode == "reduce" && of.size() >= 2 && of.size() % 2 == 0)
    return reduction(instruction, wanted, of, demands);
  if (opcode == "reduce-window" && of.size() >= 2 && of.size() % 2 == 0)
    return windows(instruction, wanted, of, demands);
  if (is_one_of(opcode, {"fusion", "call", "async-start"}) && instruction.called.size() == 1) {
    const auto whole = instruction.shape.elements();
    return count(module_.computations[instruction.called.front()],
                 instruction.shape.tuple || wanted == whole ? std::nullopt : std::optional(wanted),
                 in_place, demands);
  }
  if (opcode == "map" && !instruction.called.empty()) {
    for (auto& demand : demands) demand.elements = wanted;
    return reducer(instruction, wanted);
  }
  if (opcode == "get-tuple-element" && of.size() == 1) {
    demands[0].elements = of[0]->shape.elements();  // several results are made together
    return true;
  }
  const auto* arithmetic = find_arithmetic(opcode);
  if (!arithmetic) return no(unmapped::kNotModelled);
  for (std::size_t i = 0; i < of.size(); ++i) {
    // A scalar condition or bound serves all elements.
    demands[i].elements = std::min(wanted, of[i]->shape.elements());
    // Of a bitcast to another width.
    if (opcode == "bitcast-convert" && wanted == instruction.shape.elements())
      demands[i].elements = of[i]->shape.elements();
  }
  if (index_only) return true;
  const auto& worked_on = opcode == "compare" && !of.empty() ? *of[0]->shape.type
                          : opcode == "is-finite"            ? *of[0]->shape.type
                                                             : *instruction.shape.type;
  return add_arithmetic(work_, *arithmetic, worked_on, wanted) || no(unmapped::kNotModelled);
}

}  // namespace roofline::hlo
