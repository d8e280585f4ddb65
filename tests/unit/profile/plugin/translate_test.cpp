// CUPTI's records, made by hand, as records of the capture: fields, versions, and what is not read.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "profile/plugin/translate.hpp"

namespace roofline::profile::plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kCuda13 = 130000;

/// What a capture holds, by kind.
struct Held {
  std::map<std::uint64_t, std::string> texts;
  std::vector<capture::Shape> shapes;
  std::vector<capture::Launch> launches;
  std::vector<capture::Copy> copies;
  std::vector<capture::Api> apis;
  std::vector<capture::Overhead> overheads;
  std::vector<capture::Wait> waits;
  std::vector<capture::Range> ranges;
  std::vector<capture::Graph> graphs;
  std::vector<capture::Device> devices;
  std::map<std::string, std::uint64_t> losses;
  std::string end;
};

template <class Record>
void keep(const capture::Frame& frame, capture::Last& last, std::vector<Record>& list) {
  list.emplace_back();
  ASSERT_TRUE(capture::decode(frame.payload, last, list.back()));
}

Held read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::string_view rest = std::string_view(bytes).substr(bytes.find('\n') + 1);
  Held held;
  capture::Last last;
  for (auto frame = capture::next_frame(rest); frame.tag != 0; frame = capture::next_frame(rest)) {
    std::vector<capture::Text> texts;
    std::vector<capture::Loss> losses;
    std::vector<capture::End> ends;
    switch (static_cast<capture::Tag>(frame.tag)) {
      case capture::Tag::text:
        keep(frame, last, texts);
        held.texts[texts.back().id] = texts.back().value;
        break;
      case capture::Tag::shape: keep(frame, last, held.shapes); break;
      case capture::Tag::launch: keep(frame, last, held.launches); break;
      case capture::Tag::copy: keep(frame, last, held.copies); break;
      case capture::Tag::api: keep(frame, last, held.apis); break;
      case capture::Tag::overhead: keep(frame, last, held.overheads); break;
      case capture::Tag::wait: keep(frame, last, held.waits); break;
      case capture::Tag::range: keep(frame, last, held.ranges); break;
      case capture::Tag::graph: keep(frame, last, held.graphs); break;
      case capture::Tag::device: keep(frame, last, held.devices); break;
      case capture::Tag::loss:
        keep(frame, last, losses);
        held.losses[held.texts[losses.back().reason]] += losses.back().count;
        break;
      case capture::Tag::end:
        keep(frame, last, ends);
        held.end = held.texts[ends.back().reason];
        break;
      default: ADD_FAILURE() << "tag " << int{frame.tag};
    }
  }
  return held;
}

class Translating : public testing::Test {
 protected:
  Translating() {
    folder_ = fs::temp_directory_path() / ("roofline_translate." + std::to_string(::getpid()));
    fs::create_directories(folder_);
    EXPECT_EQ(file_.create(folder_, "test", ".rlf"), 0);
    EXPECT_EQ(writer_.start("{\"schema\":\"roofline.capture/1\"}\n"), 0);
    roles_.learn({});
  }
  ~Translating() override { fs::remove_all(folder_); }

  template <class Record>
  void take(const Record& record, std::uint32_t version = kCuda13) {
    CaptureWriter::Batch batch(writer_);
    translate(reinterpret_cast<const CUpti_Activity&>(record),
              {version, roles_, ranges_, devices_, losses_}, batch);
  }
  Held finished() {
    writer_.finish("exit", losses_);
    return read(file_.path());
  }

  fs::path folder_;
  OutputFile file_;
  KernelCodes codes_;
  CaptureWriter writer_{file_, codes_};
  ApiRoles roles_;
  NvtxRanges ranges_;
  Devices devices_;
  Losses losses_;
};

template <class Record>
Record blank(CUpti_ActivityKind kind) {
  Record record;
  std::memset(static_cast<void*>(&record), 0, sizeof record);
  record.kind = kind;
  return record;
}

CUpti_ActivityKernel9 kernel_record() {
  auto k = blank<CUpti_ActivityKernel9>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  k.name = "_Z4axpyPf";
  k.gridX = 100, k.gridY = 2, k.gridZ = 3;
  k.blockX = 256, k.blockY = 1, k.blockZ = 1;
  k.clusterX = 2, k.clusterY = k.clusterZ = 1;
  k.staticSharedMemory = 1024, k.dynamicSharedMemory = 2048, k.sharedMemoryExecuted = 102400;
  k.registersPerThread = 40, k.localMemoryPerThread = 16;
  k.deviceId = 1, k.contextId = 5, k.streamId = 7;
  k.start = 1000, k.end = 1500, k.correlationId = 42;
  k.graphId = 9, k.graphNodeId = 77;
  return k;
}

