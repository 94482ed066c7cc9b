#include "model/expressions/quick_apply.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "model/expressions/operators.h"

namespace warptune::model::expressions {
namespace {

RC_GTEST_PROP(QuickApplyProperty, GivesWhatTheCheckedArithmeticGivesWhereThatDoesNotFail,
              (std::uint64_t seed)) {
  base::Random random(seed);
  const auto number = [&random] { return static_cast<std::int64_t>(random.below(41)) - 20; };
  for (const Op op :
       {Op::kNegate,        Op::kNot,       Op::kAdd,    Op::kSubtract,  Op::kMultiply, Op::kDivide,
        Op::kIntegerDivide, Op::kRemainder, Op::kLess,   Op::kLessEqual, Op::kGreater,  Op::kGreaterEqual,
        Op::kEqual,         Op::kNotEqual,  Op::kAnd,    Op::kOr,        Op::kSelect,   Op::kMin,
        Op::kMax,           Op::kAbs,       Op::kIsPow2, Op::kCeilDiv,   Op::kRoundUp}) {
    const std::int64_t a = number();
    const std::int64_t b = number();
    const std::int64_t c = number();
    const Cell checked = apply(op, Cell::of_integer(a), Cell::of_integer(b), Cell::of_integer(c));
    if (checked.failed()) continue;
    RC_LOG() << "operator " << static_cast<int>(op) << " of " << a << ", " << b << ", " << c << '\n';
    RC_ASSERT(apply_quick(op, a, b, c) == checked.integer);
  }
}

}  // namespace
}  // namespace warptune::model::expressions
