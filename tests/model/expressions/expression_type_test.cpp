#include "model/expressions/expression_type.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace warptune::model::expressions {
namespace {

std::optional<ValueType> type_of(const std::string& text) {
  const NamedValues values = {
      {"N", std::int64_t{4}}, {"SCALE", 0.5}, {"FAST", true}, {"dtype", std::string("f32")}};
  return expressions::type_of(
      Expression::parse(text), [&](std::string_view name) -> std::optional<ValueType> {
        const Value* value = find(values, name);
        return value == nullptr ? std::nullopt : std::optional(model::type_of(*value));
      });
}

TEST(ExpressionType, OfComparisonsAndLogicIsBoolean) {
  for (const char* text : {"N < 4", "dtype == 'f32'", "N && SCALE", "!N", "is_pow2(N)", "true", "FAST",
                           "N > 1 ? FAST : false"}) {
    EXPECT_EQ(type_of(text), ValueType::kBoolean) << text;
  }
}

TEST(ExpressionType, OfArithmeticIsANumber) {
  for (const char* text : {"N", "N * 2", "N % 3", "-N", "ceil_div(N, 3)", "sizeof(dtype)", "FAST + FAST",
                           "min(N, 2, 3)", "floor(SCALE)"}) {
    EXPECT_EQ(type_of(text), ValueType::kInteger) << text;
  }
  for (const char* text : {"SCALE", "N * SCALE", "sqrt(N)", "max(N, SCALE)", "N / 2.0"}) {
    EXPECT_EQ(type_of(text), ValueType::kReal) << text;
  }
}

TEST(ExpressionType, OfTextIsText) {
  EXPECT_EQ(type_of("dtype"), ValueType::kText);
  EXPECT_EQ(type_of("FAST ? 'a' : dtype"), ValueType::kText);
}

TEST(ExpressionType, IsUnknownWhereItDependsOnValuesOrUnknownNames) {
  EXPECT_EQ(type_of("FAST ? N : SCALE"), std::nullopt);
  EXPECT_EQ(type_of("M"), std::nullopt);
  EXPECT_EQ(type_of("M + 1"), std::nullopt);
  EXPECT_EQ(type_of("dtype + 1"), std::nullopt);
}

}  // namespace
}  // namespace warptune::model::expressions