TEST_F(Translating, AKernelWithEverythingItHas) {
  take(kernel_record());
  const auto held = finished();
  ASSERT_EQ(held.shapes.size(), 1u);
  const auto& shape = held.shapes[0];
  EXPECT_EQ(held.texts.at(shape.name), "_Z4axpyPf");
  EXPECT_EQ(shape.grid, (std::array<std::uint64_t, 3>{100, 2, 3}));
  EXPECT_EQ(shape.block, (std::array<std::uint64_t, 3>{256, 1, 1}));
  EXPECT_EQ(shape.cluster, (std::array<std::uint64_t, 3>{2, 1, 1}));
  EXPECT_EQ(shape.static_shared_bytes, 1024u);
  EXPECT_EQ(shape.dynamic_shared_bytes, 2048u);
  EXPECT_EQ(shape.executed_shared_bytes, 102400u);
  EXPECT_EQ(shape.registers, 40u);
  EXPECT_EQ(shape.local_bytes_per_thread, 16u);
  EXPECT_EQ(shape.device, 1u);
  EXPECT_EQ(shape.context, 5u);
  ASSERT_EQ(held.launches.size(), 1u);
  const auto& launch = held.launches[0];
  EXPECT_EQ(launch.shape, shape.id);
  EXPECT_EQ(launch.start, 1000u);
  EXPECT_EQ(launch.end, 1500u);
  EXPECT_EQ(launch.stream, 7u);
  EXPECT_EQ(launch.correlation, 42u);
  EXPECT_EQ(launch.graph, 9u);
  EXPECT_EQ(launch.graph_node, 77u);
}

TEST_F(Translating, FieldsThatAnOldCuptiDoesNotHaveAreNotRead) {
  take(kernel_record(), 15);  // CUDA 11.4: neither graphs nor clusters
  const auto held = finished();
  EXPECT_EQ(held.shapes.at(0).cluster, (std::array<std::uint64_t, 3>{}));
  EXPECT_EQ(held.launches.at(0).graph, 0u);
  EXPECT_EQ(held.launches.at(0).graph_node, 0u);
}

TEST_F(Translating, AShapeStandsOnceHoweverOftenItIsLaunched) {
  auto k = kernel_record();
  for (int i = 0; i < 100; ++i) take(k);
  k.gridX = 101;
  take(k);
  const auto held = finished();
  EXPECT_EQ(held.shapes.size(), 2u);
  EXPECT_EQ(held.launches.size(), 101u);
  EXPECT_NE(held.launches.front().shape, held.launches.back().shape);
  EXPECT_EQ(held.texts.size(), 2u);  // the name, and why it ended
}

struct CopyRow {
  const char* name;
  std::uint8_t kind;
  capture::CopyKind expected;
};
constexpr CopyRow kCopies[] = {
    {"to_device", CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, capture::CopyKind::host_to_device},
    {"to_host", CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, capture::CopyKind::device_to_host},
    {"on_device", CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, capture::CopyKind::device_to_device},
    {"on_host", CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, capture::CopyKind::host_to_host},
    {"array", CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, capture::CopyKind::array},
    {"of_a_later_version", 200, capture::CopyKind::unknown},
};
TEST_F(Translating, CopiesByTheirKind) {
  for (const auto& row : kCopies) {
    auto m = blank<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
    m.copyKind = row.kind;
    m.bytes = 1 << 20;
    m.start = 10, m.end = 20;
    m.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    take(m);
  }
  const auto held = finished();
  ASSERT_EQ(held.copies.size(), std::size(kCopies));
  for (std::size_t i = 0; i < std::size(kCopies); ++i) {
    EXPECT_EQ(held.copies[i].kind, static_cast<std::uint64_t>(kCopies[i].expected))
        << kCopies[i].name;
    EXPECT_EQ(held.copies[i].bytes, 1u << 20);
    EXPECT_EQ(held.copies[i].pageable, 1u);
  }
}

TEST_F(Translating, SetsAndPeerCopies) {
  auto set = blank<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  set.bytes = 64, set.start = 5, set.end = 6;
  take(set);
  auto peer = blank<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.bytes = 128, peer.start = 7, peer.end = 9;
  take(peer);
  const auto held = finished();
  ASSERT_EQ(held.copies.size(), 2u);
  EXPECT_EQ(held.copies[0].kind, static_cast<std::uint64_t>(capture::CopyKind::set));
  EXPECT_EQ(held.copies[0].bytes, 64u);
  EXPECT_EQ(held.copies[1].kind, static_cast<std::uint64_t>(capture::CopyKind::peer));
  EXPECT_EQ(held.copies[1].end, 9u);
}

