#include "kernel/launch_reader.hpp"

#include <algorithm>
#include <array>

#include "kernel/quoted.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostArguments = 1000, kMostBuffers = 1000,
                      kMostOptions = 100;  // CUDA passes 4 kB at most
constexpr Count kMostRepeats = 1'000'000;

constexpr std::array<std::string_view, 9> kTypeNames = {"tensor", "i32",  "u32", "i64", "u64",
                                                        "f16",    "bf16", "f32", "f64"};
constexpr std::array<std::string_view, 3> kFillNames = {"random", "zero", "index"};

bool is_real(ArgumentType type) { return type >= ArgumentType::f16; }

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.'; });
}

/// "2.0f" and "1e-5" are numbers of C; "2" is an integer and "2*N" an expression.
bool is_real_literal(std::string_view text) {
  const bool digits = text.find_first_of("0123456789") != std::string_view::npos;
  const bool allowed = text.find_first_not_of("+-.0123456789eEfF") == std::string_view::npos;
  return digits && allowed && text.find_first_of(".eEfF") != std::string_view::npos;
}

}  // namespace

std::string_view argument_type_name(ArgumentType type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

void LaunchReader::read(const YamlNode& node) {
  YamlMap map(reading_.document(), node, "a launch", reading_.errors());
  if (!map.ok()) return;
  entry_.prototype.launch.emplace_back();
  read_code(map, node);
  const auto* entry = map.need("entry");
  const auto *grid = map.need("grid"), *block = map.need("block");
  const auto *shared = map.find("shared"), *arguments = map.find("args"),
             *buffers = map.find("buffers");
  const auto *warmups = map.find("warmups"), *repeats = map.find("repeats"),
             *cold = map.find("cold");
  const auto* options = map.find("options");
  map.close();
  if (entry)
    recipe().entry =
        read_text(reading_.document(), *entry, "entry", reading_.errors()).value_or("");
  if (cold)
    recipe().cold = read_flag(reading_.document(), *cold, "cold", reading_.errors()).value_or(true);
  read_size(grid, LaunchField::grid, "grid");
  read_size(block, LaunchField::block, "block");
  read_count(shared, LaunchField::shared, "shared", 0);
  read_count(warmups, LaunchField::warmups, "warmups", 0);
  read_count(repeats, LaunchField::repeats, "repeats", 1);
  read_buffers(buffers);
  read_arguments(arguments);
  read_options(options);
}

void LaunchReader::read_code(YamlMap& map, const YamlNode& node) {
  constexpr std::pair<std::string_view, LaunchCode> kCodes[] = {
      {"source", LaunchCode::source}, {"ptx", LaunchCode::ptx}, {"cubin", LaunchCode::cubin}};
  const YamlNode* given = nullptr;
  for (const auto& [key, code] : kCodes) {
    const auto* path = map.find(key);
    if (!path) continue;
    if (given)
      reading_.report(Code::contradiction, *path, "a launch has one of source, ptx and cubin",
                      "keep one of them");
    given = path;
    recipe().code = code;
    recipe().path = read_text(reading_.document(), *path, key, reading_.errors()).value_or("");
  }
  if (!given)
    reading_.report(Code::missing_key, node, "a launch needs the code of its kernel",
                    "source: k.cu, ptx: k.ptx or cubin: k.cubin, relative to this file");
}

void LaunchReader::read_size(const YamlNode* node, LaunchField field, std::string_view what) {
  if (!node) return;
  if (!node->is_list()) return read_count(node, field, what, 1);
  if (node->items.empty() || node->items.size() > 3)
    return reading_.report(
        Code::wrong_type, *node,
        std::string(what) + " has " + std::to_string(node->items.size()) + " sizes",
        "one to three: x, y and z, as in [ceil_div(N, 256), 1, 1]");
  for (std::size_t i = 0; i < node->items.size(); ++i)
    read_count(&node->items[i], field, what, 1, static_cast<int>(i));
}

void LaunchReader::read_count(const YamlNode* node, LaunchField field, std::string_view what,
                              Count minimum, int index) {
  if (!node) return;
  auto expression = read_expression(reading_, *node, what, scope_);
  if (!expression) return;
  add_slot(reading_, values_,
           {std::move(*expression),
            Slot::Target::launch,
            {static_cast<int>(field), index},
            2,
            what,
            minimum},
           entry_);
}

// ---------------------------------------------------------------- arguments

void LaunchReader::read_arguments(const YamlNode* node) {
  if (!node || node->is_null()) return;
  if (!node->is_list())
    return reading_.report_kind(*node, "args", "a list, in the order of the kernel's parameters",
                                "args: [x, y, N, 2.0f]");
  if (node->items.size() > kMostArguments)
    return reading_.report(Code::limit_exceeded, *node,
                           "more than " + std::to_string(kMostArguments) + " arguments");
  for (const auto& item : node->items) read_argument(item);
}

void LaunchReader::read_argument(const YamlNode& node) {
  if (node.is_map()) return read_typed(node);
  if (!node.is_scalar() || node.text.empty())
    return reading_.report_kind(node, "an argument",
                                "a tensor, a number, an expression or {type: value}",
                                "args: [x, y, N, 2.0f, {i64: N*N}]");
  const auto text = trimmed(node.text);
  const bool variable =
      std::find(scope_.names.begin(), scope_.names.end(), text) != scope_.names.end();
  if (is_real_literal(text)) {
    const bool single = text.back() == 'f' || text.back() == 'F';
    const auto value = parse_number(single ? text.substr(0, text.size() - 1) : text);
    if (!value) return reading_.report_inside(node, value.error());
    return add_argument({single ? ArgumentType::f32 : ArgumentType::f64, {}, {}, *value}, node);
  }
  if (is_identifier(text) && !variable)
    return add_argument({ArgumentType::tensor, std::string(text), {}, 0}, node);
  read_integer(node, ArgumentType::i32);
}

void LaunchReader::read_typed(const YamlNode& node) {
  const auto known = std::span(kTypeNames).subspan(1);
  if (node.keys.size() != 1)
    return reading_.report_kind(node, "an argument", "one type and its value",
                                "{i64: N*N} or {f32: 0.5}");
  const auto& key = node.keys.front();
  const auto& value = node.items.front();
  const auto found = std::find(known.begin(), known.end(), key.text);
  if (found == known.end())
    return reading_.report(
        Code::unknown_name, key, "unknown type " + quoted(key.text) + " of an argument",
        "one of i32, u32, i64, u64, f16, bf16, f32 and f64; a tensor is its name alone");
  const auto type = static_cast<ArgumentType>(found - known.begin() + 1);
  if (!is_real(type)) return read_integer(value, type);
  const auto number = value.is_scalar() ? parse_number(value.text) : parse_number("");
  if (!number) return reading_.report_kind(value, key.text, "a decimal number", "{f32: 0.5}");
  add_argument({type, {}, {}, *number}, value);
}

void LaunchReader::read_integer(const YamlNode& node, ArgumentType type) {
  const auto index = static_cast<int>(recipe().arguments.size());
  add_argument({type, {}, {}, 0}, node);
  read_count(&node, LaunchField::argument, "an argument", kAnyInteger, index);
}

void LaunchReader::add_argument(LaunchArgument argument, const YamlNode& node) {
  recipe().arguments.push_back(std::move(argument));
  entry_.launch_places.push_back(Place::of(node));
}

// ---------------------------------------------------------------- buffers and options

void LaunchReader::read_buffers(const YamlNode* node) {
  if (!node || node->is_null()) return;
  if (!node->is_map())
    return reading_.report_kind(*node, "buffers", "a map of names",
                                "buffers: {workspace: {bytes: 4*N, fill: zero}}");
  if (node->keys.size() > kMostBuffers)
    return reading_.report(Code::limit_exceeded, *node,
                           "more than " + std::to_string(kMostBuffers) + " buffers");
  for (std::size_t i = 0; i < node->keys.size(); ++i) read_buffer(node->keys[i], node->items[i]);
}

void LaunchReader::read_buffer(const YamlNode& key, const YamlNode& node) {
  YamlMap map(reading_.document(), node, "a buffer", reading_.errors());
  if (!map.ok()) return;
  const auto index = static_cast<int>(recipe().buffers.size());
  auto& buffer = recipe().buffers.emplace_back();
  buffer.name = key.text;
  buffer.fill = Fill::zero;
  const auto *bytes = map.need("bytes"), *dtype = map.find("dtype"), *fill = map.find("fill"),
             *below = map.find("below");
  const auto* access = map.find("access");
  map.close();
  read_count(bytes, LaunchField::buffer_bytes, "bytes", 1, index);
  if (dtype) buffer.dtype = read_dtype(reading_, *dtype).value_or(DType::fp32);
  if (fill)
    if (const auto choice = read_choice(reading_, *fill, "fill", kFillNames))
      buffer.fill = static_cast<Fill>(*choice);
  constexpr std::array<std::string_view, 3> kAccesses = {"read", "write", "readwrite"};
  if (access)
    if (const auto choice = read_choice(reading_, *access, "access", kAccesses)) {
      buffer.reads = *choice != 1;
      buffer.writes = *choice != 0;
    }
  if (buffer.fill == Fill::index && !below)
    reading_.report(Code::missing_key, node,
                    "indices need \"below\": the number of things they choose from",
                    "{bytes: 4*T, dtype: int32, fill: index, below: V}");
  read_count(below, LaunchField::buffer_below, "below", 1, index);
}

void LaunchReader::read_options(const YamlNode* node) {
  if (!node) return;
  auto options = read_names(reading_.document(), *node, "options", reading_.errors());
  if (!options) return;
  if (recipe().code != LaunchCode::source)
    return reading_.report(Code::contradiction, *node,
                           "options are those of the compiler, and nothing is compiled here",
                           "source: takes options; ptx: and cubin: are compiled already");
  if (options->size() > kMostOptions)
    return reading_.report(Code::limit_exceeded, *node,
                           "more than " + std::to_string(kMostOptions) + " options");
  recipe().options = std::move(*options);
}

}  // namespace roofline
