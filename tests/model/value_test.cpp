#include "model/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "model/expression.h"

namespace warptune::model {
namespace {

Value whole(std::int64_t value) { return value; }
Value text(const char* value) { return std::string(value); }

TEST(Value, PrintsForPeople) {
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(whole(-12)), "-12");
  EXPECT_EQ(to_text(0.5), "0.5");
  EXPECT_EQ(to_text(3.0), "3.0");
  EXPECT_EQ(to_text(1e300), "1e+300");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(text("a \"b\"")), "a \"b\"");
}

TEST(Value, PrintsTextAsALiteralWithEscapes) {
  EXPECT_EQ(to_literal(text("a\"b\\c\n")), R"("a\"b\\c\n")");
  EXPECT_EQ(to_literal(whole(4)), "4");
}

TEST(Value, TakesTheNarrowestTypeThatFitsOnTheCommandLine) {
  EXPECT_EQ(parse_value("true"), Value(true));
  EXPECT_EQ(parse_value("-4096"), whole(-4096));
  EXPECT_EQ(parse_value("1e-6"), Value(1e-6));
  EXPECT_EQ(parse_value("9223372036854775808"), Value(9223372036854775808.0));
  for (const char* plain : {"f32", "", "12x", "nan", "inf", "True", " 1"})
    EXPECT_EQ(parse_value(plain), text(plain));
}

TEST(Value, ReadsAnIntegerAsARealButNotTheOtherWayRound) {
  EXPECT_EQ(parse_value("2", ValueType::kReal), Value(2.0));
  EXPECT_EQ(parse_value("2.0", ValueType::kInteger), std::nullopt);
  EXPECT_EQ(parse_value("1", ValueType::kBoolean), std::nullopt);
  EXPECT_EQ(parse_value("1", ValueType::kText), text("1"));
}

TEST(Value, HasANumberUnlessItIsText) {
  EXPECT_EQ(to_number(true), 1.0);
  EXPECT_EQ(to_number(whole(7)), 7.0);
  EXPECT_EQ(to_number(0.25), 0.25);
  EXPECT_EQ(to_number(text("7")), std::nullopt);
}

TEST(NamedValues, AreFoundByNameAndPrintedInOrder) {
  const NamedValues values = {{"N", whole(3)}, {"A", text("x y")}};
  ASSERT_NE(find(values, "A"), nullptr);
  EXPECT_EQ(*find(values, "A"), text("x y"));
  EXPECT_EQ(find(values, "B"), nullptr);
  EXPECT_EQ(to_text(values), "N=3 A=x y");
}

TEST(KeyOf, DoesNotDependOnOrder) {
  EXPECT_EQ(key_of({{"B", text("x")}, {"A", whole(1)}}), "A=1,B=x");
  EXPECT_EQ(key_of({{"A", whole(1)}, {"B", text("x")}}), "A=1,B=x");
  EXPECT_EQ(key_of({}), "");
}

TEST(KeyOf, TellsApartWhatOnlyLooksTheSame) {
  EXPECT_EQ(key_of({{"A", text("x,B=y")}}), R"(A=x\,B\=y)");
  EXPECT_NE(key_of({{"A", text("x,B=y")}}), key_of({{"A", text("x")}, {"B", text("y")}}));
  EXPECT_NE(key_of({{"A", text("1")}}), key_of({{"A", whole(1)}}));
  EXPECT_NE(key_of({{"A", whole(1)}}), key_of({{"A", Value(1.0)}}));
  EXPECT_NE(key_of({{"A", text("true")}}), key_of({{"A", Value(true)}}));
}

RC_GTEST_PROP(ValueProperty, EveryTextReadsBackFromItsLiteral, (const std::string& anything)) {
  const auto value = Expression::parse(to_literal(anything)).evaluate(NamedValues{});
  RC_ASSERT(value.has_value());
  RC_ASSERT(*value == Value(anything));
}

RC_GTEST_PROP(ValueProperty, EveryNumberReadsBackFromItsText, (std::int64_t whole, double real)) {
  RC_PRE(std::isfinite(real));
  RC_ASSERT(parse_value(to_text(Value(whole))) == Value(whole));
  RC_ASSERT(parse_value(to_text(Value(real))) == Value(real));
  RC_ASSERT(*Expression::parse(to_literal(whole)).evaluate(NamedValues{}) == Value(whole));
}

RC_GTEST_PROP(ValueProperty, KeysAreEqualExactlyWhenTheAssignmentsAre, ()) {
  const auto gen = rc::gen::container<std::string>(rc::gen::elementOf(std::string("a,=\\1")));
  const auto names = rc::gen::map(gen, [](std::string s) { return "n" + s; });
  const auto [a, b, c, d] = *rc::gen::tuple(gen, gen, names, names);
  RC_PRE(c != d);
  const NamedValues x = {{"n", a}, {c + "x", b}};
  const NamedValues y = {{"n", b}, {d + "x", a}};
  RC_ASSERT(key_of(x) != key_of(y));
  RC_ASSERT((key_of({{"n", a}}) == key_of({{"n", b}})) == (a == b));
}

}  // namespace
}  // namespace warptune::model
