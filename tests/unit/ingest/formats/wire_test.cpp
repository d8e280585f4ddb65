#include <gtest/gtest.h>

#include "ingest/protobuf.hpp"
#include "roofline/ingest/mapping.hpp"
#include "roofline/kernel/function_name.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

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

/// An HloProto: entry(a: bf16[4,8], b: bf16[8,2]) = a b, with a library's name for nothing.
std::string program() {
  const auto shape = [](unsigned type, std::initializer_list<std::uint64_t> sizes) {
    std::string packed;
    for (const auto size : sizes) packed += varint(size);
    return text(3, number(2, type) + text(3, packed));
  };
  const auto instruction = [](std::uint64_t id, const std::string& name, const std::string& opcode,
                              const std::string& rest) {
    return text(2, text(1, name) + text(2, opcode) + rest + number(35, id));
  };
  constexpr unsigned kBf16 = 16, kF32 = 11;
  const auto entry =
      text(1, "main") + instruction(11, "a", "parameter", shape(kBf16, {4, 8})) +
      instruction(12, "b", "parameter", shape(kBf16, {8, 2}) + number(9, 1)) +
      instruction(13, "dot.1", "dot",
                  shape(kF32, {4, 2}) + text(30, text(1, varint(1)) + text(2, varint(0))) +
                      text(36, varint(11) + varint(12))) +
      number(5, 3) + number(6, 13);
  return text(1, text(1, "jit_f") + text(2, "main") + text(3, entry) + number(6, 3));
}

/// Two executions of the program's product by two kernels each, and one kernel of another program.
std::string profile_with_program(const std::string& proto, bool numbered = true,
                                 const std::string& other = {}) {
  const auto metadata = [](std::uint64_t id, const std::string& name, const std::string& rest) {
    return text(4, number(1, id) + text(2, number(1, id) + text(2, name) + rest));
  };
  const auto stat_name = [](std::uint64_t id, const std::string& name) {
    return text(5, number(1, id) + text(2, number(1, id) + text(2, name)));
  };
  const auto event = [numbered](std::uint64_t id, std::uint64_t offset, const std::string& op) {
    return text(4, number(1, id) + number(2, offset) + number(3, 1'000'000) +
                       text(4, number(1, 4) + text(5, op)) +
                       text(4, number(1, 5) + text(5, op == "dot.1" ? "jit_f" : "jit_g")) +
                       (numbered ? text(4, number(1, 6) + number(4, 7)) : ""));
  };
  const auto programs =
      text(2, "/host:metadata") + stat_name(1, "Hlo Proto") +
      metadata(7, "jit_f(7)", text(5, number(1, 1) + text(6, proto))) +
      (other.empty() ? other : metadata(8, "jit_f(8)", text(5, number(1, 1) + text(6, other))));
  const auto line = text(3, number(1, 9) + text(2, "Stream #9(Kernel)") + number(3, 1000) +
                                event(1, 1'000'000, "dot.1") + event(2, 3'000'000, "dot.1") +
                                event(1, 5'000'000, "dot.1") + event(2, 7'000'000, "dot.1") +
                                event(3, 9'000'000, "sort.1"));
  const auto gpu = text(2, "/device:GPU:0") + line + metadata(1, "pack", "") +
                   metadata(2, "product", "") + metadata(3, "sort", "") + stat_name(4, "hlo_op") +
                   stat_name(5, "hlo_module") + stat_name(6, "program_id");
  return text(1, programs) + text(1, gpu);
}

TEST(XPlane, ProgramsTellTheWork) {
  const TemporaryFile file("made.xplane.pb", profile_with_program(program()));
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  ASSERT_EQ(back.launches(), 5u);
  const auto *pack = back.find("pack"), *product = back.find("product"), *sort = back.find("sort");
  ASSERT_TRUE(pack && product && sort);
  ASSERT_TRUE(product->operation && sort->operation);
  EXPECT_EQ(operation_text(*product->operation), "hlo::dot.1 [4,8] x [8,2] bf16");
  // Both kernels make one execution, and two were made.
  EXPECT_EQ(pack->operation_starts, 2u);
  EXPECT_EQ(product->operation_starts, 0u);
  const auto work = map_operation(*product->operation, product->full_name);
  ASSERT_TRUE(work) << work.error();
  EXPECT_EQ(work->work.flops().to_double(), 2 * 4 * 2 * 8);
  EXPECT_EQ(work->work.bytes().to_double(), 2 * (4 * 8 + 8 * 2) + 4 * 4 * 2);
  EXPECT_EQ(map_operation(*sort->operation, "sort").error(), unmapped::kNoShapes);
}

TEST(XPlane, ProgramsWithoutTheirNumber) {
  const auto work_of = [](bool numbered, const std::string& other) {
    const TemporaryFile file("made.xplane.pb", profile_with_program(program(), numbered, other));
    const auto back = import_back(file.path());
    const auto work = map_operation(*back.find("product")->operation, "product");
    return work ? work->work.flops().to_double() : -1;
  };
  auto wider = program();  // [4,8] has become [6,8]
  wider[wider.find("\x04\x08")] = 6;
  ASSERT_NE(wider, program());
  EXPECT_EQ(work_of(true, wider), 2 * 4 * 2 * 8);
  EXPECT_EQ(work_of(false, {}), 2 * 4 * 2 * 8);
  EXPECT_EQ(work_of(false, program()), 2 * 4 * 2 * 8);  // both say the same
  EXPECT_EQ(work_of(false, wider), -1);                 // which of the two ran is not told
}

