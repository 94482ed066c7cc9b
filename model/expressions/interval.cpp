// Interval arithmetic (Moore, Interval Analysis, 1966) for the operators of expressions.
//
// The result of an operator must contain its value for all operands within their intervals. For a monotone
// operator the extremes are at the corners of the operands' ranges. Bounds beyond 2^53 are widened by one
// unit in the last place, because a double does not represent every integer there. If nothing is certain
// about the result, it is `kAnything`.
#include "model/expressions/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune::model::expressions {

namespace {

constexpr double kExactIntegers = 0x1p53;  // A double represents every integer up to this one.

double widened_down(double x) {
  return std::abs(x) < kExactIntegers ? x : std::nextafter(x, -std::numeric_limits<double>::infinity());
}
double widened_up(double x) {
  return std::abs(x) < kExactIntegers ? x : std::nextafter(x, std::numeric_limits<double>::infinity());
}

const Interval kUnknown{};
const Interval kAlwaysFails{Interval::Kind::kFailure};

// The range of a function that is monotone in each operand.
Interval corners(double (*f)(double, double), const Interval& a, const Interval& b, bool integral) {
  const double x[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  return Interval::range(*std::min_element(x, x + 4), *std::max_element(x, x + 4), integral,
                         a.may_fail || b.may_fail);
}

bool spans_zero(const Interval& x) { return x.low <= 0.0 && x.high >= 0.0; }
bool is_exact(const Interval& x) { return x.low > -kExactIntegers && x.high < kExactIntegers; }

Interval quotient(Op op, const Interval& a, const Interval& b) {
  const bool integral = a.integral && b.integral;
  if (spans_zero(b) || (integral && !(is_exact(a) && is_exact(b)))) return kUnknown;
  if (!integral && op != Op::kDivide) return kAlwaysFails;
  Interval result = corners([](double x, double y) { return x / y; }, a, b, integral);
  if (!integral || !result.is_range()) return result;
  const auto round =
      op == Op::kCeilDiv ? [](double x) { return std::ceil(x); } : [](double x) { return std::trunc(x); };
  result.low = round(result.low);
  result.high = round(result.high);
  return result;
}

Interval remainder(const Interval& a, const Interval& b) {
  if (!a.integral || !b.integral || spans_zero(b) || !is_exact(b)) return kUnknown;
  const double maximum = std::max(std::abs(b.low), std::abs(b.high)) - 1.0;
  const double low = a.low >= 0.0 ? 0.0 : std::max(a.low, -maximum);
  const double high = a.high <= 0.0 ? 0.0 : std::min(a.high, maximum);
  return Interval::range(low, high, true, a.may_fail || b.may_fail);
}

Interval comparison(Op op, const Interval& a, const Interval& b) {
  if (op == Op::kGreater) return comparison(Op::kLess, b, a);
  if (op == Op::kGreaterEqual) return comparison(Op::kLessEqual, b, a);
  bool always = false;
  bool never = false;
  const bool apart = a.high < b.low || b.high < a.low;
  const bool same = a.low == a.high && b.low == b.high && a.low == b.low && is_exact(a);
  switch (op) {
    case Op::kLess:
      always = a.high < b.low;
      never = a.low > b.high || (a.low == b.high && is_exact(a));
      break;
    case Op::kLessEqual:
      always = a.high < b.low || (a.high == b.low && is_exact(a));
      never = a.low > b.high;
      break;
    case Op::kEqual:
      always = same;
      never = apart;
      break;
    default:
      always = apart;
      never = same;
  }
  return Interval::range(always ? 1.0 : 0.0, never ? 0.0 : 1.0, true, a.may_fail || b.may_fail);
}

Interval logical(Op op, const Interval& a, const Interval& b, const Interval& c) {
  if (a.kind == Interval::Kind::kFailure) return kAlwaysFails;
  const bool always = a.always_holds();
  const bool never = a.never_holds();
  if (op == Op::kSelect) {
    Interval result = always ? b : never ? c : hull(b, c);
    result.may_fail = result.may_fail || !a.is_range() || a.may_fail;
    return result;
  }
  if (op == Op::kNot)
    return Interval::range(never ? 1.0 : 0.0, always ? 0.0 : 1.0, true, !a.is_range() || a.may_fail);
  const bool a_may_fail = !a.is_range() || a.may_fail;
  const bool may_fail = a_may_fail || !b.is_range() || b.may_fail;
  if (op == Op::kOr) {
    if (always) return Interval::range(1.0, 1.0, true);
    return Interval::range(b.always_holds() ? 1.0 : 0.0, never && b.never_holds() ? 0.0 : 1.0, true,
                           may_fail);
  }
  if (never) return Interval::range(0.0, 0.0, true, a_may_fail);
  return Interval::range(always && b.always_holds() ? 1.0 : 0.0, b.never_holds() ? 0.0 : 1.0, true, may_fail);
}

Interval absolute(const Interval& a) {
  const double maximum = std::max(std::abs(a.low), std::abs(a.high));
  const double minimum = spans_zero(a) ? 0.0 : std::min(std::abs(a.low), std::abs(a.high));
  return Interval::range(minimum, maximum, a.integral, a.may_fail);
}

Interval binary(Op op, const Interval& a, const Interval& b) {
  const bool integral = a.integral && b.integral;
  const bool may_fail = a.may_fail || b.may_fail;
  switch (op) {
    case Op::kAdd:
      return Interval::range(a.low + b.low, a.high + b.high, integral, may_fail);
    case Op::kSubtract:
      return Interval::range(a.low - b.high, a.high - b.low, integral, may_fail);
    case Op::kMultiply:
      return corners([](double x, double y) { return x * y; }, a, b, integral);
    case Op::kMin:
      return Interval::range(std::min(a.low, b.low), std::min(a.high, b.high), integral, may_fail);
    case Op::kMax:
      return Interval::range(std::max(a.low, b.low), std::max(a.high, b.high), integral, may_fail);
    case Op::kDivide:
    case Op::kIntegerDivide:
    case Op::kCeilDiv:
      return quotient(op, a, b);
    case Op::kRemainder:
      return remainder(a, b);
    case Op::kRoundUp:
      if (!integral || a.low < 0.0 || b.low <= 0.0) return kUnknown;
      // `a.high + b.high - 1.0` would be rounded twice, but the widening makes up for only one rounding.
      return Interval::range(a.low, a.high + (b.high - 1.0), true, may_fail);
    default:
      return comparison(op, a, b);
  }
}

}  // namespace

Interval Interval::range(double low, double high, bool integral, bool may_fail) {
  Interval result;
  if (!std::isfinite(low) || !std::isfinite(high)) return result;
  result.kind = Kind::kRange;
  result.integral = integral;
  result.may_fail = may_fail || (integral && (low <= -0x1p63 || high >= 0x1p63));
  result.low = integral ? widened_down(low) : low;
  result.high = integral ? widened_up(high) : high;
  return result;
}

Interval Interval::of(const Cell& cell) {
  if (cell.failed()) return kAlwaysFails;
  if (cell.kind == Cell::Kind::kText) return kUnknown;
  return range(cell.as_real(), cell.as_real(), cell.is_integral());
}

Interval hull(const Interval& a, const Interval& b) {
  if (!a.is_range() || !b.is_range()) return kUnknown;
  // If only one side is integral, the result may be integral or real. Nothing is known about it.
  if (a.integral != b.integral) return kUnknown;
  return Interval::range(std::min(a.low, b.low), std::max(a.high, b.high), a.integral,
                         a.may_fail || b.may_fail);
}

Interval apply(Op op, const Interval& a, const Interval& b, const Interval& c) {
  if (op == Op::kAnd || op == Op::kOr || op == Op::kSelect || op == Op::kNot) return logical(op, a, b, c);
  if (a.kind == Interval::Kind::kFailure) return kAlwaysFails;
  const bool predicate = (op >= Op::kLess && op <= Op::kNotEqual) || op == Op::kIsPow2;
  const Interval truth = Interval::range(0.0, 1.0, true, true);
  if (!a.is_range()) return predicate ? truth : kUnknown;
  switch (op) {
    case Op::kNegate:
      return Interval::range(-a.high, -a.low, a.integral, a.may_fail);
    case Op::kAbs:
      return absolute(a);
    case Op::kIsPow2:
      return truth;
    case Op::kLog2:
    case Op::kSizeof:
    case Op::kSquareRoot:
    case Op::kExponential:
    case Op::kFloor:
    case Op::kPower:
      return kUnknown;
    default:
      break;
  }
  if (b.kind == Interval::Kind::kFailure) return kAlwaysFails;
  if (!b.is_range()) return predicate ? truth : kUnknown;
  return binary(op, a, b);
}

}  // namespace warptune::model::expressions
