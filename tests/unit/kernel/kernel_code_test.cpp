#include "roofline/kernel/kernel_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "kernel/fatbin.hpp"
#include "roofline/kernel/machine_code.hpp"

namespace roofline {
namespace {

std::string path_of(const std::string& name) {
  return std::string(ROOFLINE_TEST_DATA) + "/machine_code/" + name;
}

std::string read_file(const std::string& name) {
  std::ifstream file(path_of(name), std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

CodeFile read_code(const std::string& name) {
  auto code = read_kernel_code_file(path_of(name));
  EXPECT_TRUE(code) << (code ? "" : code.error().what);
  return code ? *code : CodeFile{};
}

/// "sm_80 spills" and the like, with * for device functions.
std::set<std::string> names_of(const CodeFile& file) {
  std::set<std::string> names;
  for (const auto& code : file.functions)
    names.insert("sm_" + std::to_string(code.sm) + (code.sm_only ? "a " : " ") + code.name +
                 (code.entry ? "" : "*"));
  return names;
}

const KernelCode* find(const CodeFile& file, unsigned sm, std::string_view name) {
  for (const auto& code : file.functions)
    if (code.sm == sm && code.mangled == name) return &code;
  return nullptr;
}

const std::set<std::string> kResources = {
    "sm_80 plain",  "sm_80 shared_array",  "sm_80 local_array",  "sm_80 spills",
    "sm_90a plain", "sm_90a shared_array", "sm_90a local_array", "sm_90a spills"};
// cuobjdump -lelf and -symbols list these, and "forward" twice, as itself and as forward$1.
const std::set<std::string> kUnlinked = {"sm_80 bystander",  "sm_80 caller",     "sm_80 multiply*",
                                         "sm_80 forward*",   "sm_80 forward$1*", "sm_90a bystander",
                                         "sm_90a caller",    "sm_90a multiply*", "sm_90a forward*",
                                         "sm_90a forward$1*"};

struct FileRow {
  const char* name;
  const char* file;
  const std::set<std::string>* names;
  bool relocatable;
};
const FileRow kRows[] = {
    {"fatbin_compressed_for_size", "resources.zstd.fatbin", &kResources, false},
    {"fatbin_compressed_for_speed", "resources.lz4.fatbin", &kResources, false},
    {"object", "calls.o", &kUnlinked, true},
    {"archive", "calls.a", &kUnlinked, true},
};

class CodeFiles : public testing::TestWithParam<FileRow> {};
TEST_P(CodeFiles, HoldTheirFunctions) {
  const auto file = read_code(GetParam().file);
  EXPECT_EQ(names_of(file), *GetParam().names);
  EXPECT_EQ(file.faults, std::vector<std::string>{});
  EXPECT_EQ(file.ptx, std::vector<unsigned>{90});
  for (const auto& code : file.functions) EXPECT_EQ(code.relocatable, GetParam().relocatable);
}
INSTANTIATE_TEST_SUITE_P(Rows, CodeFiles, testing::ValuesIn(kRows),
                         [](auto& i) { return i.param.name; });

TEST(KernelCode, CompressionChangesNothing) {
  const auto cubin = read_code("resources.sm_80.cubin");
  for (const auto* name : {"resources.zstd.fatbin", "resources.lz4.fatbin"}) {
    const auto file = read_code(name);
    for (const auto& code : cubin.functions) {
      const auto* packed = find(file, 80, code.mangled);
      ASSERT_TRUE(packed);
      EXPECT_EQ(packed->code_hash, code.code_hash);
      EXPECT_EQ(packed->registers, code.registers);
      EXPECT_EQ(packed->spill_bytes(), code.spill_bytes());
    }
  }
}

TEST(KernelCode, ALinkedLibraryIsReadAsLinkedAndItsCodeHashIsThatOfTheObject) {
  const auto linked = read_code("calls.so"), object = read_code("calls.o");
  for (const auto& code : linked.functions) EXPECT_FALSE(code.relocatable) << code.mangled;
  const auto* caller = find(linked, 90, "caller");
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->tensor, machine_code::kBf16 | machine_code::kMmaSync);
  EXPECT_EQ(caller->code_hash, find(object, 90, "caller")->code_hash);
  EXPECT_EQ(caller->local_bytes,
            8u);  // cuobjdump -res-usage: STACK:8, the return address of what it calls
}

struct ChoiceRow {
  const char* name;
  unsigned gpu;
  const char* expected;  ///< the architectures that run, in the order of the file
};
class Choice : public testing::TestWithParam<ChoiceRow> {};
TEST_P(Choice, IsWhatTheDriverWouldLoad) {
  CodeFile file;
  const auto add = [&](unsigned sm, bool only, bool entry = true) {
    KernelCode code;
    code.mangled = code.name = entry ? "k" : "f";
    code.sm = sm, code.sm_only = only, code.entry = entry;
    file.functions.push_back(code);
  };
  add(80, false), add(86, false), add(90, false), add(90, true), add(100, true),
      add(90, false, false);
  std::string chosen;
  for (const auto* code : kernels_for(file, GetParam().gpu))
    chosen += std::to_string(code->sm) + (code->sm_only ? "a" : "");
  EXPECT_EQ(chosen, GetParam().expected);
}
constexpr ChoiceRow kChoices[] = {
    {"exact", 86, "86"},
    {"specific_before_plain", 90, "90a"},
    {"earlier_of_the_same_major", 89, "86"},
    {"earliest", 80, "80"},
    {"specific_code_runs_nowhere_else", 103, ""},
    {"another_major_runs_nothing", 120, ""},
    {"older_gpu", 75, ""},
};
INSTANTIATE_TEST_SUITE_P(Rows, Choice, testing::ValuesIn(kChoices),
                         [](auto& i) { return i.param.name; });

TEST(KernelCode, AFileWithoutGpuCodeIsAnError) {
  for (const std::string_view bytes : {"", "#!/bin/sh\n", "!<arch>\n", "\177ELF\2\1"}) {
    const auto code = read_kernel_code(bytes, "file");
    if (code) {
      EXPECT_FALSE(code->faults.empty());
      continue;
    }
    EXPECT_EQ(code.error().code, Code::empty_input);
    EXPECT_EQ(code.error().what, "no GPU code in this file");
  }
  EXPECT_EQ(read_kernel_code_file("/nowhere/at/all").error().code, Code::cannot_read);
}

TEST(KernelCode, ACutFileSaysSo) {
  for (const auto* name :
       {"resources.zstd.fatbin", "calls.so", "calls.a", "resources.sm_90a.cubin"}) {
    const auto whole = read_file(name);
    const auto code = read_kernel_code(std::string_view(whole).substr(0, whole.size() / 3), name);
    ASSERT_TRUE(code) << name;
    EXPECT_FALSE(code->faults.empty()) << name;
  }
}

TEST(KernelCode, DamagedFilesDoNoHarm) {
  for (const auto* name : {"resources.zstd.fatbin", "resources.lz4.fatbin", "calls.o", "calls.a",
                           "calls.so", "resources.sm_75.cubin"}) {
    const auto whole = read_file(name);
    std::mt19937 random(11);
    const auto below = [&](std::size_t n) {
      return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    for (int round = 0; round < 400; ++round) {
      auto bytes = whole;
      for (std::size_t n = 1 + below(3); n > 0; --n) {
        const auto at =
            below(2) ? below(std::min<std::size_t>(bytes.size(), 256)) : below(bytes.size());
        bytes[at] =
            static_cast<char>(below(2) ? bytes[at] ^ (1 << below(8)) : (below(2) ? 0xff : 0));
      }
      if (below(4) == 0) bytes.resize(below(bytes.size()));
      (void)read_kernel_code(bytes, name);
    }
  }
}

struct Lz4Row {
  const char* name;
  std::string_view packed;
  std::uint64_t size;
  const char* expected;  ///< nullptr: refused
};
using namespace std::string_view_literals;
/// By hand, from the block format of lz4.org.
constexpr Lz4Row kLz4Rows[] = {
    {"literals_only",
     "\x30"
     "abc"sv,
     3, "abc"},
    {"overlapping_match",
     "\x12"
     "a\x01\x00\x10"
     "b"sv,
     8, "aaaaaaab"},
    {"long_match",
     "\x1f"
     "a\x01\x00\x01\x00"sv,
     21, "aaaaaaaaaaaaaaaaaaaaa"},
    {"distance_of_zero",
     "\x10"
     "a\x00\x00"sv,
     5, nullptr},
    {"distance_before_the_start",
     "\x10"
     "a\x02\x00"sv,
     5, nullptr},
    {"literals_past_the_end",
     "\x50"
     "abc"sv,
     5, nullptr},
    {"more_than_promised",
     "\x30"
     "abc"sv,
     2, nullptr},
    {"less_than_promised",
     "\x30"
     "abc"sv,
     4, nullptr},
    {"length_that_never_ends", "\xff\xff\xff"sv, 1000, nullptr},
};
class Lz4 : public testing::TestWithParam<Lz4Row> {};
TEST_P(Lz4, Blocks) {
  std::string out;
  const bool done = unpack_lz4(GetParam().packed, GetParam().size, out);
  EXPECT_EQ(done, GetParam().expected != nullptr);
  if (done) {
    EXPECT_EQ(out, GetParam().expected);
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, Lz4, testing::ValuesIn(kLz4Rows),
                         [](auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline
