#include <algorithm>
#include <charconv>

#include "ingest/hlo/module.hpp"
#include "ingest/hlo/text_walk.hpp"
#include "roofline/base/text.hpp"

/// HLO as XLA prints it (HloModule::ToString; xla/hlo/parser/hlo_parser.cc reads it).
namespace roofline::hlo {
namespace {

constexpr int kDeepest = 16;  // of tuples in tuples

/// "f32[8,128]{1,0}" or "(f32[], s32[2])".
bool take_shape(TextWalk& walk, Shape& shape, int depth = 0) {
  if (walk.take("(")) {
    if (depth == kDeepest) return false;
    shape.type = find_type("tuple");
    shape.tuple = true;
    while (!walk.take(")")) {
      if (!shape.parts.empty() && !walk.take(",")) return false;
      if (!take_shape(walk, shape.parts.emplace_back(), depth + 1)) return false;
    }
    return true;
  }
  const auto name = walk.word();
  shape.type = find_type(name);
  if (name.empty() || !walk.take("[")) return false;
  while (!walk.take("]")) {
    walk.take(",");
    walk.take("<=");  // a size that may be smaller
    const auto size = walk.whole();
    if (!size) return false;
    shape.sizes.push_back(*size);
  }
  if (walk.rest().starts_with("{")) walk.bracketed();  // the layout
  return true;
}

std::vector<std::uint64_t> numbers(std::string_view text) {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < text.size();) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (error != std::errc()) {
      ++i;
      continue;
    }
    all.push_back(value);
    i = static_cast<std::size_t>(end - text.data());
  }
  return all;
}

/// "size=3x3 stride=2x2 pad=1_1x0_1 rhs_dilate=2x2": what is not said is 1, or no padding.
std::vector<WindowAxis> window_of(std::string_view text) {
  std::vector<WindowAxis> axes;
  const auto each = [](std::string_view list, const auto& take) {
    for (std::size_t i = 0; !list.empty(); ++i) {
      const auto item = list.substr(0, list.find('x'));
      take(i, item);
      list.remove_prefix(std::min(item.size() + 1, list.size()));
    }
  };
  const auto whole = [](std::string_view word) {
    std::int64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  };
  while (!(text = trimmed(text)).empty()) {
    const auto item = text.substr(0, text.find(' '));
    text.remove_prefix(item.size());
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = item.substr(0, equals);
    each(item.substr(equals + 1), [&](std::size_t i, std::string_view value) {
      if (key == "size") axes.emplace_back();
      if (i >= axes.size()) return;
      auto& axis = axes[i];
      const auto number = static_cast<std::uint64_t>(std::max<std::int64_t>(whole(value), 0));
      if (key == "size") axis.size = number;
      if (key == "stride") axis.stride = number;
      if (key == "rhs_dilate") axis.dilation = number;
      if (key == "lhs_dilate") axis.base_dilation = number;
      const auto bar = value.find('_');
      if (key != "pad" || bar == std::string_view::npos) return;
      axis.low = whole(value.substr(0, bar));
      axis.high = whole(value.substr(bar + 1));
    });
  }
  return axes;
}

/// "b01f_01io->b01f": the axes of input, kernel and output by their letters.
void read_labels(std::string_view text, Details& details) {
  const auto bar = text.find('_'), arrow = text.find("->");
  if (bar == std::string_view::npos || arrow == std::string_view::npos || arrow < bar) return;
  const auto spatial = [](std::string_view labels, std::vector<std::uint64_t>& axes) {
    for (char axis = '0'; axis <= '9'; ++axis)
      if (const auto at = labels.find(axis); at != std::string_view::npos) axes.push_back(at);
  };
  const auto place = [](std::string_view labels, char label) {
    return static_cast<std::uint64_t>(labels.find(label));  // past all axes where there is none
  };
  const auto input = text.substr(0, bar), kernel = text.substr(bar + 1, arrow - bar - 1),
             output = text.substr(arrow + 2);
  spatial(input, details.input_spatial);
  spatial(kernel, details.kernel_spatial);
  spatial(output, details.output_spatial);
  details.input_batch = place(input, 'b');
  details.input_feature = place(input, 'f');
  details.kernel_input = place(kernel, 'i');
  details.kernel_output = place(kernel, 'o');
  details.output_batch = place(output, 'b');
  details.output_feature = place(output, 'f');
}

/// "{[0:64], [2:10:2]}".
void read_slices(std::string_view text, Details& details) {
  TextWalk walk(text);
  while (!walk.done()) {
    const auto one = numbers(walk.piece());
    if (one.size() >= 2)
      details.slices.push_back({one[0], one[1], one.size() > 2 ? one[2] : std::uint64_t{1}});
  }
}

/// "{{0,1},{2,3}}" or "[2,4]<=[8]": devices of one group.
std::uint64_t group_size(std::string_view text) {
  if (text.starts_with('{')) {
    const auto open = text.find('{', 1), close = text.find('}');
    if (open == std::string_view::npos || close < open) return 0;
    return numbers(text.substr(open, close - open)).size();
  }
  const auto sizes = numbers(text.substr(0, text.find("<=")));
  return sizes.size() == 2 ? sizes[1] : 0;
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"'
             ? text.substr(1, text.size() - 2)
             : text;
}
std::string_view unbraced(std::string_view text) {
  return text.size() >= 2 && text.front() == '{' ? text.substr(1, text.size() - 2) : text;
}

