#include "base/decompress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#ifdef ROOFLINE_ZSTD
#include <zstd.h>
#endif

#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include "roofline/base/byte_stream.hpp"
#include "roofline/base/input.hpp"

namespace roofline {
namespace {

using namespace std::string_literals;

/// Text of `size` bytes that packs, but not into nothing.
std::string text_of(std::size_t size) {
  std::string text;
  std::uint32_t state = 1;
  while (text.size() < size) {
    state = state * 1664525 + 1013904223;
    text += "event " + std::to_string(state >> 12) + "\n";
  }
  text.resize(size);
  return text;
}

/// zlib's own packer; `window`: 31 for gzip, -15 for the bare data of a zip member.
std::string deflated(const std::string& text, int window) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}
std::string gzip(const std::string& text) { return deflated(text, 31); }

std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}
std::uint32_t sum_of(const std::string& text) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<unsigned>(text.size())));
}

struct Member {
  std::string name, text;
  unsigned method = 8;
  bool sizes_follow = false, wide = false;
};
/// A member as APPNOTE 4.3.7 to 4.3.9 has it.
std::string zip_member(const Member& m) {
  const auto packed = m.method == 8 ? deflated(m.text, -15) : m.text;
  const auto sum = little(sum_of(m.text), 4);
  const auto extra =
      m.wide ? little(1, 2) + little(16, 2) + little(m.text.size(), 8) + little(packed.size(), 8)
             : "";
  const auto sizes = m.wide ? little(0xffffffff, 4) + little(0xffffffff, 4)
                            : little(packed.size(), 4) + little(m.text.size(), 4);
  std::string out = "PK\x03\x04" + little(20, 2) + little(m.sizes_follow ? 8 : 0, 2) +
                    little(m.method, 2) + little(0, 4);
  out += m.sizes_follow ? std::string(12, '\0') : sum + sizes;
  out += little(m.name.size(), 2) + little(extra.size(), 2) + m.name + extra + packed;
  if (m.sizes_follow) out += "PK\x07\x08" + sum + sizes;
  return out;
}
const std::string kDirectory = "PK\x01\x02 the rest of an archive is of no interest";

class PackedFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "roofline_packed_XXXXXX";
    const int file = ::mkstemp(path_.data());
    ASSERT_GE(file, 0);
    ::close(file);
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  struct Read {
    std::string text;
    bool cut = false;
    std::optional<Error> error;
  };
  Read stream(const std::string& bytes, std::size_t room = 7777) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    auto in = ByteStream::open(path_);
    EXPECT_TRUE(in);
    Read read;
    std::string piece(room, '\0');
    for (;;) {
      const auto got = in->read(piece.data(), room);
      if (!got) {
        read.error = got.error();
        return read;
      }
      if (*got == 0) break;
      read.text.append(piece, 0, *got);
    }
    read.cut = in->cut();
    return read;
  }
  Result<std::string> whole(const std::string& bytes, std::size_t limit = 1 << 24) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_input(path_, limit);
  }
  std::string path_;
};

struct Row {
  const char* name;
  std::string packed, text;
};

