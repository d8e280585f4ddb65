#include "roofline/machine/foreign_ceilings.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "roofline/base/input.hpp"

namespace roofline {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 20;

std::string content(const std::string& path) { return read_input(path, kLimit).value(); }
std::string made(const std::string& name) {
  return content(std::string(ROOFLINE_TEST_DATA) + "/ceilings/" + name);
}
std::string corpus(const std::string& name) {
  return std::string(ROOFLINE_SHARED) + "/corpus/tables/" + name;
}
bool has_corpus() { return std::ifstream(corpus("hip_mixbench.txt")).good(); }

using Figures = std::map<std::string, double>;
Figures figures(const ForeignCeilings& read) {
  Figures all;
  for (const auto& ceiling : read.ceilings)
    all[ceiling.name + " " + ceiling.resource + " " + ceiling.unit] = ceiling.value;
  return all;
}
void expect(const Figures& seen, const Figures& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(seen.contains(name)) << name;
    EXPECT_NEAR(seen.at(name) / value, 1, 1e-12) << name;
  }
}

struct Row {
  std::string file;
  int device;
  std::string program, name;
  std::optional<double> array_bytes;
  Figures figures;
};

TEST(ForeignCeilings, each_program_tells_what_it_measured) {
  const std::vector<Row> rows = {
      {"mixbench.txt",
       0,
       "mixbench/read-only (v1.0-made-up)",
       "NVIDIA H100 80GB HBM3",
       256.0 * 1024 * 1024,
       {{"dram_read dram B/s", 2950e9},
        {"vector_fp32 vector:fp32 FLOP/s", 61000.5e9},
        {"vector_fp64 vector:fp64 FLOP/s", 90e12},
        {"int int op/s", 30e12}}},
      {"babelstream.txt",
       0,
       "BabelStream 5.0",
       "NVIDIA H100 80GB HBM3",
       268.4e6,
       {{"dram_copy dram B/s", 2800000.5e6},
        {"dram_triad dram B/s", 3010e9},
        {"dram_read dram B/s", 3100e9}}},
      // MiB/s; 2^20 elements of 8 bytes.
      {"babelstream.csv",
       0,
       "BabelStream",
       "",
       8388608.0,
       {{"dram_copy dram B/s", 1048576e6}, {"dram_triad dram B/s", 1.1 * 1048576e6}}},
      {"gpu_stream.log",
       0,
       "gpu-stream (SuperBench)",
       "NVIDIA H100 80GB HBM3",
       4294967296.0,
       {{"dram_copy dram B/s", 2900.5e9}, {"dram_triad dram B/s", 3050e9}}},
      {"gpu_stream.log",
       1,
       "gpu-stream (SuperBench)",
       "NVIDIA H100 80GB HBM3",
       4294967296.0,
       {{"dram_copy dram B/s", 2700e9}, {"dram_triad dram B/s", 2950e9}}},
      {"gpu_benches_stream.txt",
       0,
       "gpu-stream (gpu-benches)",
       "",
       std::nullopt,
       {{"dram_read dram B/s", 2550e9},
        {"dram_copy dram B/s", 2800e9},
        {"dram_triad dram B/s", 2950e9}}},
      // Copies within a GPU are printed once: 1450.25 GB/s read and as much written. The nearer of
      // two CPUs; neither the sum of GPUs nor both directions at once.
      {"nvbandwidth.log",
       0,
       "nvbandwidth v0.8",
       "NVIDIA H100 80GB HBM3",
       std::nullopt,
       {{"copy_to_device link:pcie B/s", 55.25e9},
        {"copy_to_host link:pcie B/s", 53.5e9},
        {"dram_copy dram B/s", 2900.5e9}}},
      {"nvbandwidth.log",
       1,
       "nvbandwidth v0.8",
       "NVIDIA H100 80GB HBM3",
       std::nullopt,
       {{"copy_to_device link:pcie B/s", 54e9}, {"dram_copy dram B/s", 2898e9}}},
      // The largest copies, of pinned memory alone.
      {"bandwidth_test.txt",
       0,
       "bandwidthTest",
       "Tesla T4",
       32e6,
       {{"copy_to_device link:pcie B/s", 12.3e9}, {"dram_copy dram B/s", 239.6e9}}},
      {"bandwidth_test_sizes.txt",
       0,
       "bandwidthTest",
       "Tesla V100-SXM2-16GB",
       68e6,
       {{"copy_to_device link:pcie B/s", 9600.5e6}, {"dram_copy dram B/s", 780e9}}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.file);
    const auto read = read_foreign_ceilings(made(row.file), row.file, row.device);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->program, row.program);
    EXPECT_EQ(read->device.name, row.name);
    EXPECT_EQ(read->array_bytes.has_value(), row.array_bytes.has_value());
    EXPECT_NEAR(read->array_bytes.value_or(0), row.array_bytes.value_or(0), 1e-3);
    expect(figures(*read), row.figures);
  }
}

