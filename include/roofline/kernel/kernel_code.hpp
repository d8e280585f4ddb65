#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

namespace roofline {

/// One function of a program's machine code for one architecture.
struct KernelCode {
  std::string mangled;
  std::string name;      ///< demangled
  unsigned sm = 0;       ///< 90 for sm_90 and sm_90a
  bool sm_only = false;  ///< sm_90a, sm_100f: runs on no later architecture
  bool entry = true;     ///< a kernel; else a device function with code of its own
  bool relocatable =
      false;  ///< compiled with -dc and not linked: what it calls elsewhere is not in it

  unsigned registers = 0;          ///< per thread
  std::uint64_t local_bytes = 0;   ///< stack per thread, with calls where the compiler tells
  std::uint64_t shared_bytes = 0;  ///< static, per block
  std::uint64_t spill_store_bytes = 0, spill_load_bytes = 0;  ///< per thread, each instruction once
  bool spills_known =
      true;  ///< false: the compiler (before 12.6) marked none, the two are upper limits
  std::uint64_t tensor = 0;  ///< machine_code::Tensor bits: types that its instructions execute
  std::uint64_t code_hash = 0;

  std::uint64_t spill_bytes() const { return spill_store_bytes + spill_load_bytes; }
};

/// A hash as results and baselines write it: 16 hexadecimal digits.
std::string code_hash_text(std::uint64_t hash);

struct CodeFile {
  std::vector<KernelCode> functions;  ///< in the order of the file
  std::vector<unsigned>
      ptx;  ///< architectures for which the file has PTX, which only a driver compiles
  std::vector<std::string> faults;  ///< parts that could not be read: sentences without a full stop
};

/// The machine code in a cubin, a fatbin, an object, an executable, a shared object or a static
/// archive. An executable that was linked from relocatable code is read as linked. `file` is for
/// messages. Damaged parts are left out and named in `faults`. Errors: empty_input, where there is
/// no machine code and no PTX at all.
Result<CodeFile> read_kernel_code(std::string_view bytes, const std::string& file);

/// The same of a file. Errors: those of read_input too.
Result<CodeFile> read_kernel_code_file(const std::string& path);

/// What a GPU of compute capability `sm` (90 for 9.0) runs of every kernel: code of that
/// architecture, sm_90a before sm_90, else of the latest earlier one with the same major number.
/// Kernels that only PTX serves are not among them.
std::vector<const KernelCode*> kernels_for(const CodeFile& file, unsigned sm);

}  // namespace roofline
