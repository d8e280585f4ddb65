#include "roofline/base/sha256.hpp"

#include <gtest/gtest.h>

namespace roofline {
namespace {

struct Row {
  const char* name;
  std::string text;
  const char* digest;
};
// NIST's example values for FIPS 180-4 (one block, two blocks, none, a million letters).
const Row kRows[] = {
    {"one_block", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"two_blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"empty", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"a_million", std::string(1'000'000, 'a'),
     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};
class Sha256 : public testing::TestWithParam<Row> {};
TEST_P(Sha256, Digest) { EXPECT_EQ(sha256(GetParam().text), GetParam().digest); }
INSTANTIATE_TEST_SUITE_P(Rows, Sha256, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace roofline
