#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// What a cubin tells of its functions, without a disassembler: registers, frames, spills, shared
/// memory, which tensor types its instructions execute, and a hash of them. The plug-in reads
/// modules with it inside of other people's programs, so it needs the standard library alone.
/// Cubins come from files and from other compilers: every offset is checked, and what is damaged is
/// left out and named.
///
/// Layouts were read from cubins of ptxas 11.8, 12.0, 12.3, 12.6, 12.9 and 13.0 for sm_75 to
/// sm_121a; opcodes and their modifier bits were held against NVIDIA's nvdisasm one bit at a time
/// (docs/machine-code.md).
namespace roofline::machine_code {

static_assert(std::endian::native == std::endian::little, "cubins are read in place");

/// Bits of Function::tensor: types that tensor instructions execute, which is not always what the
/// source asked for (mma.sync on fp8 runs as fp16 on sm_90a, for one), and the path that issues
/// them.
enum Tensor : std::uint64_t {
  kFp16 = 1u << 0,
  kBf16 = 1u << 1,
  kTf32 = 1u << 2,
  kFp64 = 1u << 3,
  kInt8 = 1u << 4,
  kInt4 = 1u << 5,
  kInt1 = 1u << 6,
  kFp8 = 1u << 7,
  kFp6Fp4 = 1u << 8,     ///< at least one operand is 6 or 4 bits wide
  kScaledFp4 = 1u << 9,  ///< block-scaled fp4: mxf4, nvf4
  kFp16OrBf16 =
      1u << 10,  ///< tcgen05 kind::f16 or kind::tf32: a descriptor chooses when the kernel runs
  kFp8Fp6Fp4 = 1u << 11,  ///< tcgen05 kind::f8f6f4: likewise
  kTensorTypes = 0xfff,
  kMmaSync = 1u << 16,
  kWgmma = 1u << 17,
  kTcgen05 = 1u << 18,
  kTensorPaths = kMmaSync | kWgmma | kTcgen05,
  kSparse = 1u << 20,          ///< some instruction uses 2:4 sparsity
  kFp16Accumulate = 1u << 21,  ///< some mma.sync on fp16 keeps its sums in fp16
};

struct TensorName {
  Tensor bit;
  std::string_view name;
};
/// Names as reports and specs write them.
inline constexpr TensorName kTensorTypeNames[] = {
    {kFp16, "fp16"},
    {kBf16, "bf16"},
    {kTf32, "tf32"},
    {kFp64, "fp64"},
    {kInt8, "int8"},
    {kInt4, "int4"},
    {kInt1, "int1"},
    {kFp8, "fp8"},
    {kFp6Fp4, "fp6 or fp4"},
    {kScaledFp4, "fp4 scaled"},
    {kFp16OrBf16, "fp16, bf16 or tf32"},
    {kFp8Fp6Fp4, "fp8, fp6 or fp4"},
};
inline constexpr TensorName kTensorPathNames[] = {
    {kMmaSync, "mma.sync"}, {kWgmma, "wgmma"}, {kTcgen05, "tcgen05"}};

/// One function. Views point into the bytes that were read.
struct Function {
  std::string_view name;  ///< mangled
  std::string_view code;  ///< its instructions
  bool entry = false;     ///< a kernel; else a device function with code of its own
  std::uint64_t tensor = 0;
  std::uint64_t hash = 0;  ///< of its instructions and of those it calls, with the fields that a
                           ///< linker fills in cleared
  std::uint32_t registers = 0;    ///< per thread
  std::uint64_t frame_bytes = 0;  ///< its own stack frame, per thread
  std::uint64_t local_bytes =
      0;  ///< stack with all calls where the compiler tells, else its own frame
  std::uint64_t static_shared_bytes =
      0;  ///< per block, without the 1 KiB that the system takes from sm_90 on
  std::uint64_t spill_store_bytes = 0,
                spill_load_bytes = 0;  ///< per thread, each instruction counted once
  /// False: this compiler marked no spills (before 12.6), so the two figures count every access of
  /// the frame at a fixed place, which local arrays have too: an upper limit.
  bool spills_known = true;
  std::uint64_t spill_bytes() const { return spill_store_bytes + spill_load_bytes; }
};

struct Image {
  unsigned sm = 0;                  ///< 90 for sm_90 and sm_90a
  bool relocatable = false;         ///< compiled with -dc and not yet linked
  std::vector<Function> functions;  ///< in the order of their sections
  /// What could not be read, and so is missing: "" for a whole image. A literal.
  std::string_view fault;
};

/// True where `bytes` begin as a cubin does.
inline bool is_cubin(std::string_view bytes) {
  return bytes.size() >= 20 && bytes.substr(0, 6) == std::string_view("\177ELF\2\1", 6) &&
         bytes.substr(18, 2) == std::string_view("\276\0", 2);
}

namespace detail {

template <class T>
bool load(std::string_view bytes, std::uint64_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return true;
}

inline std::optional<std::string_view> part(std::string_view bytes, std::uint64_t at,
                                            std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  return bytes.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
}

struct Header {
  unsigned char ident[16];
  std::uint16_t type, machine;
  std::uint32_t version;
  std::uint64_t entry, program_at, sections_at;
  std::uint32_t flags;
  std::uint16_t header_size, program_size, programs, section_size, sections, names;
};
static_assert(sizeof(Header) == 64);

struct Section {
  std::uint32_t name, type;
  std::uint64_t flags, address, at, size;
  std::uint32_t link, info;
  std::uint64_t alignment, entry_size;
};
static_assert(sizeof(Section) == 64);

struct Symbol {
  std::uint32_t name;
  unsigned char info, other;
  std::uint16_t section;
  std::uint64_t value, size;
};
static_assert(sizeof(Symbol) == 24);

inline constexpr std::uint32_t kRela = 4, kNoBits = 8, kRel = 9;
inline constexpr unsigned char kEntryFlag = 0x10;  // of Symbol::other
inline constexpr std::uint64_t kInstruction = 16;  // bytes, from Volta on

/// A NUL-terminated string of a table; empty where it is damaged.
inline std::string_view string_at(std::string_view table, std::uint64_t at) {
  if (at >= table.size()) return {};
  const auto rest = table.substr(static_cast<std::size_t>(at));
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

/// The section table with names; bodies are checked when they are asked for.
struct Elf {
  std::string_view bytes;
  Header header{};
  std::vector<Section> sections;
  std::string_view names, fault;

  std::string_view name(const Section& section) const { return string_at(names, section.name); }
  std::optional<std::string_view> body(const Section& section) const {
    if (section.type == kNoBits) return std::string_view{};
    return part(bytes, section.at, section.size);
  }
};

inline Elf read_elf(std::string_view bytes) {
  Elf elf{bytes, {}, {}, {}, {}};
  if (!load(bytes, 0, elf.header)) return elf.fault = "the header is cut off", elf;
  const auto& h = elf.header;
  std::uint64_t count = h.sections, names = h.names;
  if (h.section_size != sizeof(Section))
    return elf.fault = "its section table has another layout", elf;
  Section first{};
  if (!load(bytes, h.sections_at, first)) return elf.fault = "its section table is cut off", elf;
  if (count == 0) count = first.size;  // more sections than 16 bits count
  if (names == 0xffff) names = first.link;
  if (count == 0 || count > (bytes.size() - h.sections_at) / sizeof(Section))
    return elf.fault = "its section table is cut off", elf;
  elf.sections.resize(static_cast<std::size_t>(count));
  std::memcpy(elf.sections.data(), bytes.data() + h.sections_at,
              elf.sections.size() * sizeof(Section));
  if (names < count)
    if (const auto body = elf.body(elf.sections[static_cast<std::size_t>(names)]))
      elf.names = *body;
  if (elf.names.empty()) elf.fault = "its section names are missing";
  return elf;
}

/// CUDA 13 moved the architecture from the lowest to the second byte of the flags, under ABI
/// version 8.
inline unsigned sm_of(const Header& header) {
  return header.ident[7] == 0x41 ? (header.flags >> 8) & 0xff : header.flags & 0xff;
}

struct Instruction {
  std::uint64_t low, high;
  unsigned operation() const { return low & 0x1ff; }
  std::uint64_t modifiers() const { return high >> 8; }
};

inline std::uint64_t half_type(Instruction i, std::uint64_t tf32, std::uint64_t bf16) {
  return i.modifiers() & tf32 ? kTf32 : i.modifiers() & bf16 ? kBf16 : kFp16;
}
inline std::uint64_t sparse(Instruction i, std::uint64_t bit) {
  return i.modifiers() & bit ? std::uint64_t{kSparse} : 0;
}

inline std::uint64_t hmma_volta(Instruction) { return kFp16 | kMmaSync; }
inline std::uint64_t hmma(Instruction i) {
  const auto type = half_type(i, 0x800, 0x400);
  const bool narrow_sums = type == kFp16 && !(i.modifiers() & 0x10);
  return type | (narrow_sums ? std::uint64_t{kFp16Accumulate} : 0) | sparse(i, 0x2) | kMmaSync;
}
inline std::uint64_t imma(Instruction i) {  // 0x800 and 0x1000: operand a, b is 4 bits wide
  return ((i.modifiers() & 0x1800) == 0x1800 ? kInt4 : kInt8) | sparse(i, 0x1) | kMmaSync;
}
inline std::uint64_t bmma(Instruction) { return kInt1 | kMmaSync; }
inline std::uint64_t dmma(Instruction) { return kFp64 | kMmaSync; }
inline std::uint64_t qmma(
    Instruction i) {  // 0xc00 and 0x3000: operand a, b is narrower than 8 bits
  return (i.modifiers() & 0x3c00 ? kFp6Fp4 : kFp8) | sparse(i, 0x100) | kMmaSync;
}
inline std::uint64_t omma(Instruction i) { return kScaledFp4 | sparse(i, 0x100) | kMmaSync; }
inline std::uint64_t hgmma(Instruction i) {
  return half_type(i, 0x20, 0x10) | sparse(i, 0x2) | kWgmma;
}
inline std::uint64_t igmma(Instruction i) { return kInt8 | sparse(i, 0x2) | kWgmma; }
inline std::uint64_t qgmma(Instruction i) { return kFp8 | sparse(i, 0x2) | kWgmma; }
inline std::uint64_t utcmma(Instruction i) {
  switch (i.modifiers() & 3) {
    case 1: return kInt8 | kTcgen05;
    case 3: return kFp8Fp6Fp4 | kTcgen05;
    default: return (i.low >> 63 ? kScaledFp4 : kFp16OrBf16) | kTcgen05;
  }
}

struct Opcode {
  unsigned operation;  ///< the low 9 bits
  unsigned first_sm, last_sm;
  std::uint64_t (*tensor)(Instruction);
};
inline constexpr Opcode kTensorOpcodes[] = {
    {0x036, 70, 75, hmma_volta}, {0x037, 72, 999, imma},    {0x03c, 75, 999, hmma},
    {0x03d, 75, 999, bmma},      {0x03f, 80, 999, dmma},    {0x07a, 89, 999, qmma},
    {0x07f, 120, 999, omma},     {0x1ea, 100, 119, utcmma}, {0x1f0, 90, 99, hgmma},
    {0x1f1, 90, 99, igmma},      {0x1f3, 90, 99, qgmma},
};

/// Operation -> its row, one load per instruction.
inline std::array<const Opcode*, 512> tensor_opcodes_of(unsigned sm) {
  std::array<const Opcode*, 512> table{};
  for (const auto& row : kTensorOpcodes)
    if (sm >= row.first_sm && sm <= row.last_sm) table[row.operation] = &row;
  return table;
}

/// Bytes that a load or store moves per thread, by its size field.
inline std::uint64_t access_bytes(Instruction i) {
  constexpr unsigned char kBytes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
  return kBytes[(i.modifiers() >> 1) & 7];
}
inline bool is_store(Instruction i) {
  return (i.low & 0xfff) == 0x387 || (i.low & 0xfff) == 0x388;
}  // STL, STS
inline bool is_load(Instruction i) {
  return (i.low & 0xfff) == 0x983 || (i.low & 0xfff) == 0x984;
}  // LDL, LDS
inline bool in_frame(Instruction i) {  // local memory, at the stack pointer R1 and a constant
  return ((i.low & 0xfff) == 0x387 || (i.low & 0xfff) == 0x983) && ((i.low >> 24) & 0xff) == 1;
}

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 32);
}

/// One function while its sections are being gathered.
struct Draft {
  Function function;
  std::uint32_t section = 0, symbol = 0;
  std::vector<std::uint64_t> relocated;  ///< offsets that a linker fills in
  std::vector<std::uint64_t> spills;     ///< offsets of instructions that the compiler marked
  std::vector<std::size_t> calls;        ///< other drafts
  unsigned toolkit = 0;                  ///< 130 for CUDA 13.0; 0: not told
  bool stack_known = false;
};

/// One attribute of a .nv.info section: format, name, then a value or a length and so many bytes.
struct Attribute {
  unsigned char name = 0;
  std::string_view value;
};
inline constexpr unsigned char kFrameSize = 0x11, kMinStackSize = 0x12, kRegisterCount = 0x2f,
                               kToolkit = 0x37, kAnnotations = 0x55;

template <class Each>
bool each_attribute(std::string_view section, Each each) {
  for (std::uint64_t at = 0; at + 4 <= section.size();) {
    const auto format = static_cast<unsigned char>(section[at]),
               name = static_cast<unsigned char>(section[at + 1]);
    std::uint16_t size = 0;
    load(section, at + 2, size);
    at += 4;
    if (format != 4)
      continue;  // the value stands in the size's place, and none of those is of interest
    const auto value = part(section, at, size);
    if (!value) return false;
    each(Attribute{name, *value});
    at += size;
  }
  return true;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : elf_(read_elf(bytes)) {}

  Image read() {
    image_.fault = elf_.fault;
    if (!elf_.fault.empty()) return std::move(image_);
    image_.sm = sm_of(elf_.header);
    image_.relocatable = elf_.header.type == 1;
    find_symbols();
    find_functions();
    for (const auto& section : elf_.sections) gather(section);
    for (auto& draft : drafts_) count_instructions(draft);
    follow_calls();
    for (auto& draft : drafts_) image_.functions.push_back(draft.function);
    return std::move(image_);
  }

 private:
  std::string_view checked_body(const Section& section) {
    const auto body = elf_.body(section);
    if (!body) image_.fault = "a section is cut off";
    return body.value_or(std::string_view{});
  }

  void find_symbols() {
    for (const auto& section : elf_.sections) {
      if (section.type != 2 || section.entry_size != sizeof(Symbol)) continue;
      symbols_ = checked_body(section);
      return;
    }
  }

  std::optional<Symbol> symbol(std::uint64_t index) const {
    Symbol found{};
    if (index > symbols_.size() / sizeof(Symbol) || !load(symbols_, index * sizeof(Symbol), found))
      return std::nullopt;
    return found;
  }

  void find_functions() {
    constexpr std::string_view kText = ".text.";
    by_section_.assign(elf_.sections.size(), -1);
    for (std::size_t i = 0; i < elf_.sections.size(); ++i) {
      const auto& section = elf_.sections[i];
      const auto name = elf_.name(section);
      if (section.type != 1 || !name.starts_with(kText) || name.size() == kText.size()) continue;
      const auto body = elf_.body(section);
      if (!body) {
        image_.fault = "a function's instructions are cut off";
        continue;
      }
      Draft draft;
      draft.function.name = name.substr(kText.size());
      draft.function.code = *body;
      draft.section = static_cast<std::uint32_t>(i);
      // Before sm_90, and before CUDA 13 everywhere, the top byte holds the registers; attributes
      // tell them, and win.
      draft.symbol = section.info & 0xffffff;
      draft.function.registers = section.info >> 24;
      if (const auto own = symbol(draft.symbol))
        draft.function.entry = (own->other & kEntryFlag) != 0;
      by_section_[i] = static_cast<std::int64_t>(drafts_.size());
      by_symbol_.emplace_back(draft.symbol, drafts_.size());
      drafts_.push_back(std::move(draft));
    }
    std::sort(by_symbol_.begin(), by_symbol_.end());
  }

  Draft* of_section(std::uint32_t index) {
    if (index >= by_section_.size() || by_section_[index] < 0) return nullptr;
    return &drafts_[static_cast<std::size_t>(by_section_[index])];
  }
  std::int64_t of_symbol(std::uint32_t index) const {
    const auto found =
        std::lower_bound(by_symbol_.begin(), by_symbol_.end(), std::pair(index, std::size_t{0}));
    return found != by_symbol_.end() && found->first == index
               ? static_cast<std::int64_t>(found->second)
               : -1;
  }

  void gather(const Section& section) {
    const auto name = elf_.name(section);
    if (name == ".nv.info") return read_module_attributes(checked_body(section));
    if (name.starts_with(".nv.info.")) return read_function_attributes(section);
    if (name.starts_with(".nv.shared.")) return read_shared(section);
    if (name == ".nv.callgraph") return read_calls(checked_body(section));
    if (section.type == kRela || section.type == kRel) return read_relocations(section);
  }

  void read_module_attributes(std::string_view body) {
    const bool whole = each_attribute(body, [&](Attribute attribute) {
      std::uint32_t index = 0, value = 0;
      if (attribute.value.size() != 8 || !load(attribute.value, 0, index) ||
          !load(attribute.value, 4, value))
        return;
      const auto at = of_symbol(index);
      if (at < 0) return;
      auto& draft = drafts_[static_cast<std::size_t>(at)];
      if (attribute.name == kRegisterCount) draft.function.registers = value;
      if (attribute.name == kFrameSize) draft.function.frame_bytes = value;
      if (attribute.name == kMinStackSize)
        draft.function.local_bytes = value, draft.stack_known = true;
    });
    if (!whole) image_.fault = "its attributes are cut off";
  }

  void read_function_attributes(const Section& section) {
    auto* draft = of_section(section.info);
    if (!draft) return;
    const bool whole = each_attribute(checked_body(section), [&](Attribute attribute) {
      std::uint32_t value = 0;
      if (attribute.name == kToolkit && load(attribute.value, 0, value)) draft->toolkit = value;
      if (attribute.name != kAnnotations) return;
      for (std::uint64_t at = 0; at + 8 <= attribute.value.size(); at += 8) {
        std::uint32_t kind = 0, offset = 0;
        load(attribute.value, at, kind), load(attribute.value, at + 4, offset);
        if (kind != 1) break;  // other annotations may have another length: the rest is not read
        draft->spills.push_back(offset);
      }
    });
    if (!whole) image_.fault = "its attributes are cut off";
  }

  void read_shared(const Section& section) {
    auto* draft = of_section(section.info);
    if (!draft) return;
    constexpr std::uint64_t kReserved = 1024;
    const bool reserves = image_.sm >= 90 && !image_.relocatable && section.size >= kReserved;
    draft->function.static_shared_bytes = section.size - (reserves ? kReserved : 0);
  }

  void read_calls(std::string_view body) {
    for (std::uint64_t at = 0; at + 8 <= body.size(); at += 8) {
      std::uint32_t from = 0, to = 0;
      load(body, at, from), load(body, at + 4, to);
      const auto caller = of_symbol(from),
                 callee = of_symbol(to);  // negative numbers are marks, not symbols
      if (caller >= 0 && callee >= 0 && caller != callee)
        drafts_[static_cast<std::size_t>(caller)].calls.push_back(static_cast<std::size_t>(callee));
    }
  }

  void read_relocations(const Section& section) {
    auto* draft = of_section(section.info);
    const std::uint64_t size = section.type == kRela ? 24 : 16;
    if (!draft || section.entry_size != size) return;
    const auto body = checked_body(section);
    for (std::uint64_t at = 0; at + size <= body.size(); at += size) {
      std::uint64_t offset = 0;
      load(body, at, offset);
      draft->relocated.push_back(offset / kInstruction * kInstruction);
    }
  }

  void count_instructions(Draft& draft) {
    auto& function = draft.function;
    if (!draft.stack_known) function.local_bytes = function.frame_bytes;
    if (image_.sm < 70) {
      image_.fault = "its instructions are older than Volta's";
      return;
    }
    std::sort(draft.relocated.begin(), draft.relocated.end());
    std::sort(draft.spills.begin(), draft.spills.end());
    constexpr unsigned kMarksSpills = 126;
    function.spills_known =
        !draft.spills.empty() || draft.toolkit >= kMarksSpills || function.frame_bytes == 0;
    const auto opcodes = tensor_opcodes_of(image_.sm);
    auto relocated = draft.relocated.begin();
    auto spill = draft.spills.begin();
    std::uint64_t hash = mix(0, function.code.size());
    for (std::uint64_t at = 0; at + kInstruction <= function.code.size(); at += kInstruction) {
      Instruction instruction{};
      load(function.code, at, instruction);
      if (const auto* row = opcodes[instruction.operation()])
        function.tensor |= row->tensor(instruction);
      while (spill != draft.spills.end() && *spill < at) ++spill;
      if (function.spills_known ? spill != draft.spills.end() && *spill == at
                                : in_frame(instruction)) {
        if (is_store(instruction)) function.spill_store_bytes += access_bytes(instruction);
        if (is_load(instruction)) function.spill_load_bytes += access_bytes(instruction);
      }
      while (relocated != draft.relocated.end() && *relocated < at) ++relocated;
      if (relocated != draft.relocated.end() && *relocated == at)
        instruction = {instruction.low & 0xfff, 0};
      hash = mix(mix(hash, instruction.low), instruction.high);
    }
    function.hash = hash;
  }

  /// What a function calls runs as a part of it: its tensor types and its instructions count.
  void follow_calls() {
    std::vector<std::uint64_t> hashes, tensors;
    for (const auto& draft : drafts_)
      hashes.push_back(draft.function.hash), tensors.push_back(draft.function.tensor);
    std::vector<std::size_t> seen(drafts_.size(), drafts_.size()), stack;
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].calls.empty()) continue;
      std::vector<std::uint64_t> reached;
      stack.assign(1, i);
      seen[i] = i;
      while (!stack.empty()) {
        const auto at = stack.back();
        stack.pop_back();
        for (const auto callee : drafts_[at].calls) {
          if (seen[callee] == i) continue;
          seen[callee] = i;
          stack.push_back(callee);
          reached.push_back(hashes[callee]);
          drafts_[i].function.tensor |= tensors[callee];
        }
      }
      std::sort(reached.begin(), reached.end());  // the order of sections is the linker's
      for (const auto hash : reached)
        drafts_[i].function.hash = mix(drafts_[i].function.hash, hash);
    }
  }

  Elf elf_;
  Image image_;
  std::string_view symbols_;
  std::vector<Draft> drafts_;
  std::vector<std::int64_t> by_section_;
  std::vector<std::pair<std::uint32_t, std::size_t>> by_symbol_;
};

}  // namespace detail

/// The functions of a cubin, the bytes of which must outlive them. Never fails: what cannot be read
/// is left out, and `fault` says so. Allocates, and so may throw std::bad_alloc.
inline Image read_cubin(std::string_view bytes) {
  if (!is_cubin(bytes)) {
    Image image;
    image.fault = "not a CUDA cubin";
    return image;
  }
  return detail::Reader(bytes).read();
}

}  // namespace roofline::machine_code
