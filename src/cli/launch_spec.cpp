#include "cli/launch_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/job.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/profile/kernel_launch.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  std::string file, name;  ///< name empty: the only one that can be launched
};

Wanted split(const std::string& spec) {
  const auto hash = spec.rfind('#');
  if (hash == std::string::npos) return {spec, {}};
  return {spec.substr(0, hash), spec.substr(hash + 1)};
}

Error in_file(const Wanted& wanted, Code code, std::string what, std::string hint) {
  return {code, {wanted.file, 0, 0, 1, {}, 0}, std::move(what), std::move(hint), {}};
}

Result<Kernel> choose(const Wanted& wanted, std::vector<Kernel>& kernels) {
  std::vector<std::string> names;
  Kernel* chosen = nullptr;
  for (auto& kernel : kernels) {
    if (!wanted.name.empty() && kernel.name == wanted.name && kernel.launch.empty())
      return tl::unexpected(
          Error{Code::missing_key,
                kernel.where,
                "\"" + kernel.name + "\" has no launch: that says how to start it",
                "launch: {source: k.cu, entry: k, grid: 1024, block: 256, args: [x, y]}",
                {}});
    if (kernel.launch.empty()) continue;
    names.push_back(kernel.name);
    if (wanted.name.empty() || kernel.name == wanted.name) chosen = &kernel;
  }
  const bool one = wanted.name.empty() ? names.size() == 1 : chosen != nullptr;
  if (one) return std::move(*chosen);
  if (names.empty())
    return tl::unexpected(in_file(
        wanted, Code::missing_key, "no kernel of this file has launch:, which says how to start it",
        "launch: {source: k.cu, entry: k, grid: 1024, block: 256, args: [x, y]}; or profile your "
        "own program: roofline profile --spec FILE -- ./program"));
  if (wanted.name.empty())
    return tl::unexpected(in_file(wanted, Code::contradiction,
                                  "several kernels of this file can be launched: " + joined(names),
                                  fmt::format("name one: {}#{}", wanted.file, names.front())));
  return tl::unexpected(in_file(wanted, Code::unknown_name,
                                "no kernel \"" + wanted.name + "\" can be launched",
                                "those with launch: are " + joined(names)));
}

Checked<Kernel> read_wanted(const Wanted& wanted) {
  const auto document = read_document(wanted.file);
  if (!document) return tl::unexpected(document.error());
  const auto file = KernelFile::read(*document);
  if (!file) return tl::unexpected(file.error());
  if (file->points() > Count(1))
    return tl::unexpected(
        Errors{in_file(wanted, Code::contradiction,
                       fmt::format("the description sweeps {} points, and one launch has one size",
                                   file->points().to_string()),
                       "give each variable of params: one value")});
  Workload workload;
  if (auto errors = file->evaluate(0, workload); !errors.empty())
    return tl::unexpected(std::move(errors));
  auto kernel = choose(wanted, workload.kernels);
  if (!kernel) return tl::unexpected(Errors{std::move(kernel.error())});
  return std::move(*kernel);
}

/// The machine code for GPU 0 of this machine.
Result<profile::LaunchImage> compile(const Wanted& wanted, const Kernel& kernel) {
  const auto api = cuda::open_driver();
  if (!api) return tl::unexpected(api.error());
  if (const auto status = api->init(0); status != 0)
    return tl::unexpected(cuda::init_error(*api, status));
  const auto devices = cuda::list_devices(*api);
  if (!devices) return tl::unexpected(devices.error());
  int version = 0;
  if (api->driver_version(&version) != 0) version = 0;
  const auto& device = devices->front();
  profile::LaunchJob job{kernel.launch.front(), fs::path(wanted.file).parent_path().string(), 1, 0};
  return profile::load_image(job, 10 * device.capability_major + device.capability_minor,
                             version / 1000);
}

MeasureRequest filled(MeasureRequest request, const Wanted& wanted, const Kernel& kernel,
                      const std::string& image, const std::string& function) {
  request.command = {own_program(), std::string(kLaunchWord), wanted.file, kernel.name, image,
                     function};
  request.label = wanted.file + "#" + kernel.name;
  request.spec = request.label;
  // Launches to warm up find their data in L2, whatever `cold` says: no counter may look at them.
  request.warmups = static_cast<std::uint64_t>(kernel.launch.front().warmups.to_int64());
  if (!request.skip) request.skip = request.warmups;
  const auto own = std::string(profile::kOwnKernelPrefix);
  request.exclude =
      (request.exclude.empty() ? std::string(profile::plugin::kDefaultExclude) : request.exclude) +
      "," + own;
  if (request.filter.empty()) request.filter = canonical_name(function);
  return request;
}

}  // namespace

Checked<PreparedLaunch> prepare_launch(const std::string& spec, MeasureRequest base) {
  const auto wanted = split(spec);
  const auto kernel = read_wanted(wanted);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto image = compile(wanted, *kernel);
  if (!image) return tl::unexpected(Errors{image.error()});
  auto folder = TemporaryFolder::make("roofline-launch");
  if (!folder) return tl::unexpected(Errors{std::move(folder.error())});
  const auto path = folder->path() + "/kernel.image";
  if (auto written = write_atomically(path, image->bytes); !written)
    return tl::unexpected(Errors{std::move(written.error())});
  return PreparedLaunch{filled(std::move(base), wanted, *kernel, path, image->function),
                        std::move(*folder)};
}

}  // namespace roofline::cli
