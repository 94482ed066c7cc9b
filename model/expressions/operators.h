// Evaluation, one operator at a time.
#pragma once

#include "model/expressions/cell.h"

namespace warptune::model::expressions {

/// Applies an operator to evaluated operands; unused ones are ignored. `kAnd`, `kOr` and `kSelect` ignore a
/// failure in the operand they do not need.
Cell apply(Op op, const Cell& a, const Cell& b, const Cell& c);

}  // namespace warptune::model::expressions
