#include "model/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace warptune::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const NamedValues kValues = {{"A", std::int64_t{12}},       {"B", std::int64_t{5}},
                             {"Z", std::int64_t{0}},        {"R", 2.5},
                             {"dtype", std::string("f32")}, {"yes", true}};

Value evaluated(const std::string& text) {
  const auto value = Expression::parse(text).evaluate(kValues);
  return value ? *value : Value("error: " + value.error());
}
Value integer(std::int64_t value) { return value; }

TEST(Expression, FollowsThePrecedenceOfC) {
  EXPECT_EQ(evaluated("1 + 2 * 3"), integer(7));
  EXPECT_EQ(evaluated("(1 + 2) * 3"), integer(9));
  EXPECT_EQ(evaluated("10 - 4 - 3"), integer(3));
  EXPECT_EQ(evaluated("-2 * -3"), integer(6));
  EXPECT_EQ(evaluated("1 + 1 == 2 && 3 > 2 || false"), Value(true));
  EXPECT_EQ(evaluated("!yes == false"), Value(true));
  EXPECT_EQ(evaluated("false ? 1 : true ? 2 : 3"), integer(2));
  EXPECT_EQ(evaluated("1 < 2 == true"), Value(true));
}

TEST(Expression, DividesIntegersTowardsZeroAndRealsExactly) {
  EXPECT_EQ(evaluated("7 / 2"), integer(3));
  EXPECT_EQ(evaluated("-7 / 2"), integer(-3));
  EXPECT_EQ(evaluated("-7 // 2"), integer(-3));
  EXPECT_EQ(evaluated("-7 % 3"), integer(-1));
  EXPECT_EQ(evaluated("7 / 2.0"), Value(3.5));
  EXPECT_EQ(evaluated("A / B * B"), integer(10));
}

TEST(Expression, CountsBooleansAsNumbers) {
  EXPECT_EQ(evaluated("yes + yes"), integer(2));
  EXPECT_EQ(evaluated("yes == 1"), Value(true));
}

TEST(Expression, KnowsItsFunctions) {
  EXPECT_EQ(evaluated("min(A, B, 7)"), integer(5));
  EXPECT_EQ(evaluated("max(A, R)"), Value(12.0));
  EXPECT_EQ(evaluated("abs(-A) + abs(2)"), integer(14));
  EXPECT_EQ(evaluated("abs(-R)"), Value(2.5));
  EXPECT_EQ(evaluated("ceil_div(A, B)"), integer(3));
  EXPECT_EQ(evaluated("ceil_div(10, B)"), integer(2));
  EXPECT_EQ(evaluated("ceil_div(-7, 2)"), integer(-3));
  EXPECT_EQ(evaluated("round_up(A, 8)"), integer(16));
  EXPECT_EQ(evaluated("is_pow2(64) && !is_pow2(A) && !is_pow2(0)"), Value(true));
  EXPECT_EQ(evaluated("log2(1024)"), integer(10));
  EXPECT_EQ(evaluated("log2(8.0)"), Value(3.0));
  EXPECT_EQ(evaluated("sqrt(2.25)"), Value(1.5));
  EXPECT_EQ(evaluated("exp(0)"), Value(1.0));
  EXPECT_EQ(evaluated("pow(2, 10)"), Value(1024.0));
  EXPECT_EQ(evaluated("pow(R, -1) * R"), Value(1.0));
  EXPECT_EQ(evaluated("floor(R)"), integer(2));
  EXPECT_EQ(evaluated("floor(-R)"), integer(-3));
  EXPECT_EQ(evaluated("floor(A)"), integer(12));
  EXPECT_EQ(evaluated("sizeof(dtype)"), integer(4));
  EXPECT_EQ(evaluated("sizeof(\"bf16\") + sizeof('u64')"), integer(10));
}

TEST(Expression, ComparesTextWithTextOnly) {
  EXPECT_EQ(evaluated("dtype == 'f32'"), Value(true));
  EXPECT_EQ(evaluated("dtype != \"f32\""), Value(false));
  EXPECT_EQ(evaluated("dtype == 1"),
            Value(std::string("error: text is compared with a number in 'dtype == 1'")));
}

TEST(Expression, EvaluatesOnlyWhatItNeeds) {
  EXPECT_EQ(evaluated("Z == 0 || A / Z > 1"), Value(true));
  EXPECT_EQ(evaluated("Z != 0 && A / Z > 1"), Value(false));
  EXPECT_EQ(evaluated("yes ? A : nowhere"), integer(12));
}

