#include "roofline/base/pattern.hpp"

#include <utility>
#include <vector>

#include "base/pattern_syntax.hpp"

namespace roofline {
namespace {

/// One step of the machine that runs all ways to match at once (Thompson, CACM 11(6), 1968).
struct Step {
  enum class Kind : unsigned char { set, split, jump, begin, end, word_edge, not_word_edge, match };
  Kind kind = Kind::match;
  int next = 0, other = 0;  ///< other: the second way of a split, or the number of the set
};

}  // namespace

struct Pattern::Program {
  std::vector<Step> steps;
  std::vector<ByteSet> sets;
  bool anchored = false;  ///< can match at the beginning only
  ByteSet first;          ///< of a search: where no such byte stands no match begins
};

namespace {

/// Writes the steps of a tree, at most kMostPatternSteps of them.
class Compiler {
 public:
  Compiler(const PatternTree& tree, std::vector<Step>& steps, std::vector<ByteSet>& sets)
      : tree_(tree), steps_(steps), sets_(sets) {}

  bool compile() {
    emit(tree_.root);
    put({Step::Kind::match});
    return !overflowed_;
  }

 private:
  using Kind = PatternNode::Kind;

  int here() const { return static_cast<int>(steps_.size()); }
  int put(Step step) {
    if (steps_.size() >= kMostPatternSteps) {
      overflowed_ = true;
      return 0;
    }
    step.next = here() + 1;
    steps_.push_back(step);
    return here() - 1;
  }

  void emit(int index) {
    if (overflowed_) return;
    const auto& node = tree_.nodes[static_cast<std::size_t>(index)];
    switch (node.kind) {
      case Kind::empty: return;
      case Kind::set:
        sets_.push_back(node.set);
        put({Step::Kind::set, 0, static_cast<int>(sets_.size()) - 1});
        return;
      case Kind::begin: put({Step::Kind::begin}); return;
      case Kind::end: put({Step::Kind::end}); return;
      case Kind::word_edge: put({Step::Kind::word_edge}); return;
      case Kind::not_word_edge: put({Step::Kind::not_word_edge}); return;
      case Kind::sequence:
        for (const int part : node.parts) emit(part);
        return;
      case Kind::either: return emit_either(node);
      case Kind::repeat: return emit_repeat(node);
    }
  }

  void emit_either(const PatternNode& node) {
    std::vector<int> jumps;
    for (std::size_t i = 0; i < node.parts.size() && !overflowed_; ++i) {
      const bool last = i + 1 == node.parts.size();
      const int split = last ? 0 : put({Step::Kind::split});
      emit(node.parts[i]);
      if (last) break;
      jumps.push_back(put({Step::Kind::jump}));
      at(split).other = here();
    }
    for (const int jump : jumps) at(jump).next = here();
  }

  void emit_repeat(const PatternNode& node) {
    for (int i = 0; i < node.least && !overflowed_; ++i) emit(node.parts.front());
    if (node.most < 0) {
      const int split = put({Step::Kind::split});
      emit(node.parts.front());
      at(put({Step::Kind::jump})).next = split;
      at(split).other = here();
      return;
    }
    std::vector<int> splits;
    for (int i = node.least; i < node.most && !overflowed_; ++i) {
      splits.push_back(put({Step::Kind::split}));
      emit(node.parts.front());
    }
    for (const int split : splits) at(split).other = here();
  }

  Step& at(int index) { return steps_[static_cast<std::size_t>(index)]; }

  const PatternTree& tree_;
  std::vector<Step>& steps_;
  std::vector<ByteSet>& sets_;
  bool overflowed_ = false;
};

/// The steps that wait for the next byte, each once.
class Machine {
 public:
  Machine(const std::vector<Step>& steps, std::string_view text)
      : steps_(steps), text_(text), seen_(steps.size(), 0) {}

  /// Follows everything that needs no byte from `step` at `offset`. True: the pattern matched.
  bool enter(int step, std::size_t offset, std::vector<int>& waiting) {
    open_.assign(1, step);
    while (!open_.empty()) {
      const int index = open_.back();
      open_.pop_back();
      auto& mark = seen_[static_cast<std::size_t>(index)];
      if (mark == offset + 1) continue;
      mark = offset + 1;
      const auto& s = steps_[static_cast<std::size_t>(index)];
      if (s.kind == Step::Kind::match) return true;
      if (s.kind == Step::Kind::set) {
        waiting.push_back(index);
        continue;
      }
      if (s.kind == Step::Kind::split) open_.push_back(s.other);
      if (holds(s.kind, offset)) open_.push_back(s.next);
    }
    return false;
  }

