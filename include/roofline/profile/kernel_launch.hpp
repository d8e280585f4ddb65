#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/kernel/launch_recipe.hpp"
#include "roofline/profile/cuda_api.hpp"

/// Starting one described kernel: compiled or loaded, its tensors allocated and filled, launched
/// and timed.
namespace roofline::profile {

/// Kernels of our own in the launched process; a report leaves out what starts with this.
inline constexpr std::string_view kOwnKernelPrefix = "roofline_internal_";

struct LaunchJob {
  LaunchRecipe recipe;
  std::string folder;      ///< that paths of the recipe are relative to
  std::uint64_t seed = 1;  ///< of the random data: the same seed, the same bytes
  int device = 0;
};

/// What a tensor that is written looked like afterwards.
struct WrittenTensor {
  std::string name;
  double untouched =
      0;  ///< share of its words that still hold what was put there before the launch
};

struct LaunchOutcome {
  std::string function;     ///< its name in the image
  std::string compile_log;  ///< warnings of the compiler
  cuda::DeviceInfo device;
  std::vector<double> seconds;  ///< of each repeat, by events around it: they add some microseconds
  std::vector<WrittenTensor> written;  ///< tensors that are only written
  std::size_t allocated_bytes = 0;
  std::size_t flushed_bytes = 0;  ///< read between cold launches; 0: launches were warm
  int registers = 0, local_bytes = 0, static_shared_bytes = 0;
};

/// The machine code of a recipe for a GPU of `capability` (10 * major + minor): compiled, or the
/// file as it is. Errors: cannot_read, bad_source, no_compiler, unknown_name.
struct LaunchImage {
  std::string bytes, function, log;
};
Result<LaunchImage> load_image(const LaunchJob& job, int capability, int driver_cuda_major);

/// Runs the job. Errors: those of load_image, driver_failed, operands_disagree where the arguments
/// are not those that the kernel takes, out_of_range where the tensors do not fit.
Result<LaunchOutcome> launch_kernel(const cuda::Api& api, const LaunchJob& job);

/// Random elements of a dtype: floating-point values within [-1, 1) without NaN and infinity,
/// integers that small kernels can add up (-8 to 7 of 8 bits and more, any of 4 bits), flags 0 or
/// 1, scales near 1. Fills all of `bytes`; the same seed gives the same bytes.
void fill_random(std::span<unsigned char> bytes, DType dtype, std::uint64_t seed);
/// Integers in [0, below), of an integer dtype.
void fill_indices(std::span<unsigned char> bytes, DType dtype, std::uint64_t below,
                  std::uint64_t seed);

/// An argument as the kernel finds it: `size` bytes, little-endian.
struct ArgumentBytes {
  alignas(8) unsigned char bytes[8] = {};
  std::size_t size = 8;
};
ArgumentBytes argument_bytes(const LaunchArgument& argument, cuda::Address address);

}  // namespace roofline::profile
