#pragma once

#include <algorithm>
#include <cstdint>

#include "model/expressions/cell.h"

namespace warptune::model::expressions {

/// Returns what `apply` returns, for operands that are integers or booleans. The caller must know that the
/// operation cannot fail: no divisor is zero, and nothing overflows.
inline std::int64_t apply_quick(Op op, std::int64_t a, std::int64_t b, std::int64_t c) {
  switch (op) {
    case Op::kNegate:
      return -a;
    case Op::kNot:
      return a == 0;
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
    case Op::kIntegerDivide:
      return a / b;
    case Op::kRemainder:
      return a % b;
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kGreater:
      return a > b;
    case Op::kGreaterEqual:
      return a >= b;
    case Op::kEqual:
      return a == b;
    case Op::kNotEqual:
      return a != b;
    case Op::kAnd:
      return a != 0 && b != 0;
    case Op::kOr:
      return a != 0 || b != 0;
    case Op::kSelect:
      return a != 0 ? b : c;
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kAbs:
      return a < 0 ? -a : a;
    case Op::kIsPow2:
      return a > 0 && (a & (a - 1)) == 0;
    case Op::kCeilDiv:
      return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
    case Op::kRoundUp:
      return (a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0)) * b;
    default:
      return 0;  // Literals and variables are not computed. Callers do not use this for other operators.
  }
}

}  // namespace warptune::model::expressions
