#include "roofline/base/yaml.hpp"

#include <gtest/gtest.h>

#include "unit/base/tree_text.hpp"

namespace roofline {
namespace {

using namespace std::string_literals;

struct ReadRow {
  const char* name;
  std::string text, tree;
};
// Expected trees by the YAML 1.2 and JSON (RFC 8259) specifications.
const ReadRow kReads[] = {
    {"map", "a: 1\nb: x y\n", "{a:1,b:x y}"},
    {"nested", "k:\n  - {op: gemm, m: 3*H}\n  - [1, 2]\n", "{k:[{op:gemm,m:3*H},[1,2]]}"},
    {"list_at_the_indentation_of_its_key", "k:\n- 1\n- 2\n", "{k:[1,2]}"},
    {"scalar", "hello", "hello"},
    {"numbers_stay_text", "a: 010\nb: 0x10\nc: 1_000\nd: 1e5\ne: .5\nf: 1.50",
     "{a:010,b:0x10,c:1_000,d:1e5,e:.5,f:1.50}"},
    {"flags_stay_text", "a: no\nb: yes\nc: on\nd: true", "{a:no,b:yes,c:on,d:true}"},
    {"nulls", "a: null\nb: ~\nc:\nd: NULL", "{a:null,b:null,c:null,d:null}"},
    {"quoted_null_is_text", "a: 'null'\nb: \"~\"\nc: ''", "{a:\"null\",b:\"~\",c:\"\"}"},
    {"quotes", "a: 'it''s'\nb: \"tab\\t\\u00b5\\x41\"", "{a:\"it's\",b:\"tab\t\u00B5A\"}"},
    {"comments", "# first\na: 1 # last\n# end", "{a:1}"},
    {"hash_in_a_word", "a: x#y", "{a:x#y}"},
    {"colon_in_a_word", "a: b:c\nurl: http://x", "{a:b:c,url:http://x}"},
    {"literal_block", "a: |\n  x: [\n    y\nb: 1", "{a:\"x: [\n  y\n\",b:1}"},
    {"folded_block", "a: >-\n  x\n  y\nb: 1", "{a:\"x y\",b:1}"},
    {"tab_in_a_literal_block", "a: |\n  x\n  \ty\n", "{a:\"x\n\ty\n\"}"},
    {"tab_after_a_colon", "a:\t1\n", "{a:1}"},
    {"lines_of_one_text", "a: x\n  y\n", "{a:x y}"},
    {"anchor", "a: &n {m: [1]}\nb: *n\nc: *n", "{a:{m:[1]},b:{m:[1]},c:{m:[1]}}"},
    {"anchor_of_a_scalar", "a: &n \"x\"\nb: [*n, *n]", "{a:\"x\",b:[\"x\",\"x\"]}"},
    {"anchor_given_again", "a: &n 1\nb: *n\nc: &n 2\nd: *n", "{a:1,b:1,c:2,d:2}"},
    {"anchor_of_anchors", "a: &m [1]\nb: &n [*m, *m]\nc: *n", "{a:[1],b:[[1],[1]],c:[[1],[1]]}"},
    {"anchor_on_a_key", "&n a: 1\nb: *n", "{a:1,b:a}"},
    {"windows_lines", "a: 1\r\nb:\r\n  - 2\r\n", "{a:1,b:[2]}"},
    {"byte_order_mark", "\xEF\xBB\xBF"s + "a: 1", "{a:1}"},
    {"start_and_end_marks", "%YAML 1.2\n---\na: 1\n...\n# after\n", "{a:1}"},
    {"quoted_keys", "\"a b\": 1\n'c': 2", "{\"a b\":1,\"c\":2}"},
    {"quoted_merge_is_a_name", "\"<<\": 1", "{\"<<\":1}"},
    {"empty_values", "{a: , b: }", "{a:null,b:null}"},
    {"empty_values_on_lines", "? a\n:\nb: # nothing\nc:", "{a:null,b:null,c:null}"},
    {"empty_items", "- \n- 1\n-", "[null,1,null]"},
    {"empty_collections", "a: {}\nb: []", "{a:{},b:[]}"},
    {"json", R"({"a": [1, 2.5e-3, true, null, "x"], "b": {}})",
     R"({"a":[1,2.5e-3,true,null,"x"],"b":{}})"},
    {"json_escapes", R"(["\"\\\/\b\f\n\r\t", "\u00b5\u20AC"])",
     "[\"\"\\/\b\f\n\r\t\",\"\u00B5\u20AC\"]"},
    {"json_surrogates", R"(["\ud83d\ude80"])", "[\"\U0001F680\"]"},
    {"json_with_tabs", "{\n\t\"a\": 1,\n\t\"b\":\t[\n\t\t2\n\t]\n}\n", "{\"a\":1,\"b\":[2]}"},
    {"json_without_spaces", R"({"a":1,"b":[{"c":2}]})", R"({"a":1,"b":[{"c":2}]})"},
    {"json_after_blank_lines", "\n\n  [1]\n", "[1]"},
    {"brackets_with_comments_and_tabs", "{\n\ta: 1,  # one\n\tb: 'x\ty'\n}", "{a:1,b:\"x\ty\"}"},
    {"json_with_a_comma_too_many", "{\"a\": [1, 2,],}", "{\"a\":[1,2]}"},
    {"json_numbers_of_others", "[010, +1, .5, NaN]", "[010,+1,.5,NaN]"},
};
class Read : public testing::TestWithParam<ReadRow> {};
TEST_P(Read, Tree) {
  const auto document = read_yaml(GetParam().text, "f.yaml");
  ASSERT_TRUE(document) << format_errors(document.error(), false);
  EXPECT_EQ(tree_text(document->root()), GetParam().tree);
}
INSTANTIATE_TEST_SUITE_P(Rows, Read, testing::ValuesIn(kReads),
                         [](const auto& i) { return i.param.name; });

