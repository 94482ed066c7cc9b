#include "model/expressions/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <climits>
#include <string>
#include <vector>

#include "model/expressions/operators.h"
#include "tests/model/expressions/formulas.h"
#include "tests/model/random_spaces.h"

namespace warptune::model::expressions {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// What a node is for a configuration, by its operators alone.
Cell value_of(const Formula& formula, std::uint32_t index, const std::vector<Parameter>& parameters,
              const Configuration& configuration) {
  const FormulaNode& node = formula.node(index);
  if (node.op == Op::kLiteral) return node.literal;
  if (node.op == Op::kVariable)
    return Cell::of(parameters[node.variable].values[configuration[node.variable]]);
  std::array<Cell, 3> operands;
  for (std::uint32_t c = 0; c < operand_count(node.op); ++c)
    operands[c] = value_of(formula, node.child[c], parameters, configuration);
  return apply(node.op, operands[0], operands[1], operands[2]);
}

bool same(const Cell& a, const Cell& b) {
  if (a.failed() || b.failed()) return a.failed() == b.failed();
  return a.to_value() == b.to_value();
}

Cell value_of_tree(const Tree& tree, const std::vector<Parameter>& parameters,
                   const Configuration& configuration) {
  std::vector<const Value*> slots;
  for (const std::string& name : tree.variables) {
    slots.push_back(nullptr);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].name == name) slots.back() = &parameters[p].values[configuration[p]];
    }
  }
  return evaluate(tree, slots.data());
}

std::vector<std::uint32_t> order_by_chance(std::size_t count, base::Random& random) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t p = 0; p < count; ++p) order.push_back(p);
  random.shuffle(order);
  return order;
}

RC_GTEST_PROP(FormulaProperty, IsWhatTheExpressionSaysAndSoAreItsTablesAndItsRegroupedForm,
              (std::uint64_t seed)) {
  RandomSpace space(seed);
  const std::vector<std::uint32_t> order = order_by_chance(space.parameters.size(), space.random);
  Expressions expressions(space.parameters, order);
  const std::string text = ExpressionMaker(space.random, space.parameters).condition(2);
  RC_LOG() << text << '\n';
  const std::uint32_t root = expressions.add(text);
  const Formula& formula = expressions.formula();
  Formula regrouped(diagrams::variables_of(space.parameters, order));
  const std::uint32_t other = regrouped.add_regrouped(formula, root);
  const std::vector<std::uint32_t> parts = formula.parts(root);
  const std::vector<Configuration> all = cartesian(space.parameters);
  for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / 64) {
    const Configuration& configuration = all[i];
    const Cell expected = value_of_tree(expressions.last_tree(), space.parameters, configuration);
    RC_ASSERT(same(value_of(formula, root, space.parameters, configuration), expected));
    RC_ASSERT(same(value_of(regrouped, other, space.parameters, configuration), expected));
    for (const std::uint32_t part : parts) {
      const FormulaNode& node = formula.node(part);
      if (!node.has_table()) continue;
      RC_ASSERT(same(formula.table(node)[configuration[node.only_variable]],
                     value_of(formula, part, space.parameters, configuration)));
    }
    bool all_hold = true;
    for (const std::uint32_t conjunct : formula.conjuncts(root))
      all_hold = all_hold && holds(value_of(formula, conjunct, space.parameters, configuration));
    RC_ASSERT(all_hold == holds(expected));
  }
}

class FormulaTest : public ::testing::Test {
 protected:
  const FormulaNode& node(std::uint32_t index) { return expressions_.formula().node(index); }

  std::vector<Parameter> parameters_ = {one_to("a", 4), one_to("b", 4), one_to("c", 4)};
  Expressions expressions_{parameters_, {0, 1, 2}};
};

TEST_F(FormulaTest, EqualSubExpressionsAreOneNode) {
  const std::uint32_t first = expressions_.add("a * b <= 8");
  const std::size_t size = expressions_.formula().size();
  EXPECT_EQ(expressions_.add("a * b <= 8"), first);
  EXPECT_EQ(expressions_.formula().size(), size);
  const std::uint32_t second = expressions_.add("a * b <= 9");
  EXPECT_NE(second, first);
  EXPECT_EQ(node(second).child[0], node(first).child[0]);
}