 private:
  bool holds(Step::Kind kind, std::size_t offset) const {
    switch (kind) {
      case Step::Kind::begin: return offset == 0;
      case Step::Kind::end: return offset == text_.size();
      case Step::Kind::word_edge: return edge(offset);
      case Step::Kind::not_word_edge: return !edge(offset);
      default: return true;
    }
  }
  bool edge(std::size_t offset) const {
    const auto is_word = [&](std::size_t i) {
      return i < text_.size() && words_.test(static_cast<unsigned char>(text_[i]));
    };
    return (offset > 0 && is_word(offset - 1)) != is_word(offset);
  }

  const std::vector<Step>& steps_;
  std::string_view text_;
  std::vector<std::size_t> seen_;  // offset + 1 at which a step was last entered
  std::vector<int> open_;
  ByteSet words_ = word_bytes();
};

/// The bytes that a match can begin with; all of them where it may have none.
ByteSet first_bytes(const std::vector<Step>& steps, const std::vector<ByteSet>& sets) {
  ByteSet first;
  std::vector<char> seen(steps.size(), 0);
  for (std::vector<int> open = {0}; !open.empty();) {
    const auto index = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (std::exchange(seen[index], 1) != 0) continue;
    const auto& step = steps[index];
    if (step.kind == Step::Kind::match) return ByteSet().set();
    if (step.kind == Step::Kind::set) {
      first |= sets[static_cast<std::size_t>(step.other)];
      continue;
    }
    if (step.kind == Step::Kind::split) open.push_back(step.other);
    open.push_back(step.next);
  }
  return first;
}

bool starts_at_beginning(const PatternTree& tree) {
  const auto* node = &tree.nodes[static_cast<std::size_t>(tree.root)];
  while (node->kind == PatternNode::Kind::sequence && !node->parts.empty())
    node = &tree.nodes[static_cast<std::size_t>(node->parts.front())];
  return node->kind == PatternNode::Kind::begin;
}

}  // namespace

Pattern::Pattern(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

namespace {

Error too_large() {
  return {
      Code::limit_exceeded, {}, "the pattern is too large: fewer or smaller repetitions", {}, {}};
}

}  // namespace

Result<Pattern> Pattern::glob(std::string_view text) {
  const auto tree = parse_glob(text);
  if (!tree) return tl::unexpected(tree.error());
  auto program = std::make_shared<Program>();
  if (!Compiler(*tree, program->steps, program->sets).compile()) return tl::unexpected(too_large());
  program->anchored = true;
  return Pattern(std::move(program));
}

Result<Pattern> Pattern::regex(std::string_view text) {
  const auto tree = parse_regex(text);
  if (!tree) return tl::unexpected(tree.error());
  auto program = std::make_shared<Program>();
  if (!Compiler(*tree, program->steps, program->sets).compile()) return tl::unexpected(too_large());
  program->anchored = starts_at_beginning(*tree);
  program->first = first_bytes(program->steps, program->sets);
  return Pattern(std::move(program));
}

bool Pattern::matches(std::string_view text) const {
  const auto& program = *program_;
  Machine machine(program.steps, text);
  std::vector<int> waiting, next;
  for (std::size_t offset = 0; offset <= text.size(); ++offset) {
    const bool begins = program.anchored ? offset == 0
                        : offset < text.size()
                            ? program.first.test(static_cast<unsigned char>(text[offset]))
                            : program.first.all();
    if (begins && machine.enter(0, offset, waiting)) return true;
    if (offset == text.size() || (waiting.empty() && program.anchored)) return false;
    next.clear();
    for (const int index : waiting) {
      const auto& step = program.steps[static_cast<std::size_t>(index)];
      if (program.sets[static_cast<std::size_t>(step.other)].test(
              static_cast<unsigned char>(text[offset])) &&
          machine.enter(step.next, offset + 1, next))
        return true;
    }
    waiting.swap(next);
  }
  return false;
}

}  // namespace roofline
