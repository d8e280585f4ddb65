#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ingest/protobuf.hpp"
#include "roofline/kernel/function_name.hpp"
#include "unit/ingest/formats/imported.hpp"

/// Formats in protobuf's wire format: Nsight Compute's reports and XLA's profiles.
namespace roofline {
namespace {

using test::corpus;
using test::expected;
using test::import_back;
using test::TemporaryFile;

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
std::string text(unsigned field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
std::string real(unsigned field, double value) {
  std::string out = varint(field << 3 | 1);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i));
  return out;
}
std::string sized(const std::string& bytes) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(bytes.size() >> (8 * i));
  return out + bytes;
}

std::string result(const std::string& name, std::uint64_t ns, double read_bytes) {
  const auto metric = [](unsigned index, const std::string& value) {
    return text(13, number(1, index) + text(2, value));
  };
  return text(7, name) + text(10, number(1, 8) + number(2, 2) + number(3, 1)) +
         text(11, number(1, 128) + number(2, 1) + number(3, 1)) + metric(0, number(5, ns)) +
         metric(1, real(3, read_bytes)) + metric(2, text(1, "NVIDIA Made Up")) +
         metric(77, number(5, 1)) + number(23, 7);
}
std::string report() {
  const auto strings = text(1, "gpu__time_duration.sum") + text(1, "dram__bytes_read.sum") +
                       text(1, "device__attribute_display_name");
  const auto payload = sized("source") + sized(result("saxpy(int)", 1500, 4096)) +
                       sized(result("saxpy(int)", 2500, 8192));
  const auto header = number(1, 1) + number(2, 2) + text(4, strings) + number(5, payload.size()) +
                      text(6, number(1, 42) + text(2, "node") + text(3, "/opt/app"));
  return std::string("NVR\0", 4) + sized(number(1, 7)) + sized(header) + payload;
}

std::string profile() {
  const auto stat_name = [](std::uint64_t id, const std::string& name) {
    return text(5, number(1, id) + text(2, number(1, id) + text(2, name)));
  };
  const auto event = [](std::uint64_t id, std::uint64_t offset, std::uint64_t duration,
                        const std::string& stats) {
    return text(4, number(1, id) + number(2, offset) + number(3, duration) + stats);
  };
  const auto line = text(
      3, number(1, 9) + text(2, "Stream #9(Compute)") + number(3, 1000) +
             event(1, 5'000'000, 3'000'000,
                   text(4, number(1, 2) + number(7, 3)) +
                       text(4, number(1, 4) + text(5, "fusion.1"))) +
             event(2, 9'000'000, 1'000'000, text(4, number(1, 5) + text(5, "kind:x size:4096"))));
  const auto derived = text(
      3, number(1, 10) + text(2, "XLA Ops") + number(3, 1000) + event(1, 5'000'000, 3'000'000, ""));
  const auto gpu = text(2, "/device:GPU:0") + line + derived +
                   text(4, number(1, 1) + text(2, number(1, 1) + text(2, "fused_add"))) +
                   text(4, number(1, 2) + text(2, number(1, 2) + text(2, "MemcpyH2D"))) +
                   stat_name(2, "kernel_details") +
                   stat_name(3, "grid:4,1,1 block:64,2,1 regs:20") + stat_name(4, "hlo_op") +
                   stat_name(5, "memcpy_details") + stat_name(6, "core_count") +
                   text(6, number(1, 6) + number(3, 132));
  return text(1, text(2, "/host:metadata")) + text(1, gpu) + text(4, "node7");
}

TEST(NcuRep, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    if (facts.value("kind", "") != "ncu-rep") continue;
    SCOPED_TRACE(name);
    ++files;
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "ncu-rep");
    EXPECT_EQ(back.launches(), facts["n_kernels"].get<std::uint64_t>());
    EXPECT_EQ(back.total_ns(), static_cast<long long>(facts["total_duration_ns"].get<double>()));
    for (const auto& kernel : facts["kernels"]) {
      const auto* found = back.find(canonical_name(kernel["name"].get<std::string>()));
      ASSERT_TRUE(found);
      EXPECT_EQ(found->grid[0] * found->grid[1] * found->grid[2], kernel["launch__grid_size"]);
      EXPECT_EQ(found->block[0] * found->block[1] * found->block[2], kernel["launch__block_size"]);
      const double time = kernel["gpu__time_duration.sum"].get<double>();
      EXPECT_TRUE(std::any_of(found->counters.begin(), found->counters.end(), [&](const auto& c) {
        return c.values.at("gpu__time_duration.sum") == time;
      }));
    }
    ASSERT_EQ(back.profile.devices.size(), 1u);
    EXPECT_EQ(back.profile.devices[0].name, facts["kernels"][0]["device__attribute_display_name"]);
    EXPECT_EQ(back.profile.devices[0].facts.major, 7u);
    EXPECT_EQ(back.profile.devices[0].facts.minor, 5u);
    EXPECT_EQ(back.tool(), "Nsight Compute 2025.1.0.0");
  }
  EXPECT_EQ(files, 2);
}

