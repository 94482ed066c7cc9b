#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "model/value.h"

namespace warptune::model::expressions {

enum class Op : std::uint8_t {
  kLiteral,
  kVariable,
  kNegate,
  kNot,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kIntegerDivide,
  kRemainder,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kSelect,
  kMin,
  kMax,
  kAbs,
  kCeilDiv,
  kIsPow2,
  kLog2,
  kSquareRoot,
  kExponential,
  kFloor,
  kPower,
  kSizeof,
  kRoundUp
};

enum class EvaluationError : std::uint8_t {
  kDivisionByZero,
  kOverflow,
  kTextInArithmetic,
  kTextAgainstNumber,
  kTextAsTruth,
  kNeedsIntegers,
  kNeedsPositive,
  kUnknownType,
  kUnknownVariable
};

/// For people: "division by zero".
const char* to_string(EvaluationError error);

/// A value inside an evaluation: like `Value`, but trivially copied. Text is borrowed. A failure is a cell,
/// too, which remembers the node where it arose.
struct Cell {
  enum class Kind : std::uint8_t { kBoolean, kInteger, kReal, kText, kFailure };
  static constexpr std::uint32_t kNoNode = UINT32_MAX;

  Kind kind = Kind::kBoolean;
  EvaluationError error = EvaluationError::kOverflow;
  std::uint32_t node = kNoNode;
  union {
    std::int64_t integer = 0;  // Also the boolean's 0 or 1.
    double real;
    const std::string* text;
  };

  static Cell of_boolean(bool value) {
    Cell cell;
    cell.integer = value ? 1 : 0;
    return cell;
  }
  static Cell of_integer(std::int64_t value) {
    Cell cell;
    cell.kind = Kind::kInteger;
    cell.integer = value;
    return cell;
  }
  /// A failure (overflow) when not finite.
  static Cell of_real(double value) {
    if (!std::isfinite(value)) return of_failure(EvaluationError::kOverflow);
    Cell cell;
    cell.kind = Kind::kReal;
    cell.real = value;
    return cell;
  }
  static Cell of_text(const std::string& value) {
    Cell cell;
    cell.kind = Kind::kText;
    cell.text = &value;
    return cell;
  }
  static Cell of_failure(EvaluationError error) {
    Cell cell;
    cell.kind = Kind::kFailure;
    cell.error = error;
    return cell;
  }
  /// Borrows the text of `value`.
  static Cell of(const Value& value);

  bool failed() const { return kind == Kind::kFailure; }
  bool is_integral() const { return kind == Kind::kBoolean || kind == Kind::kInteger; }
  /// The number of a boolean, integer or real.
  double as_real() const { return kind == Kind::kReal ? real : static_cast<double>(integer); }
  /// The bits that, with `kind`, tell cells apart.
  std::uint64_t bits() const;
  /// Not for failures.
  Value to_value() const;
};

/// A boolean cell, or the failure.
inline Cell truth_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kReal:
      return Cell::of_boolean(cell.real != 0.0);
    case Cell::Kind::kText:
      return Cell::of_failure(EvaluationError::kTextAsTruth);
    case Cell::Kind::kFailure:
      return cell;
    default:
      return Cell::of_boolean(cell.integer != 0);
  }
}

/// True when the cell is a truth and holds; failures do not hold.
inline bool holds(const Cell& cell) {
  const Cell truth = truth_of(cell);
  return !truth.failed() && truth.integer != 0;
}

}  // namespace warptune::model::expressions
