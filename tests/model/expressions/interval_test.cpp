#include "model/expressions/interval.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/expressions/operators.h"
#include "model/expressions/tree.h"

namespace warptune::model::expressions {
namespace {

const std::string kText = "f32";

bool encloses(const Interval& interval, const Cell& cell) {
  switch (interval.kind) {
    case Interval::Kind::kAnything:
      return true;
    case Interval::Kind::kFailure:
      return cell.failed();
    default:
      break;
  }
  if (cell.failed()) return interval.may_fail;
  if (cell.kind == Cell::Kind::kText || (interval.integral && !cell.is_integral())) return false;
  return interval.low <= cell.as_real() && cell.as_real() <= interval.high;
}

/// What an operand can be, and the smallest interval around that.
struct Operand {
  std::vector<Cell> cells;
  Interval interval;
};

Cell cell_by_chance(base::Random& random, std::uint64_t kind) {
  const auto number = static_cast<std::int64_t>(random.below(13)) - 6;
  switch (kind) {
    case 0:
      return Cell::of_real(static_cast<double>(number) / 2.0);
    case 1:
      return Cell::of_boolean(number > 0);
    case 2:  // Next to what 64 bits hold.
      return Cell::of_integer(number >= 0 ? INT64_MAX - number : INT64_MIN - number);
    case 3:  // Next to what a double holds exactly.
      return Cell::of_integer((std::int64_t{1} << 53) + number);
    default:
      return Cell::of_integer(number);
  }
}

Operand operand_by_chance(base::Random& random) {
  Operand operand;
  const std::uint64_t kind = random.below(12);
  if (kind == 10) operand.cells = {Cell::of_text(kText)};
  if (kind == 11) operand.cells = {Cell::of_failure(EvaluationError::kDivisionByZero)};
  for (std::uint64_t count = 1 + random.below(3); kind < 10 && count > 0; --count)
    operand.cells.push_back(cell_by_chance(random, kind));
  operand.interval = Interval::of(operand.cells.front());
  for (const Cell& cell : operand.cells) operand.interval = hull(operand.interval, Interval::of(cell));
  if (kind >= 10) operand.interval = Interval::of(operand.cells.front());
  return operand;
}

RC_GTEST_PROP(IntervalProperty, EnclosesWhatEveryOperatorMakesOfWhatItsOperandsEnclose,
              (std::uint64_t seed)) {
  base::Random random(seed);
  for (auto op = static_cast<int>(Op::kNegate); op <= static_cast<int>(Op::kRoundUp); ++op) {
    const auto which = static_cast<Op>(op);
    const std::uint32_t count = operand_count(which);
    const Operand a = operand_by_chance(random);
    const Operand b = count > 1 ? operand_by_chance(random) : Operand{{Cell()}, Interval()};
    const Operand c = count > 2 ? operand_by_chance(random) : Operand{{Cell()}, Interval()};
    const Interval result = apply(which, a.interval, b.interval, c.interval);
    for (const Cell& x : a.cells) {
      for (const Cell& y : b.cells) {
        for (const Cell& z : c.cells) {
          const Cell cell = apply(which, x, y, z);
          RC_LOG() << "operator " << op << ": [" << result.low << ", " << result.high << "], "
                   << cell.as_real() << (cell.failed() ? " failed\n" : "\n");
          RC_ASSERT(encloses(result, cell));
          RC_ASSERT(!(result.never_holds() && holds(cell)));
          RC_ASSERT(!(result.always_holds() && !holds(cell)));
        }
      }
    }
  }
}

Interval integers(double low, double high) { return Interval::range(low, high, true); }
Interval reals(double low, double high) { return Interval::range(low, high, false); }
Interval apply_two(Op op, const Interval& a, const Interval& b) { return apply(op, a, b, Interval()); }

TEST(Interval, DecidesComparisonsOfWhatLiesApart) {
  EXPECT_TRUE(apply_two(Op::kLess, integers(1, 4), integers(5, 9)).always_holds());
  EXPECT_TRUE(apply_two(Op::kLess, integers(5, 9), integers(1, 5)).never_holds());
  EXPECT_TRUE(apply_two(Op::kGreaterEqual, integers(5, 9), integers(1, 5)).always_holds());
  EXPECT_TRUE(apply_two(Op::kNotEqual, integers(1, 4), integers(5, 9)).always_holds());
  EXPECT_TRUE(apply_two(Op::kEqual, integers(3, 3), integers(3, 3)).always_holds());
  const Interval open = apply_two(Op::kLess, integers(1, 5), integers(5, 9));
  EXPECT_FALSE(open.always_holds() || open.never_holds());
}

TEST(Interval, OfRoundingUpHoldsAtTheLimitOfExactIntegers) {
  // The sum 2^53 - 3 + 4 is rounded down to 2^53.
  const Interval result = apply_two(Op::kRoundUp, integers(0x1p53 - 3, 0x1p53 - 3), integers(4, 4));
  EXPECT_GE(result.high, 0x1p53);
}

TEST(Interval, IsAsNarrowAsTheOperatorAllows) {
  const auto expect = [](const Interval& interval, double low, double high) {
    ASSERT_TRUE(interval.is_range());
    EXPECT_EQ(interval.low, low);
    EXPECT_EQ(interval.high, high);
  };
  expect(apply_two(Op::kAdd, integers(1, 4), integers(-2, 3)), -1, 7);
  expect(apply_two(Op::kSubtract, integers(1, 4), integers(-2, 3)), -2, 6);
  expect(apply_two(Op::kMultiply, integers(-3, 4), integers(-2, 5)), -15, 20);
  expect(apply_two(Op::kDivide, integers(7, 20), integers(3, 4)), 1, 6);
  expect(apply_two(Op::kCeilDiv, integers(7, 20), integers(3, 4)), 2, 7);
  expect(apply_two(Op::kDivide, reals(1, 3), integers(2, 4)), 0.25, 1.5);
  expect(apply_two(Op::kRemainder, integers(0, 100), integers(1, 8)), 0, 7);
  expect(apply_two(Op::kRoundUp, integers(3, 9), integers(4, 8)), 3, 16);
  expect(apply_two(Op::kMin, integers(1, 9), integers(3, 4)), 1, 4);
  expect(apply(Op::kAbs, integers(-7, 3), Interval(), Interval()), 0, 7);
  expect(apply(Op::kSelect, integers(0, 1), integers(2, 3), integers(8, 9)), 2, 9);
  expect(apply(Op::kSelect, integers(1, 1), integers(2, 3), integers(8, 9)), 2, 3);
}

TEST(Interval, SaysNothingWhereADivisorMayBeZeroOrAnIntegerMayOverflow) {
  EXPECT_FALSE(apply_two(Op::kDivide, integers(1, 4), integers(0, 2)).is_range());
  EXPECT_FALSE(apply_two(Op::kRemainder, integers(1, 4), integers(-1, 2)).is_range());
  EXPECT_TRUE(apply_two(Op::kMultiply, integers(0, 0x1p32), integers(0, 0x1p32)).may_fail);
  EXPECT_FALSE(apply_two(Op::kMultiply, integers(0, 0x1p31), integers(0, 0x1p31)).may_fail);
  EXPECT_FALSE(apply_two(Op::kMultiply, reals(0, 1e300), reals(0, 1e300)).is_range());
}

TEST(Interval, OfAPowerIsNotThatOfAComparison) {
  EXPECT_FALSE(apply_two(Op::kPower, integers(2, 3), integers(2, 3)).is_range());
}

TEST(Interval, HullIsTheSmallestAroundBoth) {
  const Interval both = hull(integers(1, 2), integers(7, 9));
  EXPECT_EQ(both.low, 1.0);
  EXPECT_EQ(both.high, 9.0);
  EXPECT_TRUE(both.integral);
  EXPECT_FALSE(hull(integers(1, 2), reals(7, 9)).is_range());
  EXPECT_FALSE(hull(integers(1, 2), Interval::of(Cell::of_text(kText))).is_range());
}

}  // namespace
}  // namespace warptune::model::expressions