TEST_F(Translating, CallsThatMatterAndNoOthers) {
  auto call = blank<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER);
  call.cbid = 307;  // cuLaunchKernel
  call.start = 100, call.end = 140, call.threadId = 4, call.correlationId = 11;
  take(call);
  call.cbid = 1;  // cuInit
  take(call);
  call.cbid = 4'000'000'000;  // beyond all that are known
  take(call);
  const auto held = finished();
  ASSERT_EQ(held.apis.size(), 1u);
  EXPECT_EQ(held.apis[0].role, static_cast<std::uint64_t>(capture::ApiRole::kernel_launch));
  EXPECT_EQ(held.apis[0].thread, 4u);
  EXPECT_EQ(held.apis[0].end - held.apis[0].start, 40u);
}

TEST_F(Translating, OverheadWaitsAndGraphs) {
  auto o = blank<CUpti_ActivityOverhead>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  o.overheadKind = static_cast<CUpti_ActivityOverheadKind>(4u << 16);
  o.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  o.objectId.pt.threadId = 3;
  o.start = 1, o.end = 9;
  take(o);
  auto s = blank<CUpti_ActivitySynchronization>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  s.streamId = 0xffffffff, s.start = 10, s.end = 30;
  take(s);
  auto g = blank<CUpti_ActivityGraphTrace>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  g.graphId = 12, g.start = 40, g.end = 90;
  take(g);
  const auto held = finished();
  EXPECT_EQ(held.overheads.at(0).kind,
            static_cast<std::uint64_t>(capture::OverheadKind::module_loading));
  EXPECT_EQ(held.overheads.at(0).thread, 3u);
  EXPECT_EQ(held.waits.at(0).stream, 0u);  // of a context, no stream
  EXPECT_EQ(held.graphs.at(0).graph, 12u);
  EXPECT_EQ(held.graphs.at(0).end, 90u);
}

TEST_F(Translating, RangesHaveTheirNameFromTheirStart) {
  const auto mark = [&](std::uint32_t id, CUpti_ActivityFlag flag, const char* name,
                        std::uint64_t time) {
    auto m = blank<CUpti_ActivityMarker2>(CUPTI_ACTIVITY_KIND_MARKER);
    m.id = id, m.flags = flag, m.name = name, m.timestamp = time;
    m.objectId.pt.threadId = 8;
    take(m);
  };
  mark(1, CUPTI_ACTIVITY_FLAG_MARKER_START, "outer", 100);
  mark(2, CUPTI_ACTIVITY_FLAG_MARKER_START, "inner", 110);
  mark(2, CUPTI_ACTIVITY_FLAG_MARKER_END, nullptr, 120);
  mark(1, CUPTI_ACTIVITY_FLAG_MARKER_END, nullptr, 130);
  mark(9, CUPTI_ACTIVITY_FLAG_MARKER_END, nullptr, 140);  // began before us
  mark(3, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, "a mark", 150);
  mark(4, CUPTI_ACTIVITY_FLAG_MARKER_START, nullptr, 160);
  EXPECT_EQ(ranges_.open(), 1u);
  const auto held = finished();
  ASSERT_EQ(held.ranges.size(), 2u);
  EXPECT_EQ(held.texts.at(held.ranges[0].name), "inner");
  EXPECT_EQ(held.texts.at(held.ranges[1].name), "outer");
  EXPECT_EQ(held.ranges[1].start, 100u);
  EXPECT_EQ(held.ranges[1].end, 130u);
  EXPECT_EQ(held.ranges[1].thread, 8u);
}

TEST_F(Translating, ADeviceAndARecordOfAKindThatNobodyKnows) {
  auto d = blank<CUpti_ActivityDevice4>(CUPTI_ACTIVITY_KIND_DEVICE);
  d.id = 2, d.name = "SIMULATED GPU", d.numMultiprocessors = 132;
  d.computeCapabilityMajor = 9, d.l2CacheSize = 50 << 20;
  take(d);
  auto unknown = blank<CUpti_ActivityAPI>(static_cast<CUpti_ActivityKind>(250));
  take(unknown);
  const auto held = finished();
  ASSERT_EQ(held.devices.size(), 1u);
  EXPECT_EQ(held.devices[0].ordinal, 2u);
  EXPECT_EQ(held.devices[0].sm_count, 132u);
  EXPECT_EQ(held.devices[0].major, 9u);
  EXPECT_EQ(held.devices[0].l2_bytes, 50u << 20);
  EXPECT_EQ(held.devices[0].simulated, 1u);
  EXPECT_EQ(held.losses, (std::map<std::string, std::uint64_t>{{"records_unknown", 1}}));
  EXPECT_EQ(held.end, "exit");
}

}  // namespace
}  // namespace roofline::profile::plugin
