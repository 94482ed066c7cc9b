#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/expression.h"
#include "model/value.h"

namespace warptune::model {

/// A tunable name with its values, all of one type, each once, in the order given.
struct Parameter {
  std::string name;
  std::vector<Value> values;
  std::string description;
  base::SourcePosition position;
};

/// What a configuration must meet. An evaluation error (a division by zero, say) counts as not met.
struct Constraint {
  Expression expression;
  std::string reason;  ///< Why, for people; may be empty.
};

}  // namespace warptune::model