TEST(ForeignCeilings, facts_of_the_gpu_are_those_of_the_heading) {
  const auto facts = read_foreign_ceilings(made("mixbench.txt"), "m", 0)->device;
  EXPECT_EQ(facts.compute_capability, "9.0");
  EXPECT_EQ(facts.sm_count, 132U);
  EXPECT_EQ(facts.bus_bits, 5120U);
  EXPECT_EQ(facts.l2_bytes, 50U << 20);
  EXPECT_EQ(facts.memory_bytes, std::uint64_t{81000} << 20);
  EXPECT_EQ(facts.memory_clock_hz, 2619e6);
  const auto stream = read_foreign_ceilings(made("gpu_stream.log"), "s", 0)->device;
  EXPECT_EQ(stream.compute_capability, "9.0");
  EXPECT_EQ(stream.sm_count, 132U);
  EXPECT_EQ(stream.bus_bits, 5120U);
  EXPECT_EQ(read_foreign_ceilings(made("nvbandwidth.log"), "n", 0)->driver, "580.65.06");
}

TEST(ForeignCeilings, lines_of_windows_are_read_alike) {
  auto text = made("babelstream.txt");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, "\r");
  expect(figures(*read_foreign_ceilings(text, "b", 0)),
         figures(*read_foreign_ceilings(made("babelstream.txt"), "b", 0)));
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(ForeignCeilings, what_is_wrong_is_said_with_its_line) {
  struct Wrong {
    std::string text;
    int device, line;
    Code code;
    std::string says;
  };
  const std::vector<Wrong> rows = {
      {replaced(made("mixbench.txt"), "2900.00", "fast"), 0, 17, Code::bad_number, "\"fast\""},
      {replaced(made("mixbench.txt"), ",2800.00", ""), 0, 17, Code::wrong_type, "12 cells"},
      {replaced(made("babelstream.txt"), "2800000.5", "nan"), 0, 11, Code::bad_number, "Copy"},
      {replaced(made("gpu_stream.log"), "2900.50", "-1"), 0, 6, Code::bad_number, "\"-1\""},
      {replaced(made("gpu_benches_stream.txt"), "2500 ", ""), 0, 3, Code::wrong_type, "5 rates"},
      {replaced(made("nvbandwidth.log"), "55.25", "5x"), 0, 14, Code::bad_number, "\"5x\""},
      {replaced(made("bandwidth_test_sizes.txt"), "NumDevsUsed = 1\nResult", "NumDevsUsed = 2\nR"),
       0, 10, Code::wrong_type, "sum over 2 GPUs"},
      {made("gpu_stream.log"), 2, 0, Code::empty_input, "no figure of GPU 2"},
      {"# nThread 1 nGpus 8 minBytes 1\n", 0, 0, Code::wrong_type, "nccl-tests"},
      {"hello\n", 0, 0, Code::wrong_type, "no output with ceilings that is known"},
      {"", 0, 0, Code::wrong_type, "no output with ceilings that is known"},
  };
  for (const auto& row : rows) {
    const auto read = read_foreign_ceilings(row.text, "file", row.device);
    ASSERT_FALSE(read) << row.says;
    EXPECT_EQ(read.error().code, row.code) << row.says;
    EXPECT_EQ(read.error().where.line, row.line) << row.says;
    EXPECT_NE(read.error().what.find(row.says), std::string::npos) << read.error().what;
  }
}

TEST(ForeignCeilings, results_that_were_found_wrong_are_said_to_be) {
  const auto read =
      read_foreign_ceilings(replaced(made("babelstream.txt"), "Function ",
                                     "Validation failed on a[]. Average error 0.5\nFunction "),
                            "file", 0);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fault, "it found its own results wrong: \"Validation failed on a[]\"");
  EXPECT_EQ(read->ceilings.size(), 3u);
  EXPECT_EQ(read_foreign_ceilings(made("babelstream.txt"), "file", 0)->fault, "");
}

