#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/expression.h"
#include "model/value.h"

namespace warptune::model {

/// A tunable parameter. Its values have one type, are distinct, and keep the order in which they were given.
struct Parameter {
  std::string name;
  std::vector<Value> values;
  std::string description;
  base::SourcePosition position;
};

/// A condition that a configuration must meet. If its evaluation fails (for example by a division by zero),
/// the condition is not met.
struct Constraint {
  Expression expression;
  std::string reason;  ///< The reason for people; it may be empty.
};

}  // namespace warptune::model