TEST(Expression, ReturnsErrorsAsResults) {
  const auto error_of = [](const std::string& text) { return std::get<std::string>(evaluated(text)); };
  EXPECT_EQ(error_of("1 + A / Z"), "error: division by zero in 'A / Z'");
  EXPECT_EQ(error_of("A % Z"), "error: division by zero in 'A % Z'");
  EXPECT_EQ(error_of("R / 0"), "error: division by zero in 'R / 0'");
  EXPECT_EQ(error_of("9223372036854775807 + 1"), "error: overflow in '9223372036854775807 + 1'");
  EXPECT_EQ(error_of("-9223372036854775808 / -1"), "error: overflow in '-9223372036854775808 / -1'");
  EXPECT_EQ(error_of("abs(-9223372036854775808)"), "error: overflow in 'abs(-9223372036854775808)'");
  EXPECT_EQ(error_of("1e300 * 1e300"), "error: overflow in '1e300 * 1e300'");
  EXPECT_EQ(error_of("dtype + 1"), "error: text in arithmetic in 'dtype + 1'");
  EXPECT_EQ(error_of("R % 2"), "error: expected integers in 'R % 2'");
  EXPECT_EQ(error_of("nowhere + 1"), "error: unknown variable 'nowhere'");
  EXPECT_EQ(error_of("log2(Z)"), "error: expected a positive number in 'log2(Z)'");
  EXPECT_EQ(error_of("sqrt(-1)"), "error: expected a number that is not negative in 'sqrt(-1)'");
  EXPECT_EQ(error_of("exp(1000)"), "error: overflow in 'exp(1000)'");
  EXPECT_EQ(error_of("pow(0, -1)"), "error: overflow in 'pow(0, -1)'");
  EXPECT_EQ(error_of("floor(1e30)"), "error: overflow in 'floor(1e30)'");
  EXPECT_EQ(error_of("floor(dtype)"), "error: text in arithmetic in 'floor(dtype)'");
  EXPECT_EQ(error_of("round_up(A, Z)"), "error: expected a positive number in 'round_up(A, Z)'");
  EXPECT_THAT(error_of("sizeof('float')"), HasSubstr("expected a type name"));
  EXPECT_THAT(error_of("dtype ? 1 : 2"), HasSubstr("expected true or false, found text"));
  EXPECT_EQ(evaluated("-9223372036854775808 % -1"), integer(0));
}

TEST(Expression, ListsItsVariablesOnceInOrder) {
  const Expression expression = Expression::parse("B * A + B - sizeof(dtype)", {"k.cu", 2, 5});
  EXPECT_THAT(expression.variables(), ElementsAre("B", "A", "dtype"));
  EXPECT_EQ(expression.text(), "B * A + B - sizeof(dtype)");
  EXPECT_EQ(expression.position(), (base::SourcePosition{"k.cu", 2, 5}));
}

TEST(Expression, TakesSlotsInTheOrderOfItsVariables) {
  const Value b = std::int64_t{9};
  const Value a = std::int64_t{4};
  const Value* const slots[] = {&b, &a};
  EXPECT_EQ(*Expression::parse("B - A").evaluate_slots(slots), integer(5));
}

TEST(Expression, CanBeOneValue) {
  const Expression constant = Expression::constant(std::string("a\"b"));
  EXPECT_EQ(*constant.evaluate(NamedValues{}), Value(std::string("a\"b")));
  EXPECT_EQ(constant.text(), R"("a\"b")");
  EXPECT_TRUE(constant.variables().empty());
}

struct BadExpression {
  const char* text;
  int column;  // Within the expression, from 1.
  const char* message;
};
void PrintTo(const BadExpression& bad, std::ostream* out) { *out << bad.text; }

class BadExpressionTest : public ::testing::TestWithParam<BadExpression> {};

TEST_P(BadExpressionTest, IsRefusedAtTheOffendingColumn) {
  const BadExpression& bad = GetParam();
  try {
    Expression::parse(bad.text, {"k.toml", 7, 20});
    FAIL() << "parsed";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.position(), (base::SourcePosition{"k.toml", 7, 19 + bad.column}));
    EXPECT_THAT(error.message(), HasSubstr(bad.message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Expression, BadExpressionTest,
    ::testing::Values(
        BadExpression{"", 1, "found the end, expected a value"},
        BadExpression{"A +", 4, "found the end, expected a value"},
        BadExpression{"A * (B + 1", 11, "found the end, expected ')'"},
        BadExpression{"A B", 3, "found 'B', expected an operator"},
        BadExpression{"A + * B", 5, "found '*', expected a value"},
        BadExpression{"A = B", 3, "found '=', expected '=='"}, BadExpression{"A & B", 3, "expected '&&'"},
        BadExpression{"A | B", 3, "expected '||'"}, BadExpression{"A and B", 3, "(write &&)"},
        BadExpression{"not A", 1, "(write !)"}, BadExpression{"1 <= A <= 3", 8, "join two comparisons by &&"},
        BadExpression{"2 * maxx(A, B)", 5, "unknown function 'maxx' (did you mean max"},
        BadExpression{"ceil_div(A)", 1, "'ceil_div' takes 2 arguments, found 1"},
        BadExpression{"1 + min(A)", 5, "'min' takes 2 or more arguments, found 1"},
        BadExpression{"abs(A, B)", 1, "'abs' takes 1 argument, found 2"},
        BadExpression{"min(A B)", 7, "expected ',' or ')'"}, BadExpression{"A ? B", 6, "expected ':'"},
        BadExpression{"A == \"x", 6, "text without its closing \""},
        BadExpression{R"(A == "\q")", 7, "unknown escape"},
        BadExpression{"A + 9223372036854775808", 5, "an integer that 64 bits cannot hold"},
        BadExpression{"99999999999999999999", 1, "an integer that 64 bits cannot hold"},
        BadExpression{"A + 1e999", 5, "floating-point"}, BadExpression{"A $ B", 3, "found '$'"},
        BadExpression{"A \xc3\x97 B", 3, "found '\xc3\x97'"}, BadExpression{"12abc", 3, "found 'abc'"},
        BadExpression{"A)", 2, "found ')', expected an operator"}));

TEST(Expression, PointsIntoTheRightLineOfATextOfSeveralLines) {
  try {
    Expression::parse("A +\n  B +\n  ?", {"k.toml", 7, 20});
    FAIL() << "parsed";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.position(), (base::SourcePosition{"k.toml", 9, 3}));
  }
}

TEST(Expression, NamesTheColumnWhenItsPositionIsUnknown) {
  try {
    Expression::parse("A + ");
    FAIL() << "parsed";
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(), "found the end, expected a value at column 5 of 'A + '");
  }
}

