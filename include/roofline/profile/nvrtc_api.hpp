#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"

/// NVIDIA's runtime compiler, opened while the program runs: it comes with the CUDA toolkit and
/// with the wheels of frameworks, and only `launch: {source: k.cu}` needs it.
namespace roofline::nvrtc {

using Status = int;  ///< nvrtcResult: 0 is success, 6 a compile error
using Program = struct ProgramTag*;

struct Api {
  std::string path;
  int major = 0, minor = 0;
  Status (*version)(int* major, int* minor) = nullptr;
  const char* (*error_text)(Status status) = nullptr;
  Status (*create)(Program* program, const char* source, const char* name, int headers,
                   const char* const* contents, const char* const* names) = nullptr;
  Status (*destroy)(Program* program) = nullptr;
  Status (*compile)(Program program, int count, const char* const* options) = nullptr;
  Status (*log_size)(Program program, std::size_t* size) = nullptr;
  Status (*log)(Program program, char* text) = nullptr;
  Status (*add_name)(Program program, const char* expression) = nullptr;
  Status (*lowered_name)(Program program, const char* expression, const char** name) = nullptr;
  Status (*ptx_size)(Program program, std::size_t* size) = nullptr;
  Status (*ptx)(Program program, char* text) = nullptr;
  Status (*cubin_size)(Program program, std::size_t* size) = nullptr;
  Status (*cubin)(Program program, char* bytes) = nullptr;
  Status (*arch_count)(int* count) = nullptr;
  Status (*archs)(int* archs) = nullptr;
};

/// Opens the newest libnvrtc that is not newer than `driver_cuda_major` (0: any): by the loader's
/// path, then toolkit folders ($CUDA_PATH, $CUDA_HOME, /usr/local/cuda*). Errors: no_compiler.
Result<Api> open_compiler(int driver_cuda_major);

/// What to compile: one kernel of a source text, for the GPU that it will run on.
struct Job {
  std::string source, file;          ///< `file` stands in messages, as the user wrote it
  std::string entry;                 ///< "axpy", "ns::scale<float, 4>"
  int capability = 90;               ///< 10 * major + minor
  std::vector<std::string> folders;  ///< for #include "..."
  std::vector<std::string> options;  ///< the user's: "-DTILE=64"
};
struct Kernel {
  std::string image;  ///< a cubin, or PTX where this compiler does not know the GPU (NUL-terminated
                      ///< by std::string)
  std::string name;   ///< of the entry in the image
  std::string log;    ///< warnings
  bool is_ptx = false;
};

/// Compiles `job`. Errors: bad_source with the place of the first error in the file and the
/// compiler's log as a note; unknown_name where the entry is not a __global__ function of the
/// source; no_compiler where the compiler itself fails.
Result<Kernel> compile(const Api& api, const Job& job);

/// "--gpu-architecture" for a GPU: its own machine code ("sm_90a"), or PTX of the newest
/// architecture below it.
std::string architecture_option(int capability, std::span<const int> known);

}  // namespace roofline::nvrtc
