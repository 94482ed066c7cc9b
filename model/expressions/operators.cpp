// Applies the operators of expressions to cells. The result of integers is an integer. Overflow, division by
// zero and text in the place of a number are failures.
#include "model/expressions/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace warptune::model::expressions {

namespace {

using Kind = Cell::Kind;

// `value` is a reference, because the other argument's evaluation writes it. That may happen after `value` is
// passed.
Cell integer_or_overflow(bool overflowed, const std::int64_t& value) {
  return overflowed ? Cell::of_failure(EvaluationError::kOverflow) : Cell::of_integer(value);
}

Cell integer_arithmetic(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  switch (op) {
    case Op::kAdd:
      return integer_or_overflow(__builtin_add_overflow(a, b, &value), value);
    case Op::kSubtract:
      return integer_or_overflow(__builtin_sub_overflow(a, b, &value), value);
    case Op::kMultiply:
      return integer_or_overflow(__builtin_mul_overflow(a, b, &value), value);
    case Op::kMin:
      return Cell::of_integer(std::min(a, b));
    case Op::kMax:
      return Cell::of_integer(std::max(a, b));
    default:
      break;
  }
  if (b == 0) return Cell::of_failure(EvaluationError::kDivisionByZero);
  if (b == -1 && op == Op::kRemainder) return Cell::of_integer(0);
  if (b == -1) return integer_or_overflow(__builtin_sub_overflow(std::int64_t{0}, a, &value), value);
  return Cell::of_integer(op == Op::kRemainder ? a % b : a / b);
}

Cell real_arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd:
      return Cell::of_real(a + b);
    case Op::kSubtract:
      return Cell::of_real(a - b);
    case Op::kMultiply:
      return Cell::of_real(a * b);
    case Op::kMin:
      return Cell::of_real(std::min(a, b));
    case Op::kMax:
      return Cell::of_real(std::max(a, b));
    case Op::kDivide:
      return b == 0.0 ? Cell::of_failure(EvaluationError::kDivisionByZero) : Cell::of_real(a / b);
    default:
      return Cell::of_failure(EvaluationError::kNeedsIntegers);
  }
}

Cell arithmetic(Op op, const Cell& a, const Cell& b) {
  if (a.is_integral() && b.is_integral()) return integer_arithmetic(op, a.integer, b.integer);
  if (a.kind == Kind::kText || b.kind == Kind::kText)
    return Cell::of_failure(EvaluationError::kTextInArithmetic);
  return real_arithmetic(op, a.as_real(), b.as_real());
}

template <class T>
bool compare_with(Op op, const T& a, const T& b) {
  switch (op) {
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
    default:
      return a != b;
  }
}

Cell compare(Op op, const Cell& a, const Cell& b) {
  if (a.is_integral() && b.is_integral()) return Cell::of_boolean(compare_with(op, a.integer, b.integer));
  const bool text = a.kind == Kind::kText;
  if (text != (b.kind == Kind::kText)) return Cell::of_failure(EvaluationError::kTextAgainstNumber);
  if (text) return Cell::of_boolean(compare_with(op, *a.text, *b.text));
  return Cell::of_boolean(compare_with(op, a.as_real(), b.as_real()));
}

Cell negate(const Cell& a) {
  if (a.kind == Kind::kText) return Cell::of_failure(EvaluationError::kTextInArithmetic);
  return a.kind == Kind::kReal ? Cell::of_real(-a.real) : integer_arithmetic(Op::kSubtract, 0, a.integer);
}

Cell absolute(const Cell& a) {
  if (a.is_integral()) return a.integer < 0 ? negate(a) : Cell::of_integer(a.integer);
  return a.kind == Kind::kReal ? Cell::of_real(std::abs(a.real)) : negate(a);
}

Cell log2_of(const Cell& a) {
  if (a.kind == Kind::kText) return Cell::of_failure(EvaluationError::kTextInArithmetic);
  if (a.as_real() <= 0.0) return Cell::of_failure(EvaluationError::kNeedsPositive);
  if (a.is_integral() && (a.integer & (a.integer - 1)) == 0) {
    return Cell::of_integer(__builtin_ctzll(static_cast<unsigned long long>(a.integer)));
  }
  return Cell::of_real(std::log2(a.as_real()));
}

