// The evaluation of single operators.
#pragma once

#include "model/expressions/cell.h"

namespace warptune::model::expressions {

/// Applies an operator to evaluated operands. Operands that the operator does not have are ignored. `kAnd`,
/// `kOr` and `kSelect` also ignore a failure in an operand that they do not need.
Cell apply(Op op, const Cell& a, const Cell& b, const Cell& c);

}  // namespace warptune::model::expressions
