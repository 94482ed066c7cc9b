#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/parameter.h"

namespace warptune::model::diagrams {

/// A constraint whose names are bound to parameters and constants. The object keeps references to the
/// constraint, the parameters and the constants.
class ConstraintCheck {
 public:
  /// Throws `base::InputError` with the position of a name that is neither a parameter nor a constant. The
  /// message suggests the nearest names.
  ConstraintCheck(const Constraint& constraint, std::span<const Parameter> parameters,
                  const NamedValues& constants);

  /// Returns whether a configuration (one value index for each parameter) meets the constraint. Returns the
  /// reason when the constraint cannot be evaluated.
  base::Result<bool> operator()(std::span<const std::uint32_t> configuration) const;
  const std::string& text() const { return constraint_.get().expression.text(); }

 private:
  // The source of a variable's value: a parameter of the configuration, or a constant.
  struct Binding {
    std::size_t parameter = 0;
    const Value* constant = nullptr;
  };

  std::reference_wrapper<const Constraint> constraint_;
  std::span<const Parameter> parameters_;
  std::vector<Binding> bindings_;  // In the order of the constraint's variables.
};

}  // namespace warptune::model::diagrams