class Reader {
 public:
  bool read(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      if (!line(trimmed(text.substr(0, end)))) return false;
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    module_.index();
    return !open_ && !module_.computations.empty();
  }
  /// An instruction alone: its operands, which must have shapes, become parameters.
  bool read_alone(std::string_view text) {
    alone_ = true;
    module_.computations.emplace_back();
    if (!instruction(trimmed(text))) return false;
    now().root = static_cast<std::uint32_t>(now().instructions.size() - 1);
    module_.index();
    return true;
  }
  Module module_;

 private:
  bool line(std::string_view line) {
    constexpr std::string_view kModule = "HloModule ";
    if (line.starts_with(kModule)) {
      TextWalk walk(line.substr(kModule.size()));
      module_.name = walk.word();
      return true;
    }
    if (line.empty() || line.starts_with("//")) return true;
    if (line == "}") {
      if (!open_) return true;
      open_ = false;
      known_computations_.try_emplace(now().name, module_.computations.size() - 1);
      return !now().instructions.empty();
    }
    if (open_) return instruction(line);
    if (!line.ends_with('{')) return true;  // tables of names of files, before the computations
    TextWalk walk(line);
    walk.take("ENTRY ");
    open_ = true;
    known_.clear();
    module_.computations.emplace_back().name = walk.word();
    return !now().name.empty();
  }
  Computation& now() { return module_.computations.back(); }

  bool instruction(std::string_view line) {
    if (++instructions_ > kMostInstructions) return false;
    TextWalk walk(line);
    const bool root = walk.take("ROOT ");
    Instruction made;
    made.name = walk.word();
    if (made.name.empty() || !walk.take("=") || !take_shape(walk, made.shape)) return false;
    walk.take(" ");
    made.opcode = walk.word();
    const auto operands = walk.bracketed();
    if (made.opcode.empty() || !operands) return false;
    if (made.opcode == "parameter")
      made.number = TextWalk(*operands).whole().value_or(0);
    else if (made.opcode != "constant" && !take_operands(*operands, made))
      return false;
    while (!walk.done()) {
      walk.take(",");
      if (!attribute(walk.piece(), made)) return false;
    }
    const auto place = static_cast<std::uint32_t>(now().instructions.size());
    if (root) now().root = place;
    known_.try_emplace(made.name, place);
    now().instructions.push_back(std::move(made));
    return true;
  }

  /// Names of instructions before this one, with their shapes or without.
  bool take_operands(std::string_view text, Instruction& made) {
    TextWalk list(text);
    while (!list.done()) {
      const auto piece = list.piece();
      const auto space = piece.rfind(' ');
      TextWalk walk(space == std::string_view::npos ? piece : piece.substr(space + 1));
      const auto name = walk.word();
      auto at = known_.find(name);
      if (at == known_.end() && alone_ && space != std::string_view::npos) {
        Instruction parameter;
        parameter.name = name;
        parameter.opcode = "parameter";
        parameter.number = now().instructions.size();
        TextWalk shape(piece.substr(0, space));
        if (name.empty() || !take_shape(shape, parameter.shape)) return false;
        at = known_.try_emplace(name, static_cast<std::uint32_t>(now().instructions.size())).first;
        now().instructions.push_back(std::move(parameter));
      }
      if (at == known_.end()) return false;
      made.operands.push_back(at->second);
    }
    return true;
  }

  bool attribute(std::string_view text, Instruction& made) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) return true;
    const auto key = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
    const auto details = [&]() -> Details& {
      if (!made.details) made.details = std::make_unique<Details>();
      return *made.details;
    };
    if (key == "calls" || key == "to_apply") {
      const auto at = known_computations_.find(TextWalk(value).word());
      if (at == known_computations_.end()) return alone_;  // it is not in the text
      made.called.push_back(static_cast<std::uint32_t>(at->second));
    } else if (key == "index") {
      made.number = TextWalk(value).whole().value_or(0);
    } else if (key == "dimensions") {
      details().dimensions = numbers(value);
    } else if (key == "slice") {
      read_slices(unbraced(value), details());
    } else if (key == "slice_sizes") {
      details().slice_sizes = numbers(value);
    } else if (key == "lhs_contracting_dims") {
      details().lhs_contract = numbers(value);
    } else if (key == "window") {
      details().window = window_of(unbraced(value));
    } else if (key == "dim_labels") {
      read_labels(value, details());
    } else if (key == "feature_group_count") {
      details().groups = TextWalk(value).whole().value_or(1);
    } else if (key == "batch_group_count") {
      details().batch_groups = TextWalk(value).whole().value_or(1);
    } else if (key == "replica_groups") {
      details().group_size = group_size(value);
    } else if (key == "unique_indices") {
      details().unique_indices = value == "true";
    } else if (key == "sparsity") {
      details().sparse = true;
    } else if (key == "custom_call_target") {
      details().target = unquoted(value);
    } else if (key == "backend_config") {
      details().backend_config = unquoted(value);
    }
    return true;
  }

  bool open_ = false, alone_ = false;
  std::size_t instructions_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> known_;
  std::unordered_map<std::string_view, std::size_t> known_computations_;
};

}  // namespace

std::optional<Module> read_text(std::string_view text) {
  Reader reader;
  if (!reader.read(text)) return std::nullopt;
  return std::move(reader.module_);
}

std::optional<Module> read_instruction(std::string_view text) {
  Reader reader;
  if (!reader.read_alone(text)) return std::nullopt;
  return std::move(reader.module_);
}

}  // namespace roofline::hlo