TEST_F(FormulaTest, ConstantsAreFoldedAndDecideWhatTheyCan) {
  const auto literal = [&](const std::string& text) {
    const std::uint32_t index = expressions_.add(text);
    EXPECT_TRUE(expressions_.formula().is_literal(index)) << text;
    return node(index).literal;
  };
  EXPECT_EQ(literal("2 * 3 + 1").integer, 7);
  EXPECT_EQ(literal("false && a < b").integer, 0);
  EXPECT_EQ(literal("true || a < b").integer, 1);
  EXPECT_TRUE(literal("\"x\" && a < b").failed());
  EXPECT_TRUE(literal("1 / 0 + a").failed());
  EXPECT_TRUE(literal("\"x\" ? a : b").failed());
  EXPECT_EQ(literal("a < 9").integer, 1);  // For every value of a.
  EXPECT_EQ(expressions_.add("true ? a : b"), expressions_.add("a"));
  EXPECT_EQ(expressions_.add("0 ? a : b"), expressions_.add("b"));
  EXPECT_FALSE(expressions_.formula().is_literal(expressions_.add("true && a < b")));
}

TEST_F(FormulaTest, WhatDependsOnOneVariableHasATable) {
  const FormulaNode& square = node(expressions_.add("a * a - 1"));
  ASSERT_TRUE(square.has_table());
  std::vector<std::int64_t> values;
  for (const Cell& cell : expressions_.formula().table(square)) values.push_back(cell.integer);
  EXPECT_THAT(values, ElementsAre(0, 3, 8, 15));
  EXPECT_FALSE(node(expressions_.add("a * b")).has_table());
  EXPECT_EQ(node(expressions_.add("a * b")).only_variable, FormulaNode::kSeveralVariables);
}

TEST_F(FormulaTest, ANodeKnowsTheLevelsAndTheReachOfItsVariables) {
  const FormulaNode& product = node(expressions_.add("b * c"));
  EXPECT_EQ(product.first_level, 1);
  EXPECT_EQ(product.last_level, 2);
  EXPECT_EQ(product.interval.low, 1.0);
  EXPECT_EQ(product.interval.high, 16.0);
  const FormulaNode& constant = node(expressions_.add("5"));
  EXPECT_EQ(constant.first_level, INT_MAX);
  EXPECT_EQ(constant.last_level, -1);
  EXPECT_TRUE(node(expressions_.add("1 / (a - 2)")).interval.may_fail);
}

TEST_F(FormulaTest, RegroupingJoinsFirstWhatIsChosenFirst) {
  const std::uint32_t root = expressions_.add("c * (b * a) <= 8");
  Formula regrouped(diagrams::variables_of(parameters_, std::vector<std::uint32_t>{0, 1, 2}));
  const FormulaNode& comparison = regrouped.node(regrouped.add_regrouped(expressions_.formula(), root));
  const FormulaNode& product = regrouped.node(comparison.child[0]);
  EXPECT_EQ(product.last_level, 2);
  EXPECT_EQ(regrouped.node(product.child[0]).last_level, 1);  // a * b.
  EXPECT_EQ(regrouped.node(product.child[1]).last_level, 2);  // c.
}

TEST_F(FormulaTest, RegroupingLeavesAloneWhatCouldOverflowInAnotherOrder) {
  const std::vector<Parameter> large = {model::integers("a", {1, std::int64_t{1} << 40}),
                                        model::integers("b", {0, 1}),
                                        model::integers("c", {1, std::int64_t{1} << 40})};
  const std::vector<std::uint32_t> order = {0, 2, 1};
  Expressions expressions(large, order);
  const std::uint32_t root = expressions.add("a * b * c == 0");
  Formula regrouped(diagrams::variables_of(large, order));
  const std::uint32_t other = regrouped.add_regrouped(expressions.formula(), root);
  // 2^40 * 2^40 would overflow before 0 makes it 0.
  EXPECT_TRUE(holds(value_of(regrouped, other, large, {1, 0, 1})));
}

TEST_F(FormulaTest, ConjunctsAreTheConditionsBetweenAndOnceEach) {
  const std::uint32_t first = expressions_.add("a < b");
  const std::uint32_t second = expressions_.add("b < c || a == c");
  const std::uint32_t root = expressions_.add("a < b && ((b < c || a == c) && a < b)");
  EXPECT_THAT(expressions_.formula().conjuncts(root), UnorderedElementsAre(first, second));
  EXPECT_THAT(expressions_.formula().conjuncts(first), ElementsAre(first));
}

TEST_F(FormulaTest, PartsAreWhatANodeIsMadeOf) {
  const std::uint32_t a = expressions_.add("a");
  const std::uint32_t b = expressions_.add("b");
  expressions_.add("c");
  const std::uint32_t sum = expressions_.add("a + b");
  const std::uint32_t root = expressions_.add("(a + b) * a");
  EXPECT_THAT(expressions_.formula().parts(root), ElementsAre(a, b, sum, root));
}

}  // namespace
}  // namespace warptune::model::expressions