TEST(ForeignCeilings, a_table_by_itself_is_read) {
  const auto text = made("babelstream.txt");
  const auto read = read_foreign_ceilings(text.substr(text.find("Function ")), "file", 0);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->ceilings.size(), 3u);
}

TEST(ForeignCeilings, a_cut_output_is_read_or_refused) {
  for (const auto* name : {"mixbench.txt", "babelstream.txt", "babelstream.csv", "gpu_stream.log",
                           "gpu_benches_stream.txt", "nvbandwidth.log", "bandwidth_test.txt",
                           "bandwidth_test_sizes.txt"}) {
    const auto text = made(name);
    for (std::size_t size = 0; size < text.size(); ++size) {
      const auto read = read_foreign_ceilings(std::string_view(text).substr(0, size), name, 0);
      EXPECT_TRUE(!read || !read->ceilings.empty()) << name << " " << size;
    }
  }
}

// Real outputs; figures found in them with another program (awk, Python).
TEST(ForeignCeilings, real_outputs) {
  if (!has_corpus()) GTEST_SKIP() << "no corpus under " << ROOFLINE_SHARED;
  const std::vector<Row> rows = {
      {"hip_mixbench.txt",
       0,
       "mixbench-hip (v0.04-1-g7a068df)",
       "",
       256.0 * 1024 * 1024,
       {{"dram_read dram B/s", 1478.18e9},
        {"vector_fp32 vector:fp32 FLOP/s", 24456.31e9},
        {"vector_fp32_packed vector:fp32 FLOP/s", 40037.03e9},
        {"vector_fp64 vector:fp64 FLOP/s", 20140.43e9},
        {"vector_fp16 vector:fp16 FLOP/s", 41195.62e9},
        {"int int op/s", 10279.21e9}}},
      {"rtx2070_mixbench.txt",
       0,
       "mixbench/read-only (v0.03-2-gbccfd71)",
       "GeForce RTX 2070",
       256.0 * 1024 * 1024,
       {{"dram_read dram B/s", 424.65e9},
        {"vector_fp32 vector:fp32 FLOP/s", 8414.49e9},
        {"vector_fp64 vector:fp64 FLOP/s", 225.02e9},
        {"vector_fp16 vector:fp16 FLOP/s", 16847.93e9},
        {"int int op/s", 7477.75e9}}},
      {"a100_80_stream.txt",
       0,
       "gpu-stream (gpu-benches)",
       "",
       std::nullopt,
       {{"dram_read dram B/s", 1776e9},
        {"dram_copy dram B/s", 1737e9},
        {"dram_triad dram B/s", 1794e9}}},
      {"b200class_stream.log",
       0,
       "gpu-stream (SuperBench)",
       "NVIDIA Graphics Device",
       4294967296.0,
       {{"dram_copy dram B/s", 6711.67e9}, {"dram_triad dram B/s", 7414.01e9}}},
      {"b200class_stream.log",
       1,
       "gpu-stream (SuperBench)",
       "NVIDIA Graphics Device",
       4294967296.0,
       {{"dram_copy dram B/s", 6708.74e9}, {"dram_triad dram B/s", 7414.04e9}}},
      {"gh200_nvbandwidth.log",
       0,
       "nvbandwidth v0.6",
       "NVIDIA GH200 480GB",
       std::nullopt,
       {{"copy_to_device link:pcie B/s", 369.36e9}, {"copy_to_host link:pcie B/s", 295.15e9}}},
      {"cuda_d2d_bandwidth.log",
       0,
       "bandwidthTest",
       "Tesla V100-PCIE-32GB",
       68e6,
       {{"dram_copy dram B/s", 762.8e9}}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.file);
    const auto read = read_foreign_ceilings(content(corpus(row.file)), row.file, row.device);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->program, row.program);
    EXPECT_EQ(read->device.name, row.name);
    EXPECT_EQ(read->array_bytes.has_value(), row.array_bytes.has_value());
    EXPECT_NEAR(read->array_bytes.value_or(0), row.array_bytes.value_or(0), 1e-3);
    expect(figures(*read), row.figures);
  }
  for (const auto* name : {"a100x8_nccl_allreduce.log", "h200_roofline_sweep.txt"})
    EXPECT_EQ(read_foreign_ceilings(content(corpus(name)), name, 0).error().code, Code::wrong_type);
}

}  // namespace
}  // namespace roofline
