#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "roofline/ingest/mapping.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

/// Benchmark harnesses, and files that are known and hold no kernels.
namespace roofline {
namespace {

using test::corpus;
using test::data;
using test::expected;
using test::import_back;
using test::TemporaryFile;

TEST(NvbenchJson, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  const auto& facts = expected()["bench/nvbench_ref.json"];
  const auto back = import_back(corpus("bench/nvbench_ref.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "nvbench-json");
  std::uint64_t states = 0;
  double sum_of_means = 0;
  bool declared = false;
  for (const auto& kernel : back.profile.kernels)
    for (const auto& sums : kernel.sums) {
      ++states;
      sum_of_means += sums.mean().value();
      declared = declared || kernel.operation;
    }
  EXPECT_EQ(states, facts["states_with_time"].get<std::uint64_t>());
  EXPECT_NEAR(sum_of_means, std::stod(facts["sum_mean_gpu_s"].get<std::string>()), 1e-10);
  EXPECT_EQ(back.loss("benchmarks_skipped"), facts["skipped"].get<std::uint64_t>());
  EXPECT_TRUE(declared);
  ASSERT_EQ(back.profile.devices.size(), facts["devices"].size());
  for (std::size_t i = 0; i < facts["devices"].size(); ++i) {
    EXPECT_EQ(back.profile.devices[i].name, facts["devices"][i][0]);
    EXPECT_EQ(back.profile.devices[i].facts.sm_count, facts["devices"][i][2]);
  }
  EXPECT_EQ(back.profile.devices[0].facts.major, 7u);
}

TEST(NvbenchMarkdown, Corpus) {
  SKIP_WITHOUT_CORPUS();
  struct Row {
    const char* name;
    const char* gpu;
    std::uint64_t sms, samples;
    double time, bytes;
  };
  // Bytes: 640 + 512 MiB; 16,777,216 elements of 4 B read, and as many written.
  for (const auto& row :
       {Row{"bench/nvbench_a30_attention.md", "NVIDIA A30", 56, 652, 22.957e-3, 1152.0 * 1048576},
        Row{"bench/nvbench_gv100_gib.md", "Quadro GV100", 80, 27393, 262.392e-6, 16777216.0 * 8}}) {
    SCOPED_TRACE(row.name);
    const auto back = import_back(corpus(row.name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "nvbench-markdown");
    ASSERT_EQ(back.profile.kernels.size(), 1u);
    const auto& kernel = back.profile.kernels[0];
    EXPECT_EQ(kernel.launches, row.samples);
    EXPECT_NEAR(kernel.sums.at(0).mean().value(), row.time, 1e-12);
    ASSERT_TRUE(kernel.operation);
    EXPECT_NEAR(std::stod(std::string(kernel.operation->attribute("bytes"))) / row.bytes, 1, 1e-4);
    EXPECT_EQ(back.profile.devices.at(0).name, row.gpu);
    EXPECT_EQ(back.profile.devices.at(0).facts.sm_count, row.sms);
  }
}

TEST(NvbenchMarkdown, AxesSkippedStatesAndUnits) {
  const auto back = import_back(data("bench/nvbench.md"));
  ASSERT_FALSE(back.error) << back.error->what;
  ASSERT_EQ(back.profile.kernels.size(), 1u);
  const auto& kernel = back.profile.kernels[0];
  EXPECT_EQ(kernel.symbol, "copy[T=F32 Elements=2^20]");
  EXPECT_EQ(kernel.launches, 100u);
  EXPECT_NEAR(kernel.time().value(), 3.2e-3, 1e-12);
  EXPECT_EQ(kernel.operation->attribute("bytes"), "8388608");  // 262.144 GB/s in 32 us
  EXPECT_EQ(back.loss("benchmarks_skipped"), 1u);
  EXPECT_EQ(back.profile.devices.at(0).facts.major, 8u);
  EXPECT_EQ(back.profile.devices.at(0).facts.minor, 9u);
  EXPECT_EQ(back.profile.devices.at(0).facts.bus_width_bits, 192u);
}

TEST(NvbenchMarkdown, TableAloneNamesItsDeviceAndPowers) {
  const auto back = import_back(data("bench/nvbench_table.md"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "nvbench-markdown");
  ASSERT_EQ(back.profile.kernels.size(), 2u);
  const auto* large = back.find("Sum - Last Warp (two sizes)[T=U8 Array Size=67108864]");
  ASSERT_TRUE(large);
  EXPECT_EQ(large->launches, 703u);
  EXPECT_NEAR(large->sums.at(0).mean().value(), 712.011e-6, 1e-12);
  EXPECT_EQ(back.profile.devices.at(0).name, "NVIDIA A30");
  EXPECT_EQ(back.profile.devices.at(0).facts.ordinal, 1u);
}

TEST(GoogleBenchmark, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    if (facts.value("kind", "") != "google benchmark json") continue;
    SCOPED_TRACE(name);
    ++files;
    std::ifstream in(corpus(name));
    const auto document = nlohmann::json::parse(in);
    std::uint64_t single = 0;
    for (const auto& entry : document["benchmarks"])
      if (!entry.contains("aggregate_name") && entry.value("run_type", "") != "aggregate") ++single;
    EXPECT_EQ(document["benchmarks"].size(), facts["benchmarks"].get<std::size_t>());
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "google-benchmark");
    EXPECT_EQ(back.launches(), single);
    EXPECT_EQ(back.loss("gpu_not_named"), 1u);
    if (single == 0) continue;  // aggregates alone
    const auto& first = facts["first"][0];
    const auto* kernel = back.find(first[0].get<std::string>());
    ASSERT_TRUE(kernel);
    EXPECT_NEAR(kernel->sums.at(0).typical().value(), first[1].get<double>() * 1e-9, 1e-15);
  }
  EXPECT_EQ(files, 3);
}

TEST(CutlassProfiler, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    const auto kind = facts.value("kind", "");
    if (kind != "cutlass csv" && kind != "cutlass log") continue;
    SCOPED_TRACE(name);
    ++files;
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "cutlass-profiler");
    std::uint64_t passed = 0, unverified = 0;
    for (const auto& row : facts["data"]) {
      const auto* kernel = back.find(row[0].get<std::string>());
      if (row[1] == "not_verified") {
        ++unverified;
        EXPECT_FALSE(kernel);
        continue;
      }
      ++passed;
      ASSERT_TRUE(kernel && kernel->operation);
      const double ms = std::stod(row[3].get<std::string>());
      const double gflops = std::stod(row[4].get<std::string>());
      const auto truth = row[5].get<std::string>();  // "... = GiB/s (true GB/s 6.6966)"
      const double gb = std::stod(truth.substr(truth.find("true GB/s") + 9));
      const auto value = [&](const char* key) {
        return std::stod(std::string(kernel->operation->attribute(key)));
      };
      EXPECT_NEAR(kernel->time().value(), ms * 1e-3, 1e-9);
      EXPECT_NEAR(value("flops") / (ms * 1e-3) / 1e9 / gflops, 1, 1e-4);
      EXPECT_NEAR(value("bytes") / (ms * 1e-3) / 1e9, gb, 1e-4);
      EXPECT_EQ(value("m"), 16384);
    }
    EXPECT_EQ(back.launches(), passed);
    EXPECT_EQ(back.loss("results_not_verified"), unverified);
  }
  EXPECT_EQ(files, 3);
}

TEST(CutlassProfiler, BlocksOfText) {
  const auto back = import_back(data("bench/cutlass.txt"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 1u);
  EXPECT_EQ(back.total_ns(), 12500);
  EXPECT_EQ(back.loss("results_incorrect"), 1u);
  const auto& operation = *back.profile.kernels.at(0).operation;
  EXPECT_EQ(operation.attribute("k"), "256");
  EXPECT_EQ(operation.attribute("a"), "f16:column");
  EXPECT_EQ(operation.attribute("operation"), "gemm");
}

// 2 x 8 x 8 x 16 to 4 x 4 x 32 by windows of 3 x 3: 1024 results of 144 products each.
TEST(CutlassProfiler, Convolutions) {
  const auto back = import_back(data("bench/cutlass_conv.csv"));
  ASSERT_FALSE(back.error) << back.error->what;
  ASSERT_EQ(back.profile.kernels.size(), 4u);
  const struct {
    const char *name, *pipe;
    double bytes;
  } rows[] = {
      {"cutlass_fprop_f16", "tensor:fp16", 2.0 * 2048 + 2.0 * 4608 + 4.0 * 1024},
      {"cutlass_dgrad_tf32", "tensor:tf32", 4.0 * (1024 + 4608 + 2048)},
      {"cutlass_wgrad_f16_add", "tensor:fp16", 2.0 * (1024 + 2048 + 4608 + 4608)},
  };
  for (const auto& row : rows) {
    const auto* kernel = back.find(row.name);
    ASSERT_TRUE(kernel) << row.name;
    const auto mapped = map_operation(*kernel->operation, kernel->full_name);
    ASSERT_TRUE(mapped) << mapped.error();
    EXPECT_EQ(mapped->work.flops().to_double(), 2.0 * 1024 * 144) << row.name;
    EXPECT_EQ(mapped->work.bytes().to_double(), row.bytes) << row.name;
    EXPECT_EQ(pipe_name(mapped->work.pipe()), row.pipe);
  }
  EXPECT_FALSE(map_operation(*back.find("cutlass_other")->operation, ""));
}

TEST(TritonTable, TellsWhatIsMissing) {
  SKIP_WITHOUT_CORPUS();
  const auto back = import_back(corpus("bench/triton_matmul_square.csv"));
  ASSERT_TRUE(back.error);
  EXPECT_NE(back.error->what.find("dtype"), std::string::npos);
  EXPECT_NE(back.error->hint.find("TFLOP/s"), std::string::npos);
}

TEST(TritonTable, Times) {
  const auto back = import_back(data("bench/triton_ms.csv"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 4u);
  EXPECT_EQ(back.total_ns(), 25000 + 50000 + 37500 + 75000);
  const auto* torch = back.find("Torch/M=512/N=128");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(torch->name, torch->full_name);  // the sizes are in the name that reports print
}

TEST(NotRead, CeilingsAreSentToCalibrate) {
  for (const auto* name : {"mixbench.txt", "babelstream.txt", "babelstream.csv", "gpu_stream.log",
                           "gpu_benches_stream.txt", "nvbandwidth.log", "bandwidth_test.txt"}) {
    const auto back = import_back(data(std::string("ceilings/") + name));
    ASSERT_TRUE(back.error) << name;
    EXPECT_NE(back.error->hint.find("roofline calibrate FILE"), std::string::npos) << name;
  }
}

TEST(NotRead, WhatItIsAndWhatToDo) {
  SKIP_WITHOUT_CORPUS();
  const std::pair<const char*, const char*> kRows[] = {
      {"tables/hip_mixbench.txt", "mixbench"},
      {"tables/rtx2070_mixbench.txt", "mixbench"},
      {"tables/b200class_stream.log", "STREAM"},
      {"tables/gh200_nvbandwidth.log", "nvbandwidth"},
      {"tables/cuda_d2d_bandwidth.log", "bandwidthTest"},
      {"tables/a100x8_nccl_allreduce.log", "nccl-tests"},
      {"bench/hyperfine_one.json", "hyperfine"},
  };
  for (const auto& [name, says] : kRows) {
    const auto back = import_back(corpus(name));
    ASSERT_TRUE(back.error) << name;
    EXPECT_NE(back.error->what.find(says), std::string::npos) << back.error->what;
    EXPECT_FALSE(back.error->hint.empty());
  }
  const auto report = import_back(TemporaryFile("run.nsys-rep", "anything").path());
  ASSERT_TRUE(report.error);
  EXPECT_NE(report.error->hint.find("nsys export"), std::string::npos);
}

/// No file of the corpus that is another tool's is taken for one of ours by mistake.
TEST(Sniffing, EveryCorpusFileHasTheFormatOfItsKind) {
  SKIP_WITHOUT_CORPUS();
  const std::map<std::string, std::vector<std::string>> formats = {
      {"ncu csv", {"ncu-csv"}},
      {"ncu text", {"ncu-text", "ncu-csv"}},
      {"ncu-rep", {"ncu-rep"}},
      {"nsys stats text", {"nsys-stats"}},
      {"nvprof csv", {"nvprof-csv"}},
      {"proton hatchet", {"proton"}},
      {"xla xplane", {"xplane"}},
      {"rocprofv3 json", {"rocprofv3-json"}},
      {"rocprof csv", {"rocprof-csv"}},
      {"cutlass csv", {"cutlass-profiler"}},
      {"cutlass log", {"cutlass-profiler"}},
      {"google benchmark json", {"google-benchmark"}},
      {"nvbench json", {"nvbench-json"}},
      {"nvbench markdown", {"nvbench-markdown"}},
      {"triton table", {"triton-table"}},
      {"nsys sqlite", {"nsys-sqlite"}}};
  for (const auto& [name, facts] : expected().items()) {
    const auto kind = facts.value("kind", "");
    const auto head = read_head(corpus(name));
    if (!head) continue;
    const auto* importer = importer_of(*head);
    const auto known = formats.find(kind);
    if (known != formats.end()) {
      ASSERT_TRUE(importer) << name;
      EXPECT_NE(std::find(known->second.begin(), known->second.end(), importer->name),
                known->second.end())
          << name << " is read as " << importer->name;
    } else if (importer && kind != "derived by us" && kind.find("trace") == std::string::npos) {
      ADD_FAILURE() << name << " (" << kind << ") is read as " << importer->name;
    }
  }
}

TEST(Harnesses, DamageEndsWell) {
  for (const char* name : {"bench/nvbench.md", "bench/nvbench_table.md", "bench/cutlass.txt",
                           "bench/cutlass_conv.csv", "bench/triton_ms.csv"}) {
    test::expect_damage_ends_well("damaged", test::bytes_of(data(name)),
                                  std::string_view("\",|\n-9\x00\xff(", 9));
  }
}

}  // namespace
}  // namespace roofline
