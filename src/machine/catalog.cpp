#include "roofline/machine/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/architecture_file.hpp"
#include "machine/derived_ceilings.hpp"
#include "machine/embedded_tables.hpp"
#include "machine/gpu_file.hpp"
#include "machine/table_files.hpp"
#include "machine/user_folder.hpp"
#include "roofline/base/archive.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/embedded.hpp"

namespace roofline {
namespace {

constexpr std::size_t kFileLimit = std::size_t{1} << 20;  // bytes; the longest entry of the table has 5 kB

template <class T>
tl::unexpected<Errors> failed(T error) {
  return tl::unexpected(Errors{std::move(error)});
}

/// A packed tree as the document it was. The trees carry no positions: they passed their reader at build time.
Checked<YamlDocument> unpacked(std::string_view bytes, std::string_view name) {
  auto root = unpack(bytes);
  if (!root) return failed(std::move(root.error()));
  return YamlDocument(std::string(name), {}, std::move(*root));
}

Checked<Architecture> embedded_architecture(std::string_view id) {
  const auto ids = embedded::architecture_ids();
  const auto found = std::lower_bound(ids.begin(), ids.end(), id);
  if (found == ids.end() || *found != id) {
    return failed(Error{Code::unknown_name, {}, fmt::format("unknown architecture \"{}\"", id), {}, {}});
  }
  const auto document = unpacked(embedded::architecture_blobs()[static_cast<std::size_t>(found - ids.begin())], id);
  if (!document) return tl::unexpected(document.error());
  return read_architecture(*document, embedded::source_keys());
}

SpecReferences references() { return {embedded::source_keys(), embedded::architecture_ids(), embedded_architecture}; }

Checked<TableDefaults> defaults() {
  const auto document = unpacked(embedded::defaults_blob(), "defaults");
  if (!document) return tl::unexpected(document.error());
  return read_defaults(*document, embedded::source_keys());
}

Checked<Gpu> completed(Checked<Gpu> gpu) {
  if (!gpu) return gpu;
  LaunchFloor floor;
  if (!gpu->launch_floor) {
    const auto table = defaults();
    if (!table) return tl::unexpected(table.error());
    floor = table->launch_floor;
  }
  complete_ceilings(*gpu, floor);
  return gpu;
}

Checked<Gpu> embedded_gpu(std::size_t index) {
  const auto document = unpacked(embedded::gpu_blobs()[index], embedded::gpu_ids()[index]);
  if (!document) return tl::unexpected(document.error());
  return completed(read_gpu(*document, references()));
}

Checked<Gpu> gpu_from_file(const std::string& path) {
  auto text = read_input(path, kFileLimit);
  if (!text) return failed(std::move(text.error()));
  const auto document = read_yaml(std::move(*text), path);
  if (!document) return tl::unexpected(document.error());
  auto gpu = completed(read_gpu(*document, references()));
  if (gpu) gpu->file = path;
  return gpu;
}

/// A path has a slash or names a YAML file, unless it is what a driver says: "AMD Instinct MI250X / MI250".
bool is_path(std::string_view name) {
  const bool looks_so = name.find('/') != std::string_view::npos || name.ends_with(".yaml") || name.ends_with(".yml");
  return looks_so && !is_exact_name(name, embedded::gpu_names());
}

Error ambiguous(std::string_view name, const std::vector<std::string>& candidates) {
  return {Code::ambiguous_gpu, {},
          fmt::format("\"{}\" names {} accelerators: {}", printable(name), candidates.size(), joined(candidates)),
          "name one of them", {}};
}

Error unknown(std::string_view name) {
  const auto ids = embedded::gpu_ids();
  std::string near = did_you_mean(name_key(name), embedded::spelled_names());
  if (near.empty()) near = did_you_mean(lower_case(name), embedded::spelled_names());
  const std::string next = "roofline gpus list shows them all; to describe your own: roofline gpus template > mygpu.yml, "
                           "then --gpu mygpu.yml";
  Error error{Code::unknown_gpu, {}, fmt::format("no GPU \"{}\" in the table ({} known)", printable(name), ids.size()), next, {}};
  if (!near.empty()) {
    error.hint = near;
    error.note = next;
  }
  return error;
}

/// The one file of the user's folder with this name; more than one is an error, none is nothing.
Checked<std::optional<Gpu>> from_user_folder(std::string_view name) {
  const auto files = user_gpu_files(name);
  if (files.empty()) return std::optional<Gpu>();
  if (files.size() > 1) {
    std::vector<std::string> paths;
    for (const UserFile& file : files) paths.push_back(file.path);
    return failed(ambiguous(name, paths));
  }
  auto gpu = gpu_from_file(files.front().path);
  if (!gpu) return tl::unexpected(gpu.error());
  return std::optional<Gpu>(std::move(*gpu));
}

}  // namespace

Checked<Gpu> read_gpu(const YamlDocument& document) { return read_gpu(document, references()); }

Checked<Gpu> find_gpu(std::string_view name) {
  if (is_path(name)) return gpu_from_file(std::string(name));
  auto own = from_user_folder(name);
  if (!own) return tl::unexpected(own.error());
  if (*own) return std::move(**own);
  const auto ids = embedded::gpu_ids();
  const auto found = resolve_name(name, embedded::gpu_names(), ids);
  if (found.empty()) return failed(unknown(name));
  if (found.size() > 1) {
    std::vector<std::string> candidates;
    for (const std::size_t index : found) candidates.emplace_back(ids[index]);
    return failed(ambiguous(name, candidates));
  }
  // "h100" is h100-sxm5-80gb: a file of that name in the user's folder stands for every spelling.
  own = from_user_folder(ids[found.front()]);
  if (!own) return tl::unexpected(own.error());
  if (*own) return std::move(**own);
  return embedded_gpu(found.front());
}

Checked<std::vector<Gpu>> all_gpus() {
  std::vector<Gpu> own;
  Errors errors;
  for (const UserFile& file : user_gpu_files()) {
    auto gpu = gpu_from_file(file.path);
    if (gpu) {
      own.push_back(std::move(*gpu));
    } else {
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
    }
  }
  if (!errors.empty()) return tl::unexpected(errors);
  std::vector<Gpu> gpus;
  const auto ids = embedded::gpu_ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto replaces = [&](const Gpu& gpu) { return gpu.id == ids[i]; };
    if (std::any_of(own.begin(), own.end(), replaces)) continue;
    auto gpu = embedded_gpu(i);
    if (!gpu) return tl::unexpected(gpu.error());
    gpus.push_back(std::move(*gpu));
  }
  std::move(own.begin(), own.end(), std::back_inserter(gpus));
  return gpus;
}

std::span<const std::string_view> gpu_ids() { return embedded::gpu_ids(); }

std::string_view gpu_table_revision() { return embedded::revision(); }

Result<Source> find_source(std::string_view key) {
  const auto keys = embedded::source_keys();
  const auto found = std::lower_bound(keys.begin(), keys.end(), key);
  if (found == keys.end() || *found != key) {
    return fail(Code::unknown_name, {}, fmt::format("unknown source \"{}\"", printable(key)), did_you_mean(key, keys));
  }
  const auto document = unpacked(embedded::source_blobs()[static_cast<std::size_t>(found - keys.begin())], key);
  if (!document) return tl::unexpected(document.error().front());
  auto source = read_one_source(*document, key);
  if (!source) return tl::unexpected(source.error().front());
  return *source;
}

Result<Source> find_source(const Gpu& gpu, std::string_view key) {
  for (const Source& source : gpu.own_sources) {
    if (source.key == key) return source;
  }
  return find_source(key);
}

std::string_view embedded_file(std::string_view name) {
  for (const embedded::Blob& file : embedded::files()) {
    if (file.name == name) return file.bytes;
  }
  return {};
}

}  // namespace roofline
