#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/quantities/count.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline {

/// What a launched kernel is loaded from.
enum class LaunchCode { source, ptx, cubin };

/// C types of a kernel's parameters. A tensor is a pointer to its first element.
enum class ArgumentType { tensor, i32, u32, i64, u64, f16, bf16, f32, f64 };
std::string_view argument_type_name(ArgumentType type);

struct LaunchArgument {
  ArgumentType type = ArgumentType::tensor;
  std::string tensor;  ///< its name, of a tensor
  Count integer;       ///< of an integer type
  double real = 0;     ///< of a floating-point type
};

/// What a tensor holds before the first launch.
enum class Fill { random, zero, index };

/// A tensor that is allocated for the launch.
struct LaunchTensor {
  std::string name;
  Count bytes;
  DType dtype = DType::fp32;
  bool reads = true,
       writes = false;  ///< one that is only written is poisoned, and checked to be written
  Fill fill = Fill::random;
  Count below = 0;  ///< of an index: values are in [0, below)
};

/// `launch:` of an entry: how the kernel that it describes is started (docs/kernels.md), every
/// expression evaluated.
struct LaunchRecipe {
  LaunchCode code = LaunchCode::source;
  std::string path;   ///< as written: relative to the description's folder
  std::string entry;  ///< "scale<float, 4>" in a source, the name in the image otherwise
  std::array<Count, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  Count shared_bytes = 0;  ///< dynamic
  std::vector<LaunchArgument> arguments;
  std::vector<std::string> options;  ///< of the compiler: "-DTILE=64"
  bool cold = true;                  ///< L2 is flushed before every launch
  Count warmups = 3, repeats = 20;
  std::vector<LaunchTensor> tensors;  ///< those that arguments name, each once, in their order
  std::vector<LaunchTensor>
      buffers;  ///< `buffers:`: tensors that the description's op does not have
};

}  // namespace roofline
