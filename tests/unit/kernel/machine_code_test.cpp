#include "roofline/kernel/machine_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>

namespace roofline::machine_code {
namespace {

std::string read_file(const std::string& name) {
  std::ifstream file(std::string(ROOFLINE_TEST_DATA) + "/machine_code/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

const Function* find(const Image& image, std::string_view name) {
  for (const auto& function : image.functions)
    if (function.name == name) return &function;
  return nullptr;
}

/// What `ptxas -v` said when it made the file beside it.
struct Printed {
  unsigned registers = 0, frame = 0, spill_stores = 0, spill_loads = 0, shared = 0;
};

std::map<std::string, Printed> read_printed(const std::string& name) {
  std::map<std::string, Printed> printed;
  std::istringstream text(read_file(name));
  std::string function, words;
  for (std::string line; std::getline(text, line);) {
    const auto number_before = [&](std::string_view word) -> unsigned {
      const auto at = line.find(word);
      if (at == std::string::npos) return 0;
      const auto start = line.find_last_not_of("0123456789", at - 2);
      return static_cast<unsigned>(std::strtoul(line.c_str() + start + 1, nullptr, 10));
    };
    constexpr std::string_view kProperties = "Function properties for ",
                               kCompiling = "entry function '";
    if (const auto at = line.find(kProperties); at != std::string::npos)
      function = line.substr(at + kProperties.size());
    if (const auto at = line.find(kCompiling); at != std::string::npos)
      function = line.substr(at + kCompiling.size(),
                             line.find('\'', at + kCompiling.size()) - at - kCompiling.size());
    auto& row = printed[function];
    if (line.find("stack frame") != std::string::npos) {
      row.frame = number_before("bytes stack frame");
      row.spill_stores = number_before("bytes spill stores");
      row.spill_loads = number_before("bytes spill loads");
    }
    if (line.find("Used ") != std::string::npos) {
      row.registers = number_before("registers");
      row.shared = number_before("bytes smem");
    }
  }
  printed.erase("");
  return printed;
}

struct File {
  const char* name;
  const char* stem;
  unsigned sm;
  std::size_t kernels;
};
constexpr File kFiles[] = {
    {"resources_sm_75", "resources.sm_75", 75, 4},
    {"resources_sm_80", "resources.sm_80", 80, 4},
    {"resources_sm_90a", "resources.sm_90a", 90, 4},
    {"resources_sm_100a", "resources.sm_100a", 100, 4},
    {"resources_of_ptxas_12_9", "resources.sm_80.ptxas12.9", 80, 4},
    {"resources_of_ptxas_12_9_sm_90", "resources.sm_90.ptxas12.9", 90, 4},
    {"resources_of_ptxas_12_3", "resources.sm_80.ptxas12.3", 80, 4},
    {"resources_of_ptxas_11_8", "resources.sm_80.ptxas11.8", 80, 4},
    {"mma_sync_sm_120a", "mma_sync.sm_120a", 120, 14},
};

class PtxasSays : public testing::TestWithParam<File> {};

TEST_P(PtxasSays, TheSameOfEveryKernel) {
  const std::string stem = GetParam().stem, bytes = read_file(stem + ".cubin");
  const auto image = read_cubin(bytes);
  EXPECT_EQ(image.fault, "");
  EXPECT_EQ(image.sm, GetParam().sm);
  const auto printed = read_printed(stem + ".ptxas");
  ASSERT_EQ(printed.size(), GetParam().kernels);
  ASSERT_EQ(image.functions.size(), GetParam().kernels);
  for (const auto& [name, row] : printed) {
    const auto* function = find(image, name);
    ASSERT_TRUE(function) << name;
    EXPECT_TRUE(function->entry) << name;
    EXPECT_EQ(function->registers, row.registers) << name;
    EXPECT_EQ(function->frame_bytes, row.frame) << name;
    EXPECT_EQ(function->local_bytes, row.frame)
        << name;  // nothing here calls a function with a frame
    EXPECT_EQ(function->static_shared_bytes, row.shared) << name;
    if (function->spills_known) {
      EXPECT_EQ(function->spill_store_bytes, row.spill_stores) << name;
      EXPECT_EQ(function->spill_load_bytes, row.spill_loads) << name;
    } else {
      EXPECT_GE(function->spill_store_bytes, row.spill_stores) << name;
      EXPECT_GE(function->spill_load_bytes, row.spill_loads) << name;
    }
  }
}

TEST(MachineCode, SpillsAreKnownFromToolkit12_6OnAndWhereThereIsNoFrame) {
  for (const auto& file : kFiles) {
    const auto bytes = read_file(std::string(file.stem) + ".cubin");
    const auto image = read_cubin(bytes);
    const std::string stem = file.stem;
    const bool old = stem.ends_with("11.8") || stem.ends_with("12.3");
    for (const auto& function : image.functions)
      EXPECT_EQ(function.spills_known, !old || function.frame_bytes == 0)
          << stem << " " << function.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PtxasSays, testing::ValuesIn(kFiles),
                         [](auto& i) { return i.param.name; });

/// Expectations are the mnemonics that NVIDIA's nvdisasm prints for these files.
struct TensorRow {
  const char* name;
  const char* file;
  const char* function;
  std::uint64_t tensor;
};
constexpr TensorRow kTensorRows[] = {
    {"sm_80_no_tensor_work", "mma_sync.sm_80", "mma_none", 0},
    {"sm_80_fp16", "mma_sync.sm_80", "mma_fp16", kFp16 | kMmaSync},  // HMMA.16816.F32
    {"sm_80_bf16", "mma_sync.sm_80", "mma_bf16", kBf16 | kMmaSync},  // HMMA.16816.F32.BF16
    {"sm_80_tf32", "mma_sync.sm_80", "mma_tf32", kTf32 | kMmaSync},  // HMMA.1688.F32.TF32
    {"sm_80_int8", "mma_sync.sm_80", "mma_int8", kInt8 | kMmaSync},  // IMMA.16832.S8.S8
    {"sm_80_int4", "mma_sync.sm_80", "mma_int4", kInt4 | kMmaSync},  // IMMA.16864.S4.S4
    {"sm_80_int1", "mma_sync.sm_80", "mma_int1", kInt1 | kMmaSync},  // BMMA.168256
    {"sm_80_fp64", "mma_sync.sm_80", "mma_fp64", kFp64 | kMmaSync},  // DMMA.884
    {"sm_80_sparse", "mma_sync.sm_80", "mma_fp16_sparse",
     kFp16 | kMmaSync | kSparse},                                                 // HMMA.SP.16832
    {"sm_90a_fp8_runs_as_fp16", "mma_sync.sm_90a", "mma_fp8", kFp16 | kMmaSync},  // HMMA.16816.F32
    {"sm_90a_int4_runs_as_int8", "mma_sync.sm_90a", "mma_int4",
     kInt8 | kMmaSync},                                                // IMMA.16832.S8.S8
    {"sm_90a_fp64", "mma_sync.sm_90a", "mma_fp64", kFp64 | kMmaSync},  // DMMA.8x8x4
    {"sm_90a_sparse", "mma_sync.sm_90a", "mma_fp16_sparse",
     kFp16 | kMmaSync | kSparse},                                        // HMMA.SP.16832
    {"sm_120a_fp8", "mma_sync.sm_120a", "mma_fp8", kFp8 | kMmaSync},     // QMMA.E4M3.E4M3
    {"sm_120a_fp6", "mma_sync.sm_120a", "mma_fp6", kFp6Fp4 | kMmaSync},  // QMMA.E3M2.E3M2
    {"sm_120a_fp4", "mma_sync.sm_120a", "mma_fp4", kFp6Fp4 | kMmaSync},  // QMMA.E2M1.E2M1
    {"sm_120a_fp8_by_fp4", "mma_sync.sm_120a", "mma_fp8_by_fp4",
     kFp6Fp4 | kMmaSync},  // QMMA.E4M3.E2M1
    {"sm_120a_scaled_fp4", "mma_sync.sm_120a", "mma_fp4_scaled",
     kScaledFp4 | kMmaSync},  // OMMA.SF.E2M1.E2M1
    {"sm_120a_int1_runs_as_int8", "mma_sync.sm_120a", "mma_int1",
     kInt8 | kMmaSync},                                                         // IMMA.16832.U8.U8
    {"wgmma_fp16", "wgmma.sm_90a", "fp16", kFp16 | kWgmma},                     // HGMMA.F32
    {"wgmma_bf16", "wgmma.sm_90a", "bf16", kBf16 | kWgmma},                     // HGMMA.F32.BF16
    {"wgmma_tf32", "wgmma.sm_90a", "tf32", kTf32 | kWgmma},                     // HGMMA.F32.TF32
    {"wgmma_fp8", "wgmma.sm_90a", "fp8", kFp8 | kWgmma},                        // QGMMA.E4M3.E4M3
    {"wgmma_int8", "wgmma.sm_90a", "int8", kInt8 | kWgmma},                     // IGMMA.S8.S8
    {"wgmma_sparse", "wgmma.sm_90a", "bf16_sparse", kBf16 | kWgmma | kSparse},  // HGMMA.SP
    {"tcgen05_f16", "tcgen05.sm_100a", "f16", kFp16OrBf16 | kTcgen05},          // UTCHMMA
    {"tcgen05_tf32", "tcgen05.sm_100a", "tf32", kFp16OrBf16 | kTcgen05},        // UTCHMMA
    {"tcgen05_of_two_blocks", "tcgen05.sm_100a", "f16_pair",
     kFp16OrBf16 | kTcgen05},                                                    // UTCHMMA.2CTA
    {"tcgen05_f8f6f4", "tcgen05.sm_100a", "f8f6f4", kFp8Fp6Fp4 | kTcgen05},      // UTCQMMA
    {"tcgen05_mxf8f6f4", "tcgen05.sm_100a", "mxf8f6f4", kFp8Fp6Fp4 | kTcgen05},  // UTCQMMA
    {"tcgen05_mxf4", "tcgen05.sm_100a", "mxf4", kScaledFp4 | kTcgen05},          // UTCOMMA
    {"tcgen05_nvf4", "tcgen05.sm_100a", "mxf4nvf4", kScaledFp4 | kTcgen05},      // UTCOMMA.4X
    {"tcgen05_int8", "tcgen05.sm_100a", "i8", kInt8 | kTcgen05},                 // UTCIMMA
    {"a_callee_of_its_own_section_counts", "calls.sm_90a", "caller", kBf16 | kMmaSync},
    {"and_before_sm_90", "calls.sm_80", "caller", kBf16 | kMmaSync},
    {"who_does_not_call_has_none", "calls.sm_90a", "bystander", 0},
};

class TensorTypes : public testing::TestWithParam<TensorRow> {};
TEST_P(TensorTypes, AreThoseThatExecute) {
  const auto bytes = read_file(std::string(GetParam().file) + ".cubin");
  const auto image = read_cubin(bytes);
  const auto* function = find(image, GetParam().function);
  ASSERT_TRUE(function);
  EXPECT_EQ(function->tensor, GetParam().tensor);
}
INSTANTIATE_TEST_SUITE_P(Rows, TensorTypes, testing::ValuesIn(kTensorRows),
                         [](auto& i) { return i.param.name; });

TEST(MachineCode, DeviceFunctionsAreNotEntries) {
  const auto bytes = read_file("calls.sm_90a.cubin");
  const auto image = read_cubin(bytes);
  EXPECT_TRUE(image.relocatable);
  EXPECT_TRUE(find(image, "caller")->entry);
  EXPECT_FALSE(find(image, "multiply")->entry);
}

/// The hash of `name` after the byte at `at` of `in`'s instructions was changed.
std::uint64_t hash_after(std::string bytes, const char* name, const char* in, std::size_t at) {
  const auto before = read_cubin(bytes);
  const auto offset = static_cast<std::size_t>(find(before, in)->code.data() - bytes.data()) + at;
  bytes[offset] = static_cast<char>(bytes[offset] ^ 0x10);
  const auto after = read_cubin(bytes);
  return find(after, name)->hash;
}

TEST(MachineCode, HashIsOfTheInstructionsAndOfThoseThatAreCalled) {
  const auto bytes = read_file("calls.sm_90a.cubin");
  const auto image = read_cubin(bytes);
  const auto caller = find(image, "caller")->hash, bystander = find(image, "bystander")->hash;
  EXPECT_NE(caller, bystander);
  EXPECT_NE(hash_after(bytes, "caller", "caller", 4), caller);
  EXPECT_NE(hash_after(bytes, "caller", "multiply", 4), caller) << "called through forward";
  EXPECT_EQ(hash_after(bytes, "bystander", "multiply", 4), bystander);
}

TEST(MachineCode, HashLeavesOutWhatALinkerFillsIn) {
  const auto bytes = read_file("calls.sm_90a.cubin");
  const auto image = read_cubin(bytes);
  const auto* caller = find(image, "caller");
  std::size_t ignored = 0;
  for (std::size_t at = 4; at < caller->code.size(); at += 16)
    ignored += hash_after(bytes, "caller", "caller", at) == caller->hash;
  EXPECT_EQ(ignored, 3u);  // readelf -r: .rela.text.caller has three entries, in three instructions
}

TEST(MachineCode, TheSameInstructionsHaveTheSameHashInAnotherToolkitsLayout) {
  const auto a = read_file("resources.sm_80.cubin"),
             b = read_file("resources.sm_80.ptxas12.9.cubin");
  const auto first = read_cubin(a), second = read_cubin(b);
  for (const auto* name : {"plain", "shared_array", "local_array", "spills"}) {
    const auto *one = find(first, name), *other = find(second, name);
    EXPECT_EQ(one->code == other->code, one->hash == other->hash) << name;
  }
  EXPECT_EQ(find(first, "local_array")->hash, find(second, "local_array")->hash);
}

TEST(MachineCode, WhatIsNoCubinIsSaidToBeNone) {
  for (const std::string_view bytes :
       {std::string_view(), std::string_view("\177ELF"), std::string_view("#!/bin/sh\n")})
    EXPECT_EQ(read_cubin(bytes).fault, "not a CUDA cubin");
}

/// Every view of a damaged file must lie inside of it; the sanitizers watch the rest.
void expect_sound(const std::string& bytes) {
  const auto image = read_cubin(bytes);
  for (const auto& function : image.functions) {
    ASSERT_GE(function.code.data(), bytes.data());
    ASSERT_LE(function.code.data() + function.code.size(), bytes.data() + bytes.size());
    ASSERT_GE(function.name.data(), bytes.data());
    ASSERT_LE(function.name.data() + function.name.size(), bytes.data() + bytes.size());
  }
}

TEST(MachineCode, ACutFileIsReadAsFarAsItGoes) {
  const auto whole = read_file("resources.sm_80.ptxas12.9.cubin");
  for (std::size_t size = 0; size < whole.size(); size += size < 1024 ? 1 : 37)
    expect_sound(whole.substr(0, size));
}

TEST(MachineCode, FlippedBitsAndHostileNumbersDoNoHarm) {
  for (const auto* file :
       {"resources.sm_90a.cubin", "calls.sm_80.cubin", "resources.sm_80.ptxas11.8.cubin"}) {
    const auto whole = read_file(file);
    std::mt19937 random(7);
    const auto below = [&](std::size_t limit) {
      return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    std::uint64_t sections = 0;
    std::memcpy(&sections, whole.data() + 40, 8);
    for (int round = 0; round < 3000; ++round) {
      auto bytes = whole;
      for (std::size_t n = 1 + below(4); n > 0; --n) {
        // Half of the damage goes where offsets and sizes stand.
        const auto at = below(2)
                            ? static_cast<std::size_t>(sections) + below(whole.size() - sections)
                            : below(whole.size());
        if (below(2)) {
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        } else {
          constexpr std::uint64_t kNumbers[] = {
              0, ~0ull, 1ull << 63, 0x7fffffffull, 0xfffffff0ull, ~0ull - 15};
          const auto number = kNumbers[below(std::size(kNumbers))];
          std::memcpy(bytes.data() + at, &number, std::min<std::size_t>(8, bytes.size() - at));
        }
      }
      expect_sound(bytes);
    }
  }
}

}  // namespace
}  // namespace roofline::machine_code