std::vector<Row> rows() {
  const auto text = text_of(3'000'000), tail = text_of(100'000);
  std::vector<Row> rows = {
      {"plain", text, text},
      {"empty", "", ""},
      {"one_byte_of_a_magic", "\x1f", "\x1f"},
      {"gzip", gzip(text), text},
      {"gzip_of_nothing", gzip(""), ""},
      {"gzip_members", gzip(text) + gzip(tail) + gzip("") + gzip("end"), text + tail + "end"},
      {"gzip_padded", gzip(text) + std::string(70'000, '\0'), text},
      {"zip", zip_member({"a.json", text}) + kDirectory, text},
      {"zip_of_macos",
       zip_member({"a.json", text}) + zip_member({"__MACOSX/._a.json", "its other half"}) +
           kDirectory,
       text},
      {"gzip_in_gzip", gzip(gzip(text)), text},
      {"zip_in_gzip", gzip(zip_member({"a.json", text}) + kDirectory), text},
      {"gzip_in_zip_in_gzip", gzip(zip_member({"a.json.gz", gzip(text)}) + kDirectory), text},
      {"gzip_of_three_bytes", gzip("\x1f\x8b\n"), "\x1f\x8b\n"},
      {"utf16", "\xff\xfe" + "a\0,\0\xb5\0\xac\x20\x3d\xd8\x00\xde\n\0"s,
       "a,\u00b5\u20ac\U0001f600\n"},
      {"utf16_the_other_order", "\xfe\xff" + "\0a\0,\0\xb5\x20\xac\xd8\x3d\xde\x00\0\n"s,
       "a,\u00b5\u20ac\U0001f600\n"},
      {"utf16_half_pairs", "\xff\xfe" + "\x00\xde\x3d\xd8"s + "a\0"s,
       "\ufffd\ufffd"
       "a"},
      {"utf16_of_nothing", "\xff\xfe", ""},
      {"utf16_in_gzip", gzip("\xff\xfe" + "a\0b\0"s), "ab"},
      {"zip_stored", zip_member({"a.json", text, 0}) + kDirectory, text},
      {"zip_stored_empty", zip_member({"a.json", "", 0}) + kDirectory, ""},
      {"zip_sizes_behind", zip_member({"a.json", text, 8, true}) + kDirectory, text},
      {"zip64", zip_member({"a.json", text, 8, false, true}) + kDirectory, text},
      {"zip_folder_first",
       zip_member({"d/", "", 0}) + zip_member({"d/e/", "", 8, true}) +
           zip_member({"d/a.json", text}) + kDirectory,
       text},
  };
#ifdef ROOFLINE_ZSTD
  const auto zstd = [](const std::string& plain) {
    std::string out(::ZSTD_compressBound(plain.size()), '\0');
    out.resize(::ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
    return out;
  };
  const auto skipped = "\x50\x2a\x4d\x18"s + little(5, 4) + "12345";
  rows.push_back({"zstd", zstd(text), text});
  rows.push_back({"zstd_frames", zstd(text) + skipped + zstd(tail), text + tail});
  rows.push_back({"zstd_after_a_skippable_frame", skipped + zstd(text), text});
#endif
  return rows;
}

TEST_F(PackedFile, GivesWhatWasPacked) {
  for (const auto& row : rows()) {
    SCOPED_TRACE(row.name);
    const auto read = stream(row.packed);
    EXPECT_FALSE(read.error) << read.error->what;
    EXPECT_TRUE(read.text == row.text) << read.text.size() << " of " << row.text.size();
    EXPECT_FALSE(read.cut);
    const auto all = whole(row.packed);
    ASSERT_TRUE(all) << all.error().what;
    EXPECT_TRUE(*all == row.text);
  }
}

TEST_F(PackedFile, ByteForByteThroughATinyBuffer) {
  const auto text = text_of(5000);
  EXPECT_EQ(stream(gzip(text), 1).text, text);
}

/// Deflate gives back all that it was given, but for the last few bytes: a cut file is read up to
/// there.
TEST_F(PackedFile, CutFilesAreReadUpToTheCut) {
  for (const auto& row : rows()) {
    if (packing_of(row.packed) == Packing::none || row.packed.size() < 300'000) continue;
    SCOPED_TRACE(row.name);
    const auto read = stream(row.packed.substr(0, 200'000));
    EXPECT_FALSE(read.error) << read.error->what;
    EXPECT_TRUE(read.cut);
    EXPECT_GT(read.text.size(), 100'000U);
    EXPECT_TRUE(row.text.starts_with(read.text));
    const auto all = whole(row.packed.substr(0, 200'000));
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().what, "this packed file ends early, after 200000 bytes");
  }
  const auto header = stream(gzip("x").substr(0, 7));
  EXPECT_TRUE(header.cut);
  EXPECT_EQ(header.text, "");
}

TEST_F(PackedFile, DamageIsToldWithItsPlace) {
  const auto text = text_of(3'000'000);
  for (auto packed : {gzip(text), zip_member({"a.json", text}) + kDirectory}) {
    for (std::size_t at = 300'000; at < 300'064; ++at) packed[at] = static_cast<char>(0xff);
    const auto read = stream(packed);
    ASSERT_TRUE(read.error);
    EXPECT_EQ(read.error->code, Code::cannot_read);
    const auto at = read.error->what.find("at byte ");
    ASSERT_NE(at, std::string::npos) << read.error->what;
    const auto offset = std::strtoul(read.error->what.c_str() + at + 8, nullptr, 10);
    if (read.error->what.find("checksum") == std::string::npos &&
        read.error->what.find("incorrect data check") == std::string::npos) {
      EXPECT_GE(offset, 300'000U);
      EXPECT_LE(offset, packed.size());
    }
    EXPECT_FALSE(whole(packed));
  }
}

TEST_F(PackedFile, BytesBehindTheEndAreDamage) {
  const auto first = gzip("text");
  const auto read = stream(first + "garbage");
  EXPECT_EQ(read.text, "text");
  ASSERT_TRUE(read.error);
  EXPECT_NE(read.error->what.find("at byte"), std::string::npos) << read.error->what;
}

/// `bytes` with a bit of the byte at `at` turned over.
std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

/// Whatever its checksum says, the text is given first, and nothing of what comes after it.
TEST_F(PackedFile, AWrongChecksumIsToldWithItsPlace) {
  constexpr auto kSum = "damaged data (its checksum is another)";
  const auto text = text_of(700'000), after = text_of(400'000);
  const auto one = gzip(text), two = gzip(after);
  const auto zip = zip_member({"a", text}), zip_behind = zip_member({"a", text, 8, true});
  const auto outer = gzip(flipped(one, one.size() - 6));
  struct Case {
    const char* name;
    std::string packed, text, what;
    std::size_t at;
  };
  const auto sum_at = [](const std::string& packed) { return packed.size() - 6; };
  const std::vector<Case> cases = {
      {"gzip", flipped(one, sum_at(one)), text, kSum, one.size()},
      {"length", flipped(one, one.size() - 3), text, "damaged data (its length is another)",
       one.size()},
      {"first_member", flipped(one, sum_at(one)) + two + two, text, kSum, one.size()},
      {"second_member", one + flipped(two, sum_at(two)) + two, text + after, kSum,
       one.size() + two.size()},
      {"before_more_damage", flipped(one, sum_at(one)) + "garbage", text, kSum, one.size()},
      {"empty_member", one + flipped(gzip(""), sum_at(gzip(""))) + two, text, kSum,
       one.size() + gzip("").size()},
      {"zip", flipped(zip, 15) + kDirectory, text, kSum, zip.size()},
      {"zip_length", flipped(zip, 23), text, "damaged data (its length is another)", zip.size()},
      {"zip_sum_behind", flipped(zip_behind, zip_behind.size() - 10) + kDirectory, text, kSum,
       zip_behind.size()},
      {"inner_of_two", outer, text, kSum, one.size()},
      {"outer_of_two", flipped(gzip(one), sum_at(gzip(one))), text, kSum, gzip(one).size()},
  };
  for (const auto& c : cases)
    for (const std::size_t room : {std::size_t{7777}, std::size_t{1} << 20}) {
      SCOPED_TRACE(c.name + " by "s + std::to_string(room));
      const auto read = stream(c.packed, room);
      ASSERT_TRUE(read.error);
      EXPECT_EQ(read.error->code, Code::cannot_read);
      EXPECT_TRUE(read.error->what.starts_with(c.what + " at byte " + std::to_string(c.at) + " of"))
          << read.error->what;
      EXPECT_TRUE(read.text == c.text) << read.text.size() << " of " << c.text.size();
    }
}

/// As logs are that are packed line by line.
TEST_F(PackedFile, ManySmallMembers) {
  std::string packed, text;
  const auto line = gzip("line\n"), nothing = gzip("");
  for (int i = 0; i < 30'000; ++i) {
    packed += line + nothing;
    text += "line\n";
  }
  const auto read = stream(packed);
  EXPECT_FALSE(read.error) << read.error->what;
  EXPECT_TRUE(read.text == text);
  const auto at = packed.size() - nothing.size() - 6;
  const auto damaged = stream(flipped(packed, at));
  ASSERT_TRUE(damaged.error);
  EXPECT_TRUE(damaged.text == text);
}

TEST_F(PackedFile, WhatCannotBeUndoneSaysWhy) {
  struct Case {
    std::string packed;
    const char* what;
  };
  auto encrypted = zip_member({"a", "b"});
  encrypted[6] = 1;
  auto bzip2 = zip_member({"a", "b"});
  bzip2[8] = 12;
  const Case cases[] = {
      {encrypted, "this zip archive is encrypted"},
      {bzip2, "the first file of this zip archive is packed by method 12, which is not read"},
      {zip_member({"a", "b", 0, true}),
       "the first file of this zip archive is stored without its length"},
      {"PK\x05\x06"s + std::string(18, '\0'),
       "there is no file in this zip archive: it ends at byte 4 of the file"},
      {zip_member({"d/", "", 0}) + kDirectory,
       "there is no file in this zip archive: it ends at byte 36 of the file"},
      {zip_member({"a.json", "text"}) + zip_member({"d/", "", 0}) +
           zip_member({"b.json", "other", 8, true}) + kDirectory,
       "this zip archive holds several files, \"a.json\" and \"b.json\" among them"},
      {gzip(gzip(gzip(gzip(gzip("text"))))), "this file is packed more than 4 times over"},
      {gzip(zip_member({"d/", "", 0}) + kDirectory),
       "there is no file in this zip archive: it ends at byte 36 of what is packed in the file"},
  };
  for (const auto& c : cases) {
    const auto read = stream(c.packed);
    ASSERT_TRUE(read.error) << c.what;
    EXPECT_EQ(read.error->what, c.what);
  }
}

TEST_F(PackedFile, TheLimitIsOfTheUnpackedText) {
  const auto packed = gzip(std::string(1'000'000, 'x'));
  ASSERT_LT(packed.size(), 10'000U);
  EXPECT_TRUE(whole(packed, 1'000'000));
  EXPECT_EQ(whole(packed, 999'999).error().code, Code::limit_exceeded);
}

#ifdef ROOFLINE_ZSTD
/// Blocks of RFC 8878 that repeat one byte 128 KiB long take 4 bytes each.
TEST(Unpacker, RefusesWhatSwellsWithoutEnd) {
  const auto frame = "\x28\xb5\x2f\xfd\x00\x58"s;  // no checksum, a window of 2 MiB
  const std::uint32_t size = 128U << 10;
  const auto block = little(size << 3 | 1U << 1, 3) + "x";
  std::uint64_t given = 0;
  auto unpacker = Unpacker::create(Packing::zstd, "bomb", [&](char* into, std::size_t room) {
    std::string bytes;
    if (given == 0) bytes = frame;
    while (bytes.size() + block.size() <= room) bytes += block;
    given += bytes.size();
    return Result<std::size_t>(bytes.copy(into, room));
  });
  ASSERT_TRUE(unpacker);
  std::string piece(1 << 20, '\0');
  std::uint64_t made = 0;
  for (;;) {
    const auto got = (*unpacker)->read(piece.data(), piece.size());
    if (!got) {
      EXPECT_EQ(got.error().code, Code::limit_exceeded);
      break;
    }
    ASSERT_GT(*got, 0U);
    made += *got;
    ASSERT_LT(made, Unpacker::kFreeBytes + (std::uint64_t{64} << 20));
  }
  EXPECT_GE(made, Unpacker::kFreeBytes - (std::uint64_t{1} << 20));
}
#endif

TEST(StandardInput, WhatWasLookedAtComesAgain) {
  const auto text = text_of(3'000'000);  // packed, too, more than is read at once
  for (const auto& [bytes, whole] : {std::pair(text, true), std::pair(text, false),
                                     std::pair(gzip(text), true), std::pair(gzip(text), false)}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const int saved = ::dup(STDIN_FILENO);
    ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    std::thread writer([&] {
      std::size_t sent = 0;
      while (sent < bytes.size()) {
        const auto count = ::write(ends[1], bytes.data() + sent, bytes.size() - sent);
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
      }
      ::close(ends[1]);
    });
    for (int look = 0; look < 2; ++look) {
      auto in = ByteStream::open_to_look("-");
      ASSERT_TRUE(in);
      std::string head(100'000, '\0');
      for (std::size_t size = 0; size < head.size();) {
        const auto got = in->read(head.data() + size, head.size() - size);
        ASSERT_TRUE(got) << got.error().what;
        ASSERT_GT(*got, 0U);
        size += *got;
      }
      EXPECT_TRUE(text.starts_with(head));
    }
    if (whole) {
      EXPECT_TRUE(read_input("-", 1 << 24) == text);
    } else {
      auto in = ByteStream::open("-");
      ASSERT_TRUE(in);
      std::string all, piece(10'000, '\0');
      for (;;) {
        const auto got = in->read(piece.data(), piece.size());
        ASSERT_TRUE(got) << got.error().what;
        if (*got == 0) break;
        all.append(piece, 0, *got);
      }
      EXPECT_TRUE(all == text);
    }
    writer.join();
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    ::close(ends[0]);
  }
}

}  // namespace
}  // namespace roofline
