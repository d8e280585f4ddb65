#include "roofline/kernel/formula.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace roofline {
namespace {

const std::vector<std::string> kNames = {"N", "M", "K_1", "zero"};
const std::vector<Count> kValues = {7, 4096, 3, 0};

// ---------------------------------------------------------------- values, by Python 3 with
// fractions.Fraction
struct ValueRow {
  const char* name;
  const char* text;
  const char* value;
};
constexpr ValueRow kValueRows[] = {
    {"integer", "4096", "4096"},
    {"a_name", "N", "7"},
    {"sum", "N + M - K_1", "4100"},
    {"product_before_sum", "2 + 3*N", "23"},
    {"left_to_right", "100 - 10 - 1", "89"},
    {"quotients_left_to_right", "64 / 8 / 2", "4"},
    {"exact_quotient_inside", "M / 3 * 3", "4096"},
    {"third_of_a_third", "9 * (1/3) * (1/3)", "1"},
    {"floor_division", "N // 2", "3"},
    {"floor_division_of_negative", "(-7) // 2", "-4"},
    {"floor_division_of_fraction", "(7/2) // 1", "3"},
    {"modulo", "N % 4", "3"},
    {"modulo_of_negative_has_sign_of_divisor", "(-7) % 3", "2"},
    {"modulo_by_negative", "7 % (-3)", "-2"},
    {"power", "2**10", "1024"},
    {"power_from_the_right", "2**3**2", "512"},
    {"minus_binds_weaker_than_power", "-2**2", "-4"},
    {"negative_exponent", "2**-3 * 64", "8"},
    {"power_of_fraction", "(1/2)**3 * 16", "2"},
    {"zero_to_zero", "zero**zero", "1"},
    {"minus_one_to_huge", "(-1)**170141183460469231731687303715884105727", "-1"},
    {"unary_signs", "--N + +1 - -1", "9"},
    {"min_of_three", "min(N, M, K_1)", "3"},
    {"max_of_fractions", "max(1/3, 1/2) * 6", "3"},
    {"ceil_of_fraction", "ceil(N/2)", "4"},
    {"ceil_of_negative_fraction", "ceil(-7/2)", "-3"},
    {"floor_of_fraction", "floor(N/2)", "3"},
    {"ceil_div", "ceil_div(4097, 128)", "33"},
    {"ceil_div_of_negative", "ceil_div(-7, 2)", "-3"},
    {"log2_exact", "log2(M)", "12"},
    {"log2_of_a_fraction", "log2(1/8)", "-3"},
    {"log2_rounded_up", "ceil(log2(4097))", "13"},
    {"log2_rounded_up_exact", "ceil(log2(4096))", "12"},
    {"log2_rounded_down", "floor(log2(4097))", "12"},
    {"log2_rounded_fraction", "ceil(log2(3/16))", "-2"},
    {"log2_of_one", "ceil(log2(1))", "0"},
    {"spaces", "  3 *\tN ", "21"},
    {"no_spaces", "3*N-M//2", "-2027"},
    {"largest", "2**126 - 1 + 2**126", "170141183460469231731687303715884105727"},
    {"beyond_double", "(2**53 + 1) * 3", "27021597764222979"},
    {"reduced_before_multiplying", "2**100/3 * (3/2**99)", "2"},
};

class FormulaValue : public testing::TestWithParam<ValueRow> {};
TEST_P(FormulaValue, IsExact) {
  const auto formula = Formula::parse(GetParam().text, kNames);
  ASSERT_TRUE(formula) << formula.error().what;
  const auto value = formula->evaluate(kValues);
  ASSERT_TRUE(value) << value.error().what;
  EXPECT_EQ(value->to_string(), GetParam().value);
  EXPECT_EQ(formula->text(), GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(Rows, FormulaValue, testing::ValuesIn(kValueRows),
                         [](const auto& row) { return row.param.name; });

// ---------------------------------------------------------------- refusals
struct ErrorRow {
  const char* name;
  const char* text;
  Code code;
  int column, length;
  const char* what;  ///< part of the message
  const char* hint;  ///< part of the hint
};
constexpr ErrorRow kErrorRows[] = {
    {"empty", "", Code::bad_expression, 1, 1, "empty", ""},
    {"blank", "  ", Code::bad_expression, 1, 1, "empty", ""},
    {"ends_early", "N +", Code::bad_expression, 3, 1, "ends too early", ""},
    {"operand_missing", "N + * 2", Code::bad_expression, 5, 1, "missing before \"*\"", ""},
    {"operator_missing", "2 N", Code::bad_expression, 3, 1, "operator is missing", "2*N"},
    {"number_with_letters", "2N", Code::bad_number, 1, 2, "\"2N\" is not a number", "2*N"},
    {"name_called", "N(3)", Code::bad_expression, 1, 1, "not a function", "*"},
    {"function_misspelt", "1 + mni(N, 3)", Code::unknown_name, 5, 3, "\"mni\" is not a function",
     "min"},
    {"function_not_called", "min + 1", Code::bad_expression, 1, 3, "is a function", "min(...)"},
    {"too_few_values", "ceil_div(3)", Code::bad_expression, 1, 8, "takes 2 values, not 1", ""},
    {"too_many_values", "ceil(1, 2)", Code::bad_expression, 1, 4, "takes 1 value, not 2", ""},
    {"min_of_one", "min(N)", Code::bad_expression, 1, 3, "2 or more values, not 1", ""},
    {"no_values", "min()", Code::bad_expression, 5, 1, "missing before \")\"", ""},
    {"never_closed", "3*(N + 1", Code::bad_expression, 3, 1, "never closed", ""},
    {"never_opened", "N + 1)", Code::bad_expression, 6, 1, "without \"(\"", ""},
    {"comma", "N, M", Code::bad_expression, 2, 1, "outside a function", "[a, b]"},
    {"unknown_name", "2*K_2", Code::unknown_name, 3, 3, "unknown name \"K_2\"",
     "did you mean \"K_1\"?"},
    {"case_counts", "2*n", Code::unknown_name, 3, 1, "unknown name \"n\"", "did you mean \"N\"?"},
    {"caret_for_power", "N^2", Code::bad_expression, 2, 1, "unexpected \"^\"", "**"},
    {"superscript", "N\u00b2", Code::bad_expression, 2, 2, "unexpected", "+ - * /"},
    {"comparison", "N == 3", Code::bad_expression, 3, 1, "unexpected \"=\"", ""},
    {"code", "__import__('os')", Code::unknown_name, 1, 10, "not a function", ""},
    {"attribute", "N.real", Code::bad_number, 2, 5, "\".real\" is not a count", ""},
    {"exponent", "2*1e6", Code::bad_number, 3, 3, "floating-point", "write 1000000 or 10**6"},
    {"exponent_with_sign", "1e+6", Code::bad_number, 1, 4, "floating-point",
     "write 1000000 or 10**6"},
    {"exponent_with_point", "2.5e6", Code::bad_number, 1, 5, "floating-point", "write 2500000"},
    {"exponent_negative", "1e-3", Code::bad_number, 1, 4, "floating-point", "integers"},
    {"whole_with_point", "4096.0", Code::bad_number, 1, 6, "floating-point", "write 4096"},
    {"fraction", "N*2.5", Code::bad_number, 3, 3, "not an integer", "write 25/10"},
    {"leading_zero", "010", Code::bad_number, 1, 3, "starts with 0", "write 10"},
    {"hexadecimal", "0x10", Code::bad_number, 1, 4, "not a decimal number", ""},
    {"separators", "1_000", Code::bad_number, 1, 5, "separators", "write 1000"},
    {"infinity", ".inf", Code::bad_number, 1, 4, "not a count", ""},
    {"negative_infinity", "-.inf", Code::bad_number, 2, 4, "not a count", ""},
    {"not_a_number", "nan", Code::bad_number, 1, 3, "not a count", "finite"},
    {"unit", "5GB", Code::bad_number, 1, 3, "\"5GB\" is not a number", ""},
    {"literal_past_limit", "170141183460469231731687303715884105728", Code::out_of_range, 1, 39,
     "passes 2^127", ""},
    // found when it is evaluated
    {"not_an_integer", "N/2", Code::bad_expression, 1, 3, "\"N/2\" is not an integer: it is 7/2",
     "//"},
    {"division_by_zero", "N / zero", Code::bad_expression, 3, 1, "division by zero in \"N / zero\"",
     ""},
    {"floor_division_by_zero", "1 + N // (M - 4096)", Code::bad_expression, 7, 2,
     "division by zero", ""},
    {"modulo_by_zero", "N % zero", Code::bad_expression, 3, 1, "division by zero", ""},
    {"ceil_div_by_zero", "ceil_div(N, zero)", Code::bad_expression, 1, 8, "division by zero", ""},
    {"zero_to_negative", "zero ** -1", Code::bad_expression, 6, 2, "0 to a negative power", ""},
    {"fractional_exponent", "2**(1/2)", Code::bad_expression, 2, 2,
     "exponent 1/2 is not an integer", ""},
    {"log2_not_exact", "3 + log2(N)", Code::bad_expression, 5, 4, "log2(7) is not exact",
     "ceil(log2(...))"},
    {"log2_of_zero", "ceil(log2(zero))", Code::bad_expression, 6, 4, "log2 of 0", "above 0"},
    {"power_past_limit", "2**200", Code::out_of_range, 2, 2, "\"2**200\" passes 2^127", ""},
    {"huge_exponent_ends", "M**M**M", Code::out_of_range, 5, 2, "passes 2^127", ""},
    {"product_past_limit", "2**64 * 2**63", Code::out_of_range, 7, 1, "passes 2^127", ""},
    {"sum_past_limit", "2**126 + 2**126", Code::out_of_range, 8, 1, "passes 2^127", ""},
};

class FormulaError : public testing::TestWithParam<ErrorRow> {};
TEST_P(FormulaError, SaysWhatAndWhere) {
  const auto& row = GetParam();
  const auto formula = Formula::parse(row.text, kNames);
  const auto value = formula ? formula->evaluate(kValues) : tl::unexpected(formula.error());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, row.code);
  EXPECT_EQ(value.error().where.column, row.column);
  EXPECT_EQ(value.error().where.length, row.length);
  EXPECT_NE(value.error().what.find(row.what), std::string::npos) << value.error().what;
  EXPECT_NE(value.error().hint.find(row.hint), std::string::npos) << value.error().hint;
}
INSTANTIATE_TEST_SUITE_P(Rows, FormulaError, testing::ValuesIn(kErrorRows),
                         [](const auto& row) { return row.param.name; });

// ---------------------------------------------------------------- bounds
std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(FormulaBounds, LongTextIsRefusedUnread) {
  const auto formula = Formula::parse(repeated("1+", 500'000) + "1", kNames);
  ASSERT_FALSE(formula);
  EXPECT_EQ(formula.error().code, Code::limit_exceeded);
  EXPECT_LT(formula.error().what.size(), 100u);
}

TEST(FormulaBounds, LongSumWithinTheLimitIsRead) {
  const auto formula = Formula::parse(repeated("1+", 2000) + "1", kNames);
  ASSERT_TRUE(formula);
  EXPECT_EQ(*formula->evaluate(kValues), Count(2001));
}

TEST(FormulaBounds, DepthIsLimitedForEveryKindOfNesting) {
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"(", ")"}, {"min(1, ", ")"}, {"-", ""}, {"2**", ""}, {"ceil(", ")"}}) {
    const auto deep = Formula::parse(repeated(open, 65) + "1" + repeated(close, 65), kNames);
    ASSERT_FALSE(deep) << open;
    EXPECT_EQ(deep.error().code, Code::limit_exceeded) << open;
    const auto shallow = Formula::parse(repeated(open, 60) + "1" + repeated(close, 60), kNames);
    ASSERT_TRUE(shallow) << open;
  }
}

TEST(FormulaBounds, DeepOperandsOnTheRightAreHeld) {
  const auto formula = Formula::parse(repeated("1+2*(", 60) + "1" + repeated(")", 60), kNames);
  ASSERT_TRUE(formula);
  EXPECT_EQ(*formula->evaluate(kValues),
            Count(1) + Count(2) * (Count::from_int128((__int128{1} << 60) - 1)));
}

// ---------------------------------------------------------------- names
TEST(FormulaNames, AreListedOnceInOrderOfUse) {
  const auto formula = Formula::parse("K_1 * N + K_1", kNames);
  ASSERT_TRUE(formula);
  EXPECT_EQ(std::vector<int>(formula->names().begin(), formula->names().end()),
            (std::vector<int>{2, 0}));
  EXPECT_FALSE(formula->constant());
  EXPECT_TRUE(Formula::parse("2 * 3", kNames)->constant());
}

TEST(FormulaNames, InnerScopeHidesOuter) {
  const std::vector<std::string> names = {"N", "N"};
  EXPECT_EQ(*Formula::parse("N", names)->evaluate(std::vector<Count>{1, 2}), Count(2));
}

TEST(FormulaNames, AnOverflowedValueIsAnError) {
  EXPECT_EQ(
      Formula::parse("N", kNames)->evaluate(std::vector<Count>(4, Count::overflow())).error().code,
      Code::out_of_range);
}

}  // namespace
}  // namespace roofline