TEST(NcuRep, MadeByHand) {
  const TemporaryFile file("made.ncu-rep", report());
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.total_ns(), 4000);
  ASSERT_EQ(back.profile.kernels.size(), 1u);
  EXPECT_EQ(back.profile.kernels[0].grid, (std::array<std::uint64_t, 3>{8, 2, 1}));
  EXPECT_EQ(back.profile.kernels[0].counters.at(1).values.at("dram__bytes_read.sum"), 8192);
  EXPECT_EQ(back.profile.devices.at(0).name, "NVIDIA Made Up");
  EXPECT_EQ(back.profile.processes[0].command, "/opt/app");
}

TEST(NcuRep, CutInsideTheSecondKernel) {
  auto bytes = report();
  bytes.resize(bytes.size() - 10);
  const TemporaryFile file("cut.ncu-rep", bytes);
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 1u);
  EXPECT_EQ(back.cut(), "after kernel 1");
}

TEST(NcuRep, HugeSizesAreNotBelieved) {
  const TemporaryFile file("huge.ncu-rep", std::string("NVR\0\x02\0\0\0\x08\x07\xff\xff\xff\xff"
                                                       "abc",
                                                       18));
  EXPECT_TRUE(import_back(file.path()).error);
}

TEST(XPlane, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    if (facts.value("kind", "") != "xla xplane") continue;
    SCOPED_TRACE(name);
    ++files;
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "xplane");
    EXPECT_EQ(back.launches(), facts["stream_events"].get<std::uint64_t>());
    EXPECT_NEAR(static_cast<double>(back.total_ns()) / 1e3,
                std::stod(facts["stream_us"].get<std::string>()), 1e-9);
    for (const auto& plane : facts["planes"]) {
      const auto id = std::stoull(plane["plane"].get<std::string>().substr(12));
      std::uint64_t launches = 0;
      for (const auto& device : back.profile.activity)
        if (device.device == id) launches += device.launches;
      EXPECT_EQ(launches, plane["stream_events"].get<std::uint64_t>());
      const auto device = std::find_if(back.profile.devices.begin(), back.profile.devices.end(),
                                       [&](const auto& d) { return d.facts.ordinal == id; });
      ASSERT_NE(device, back.profile.devices.end());
      EXPECT_EQ(device->facts.sm_count, plane["props"]["core_count"]);
    }
    EXPECT_EQ(back.loss("gpu_not_named"), 1u);
  }
  EXPECT_EQ(files, 2);
}

TEST(XPlane, MadeByHand) {
  const TemporaryFile file("made.xplane.pb", profile());
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 1u);  // the derived line repeats it
  EXPECT_EQ(back.total_ns(), 3000);
  ASSERT_EQ(back.profile.kernels.size(), 1u);
  const auto& kernel = back.profile.kernels[0];
  EXPECT_EQ(kernel.full_name, "fused_add");
  EXPECT_EQ(kernel.block, (std::array<std::uint64_t, 3>{64, 2, 1}));
  EXPECT_EQ(kernel.registers, 20u);
  ASSERT_TRUE(kernel.operation);
  EXPECT_EQ(kernel.operation->attribute("hlo_op"), "fusion.1");
  EXPECT_EQ(back.profile.activity.at(0).copies, 1u);
  EXPECT_EQ(back.profile.devices.at(0).facts.sm_count, 132u);
  EXPECT_EQ(back.profile.processes[0].host, "node7");
}

TEST(WireFormats, DamageEndsWell) {
  for (const auto& whole : {report(), profile()}) {
    const auto limit = import_back(TemporaryFile("whole", whole).path()).launches();
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 61 + 1) {
      const TemporaryFile file("cut", whole.substr(0, size));
      EXPECT_LE(import_back(file.path()).launches(), limit);
    }
    std::uint64_t state = 4711;
    for (int round = 0; round < 100; ++round) {
      auto changed = whole;
      for (int i = 0; i < 2; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        changed[8 + (state >> 33) % (changed.size() - 8)] = static_cast<char>(state >> 20);
      }
      import_back(TemporaryFile("changed", changed).path());
    }
  }
}

TEST(Protobuf, Fields) {
  const auto message = number(1, 300) + text(2, "abc") + real(3, 2.5);
  ProtobufFields good(message);
  ASSERT_TRUE(good.next());
  EXPECT_EQ(good.number(), 300u);
  ASSERT_TRUE(good.next());
  EXPECT_EQ(good.bytes(), "abc");
  ASSERT_TRUE(good.next());
  EXPECT_EQ(good.real(), 2.5);
  EXPECT_FALSE(good.next());
  EXPECT_FALSE(good.damaged());
  for (const auto& bad : {std::string("\x12\x7f"
                                      "abc"),
                          std::string("\x0b"),
                          std::string("\x09"
                                      "ab"),
                          std::string(12, '\xff')}) {
    ProtobufFields fields(bad);
    while (fields.next()) {
    }
    EXPECT_TRUE(fields.damaged());
  }
}

}  // namespace
}  // namespace roofline
