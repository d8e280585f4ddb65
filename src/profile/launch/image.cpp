#include <fmt/format.h>

#include <filesystem>

#include "roofline/base/input.hpp"
#include "roofline/profile/kernel_launch.hpp"
#include "roofline/profile/nvrtc_api.hpp"

namespace roofline::profile {
namespace {

constexpr std::size_t kMostCode = std::size_t{256} << 20;

std::string resolved(const LaunchJob& job) {
  const std::filesystem::path path = job.recipe.path;
  return path.is_absolute() || job.folder.empty()
             ? path.string()
             : (std::filesystem::path(job.folder) / path).string();
}

Result<LaunchImage> compiled(const LaunchJob& job, std::string path, std::string source,
                             int capability, int cuda_major) {
  const auto compiler = nvrtc::open_compiler(cuda_major);
  if (!compiler) return tl::unexpected(compiler.error());
  auto folder = std::filesystem::path(path).parent_path().string();
  nvrtc::Job work{std::move(source),
                  std::move(path),
                  job.recipe.entry,
                  capability,
                  {folder.empty() ? "." : std::move(folder)},
                  job.recipe.options};
  auto kernel = nvrtc::compile(*compiler, work);
  if (!kernel) return tl::unexpected(std::move(kernel.error()));
  return LaunchImage{std::move(kernel->image), std::move(kernel->name), std::move(kernel->log)};
}

}  // namespace

Result<LaunchImage> load_image(const LaunchJob& job, int capability, int driver_cuda_major) {
  const auto path = resolved(job);
  auto code = read_input(path, kMostCode);
  if (!code) return tl::unexpected(std::move(code.error()));
  if (job.recipe.code == LaunchCode::source)
    return compiled(job, path, std::move(*code), capability, driver_cuda_major);
  return LaunchImage{std::move(*code), job.recipe.entry, {}};
}

}  // namespace roofline::profile
