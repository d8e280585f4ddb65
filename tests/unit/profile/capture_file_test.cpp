#include "roofline/profile/capture_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>

#include "unit/profile/made_capture.hpp"

namespace roofline {
namespace {

struct Seen final : CaptureVisitor {
  std::vector<std::string> texts;
  std::vector<capture::Launch> launches;
  std::uint64_t ends = 0;
  void record(const capture::Text& text) override { texts.push_back(text.value); }
  void record(const capture::Launch& launch) override { launches.push_back(launch); }
  void record(const capture::End&) override { ++ends; }
};

CaptureTally read(const std::string& bytes, Seen& seen) {
  auto file = CaptureFile::open(ByteStream::of(bytes, "made.rlf"));
  EXPECT_TRUE(file.has_value());
  if (!file) return {};
  auto tally = file->read(seen);
  EXPECT_TRUE(tally.has_value());
  return tally.value_or(CaptureTally{});
}

MadeCapture three_launches() {
  MadeCapture made;
  made.text(1, "saxpy").shape(1, 1);
  made.launch(1, 1'000'000, 1'002'500, 1)
      .launch(1, 1'003'000, 1'005'000, 2)
      .launch(1, 999'000, 999'500, 3);
  return made;
}

TEST(CaptureFile, ReadsHeaderAndRecords) {
  auto made = three_launches();
  made.end();
  Seen seen;
  const auto tally = read(made.bytes(), seen);
  EXPECT_EQ(tally.records, 7u);
  EXPECT_TRUE(tally.ended);
  EXPECT_EQ(tally.cut_bytes, 0u);
  ASSERT_EQ(seen.launches.size(), 3u);
  EXPECT_EQ(seen.launches[2].start, 999'000u);  // times go back as well as forth
  EXPECT_EQ(seen.launches[2].correlation, 3u);
  auto file = CaptureFile::open(made.stream());
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->header().host, "node7");
  EXPECT_EQ(file->header().pid, 4121);
  EXPECT_EQ(file->header().command, "/opt/bench");
  EXPECT_FALSE(file->header().rank.has_value());
}

/// gzip of a capture, whatever its name ends in; cut: read as a capture that was not closed.
TEST(CaptureFile, PackedByGzip) {
  auto made = three_launches();
  made.end();
  const auto path =
      testing::TempDir() + "roofline_packed_capture_" + std::to_string(::getpid()) + ".rlf";
  const auto file = ::gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  const auto size = static_cast<unsigned>(made.bytes().size());
  ASSERT_EQ(::gzwrite(file, made.bytes().data(), size), static_cast<int>(size));
  ASSERT_EQ(::gzclose(file), Z_OK);
  for (const bool cut : {false, true}) {
    if (cut) std::filesystem::resize_file(path, std::filesystem::file_size(path) - 30);
    auto capture = CaptureFile::open(path);
    ASSERT_TRUE(capture.has_value());
    EXPECT_EQ(capture->header().host, "node7");
    Seen seen;
    const auto tally = capture->read(seen);
    ASSERT_TRUE(tally.has_value()) << tally.error().what;
    EXPECT_EQ(tally->ended, !cut);
    EXPECT_TRUE(cut || seen.launches.size() == 3);
  }
  std::filesystem::remove(path);
}

TEST(CaptureFile, CutAnywhereIsReadUpToTheLastWholeRecord) {
  const auto whole = three_launches().bytes();
  const auto header = whole.find('\n') + 1;
  Seen all;
  read(whole, all);
  std::size_t before = 0;
  for (std::size_t size = header; size < whole.size(); ++size) {
    Seen seen;
    const auto tally = read(whole.substr(0, size), seen);
    EXPECT_FALSE(tally.ended);
    EXPECT_EQ(tally.damaged, 0u);
    EXPECT_GE(seen.launches.size(), before);
    before = seen.launches.size();
    for (std::size_t i = 0; i < before; ++i)
      EXPECT_EQ(seen.launches[i].start, all.launches[i].start);
  }
  EXPECT_EQ(before, 2u);
}

TEST(CaptureFile, CountsWhatItDoesNotKnow) {
  auto made = three_launches();
  made.bytes() += std::string("\xc8\x02hi", 4);    // tag 200, two bytes
  made.bytes() += std::string("\x04\x01\x80", 3);  // a launch whose only field does not end
  made.launch(1, 1'010'000, 1'011'000, 4);
  Seen seen;
  const auto tally = read(made.bytes(), seen);
  EXPECT_EQ(tally.unknown.at(200), 1u);
  EXPECT_EQ(tally.damaged, 1u);
  EXPECT_EQ(seen.launches.size(), 4u);
}

TEST(CaptureFile, TakesMissingFieldsAsZero) {
  MadeCapture made;
  made.bytes() += std::string("\x04\x01\x05", 3);  // a launch that ends after its shape
  Seen seen;
  EXPECT_EQ(read(made.bytes(), seen).damaged, 0u);
  ASSERT_EQ(seen.launches.size(), 1u);
  EXPECT_EQ(seen.launches[0].shape, 5u);
  EXPECT_EQ(seen.launches[0].start, 0u);
}

TEST(CaptureFile, StopsAtARecordThatCannotBe) {
  auto made = three_launches();
  made.bytes() += std::string("\x01\xff\xff\xff\xff\xff\x7f", 7);  // a text of four terabytes
  made.bytes() += std::string(40 << 20, 'x');
  Seen seen;
  const auto tally = read(made.bytes(), seen);
  EXPECT_EQ(seen.launches.size(), 3u);
  EXPECT_GT(tally.cut_bytes, 0u);
}

struct Refused {
  const char *name, *bytes, *says;
};
const Refused kRefused[] = {
    {"empty", "", "not a capture"},
    {"another_file", "kernels:\n  - op: gemm\n", "not a capture"},
    {"a_result", "{\"schema\": \"roofline.result/1\"}\n", "not a capture"},
    {"newer_schema", "{\"schema\": \"roofline.capture/2\"}\n", "roofline.capture/2"},
    {"broken_json", "{\"schema\": \"roofline.capture/1\", \n", ""},
};
class CaptureRefused : public testing::TestWithParam<Refused> {};
TEST_P(CaptureRefused, WithASentence) {
  const auto file = CaptureFile::open(ByteStream::of(GetParam().bytes, "made.rlf"));
  ASSERT_FALSE(file.has_value());
  EXPECT_NE(file.error().front().what.find(GetParam().says), std::string::npos)
      << file.error().front().what;
}
INSTANTIATE_TEST_SUITE_P(Rows, CaptureRefused, testing::ValuesIn(kRefused),
                         [](const auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline
