// Finds out in which direction each sub-expression changes with one variable.
//
// A composition of monotone operators is monotone. A sum rises if both operands rise. A product or quotient
// is monotone in one operand if the sign of the other is known. The intervals of the operands show the signs.
// A comparison is monotone if the difference of its sides is. The decision diagrams (model/diagrams) use
// bisection to find the values for which a monotone condition holds. For other conditions they try all
// values.
#include "model/expressions/trend.h"

#include <algorithm>

#include "model/expressions/operators.h"

namespace warptune::model::expressions {

namespace {

Trend reversed(Trend trend) {
  if (trend == Trend::kRising) return Trend::kFalling;
  return trend == Trend::kFalling ? Trend::kRising : trend;
}

// The trend of an operation that rises with both operands.
Trend joined(Trend a, Trend b) {
  if (a == Trend::kConstant) return b;
  if (b == Trend::kConstant || a == b) return a;
  return Trend::kUnknown;
}

// The trend of a product with a factor whose sign is known.
Trend scaled(Trend trend, const Interval& factor) {
  if (factor.low >= 0.0) return trend;
  return factor.high <= 0.0 ? reversed(trend) : Trend::kUnknown;
}

bool never_fails(const Interval& interval) { return interval.is_range() && !interval.may_fail; }

}  // namespace

TrendAnalysis::TrendAnalysis(const Formula& formula, std::uint32_t node, std::span<const std::uint32_t> steps)
    : formula_(formula), depends_(formula.size(), false), trends_(formula.size(), Trend::kConstant) {
  const std::uint32_t variable = formula.node(node).variable;
  depends_[node] = true;
  for (std::uint32_t i = 0; i < formula.size(); ++i) {
    const FormulaNode& current = formula.node(i);
    for (std::uint32_t c = 0; c < operand_count(current.op); ++c)
      depends_[i] = depends_[i] || depends_[current.child[c]];
    if (!depends_[i]) continue;
    // The formula has a table with the results of a node that depends on a single variable.
    if (current.only_variable == variable) {
      trends_[i] = from_table(current, steps);
    } else {
      trends_[i] = never_fails(current.interval) ? from_operands(current) : Trend::kUnknown;
    }
  }
}

Trend TrendAnalysis::from_table(const FormulaNode& node, std::span<const std::uint32_t> steps) const {
  const std::vector<Cell>& table = formula_.table(node);
  bool rises = true;
  bool falls = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Cell& cell = table[steps[i]];
    if (cell.failed() || cell.kind == Cell::Kind::kText) return Trend::kUnknown;
    if (i == 0) continue;
    const Cell& before = table[steps[i - 1]];
    rises = rises && holds(apply(Op::kLessEqual, before, cell, cell));
    falls = falls && holds(apply(Op::kGreaterEqual, before, cell, cell));
  }
  return rises ? Trend::kRising : falls ? Trend::kFalling : Trend::kUnknown;
}

// A number is true unless it is 0. If a number that is never negative rises, its truth rises, too: it can
// only change from 0 to more. If a number that is never positive rises, its truth falls.
Trend TrendAnalysis::of_truth(std::uint32_t node) const {
  if (!depends_[node]) return Trend::kConstant;
  const Interval& interval = formula_.node(node).interval;
  return never_fails(interval) ? scaled(trends_[node], interval) : Trend::kUnknown;
}

Trend TrendAnalysis::of_difference(std::uint32_t first, std::uint32_t second) const {
  return joined(trends_[first], reversed(trends_[second]));
}

Trend TrendAnalysis::of_product(std::uint32_t first, std::uint32_t second) const {
  const Interval& a = formula_.node(first).interval;
  const Interval& b = formula_.node(second).interval;
  if (!depends_[second]) return scaled(trends_[first], b);
  if (!depends_[first]) return scaled(trends_[second], a);
  return a.low >= 0.0 && b.low >= 0.0 ? joined(trends_[first], trends_[second]) : Trend::kUnknown;
}

// The divisor is never zero here, because `from_operands` is called only for nodes that never fail. If the
// dividend is not negative and the divisor is positive, the quotient rises with the first and falls with the
// second, as a difference does.
Trend TrendAnalysis::of_quotient(std::uint32_t first, std::uint32_t second) const {
  const Interval& a = formula_.node(first).interval;
  const Interval& b = formula_.node(second).interval;
  if (!depends_[second]) return scaled(trends_[first], b);
  if (!depends_[first]) return reversed(scaled(trends_[second], a));
  return a.low >= 0.0 && b.low > 0.0 ? of_difference(first, second) : Trend::kUnknown;
}

Trend TrendAnalysis::from_operands(const FormulaNode& node) const {
  const std::uint32_t a = node.child[0];
  const std::uint32_t b = node.child[1];
  switch (node.op) {
    case Op::kNegate:
      return reversed(trends_[a]);
    case Op::kNot:
      return reversed(of_truth(a));
    case Op::kAnd:
    case Op::kOr:
      return joined(of_truth(a), of_truth(b));
    case Op::kSelect:
      return depends_[a] ? Trend::kUnknown : joined(trends_[b], trends_[node.child[2]]);
    case Op::kAdd:
    case Op::kMin:
    case Op::kMax:
      return joined(trends_[a], trends_[b]);
    case Op::kSubtract:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return of_difference(a, b);
    case Op::kLess:
    case Op::kLessEqual:
      return of_difference(b, a);
    case Op::kMultiply:
      return of_product(a, b);
    case Op::kDivide:
    case Op::kIntegerDivide:
    case Op::kCeilDiv:
      return of_quotient(a, b);
    case Op::kAbs:  // The product of the operand and its sign.
      return scaled(trends_[a], formula_.node(a).interval);
    case Op::kRoundUp:
      return depends_[b] ? Trend::kUnknown : trends_[a];
    default:
      return Trend::kUnknown;
  }
}

}  // namespace warptune::model::expressions
