#include "profile/capture_header.hpp"

#include <fmt/format.h>

#include <charconv>

#include "roofline/base/text.hpp"
#include "roofline/base/yaml.hpp"

namespace roofline {
namespace {

tl::unexpected<Errors> refuse(const std::string& file, Code code, std::string what,
                              std::string hint = {}) {
  return tl::unexpected(
      Errors{{code, {file, 0, 0, 1, {}, 0}, std::move(what), std::move(hint), {}}});
}

std::string text_of(const YamlNode& map, std::string_view key) {
  const auto* node = map.find(key);
  return node && node->is_scalar() ? node->text : std::string();
}

template <class T>
std::optional<T> number_of(const YamlNode& map, std::string_view key) {
  const auto text = text_of(map, key);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

}  // namespace

Checked<CaptureHeader> read_capture_header(std::string_view line, const std::string& file) {
  if (!line.starts_with('{') || line.find("roofline.capture/") == std::string_view::npos)
    return refuse(file, Code::wrong_type, "this is not a capture of roofline",
                  "a capture begins with a line of JSON that names roofline.capture/1");
  auto document =
      read_yaml(std::string(line), file,
                {.bytes = line.size() + 1, .depth = 8, .alias_nodes = 0, .nodes = 10'000});
  if (!document) return tl::unexpected(std::move(document.error()));
  const auto& map = document->root();
  if (!map.is_map())
    return refuse(file, Code::wrong_type, "the header of this capture is not a JSON object");
  if (const auto schema = text_of(map, "schema"); schema != capture::kSchema)
    return refuse(file, Code::wrong_type,
                  fmt::format("this capture is of schema \"{}\"; {} is read here",
                              printable(schema), capture::kSchema),
                  "a newer roofline wrote it: read it with that one");
  CaptureHeader header{.file = file,
                       .tool_version = {},
                       .host = text_of(map, "host"),
                       .command = text_of(map, "command"),
                       .mode = text_of(map, "mode")};
  if (const auto* tool = map.find("tool"); tool && tool->is_map())
    header.tool_version = text_of(*tool, "version");
  header.pid = number_of<long long>(map, "pid").value_or(0);
  header.parent = number_of<long long>(map, "ppid").value_or(0);
  header.run = number_of<long long>(map, "run").value_or(0);
  header.rank = number_of<long long>(map, "rank");
  header.world_size = number_of<long long>(map, "world_size");
  header.started_unix_ns = number_of<std::uint64_t>(map, "started_unix_ns").value_or(0);
  header.warmups = number_of<std::uint64_t>(map, "warmups");
  header.format = text_of(map, "format");
  header.imported_from = text_of(map, "imported_from");
  header.cut = text_of(map, "cut");
  header.simulated = text_of(map, "simulated") == "true";
  return header;
}

}  // namespace roofline