Cell real_function(Op op, const Cell& a, const Cell& b) {
  if (a.kind == Kind::kText || b.kind == Kind::kText)
    return Cell::of_failure(EvaluationError::kTextInArithmetic);
  const double x = a.as_real();
  switch (op) {
    case Op::kSquareRoot:
      return x < 0.0 ? Cell::of_failure(EvaluationError::kNeedsNonNegative) : Cell::of_real(std::sqrt(x));
    case Op::kExponential:
      return Cell::of_real(std::exp(x));
    case Op::kPower:
      return Cell::of_real(std::pow(x, b.as_real()));
    default: {  // kFloor. A magnitude below 2^62 surely fits into 64 bits.
      const double floor = std::floor(x);
      if (a.is_integral()) return Cell::of_integer(a.integer);
      return std::abs(floor) < 0x1p62 ? Cell::of_integer(static_cast<std::int64_t>(floor))
                                      : Cell::of_failure(EvaluationError::kOverflow);
    }
  }
}

Cell size_of(const Cell& a) {
  static constexpr std::array<std::pair<std::string_view, int>, 12> kTypes = {{{"f16", 2},
                                                                               {"bf16", 2},
                                                                               {"f32", 4},
                                                                               {"f64", 8},
                                                                               {"i8", 1},
                                                                               {"i16", 2},
                                                                               {"i32", 4},
                                                                               {"i64", 8},
                                                                               {"u8", 1},
                                                                               {"u16", 2},
                                                                               {"u32", 4},
                                                                               {"u64", 8}}};
  if (a.kind == Kind::kText) {
    for (const auto& [name, bytes] : kTypes) {
      if (*a.text == name) return Cell::of_integer(bytes);
    }
  }
  return Cell::of_failure(EvaluationError::kUnknownType);
}

Cell ceil_div(std::int64_t a, std::int64_t b) {
  const Cell quotient = integer_arithmetic(Op::kDivide, a, b);
  if (quotient.failed() || b == -1 || a % b == 0 || (a < 0) != (b < 0)) return quotient;
  return Cell::of_integer(quotient.integer + 1);
}

Cell integer_function(Op op, const Cell& a, const Cell& b) {
  if (a.kind == Kind::kText || b.kind == Kind::kText)
    return Cell::of_failure(EvaluationError::kTextInArithmetic);
  if (!a.is_integral() || !b.is_integral()) return Cell::of_failure(EvaluationError::kNeedsIntegers);
  if (op == Op::kIsPow2) return Cell::of_boolean(a.integer > 0 && (a.integer & (a.integer - 1)) == 0);
  if (op == Op::kCeilDiv) return ceil_div(a.integer, b.integer);
  if (b.integer <= 0) return Cell::of_failure(EvaluationError::kNeedsPositive);
  return integer_arithmetic(Op::kMultiply, ceil_div(a.integer, b.integer).integer, b.integer);
}

Cell logical(Op op, const Cell& a, const Cell& b, const Cell& c) {
  const Cell first = truth_of(a);
  if (first.failed()) return first;
  const bool holds_first = first.integer != 0;
  if (op == Op::kSelect) return holds_first ? b : c;
  if (op == Op::kNot) return Cell::of_boolean(!holds_first);
  return holds_first == (op == Op::kOr) ? first : truth_of(b);  // `true || b` and `false && b` ignore b.
}

}  // namespace

Cell apply(Op op, const Cell& a, const Cell& b, const Cell& c) {
  if (a.failed()) return a;
  switch (op) {
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
    case Op::kSelect:
      return logical(op, a, b, c);
    case Op::kNegate:
      return negate(a);
    case Op::kAbs:
      return absolute(a);
    case Op::kLog2:
      return log2_of(a);
    case Op::kSquareRoot:
    case Op::kExponential:
    case Op::kFloor:
      return real_function(op, a, a);
    case Op::kSizeof:
      return size_of(a);
    case Op::kIsPow2:
      return integer_function(op, a, a);
    default:
      break;
  }
  if (b.failed()) return b;
  if (op >= Op::kLess && op <= Op::kNotEqual) return compare(op, a, b);
  if (op == Op::kPower) return real_function(op, a, b);
  if (op == Op::kCeilDiv || op == Op::kRoundUp) return integer_function(op, a, b);
  return arithmetic(op, a, b);
}

}  // namespace warptune::model::expressions