struct RefuseRow {
  const char* name;
  std::string text;
  Code code;
  int line, column;
  const char* says;  ///< part of the message, hint or note
};
const RefuseRow kRefused[] = {
    {"tab_indentation", "a:\n\tb: 1", Code::yaml_syntax, 2, 1, "tab"},
    {"tab_after_spaces", "a:\n  - b\n  \t- c", Code::yaml_syntax, 3, 3, "tab"},
    {"tab_that_would_be_read", "a:\n\tb", Code::yaml_syntax, 2, 1, "tab"},
    {"tab_before_a_list", "a:\n\t- 1\n\t- 2", Code::yaml_syntax, 2, 1, "tab"},
    {"duplicate_key", "m: 1\nn: 2\nm: 3", Code::duplicate_key, 3, 1, "f.yaml:1:1"},
    {"duplicate_in_brackets", "{m: 1, m: 2}", Code::duplicate_key, 1, 8, "f.yaml:1:2"},
    {"duplicate_by_quotes", "m: 1\n\"m\": 2", Code::duplicate_key, 2, 1, "twice"},
    {"duplicate_in_json", R"({"a": {"m": 1, "m": 2}})", Code::duplicate_key, 1, 16, "f.yaml:1:8"},
    {"duplicate_by_escape", "{\"m\": 1, \"\\u006d\": 2}", Code::duplicate_key, 1, 10, "twice"},
    {"duplicate_in_a_large_map", "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nc: 2",
     Code::duplicate_key, 10, 1, "f.yaml:3:1"},
    {"list_as_key", "? [a]\n: 1", Code::unsupported_yaml, 1, 3, "key"},
    {"map_as_key", "{{a: 1}: 2}", Code::unsupported_yaml, 1, 2, "key"},
    {"null_as_key", "null: 1", Code::unsupported_yaml, 1, 1, "key"},
    {"no_key", ": 1", Code::unsupported_yaml, 1, 1, "key"},
    {"alias_as_key", "a: &n x\n*n : 1", Code::unsupported_yaml, 2, 1, "key"},
    {"merge_key", "a: &b {x: 1}\nc:\n  <<: *b", Code::unsupported_yaml, 3, 3, "<<"},
    {"tag", "a: !!str 5", Code::unsupported_yaml, 1, 4, "tag"},
    {"own_tag", "a: !kernel {m: 1}", Code::unsupported_yaml, 1, 4, "tag"},
    {"bare_tag", "a: ! 5", Code::unsupported_yaml, 1, 4, "tag"},
    {"tag_after_an_anchor", "a: &n ! [1]", Code::unsupported_yaml, 1, 4, "tag"},
    {"colon_in_an_anchor", "&a: 1", Code::unsupported_yaml, 1, 1, "anchor"},
    {"continued_line_with_a_colon", "a: 1\n b: 2", Code::yaml_syntax, 2, 3, "indentation"},
    {"tag_on_a_list", "!!set [a]", Code::unsupported_yaml, 1, 1, "tag"},
    {"second_document", "a: 1\n---\nb: 2", Code::unsupported_yaml, 2, 1, "second document"},
    {"empty_second_document", "a: 1\n---\n", Code::unsupported_yaml, 2, 1, "second document"},
    {"text_after_the_document", "- a\nb: 1", Code::yaml_syntax, 2, 1, "document"},
    {"two_json_documents", "{\"a\": 1}\n{\"b\": 1}", Code::yaml_syntax, 2, 1, "document"},
    {"colon_is_missing", "op: gemm\nm 4096\nn: 1", Code::yaml_syntax, 2, 1, "\":\" is missing"},
    {"colon_is_missing_at_the_end", "op: gemm\nm 4096\n", Code::yaml_syntax, 2, 1,
     "\":\" is missing"},
    {"colon_is_missing_in_brackets", "{op: gemm, m 4096}", Code::yaml_syntax, 1, 12,
     "\":\" is missing"},
    {"space_is_missing", "op: gemm\nm:4096\n", Code::yaml_syntax, 2, 1, "write a space after"},
    {"set", "{a, b}", Code::yaml_syntax, 1, 2, "\":\" is missing"},
    {"value_is_missing", "a: [1, , 2]", Code::yaml_syntax, 1, 8, "value is missing"},
    {"key_is_missing", "a: {b: 1, , c: 2}", Code::unsupported_yaml, 1, 11, "key"},
    {"old_line_ends", "a: 1\rb: 2\r", Code::yaml_syntax, 1, 5, "carriage return"},
    {"zero_byte", "a: \0b"s, Code::yaml_syntax, 1, 4, "zero byte"},
    {"end_of_transmission", "a: 1\n\x04 b: 2", Code::yaml_syntax, 2, 1, "control"},
    {"invalid_utf8", "a: 1\nb: x\xFFy", Code::yaml_syntax, 2, 5, "UTF-8"},
    {"latin_1", "a: M\xFCller", Code::yaml_syntax, 1, 5, "UTF-8"},
    {"utf16", "\xFF\xFE\x61\x00"s, Code::unsupported_yaml, 0, 0, "UTF-16"},
    {"empty", "", Code::empty_input, 0, 0, "empty"},
    {"blank", "\n  \n", Code::empty_input, 0, 0, "empty"},
    {"comments_only", "# nothing\n", Code::empty_input, 0, 0, "empty"},
    {"only_a_document_mark", "---\n", Code::empty_input, 0, 0, "empty"},
    {"two_colons", "a: b: c", Code::yaml_syntax, 1, 5, "\":\""},
    {"less_indentation", "k:\n  m: 1\n n: 2", Code::yaml_syntax, 3, 2, "indentation"},
    {"open_bracket", "a: 1\nb: [1, 2", Code::yaml_syntax, 2, 4, "bracket is never closed"},
    {"open_brace", "b: {m: 1,\n", Code::yaml_syntax, 1, 4, "bracket is never closed"},
    {"other_bracket", "a: [1, 2}", Code::yaml_syntax, 1, 9, "bracket"},
    {"closing_bracket", "a: 1\n]", Code::yaml_syntax, 2, 1, "bracket"},
    {"open_quote", "a: 1\nb: \"x", Code::yaml_syntax, 2, 4, "quote is never closed"},
    {"open_quote_and_line_end", "b: \"x\n", Code::yaml_syntax, 1, 4, "quote is never closed"},
    {"open_single_quote", "b: 'it''s\n", Code::yaml_syntax, 1, 4, "quote is never closed"},
    {"open_quote_in_brackets", "b: ['x]\n", Code::yaml_syntax, 1, 5, "quote is never closed"},
    {"apostrophe_in_an_open_bracket", "b: [don't", Code::yaml_syntax, 1, 4,
     "bracket is never closed"},
    {"unknown_escape", "a: \"\\q\"", Code::yaml_syntax, 1, 5, "escape"},
    {"unknown_anchor", "a: *b", Code::yaml_syntax, 1, 4, "anchor"},
    {"reserved_character", "a: @b", Code::yaml_syntax, 1, 4, "quote"},
    {"two_values", "a: \"x\" y", Code::yaml_syntax, 1, 8, "follows a value"},
    {"anchor_in_itself", "a: &n [1, *n]", Code::unsupported_yaml, 1, 11, "inside"},
    {"json_without_comma", "{\n\t\"a\": \"x\"\n\t\"b\": 2\n}", Code::yaml_syntax, 3, 2, "\",\""},
    {"json_open_list", "{\"a\": [1, 2", Code::yaml_syntax, 1, 7, "bracket is never closed"},
    {"json_open_quote", "{\"a\": \"x", Code::yaml_syntax, 1, 7, "quote is never closed"},
    {"json_half_a_surrogate_pair", "[\"\\ud83d\"]", Code::yaml_syntax, 1, 3, "surrogate"},
    {"json_wrong_surrogate_pair", "[\"\\ud83d\\u0041\"]", Code::yaml_syntax, 1, 3, "surrogate"},
    {"json_short_escape", "[\"\\u12\"]", Code::yaml_syntax, 1, 3, "hexadecimal"},
};
class Refuse : public testing::TestWithParam<RefuseRow> {};
TEST_P(Refuse, WithItsPlace) {
  const auto& row = GetParam();
  const auto document = read_yaml(row.text, "f.yaml");
  ASSERT_FALSE(document) << tree_text(document->root());
  const auto& error = document.error().front();
  const auto text = format_errors(document.error(), false);
  EXPECT_EQ(error.code, row.code) << text;
  EXPECT_EQ(error.where.file, "f.yaml");
  EXPECT_EQ(error.where.line, row.line) << text;
  EXPECT_EQ(error.where.column, row.column) << text;
  EXPECT_NE((error.what + error.hint + error.note).find(row.says), std::string::npos) << text;
}
INSTANTIATE_TEST_SUITE_P(Rows, Refuse, testing::ValuesIn(kRefused),
                         [](const auto& i) { return i.param.name; });