// Calls that launch stand among whatever else the host's threads did.
TEST(XPlane, CallsOfTheHost) {
  const auto metadata = [](std::uint64_t id, const std::string& name) {
    return text(4, number(1, id) + text(2, number(1, id) + text(2, name)));
  };
  const auto correlated = [](std::uint64_t id, std::uint64_t offset, std::uint64_t duration,
                             std::uint64_t correlation) {
    return text(4, number(1, id) + number(2, offset) + number(3, duration) +
                       text(4, number(1, 8) + number(4, correlation)));
  };
  const auto name = text(5, number(1, 8) + text(2, number(1, 8) + text(2, "correlation_id")));
  const auto host =
      text(2, "/host:CPU") + name + metadata(1, "hipModuleLaunchKernel") +
      metadata(2, "hipLaunchKernel") + metadata(3, "$api.py:31 block_until_ready") +
      text(5, number(1, 7) + text(2, number(1, 7) + text(2, "step_num"))) + metadata(4, "train") +
      text(3, number(1, 6) + number(3, 1000) +
                  text(4, number(1, 4) + number(3, 3'500'000) +
                              text(4, number(1, 7) + number(4, 12)))) +
      text(3, number(1, 5) + text(2, "Host Threads/5") + number(3, 1000) +
                  correlated(3, 0, 90'000'000, 0) + correlated(1, 1'000'000, 2'000'000, 31) +
                  correlated(2, 4'000'000, 3'000'000, 32));
  const auto gpu = text(2, "/device:GPU:0") + name + metadata(1, "add") +
                   text(3, number(1, 9) + text(2, "Stream #9(Kernel)") + number(3, 1000) +
                               correlated(1, 8'000'000, 1'000'000, 31) +
                               correlated(1, 9'500'000, 1'000'000, 32));
  const TemporaryFile file("made.xplane.pb", text(1, host) + text(1, gpu));
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  ASSERT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.profile.processes[0].launch_calls, 2u);
  // The step ends before the second call.
  ASSERT_EQ(back.profile.ranges.size(), 2u);
  EXPECT_EQ(back.profile.ranges[1].name, "train#12");
  EXPECT_EQ(back.profile.ranges[1].runs.at(0).launches, 1u);
  EXPECT_EQ(back.profile.kernels[0].launch_cost.count(), 2u);
  EXPECT_NEAR(back.profile.kernels[0].launch_cost.sum().value(), 5e-6, 1e-15);  // 2 us and 3 us
}

TEST(XPlane, DamagedProgramsLeaveTheNames) {
  for (std::size_t size = 0; size < program().size(); ++size) {
    const TemporaryFile file("made.xplane.pb", profile_with_program(program().substr(0, size)));
    const auto back = import_back(file.path());
    ASSERT_FALSE(back.error) << back.error->what;
    ASSERT_EQ(back.launches(), 5u);
    ASSERT_TRUE(back.find("product")->operation);
    EXPECT_EQ(back.find("product")->operation->attribute("hlo_op"), "dot.1");
    EXPECT_EQ(back.loss("programs_unreadable"), size == 0 ? 0u : 1u);
  }
}

TEST(XPlane, CorpusIsMapped) {
  SKIP_WITHOUT_CORPUS();
  // By hand from the programs in the files. A convolution of [1,16,32,60,104] with 1 x 2 x 2 taps
  // of 16 channels into [1,5120,34,31,53]; causal attention of 2 sequences of 2048, 16 heads of
  // 128, forward with the log-sum-exp and the state of the generator; a product [4096,6144] by
  // [2048,6144].
  struct Case {
    std::string_view file, instruction;
    double flops, bytes;
  };
  constexpr double kPixels = 5120.0 * 34 * 31 * 53, kPairs = 2.0 * 16 * 2048 * 2049 / 2;
  constexpr double kHeads = 2.0 * 2 * 2048 * 16 * 128;
  const Case cases[] = {
      {"xla/mi300_jax_conv.xplane.pb", "cudnn-conv.1", 2 * kPixels * 64,
       2 * (16.0 * 32 * 60 * 104 + 5120.0 * 64 + kPixels)},
      {"xla/mi355_jax_te_attention.xplane.pb", "te_fused_attn_forward_ffi.10", kPairs * 4 * 128,
       4 * kHeads + 4.0 * 2 * 16 * 2048 + 32 + 8 + 12},
      {"xla/mi355_jax_te_attention.xplane.pb", "custom-call.1", 2.0 * 4096 * 2048 * 6144,
       2 * (4096.0 * 6144 + 2048.0 * 6144 + 4096.0 * 2048)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.instruction);
    const auto back = import_back(corpus(std::string(c.file)));
    ASSERT_FALSE(back.error);
    bool found = false;
    for (const auto& kernel : back.profile.kernels) {
      if (!kernel.operation) continue;
      const auto work = map_operation(*kernel.operation, kernel.full_name);
      EXPECT_TRUE(work) << operation_text(*kernel.operation) << work.error();
      if (!work || kernel.operation->attribute("hlo_op") != c.instruction) continue;
      found = true;
      EXPECT_EQ(work->work.flops().to_double(), c.flops);
      EXPECT_EQ(work->work.bytes().to_double(), c.bytes);
    }
    EXPECT_TRUE(found);
  }
}

TEST(WireFormats, DamageEndsWell) {
  for (const auto& whole : {report(), profile(), profile_with_program(program())}) {
    test::expect_damage_ends_well("damaged", whole, {}, 8);
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
