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
  kNeedsNonNegative,
  kUnknownType,
  kUnknownVariable
};

/// The message for people, such as "division by zero".
const char* to_string(EvaluationError error);

/// A value during an evaluation. It is like `Value` but trivially copyable, so it refers to a text and does
/// not own it. A failure is also a cell and stores the node where it occurred.
struct Cell {
  enum class Kind : std::uint8_t { kBoolean, kInteger, kReal, kText, kFailure };
  static constexpr std::uint32_t kNoNode = UINT32_MAX;

  Kind kind = Kind::kBoolean;
  EvaluationError error = EvaluationError::kOverflow;
  std::uint32_t node = kNoNode;
  union {
    std::int64_t integer = 0;  // The integer, or 0 or 1 for a boolean.
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
  /// A real cell, or a failure (overflow) if the number is not finite.
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
  /// Keeps a reference to the text of `value`.
  static Cell of(const Value& value);

  bool failed() const { return kind == Kind::kFailure; }
  bool is_integral() const { return kind == Kind::kBoolean || kind == Kind::kInteger; }
  /// The number of a boolean, an integer or a real.
  double as_real() const { return kind == Kind::kReal ? real : static_cast<double>(integer); }
  /// The bits of the content. Two cells are equal if these bits and `kind` are equal.
  std::uint64_t bits() const;
  /// It must not be called for a failure.
  Value to_value() const;
};

/// Converts a cell to a boolean cell, or returns the failure.
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

/// Whether the cell is true. A failure is not true.
inline bool holds(const Cell& cell) {
  const Cell truth = truth_of(cell);
  return !truth.failed() && truth.integer != 0;
}

}  // namespace warptune::model::expressions
