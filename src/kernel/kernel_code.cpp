#include "roofline/kernel/kernel_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "kernel/fatbin.hpp"
#include "roofline/base/input.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/kernel/machine_code.hpp"

namespace roofline {
namespace {

/// Libraries of NVIDIA reach 600 MB.
constexpr std::size_t kMaxFileBytes = std::size_t{2} << 30;

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::string_view kElf64 = "\177ELF\2\1";

class CodeReader {
 public:
  CodeFile take() { return std::move(file_); }

  void read(std::string_view bytes) {
    if (machine_code::is_cubin(bytes)) return cubin(bytes, 0, false);
    if (is_fatbin(bytes)) return fatbins(bytes);
    if (bytes.starts_with(kArchive)) return archive(bytes);
    if (bytes.starts_with(kElf64)) return host_object(bytes);
  }

 private:
  void fault(std::string_view what) {
    if (std::find(file_.faults.begin(), file_.faults.end(), what) == file_.faults.end())
      file_.faults.emplace_back(what);
  }

  void cubin(std::string_view bytes, unsigned sm, bool sm_only) {
    const auto image = machine_code::read_cubin(bytes);
    if (!image.fault.empty()) fault(fmt::format("a cubin is not whole: {}", image.fault));
    for (const auto& function : image.functions) {
      KernelCode code;
      code.mangled = std::string(function.name);
      code.name = demangle(function.name);
      code.sm = sm ? sm : image.sm;
      code.sm_only = sm_only;
      code.entry = function.entry;
      code.relocatable = image.relocatable;
      code.registers = function.registers;
      code.local_bytes = function.local_bytes;
      code.shared_bytes = function.static_shared_bytes;
      code.spill_store_bytes = function.spill_store_bytes;
      code.spill_load_bytes = function.spill_load_bytes;
      code.spills_known = function.spills_known;
      code.tensor = function.tensor;
      code.code_hash = function.hash;
      file_.functions.push_back(std::move(code));
    }
  }

  void fatbins(std::string_view bytes) {
    std::vector<FatbinEntry> entries;
    if (!read_fatbins(bytes, entries)) fault("a fatbin is cut off or damaged");
    for (const auto& entry : entries) {
      if (entry.kind == FatbinEntry::Kind::ptx &&
          std::find(file_.ptx.begin(), file_.ptx.end(), entry.sm) == file_.ptx.end())
        file_.ptx.push_back(entry.sm);
      if (entry.kind != FatbinEntry::Kind::cubin) continue;
      std::string storage, why;
      const auto payload = unpack(entry, storage, why);
      if (!why.empty())
        fault(why);
      else
        cubin(payload, entry.sm, entry.sm_only);
    }
  }

  /// Linked device code stands in .nv_fatbin; code that is still to be linked, or was, in
  /// __nv_relfatbin.
  void host_object(std::string_view bytes) {
    const auto elf = machine_code::detail::read_elf(bytes);
    if (!elf.fault.empty()) return fault(fmt::format("{}", elf.fault));
    for (const std::string_view wanted : {".nv_fatbin", "__nv_relfatbin"}) {
      bool found = false;
      for (const auto& section : elf.sections) {
        if (elf.name(section) != wanted) continue;
        const auto body = elf.body(section);
        if (!body) {
          fault("the section with the device code is cut off");
          continue;
        }
        found = found || !body->empty();
        fatbins(*body);
      }
      if (found) return;
    }
  }

  void archive(std::string_view bytes) {
    constexpr std::size_t kMemberHeader = 60, kSizeAt = 48, kSizeDigits = 10;
    bytes.remove_prefix(kArchive.size());
    while (bytes.size() >= kMemberHeader) {
      std::size_t size = 0;
      for (const char c : bytes.substr(kSizeAt, kSizeDigits))
        if (c >= '0' && c <= '9') size = size * 10 + static_cast<std::size_t>(c - '0');
      bytes.remove_prefix(kMemberHeader);
      if (size > bytes.size()) return fault("the archive is cut off");
      const auto member = bytes.substr(0, size);
      if (!member.starts_with(kArchive)) read(member);
      bytes.remove_prefix(std::min(bytes.size(), size + (size & 1)));
    }
  }

  CodeFile file_;
};

/// How well code of `code` suits a GPU of capability `sm`; nullopt: it does not run there.
std::optional<unsigned> suitability(const KernelCode& code, unsigned sm) {
  if (code.sm == sm) return 2 * sm + (code.sm_only ? 1 : 0);
  if (code.sm_only || code.sm > sm || code.sm / 10 != sm / 10) return std::nullopt;
  return 2 * code.sm;
}

}  // namespace

std::string code_hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

Result<CodeFile> read_kernel_code(std::string_view bytes, const std::string& file) {
  CodeReader reader;
  reader.read(bytes);
  auto code = reader.take();
  if (code.functions.empty() && code.ptx.empty() && code.faults.empty())
    return fail(Code::empty_input, {file}, "no GPU code in this file",
                "give a cubin, a fatbin, or a program, object or library that nvcc made");
  return code;
}

Result<CodeFile> read_kernel_code_file(const std::string& path) {
  const auto bytes = read_input(path, kMaxFileBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return read_kernel_code(*bytes, path);
}

std::vector<const KernelCode*> kernels_for(const CodeFile& file, unsigned sm) {
  std::map<std::string_view, const KernelCode*> best;
  for (const auto& code : file.functions) {
    const auto now = suitability(code, sm);
    if (!code.entry || !now) continue;
    auto& chosen = best[code.mangled];
    if (!chosen || *now > *suitability(*chosen, sm)) chosen = &code;
  }
  std::vector<const KernelCode*> kernels;
  for (const auto& code : file.functions)
    if (const auto found = best.find(code.mangled); found != best.end() && found->second == &code)
      kernels.push_back(&code);
  return kernels;
}

}  // namespace roofline