TEST(ReadYaml, AllDuplicatesOfAFileAreReported) {
  const auto document = read_yaml("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3", "f");
  ASSERT_FALSE(document);
  ASSERT_EQ(document.error().size(), 3u);
  EXPECT_EQ(document.error()[2].where.line, 3);
}

/// Every node's place is where its text stands: the test's own reading of the source, without a
/// YAML reader.
struct PlaceRow {
  const char* name;
  std::string text, path;  ///< path: keys and indices from the root, separated by dots
  std::string underlined;
};
const PlaceRow kPlaces[] = {
    {"plain", "a: bc d\n", "a", "bc d"},
    {"second_line", "a: 1\nbb: 22\n", "bb", "22"},
    {"quoted", "a: \"x \\\" y\" # c", "a", "\"x \\\" y\""},
    {"single_quoted", "a: 'it''s'", "a", "'it''s'"},
    {"after_an_anchor", "a: &n value", "a", "value"},
    {"alias", "a: &n 1\nb: *n", "b", "*n"},
    {"inside_an_alias", "a: &n [x, y]\nb: *n", "b.1", "y"},
    {"comment_after", "a: 12 # c", "a", "12"},
    {"in_brackets", "a: [x, {b: yy}]", "a.1.b", "yy"},
    {"list", "a:\n  - x\n  - - y\n", "a.1", "-"},
    {"map_in_list", "a:\n  - b: 1\n    c: 2\n", "a.0", "b"},
    {"null_is_at_its_key", "a:\nbcd:\ne: 1", "bcd", "bcd"},
    {"written_null", "a: null", "a", "null"},
    {"empty_value_in_brackets", "{abc: , d: 1}", "abc", "abc"},
    {"text_of_two_lines", "a: one\n  two\n", "a", "one"},
    {"literal", "a: |\n  x\n", "a", "|"},
    {"after_wide_characters", "\u8868: \u8868b", "\u8868", "\u8868b"},
    {"windows_lines", "a: 1\r\nb: 2\r\n", "b", "2"},
    {"json", "{\n\t\"a\": [10, \"xy\"]}", "a.1", "\"xy\""},
    {"json_number", "{\"a\": -1.5e3}", "a", "-1.5e3"},
};
class Place : public testing::TestWithParam<PlaceRow> {};
TEST_P(Place, Underlined) {
  const auto& row = GetParam();
  const auto document = read_yaml(row.text, "f.yaml");
  ASSERT_TRUE(document) << format_errors(document.error(), false);
  const YamlNode* node = &document->root();
  for (std::size_t at = 0; at < row.path.size();) {
    const auto end = std::min(row.path.find('.', at), row.path.size());
    const auto step = row.path.substr(at, end - at);
    node = node->is_list() ? &node->items[static_cast<std::size_t>(std::stoi(step))]
                           : node->find(step);
    ASSERT_NE(node, nullptr);
    at = end + 1;
  }
  const auto where = document->where(*node);
  const auto column = static_cast<std::size_t>(where.column - 1 - where.source_offset);
  EXPECT_EQ(where.source_line.substr(column, static_cast<std::size_t>(where.length)),
            row.underlined);
  EXPECT_EQ(where.source_line.find_first_of("\r\n"), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Rows, Place, testing::ValuesIn(kPlaces),
                         [](const auto& i) { return i.param.name; });

TEST(Place, InALongFile) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "k" + std::to_string(i) + ": v" + std::to_string(i) + "\n";
  const auto document = read_yaml(text, "f");
  ASSERT_TRUE(document);
  for (const int i : {0, 1, 1022, 1023, 1024, 1025, 2047, 2048, 4999}) {
    const auto where = document->where(*document->root().find("k" + std::to_string(i)));
    EXPECT_EQ(where.line, i + 1);
    EXPECT_EQ(where.source_line, "k" + std::to_string(i) + ": v" + std::to_string(i));
  }
}