TEST(Expression, RefusesEndlessNestingAndLength) {
  EXPECT_THROW(Expression::parse(std::string(100000, '(')), base::InputError);
  EXPECT_THROW(Expression::parse(std::string(100000, '-') + "1"), base::InputError);
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  EXPECT_THROW(Expression::parse(sum), base::InputError);
}

std::vector<std::string> dropped(const std::string& text) {
  const NamedValues values = {{"N", integer(1000)}, {"M", integer(100)}, {"B", integer(64)}, {"T", true}};
  std::vector<std::string> divisions;
  for (const DroppedRemainder& one : Expression::parse(text).dropped_remainders(values))
    divisions.push_back(one.dividend + "|" + one.divisor + "|" + std::to_string(one.remainder));
  return divisions;
}

TEST(DroppedRemainders, AreThoseOfDivisionsThatMakeTheValueSmaller) {
  using ::testing::ElementsAre;
  EXPECT_THAT(dropped("N / B"), ElementsAre("N|B|40"));
  EXPECT_THAT(dropped("N // B * (M // B)"), ElementsAre("N|B|40", "M|B|36"));
  EXPECT_THAT(dropped("N / 3 / 5"), ElementsAre("N|3|1", "N / 3|5|3"));
  EXPECT_THAT(dropped("max(1, N / B)"), ElementsAre("N|B|40"));
  EXPECT_THAT(dropped("T ? N / B : 1"), ElementsAre("N|B|40"));
}

TEST(DroppedRemainders, AreNoneWhereADivisionIsExactRoundedUpOrOnlyALimit) {
  for (const char* text : {"N / 10", "(N + B - 1) / B", "ceil_div(N, B)", "N / B + 1", "min(N / B, 8)", "B",
                           "T ? 1 : N / B", "N / 64.0", "N / 0", "X / B", "round_up(N, B) / 3"})
    EXPECT_TRUE(dropped(text).empty()) << text;
}

TEST(ToTruth, TakesNumbersAndRefusesText) {
  EXPECT_EQ(to_truth(integer(3)), true);
  EXPECT_EQ(to_truth(0.0), false);
  EXPECT_EQ(to_truth(std::string("true")).error(), "expected true or false, found \"true\"");
}

TEST(ToInteger, TakesWholeNumbersOnly) {
  EXPECT_EQ(to_integer(4.0), 4);
  EXPECT_EQ(to_integer(true), 1);
  EXPECT_EQ(to_integer(4.5).error(), "expected an integer, found 4.5");
  EXPECT_FALSE(to_integer(1e19).has_value());
  EXPECT_FALSE(to_integer(std::string("4")).has_value());
}

RC_GTEST_PROP(ExpressionProperty, AnyTextEitherParsesOrIsRefusedInsideItself, ()) {
  const auto characters = std::string("AB19.e\"'\\ ()+-*/%<>=!&|?:,minsizeof\n");
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(characters));
  try {
    Expression::parse(text, {"f", 1, 1}).evaluate(kValues);
  } catch (const base::InputError& error) {
    RC_ASSERT(error.position().column >= 1);
    RC_ASSERT(error.position().column <= static_cast<int>(text.size()) + 1);
  }
}

RC_GTEST_PROP(ExpressionProperty, ArithmeticOfIntegersIsExactOrAnError, (std::int64_t a, std::int64_t b)) {
  const NamedValues values = {{"a", a}, {"b", b}};
  std::int64_t expected = 0;
  const auto product = Expression::parse("a * b").evaluate(values);
  RC_ASSERT(product.has_value() == !__builtin_mul_overflow(a, b, &expected));
  if (product) RC_ASSERT(*product == Value(expected));
  const auto whole = Expression::parse("a / b * b + a % b == a").evaluate(values);
  if (whole) RC_ASSERT(*whole == Value(true));
  RC_ASSERT(whole.has_value() == (b != 0 && !(a == std::numeric_limits<std::int64_t>::min() && b == -1)));
}

}  // namespace
}  // namespace warptune::model
