#include "roofline/base/archive.hpp"

#include <gtest/gtest.h>

#include <random>

#include "unit/base/tree_text.hpp"

namespace roofline {
namespace {

constexpr const char* kDocument =
    "schema: roofline.gpu/1\nname: \"H100 SXM\"\nnothing:\nempty: ''\nlists: [[], [1, [2]], {}]\n"
    "peaks: {bf16: {dense: 989 TFLOP/s, source: x}}\n";

TEST(Archive, ReadsBackTheSameTree) {
  const auto document = read_yaml(kDocument, "f");
  ASSERT_TRUE(document);
  const auto bytes = pack(document->root());
  const auto tree = unpack(bytes);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree_text(*tree), tree_text(document->root()));
  EXPECT_EQ(pack(*tree), bytes);
  EXPECT_EQ(tree->line, 0);
}

TEST(Archive, LongTextsAndLists) {
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  for (const std::size_t size : {0u, 1u, 127u, 128u, 16383u, 16384u, 100'000u}) {
    YamlNode& item = list.items.emplace_back();
    item.kind = YamlNode::Kind::scalar;
    item.text.assign(size, 'x');
  }
  const auto tree = unpack(pack(list));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree_text(*tree), tree_text(list));
}

TEST(Archive, DamagedBytesAreAnError) {
  const auto bytes = pack(read_yaml(kDocument, "f")->root());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpack(bytes.substr(0, size))) << size;
  EXPECT_FALSE(unpack(bytes + '\0'));
  EXPECT_EQ(unpack("").error().code, Code::internal);
}

TEST(Archive, AnyBytesAreSafe) {
  const auto bytes = pack(read_yaml(kDocument, "f")->root());
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    auto changed = bytes;
    for (int i = 0; i < 3; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    if (const auto tree = unpack(changed)) {
      EXPECT_EQ(unpack(pack(*tree)).has_value(), true);
    }
  }
}

TEST(Archive, LyingLengthsReserveNothing) {
  EXPECT_FALSE(unpack("\x02\xFF\xFF\xFF\xFF\x7F"));              // a list of 2^35 items
  EXPECT_FALSE(unpack("\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"));  // a text whose length does not end
  std::string deep;
  for (int i = 0; i < 1 << 20; ++i) deep += "\x02\x01";
  EXPECT_FALSE(unpack(deep));
  std::string wide;  // every level claims all that is left
  for (int i = 0; i < 500; ++i) wide += std::string("\x02\xFF\x07", 3);
  EXPECT_FALSE(unpack(wide + std::string(1023, '\0')));
}

TEST(Archive, KeysAreScalars) {
  EXPECT_FALSE(unpack(std::string("\x03\x01\x00\x00", 4)));  // {null: null}
  EXPECT_TRUE(unpack(std::string("\x03\x01\x01\x01k\x00", 6)));
}

}  // namespace
}  // namespace roofline
