// Conversions of cells, and the messages of failures.
#include "model/expressions/cell.h"

#include <cstring>

namespace warptune::model::expressions {

const char* to_string(EvaluationError error) {
  switch (error) {
    case EvaluationError::kDivisionByZero:
      return "division by zero";
    case EvaluationError::kOverflow:
      return "overflow";
    case EvaluationError::kTextInArithmetic:
      return "text in arithmetic";
    case EvaluationError::kTextAgainstNumber:
      return "text is compared with a number";
    case EvaluationError::kTextAsTruth:
      return "expected true or false, found text";
    case EvaluationError::kNeedsIntegers:
      return "expected integers";
    case EvaluationError::kNeedsPositive:
      return "expected a positive number";
    case EvaluationError::kNeedsNonNegative:
      return "expected a number that is not negative";
    case EvaluationError::kUnknownType:
      return "expected a type name (f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64)";
    case EvaluationError::kUnknownVariable:
      return "unknown variable";
  }
  return "unknown error";
}

Cell Cell::of(const Value& value) {
  switch (model::type_of(value)) {
    case ValueType::kBoolean:
      return of_boolean(std::get<bool>(value));
    case ValueType::kInteger:
      return of_integer(std::get<std::int64_t>(value));
    case ValueType::kReal:
      return of_real(std::get<double>(value));
    case ValueType::kText:
      break;
  }
  return of_text(std::get<std::string>(value));
}

std::uint64_t Cell::bits() const {
  switch (kind) {
    case Kind::kReal: {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &real, sizeof bits);
      return bits;
    }
    case Kind::kText:
      return reinterpret_cast<std::uintptr_t>(text);
    case Kind::kFailure:
      return 0;
    default:
      return static_cast<std::uint64_t>(integer);
  }
}

Value Cell::to_value() const {
  switch (kind) {
    case Kind::kBoolean:
      return integer != 0;
    case Kind::kReal:
      return real;
    case Kind::kText:
      return *text;
    default:
      return integer;
  }
}

}  // namespace warptune::model::expressions
