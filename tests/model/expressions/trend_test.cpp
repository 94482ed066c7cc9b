#include "model/expressions/trend.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "model/expressions/operators.h"
#include "tests/model/expressions/formulas.h"
#include "tests/model/random_spaces.h"

namespace warptune::model::expressions {
namespace {

Cell cell_of(const Formula& formula, std::uint32_t index, const Configuration& configuration) {
  const FormulaNode& node = formula.node(index);
  if (node.op == Op::kLiteral) return node.literal;
  if (node.op == Op::kVariable) return formula.table(node)[configuration[node.variable]];
  std::array<Cell, 3> operands;
  for (std::uint32_t c = 0; c < operand_count(node.op); ++c)
    operands[c] = cell_of(formula, node.child[c], configuration);
  return apply(node.op, operands[0], operands[1], operands[2]);
}

/// The indices of a parameter's values by number.
std::vector<std::uint32_t> steps_of(const Parameter& parameter) {
  std::vector<std::uint32_t> steps(parameter.values.size());
  std::iota(steps.begin(), steps.end(), 0U);
  std::stable_sort(steps.begin(), steps.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Cell first = Cell::of(parameter.values[a]);
    return holds(apply(Op::kLess, first, Cell::of(parameter.values[b]), first));
  });
  return steps;
}

bool moves_as_said(Trend trend, const Cell& before, const Cell& after) {
  if (trend == Trend::kUnknown) return true;
  if (before.failed() || after.failed()) return false;
  const bool rises = holds(apply(Op::kLessEqual, before, after, after));
  const bool falls = holds(apply(Op::kGreaterEqual, before, after, after));
  return trend == Trend::kConstant ? rises && falls : trend == Trend::kRising ? rises : falls;
}

RC_GTEST_PROP(TrendProperty, IsHowTheValueMovesWhileOneVariableStepsThroughItsList, (std::uint64_t seed)) {
  RandomSpace space(seed);
  std::vector<std::uint32_t> order(space.parameters.size());
  std::iota(order.begin(), order.end(), 0U);
  Expressions expressions(space.parameters, order);
  const std::string text = ExpressionMaker(space.random, space.parameters).condition(2);
  RC_LOG() << text << '\n';
  const std::uint32_t root = expressions.add(text);
  Formula& formula = expressions.formula();
  const std::vector<Configuration> all = cartesian(space.parameters);
  for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
    const std::uint32_t variable = formula.variable(p);
    const std::vector<std::uint32_t> steps = steps_of(space.parameters[p]);
    const TrendAnalysis trends(formula, variable, steps);
    for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / 16) {
      for (std::size_t step = 1; step < steps.size(); ++step) {
        Configuration before = all[i];
        Configuration after = all[i];
        before[p] = steps[step - 1];
        after[p] = steps[step];
        for (const std::uint32_t part : formula.parts(root)) {
          if (!trends.depends(part)) continue;
          RC_ASSERT(
              moves_as_said(trends.of(part), cell_of(formula, part, before), cell_of(formula, part, after)));
        }
        const Cell truth_before = truth_of(cell_of(formula, root, before));
        const Cell truth_after = truth_of(cell_of(formula, root, after));
        RC_ASSERT(!trends.depends(root) || moves_as_said(trends.of_truth(root), truth_before, truth_after));
      }
    }
  }
}

TEST(Trend, IsSeenThroughMonotoneOperators) {
  const std::vector<Parameter> parameters = {one_to("a", 6), one_to("b", 6), model::integers("c", {-2, 3})};
  const auto trend = [&parameters](const std::string& text) {
    Expressions expressions(parameters, {0, 1, 2});
    const std::uint32_t root = expressions.add(text);
    const std::uint32_t a = expressions.formula().variable(0);
    const std::vector<std::uint32_t> steps = {0, 1, 2, 3, 4, 5};
    return TrendAnalysis(expressions.formula(), a, steps).of(root);
  };
  EXPECT_EQ(trend("a + b"), Trend::kRising);
  EXPECT_EQ(trend("b - a"), Trend::kFalling);
  EXPECT_EQ(trend("-(a + b)"), Trend::kFalling);
  EXPECT_EQ(trend("a * b"), Trend::kRising);
  EXPECT_EQ(trend("a * (b - 9)"), Trend::kFalling);
  EXPECT_EQ(trend("a * c"), Trend::kUnknown);  // c may be of either sign.
  EXPECT_EQ(trend("b / a"), Trend::kFalling);
  EXPECT_EQ(trend("ceil_div(a + 9, b)"), Trend::kRising);
  EXPECT_EQ(trend("round_up(a + b, 4)"), Trend::kRising);
  EXPECT_EQ(trend("round_up(b, a)"), Trend::kUnknown);
  EXPECT_EQ(trend("min(a, b)"), Trend::kRising);
  EXPECT_EQ(trend("abs(a - 9 - b)"), Trend::kFalling);
  EXPECT_EQ(trend("a * b <= 8"), Trend::kFalling);
  EXPECT_EQ(trend("!(a * b <= 8)"), Trend::kRising);
  EXPECT_EQ(trend("a * b > 8 && a + b >= 3"), Trend::kRising);
  EXPECT_EQ(trend("a * b > 8 || a + b < 3"), Trend::kUnknown);
  EXPECT_EQ(trend("b > 2 ? a + b : a"), Trend::kRising);
  EXPECT_EQ(trend("a % b"), Trend::kUnknown);
  EXPECT_EQ(trend("a * b == 8"), Trend::kUnknown);
}

}  // namespace
}  // namespace warptune::model::expressions