TEST(Place, InALongLineOnlyAPartIsQuoted) {
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i) text += "x" + std::to_string(i) + ",";
  text += "last]";
  const auto document = read_yaml(text, "f");
  ASSERT_TRUE(document);
  const auto where = document->where(document->root().items.back());
  EXPECT_EQ(where.line, 1);
  EXPECT_LT(where.source_line.size(), 2000u);
  const auto column = static_cast<std::size_t>(where.column - 1 - where.source_offset);
  EXPECT_EQ(where.source_line.substr(column, 4), "last");
}

TEST(Place, OfSyntaxErrorsFarDown) {
  const auto document = read_yaml(std::string(3000, '\n') + "a: [", "f");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().front().where.line, 3001);
  EXPECT_EQ(document.error().front().where.source_line, "a: [");
}

TEST(Place, WithoutAText) {
  YamlNode node;
  const YamlDocument packed("table", "", node);
  EXPECT_EQ(packed.where(node).file, "table");
  EXPECT_EQ(packed.where(node).line, 0);
  EXPECT_EQ(YamlDocument().where(node).line, 0);
}

TEST(YamlNode, Find) {
  const auto document = read_yaml("a: 1\nb: 2", "f");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().find("b")->text, "2");
  EXPECT_EQ(document->root().find("c"), nullptr);
}

}  // namespace
}  // namespace roofline
