#include "ingest/formats/json_fields.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace roofline {
namespace {

constexpr std::string_view kKeys[] = {"ph", "cat", "ts", "args"};

/// What a walk finds, in a text: keys, values, where the values stand, and how it ended.
std::string walk(std::string_view text, JsonLayout* layout) {
  JsonIndex index;
  index.extend(text.data(), text.size(), true);
  std::string found;
  JsonFields fields(text.data(), index, 0, text.size(), text.size(), layout);
  while (fields.next()) {
    found += std::string(fields.key()) + '=' + std::string(fields.value()) + '@' +
             std::to_string(fields.value_at()) + ';';
    if (layout) {
      const auto number = fields.key_number();
      const auto known = std::find(std::begin(kKeys), std::end(kKeys), fields.key());
      EXPECT_EQ(number,
                known == std::end(kKeys) ? JsonLayout::kOther : static_cast<int>(known - kKeys))
          << fields.key();
    }
  }
  return found + (fields.damaged() ? "damaged" : "") + (fields.odd() ? "odd" : "");
}

TEST(JsonFields, KeysAndValues) {
  EXPECT_EQ(walk(R"({ "ph" : "X","ts":-1.5e3 , "args": {"a": [1, 2]}, "cat":null})", nullptr),
            R"(ph="X"@9;ts=-1.5e3@18;args={"a": [1, 2]}@35;cat=null@56;)");
}

TEST(JsonFields, NumbersAndWords) {
  const struct {
    const char *text, *found;
  } rows[] = {
      {R"({"ts": 12345678})", "ts=12345678@7;"},
      {R"({"ts": 123456789.25 })", "ts=123456789.25@7;"},
      {R"({"ts": 1e5, "b": -7})", "ts=1e5@7;b=-7@17;"},
      {R"({"ts": -, "b": 1})", "ts=-@7;b=1@15;odd"},
      {R"({"ts": .5})", "ts=.5@7;odd"},
      {R"({"ts": -Infinity})", "ts=-Infinity@7;odd"},
      {R"({"ts": 12:3})", "damaged"},
      {R"({"ts": })", "damaged"},
      {R"({"ts" 5})", "damaged"},
      {R"({"ts": 5 "b": 6})", "ts=5@7;damaged"},
  };
  for (const auto& row : rows) EXPECT_EQ(walk(row.text, nullptr), row.found) << row.text;
}

// A layout saves work and tells numbers of keys; it never changes what is found, whatever the
// objects before were.
TEST(JsonFields, LayoutChangesNothing) {
  const std::vector<std::string> texts = {
      R"({"ph": "X", "cat": "cpu_op", "ts": 17.25, "args": {"External id": 1}})",
      R"({"ph": "X", "cat": "cpu_op", "ts": 18.25, "args": {"External id": 2}})",
      R"({"ph": "X",   "cat": "cpu_op", "ts":    18.25, "args": {}})",
      R"({"ph":"X","cat":"cpu_op","ts":18.25,"args":{}})",
      R"({"cat": "cpu_op", "ph": "X", "name": "}{", "ts": 1})",
      R"({"ph": "X", "cat": "cpu_op", "cats": "no", "ts": 1, "a key that is longer than a layout is": 2})",
      R"({"ph": "\", \"cat\": \"", "cat": "x", "ts": [1, 2]})",
      R"({"ph": "X" "cat": "cpu_op"})",
      R"({"ph": "X", "cat": })",
      R"({"ph": "X", "cat":)",
      R"({"ph": "X", })",
      R"({})",
      R"({"ph": "X", "cat": "cpu_op", "ts": 17.25, "x1":1,"x2":1,"x3":1,"x4":1,"x5":1,"x6":1,"x7":1,
"x8":1,"x9":1,"y0":1,"y1":1,"y2":1,"y3":1,"y4":1,"y5":1,"y6":1,"y7":1,"y8":1,"y9":1,"z0":1,"z1":1, "args": 1})",
  };
  JsonLayout layout(kKeys);
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    auto text = texts[random() % texts.size()];
    if (round % 4 == 3) {  // damage
      constexpr std::string_view kMarks = "\"\\{}[]:, \n0e-";
      const auto at = 1 + random() % (text.size() - 1);
      text[at] = kMarks[random() % kMarks.size()];
    }
    ASSERT_EQ(walk(text, &layout), walk(text, nullptr)) << text;
  }
}

}  // namespace
}  // namespace roofline
