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

/// A constraint bound to the parameters and constants that it names; borrows them and itself.
class ConstraintCheck {
 public:
  /// Throws `base::InputError` that points at a name which is neither, with the nearest ones.
  ConstraintCheck(const Constraint& constraint, std::span<const Parameter> parameters,
                  const NamedValues& constants);

  /// Whether the configuration, an index of a value for each parameter, meets it; why it cannot be evaluated.
  base::Result<bool> operator()(std::span<const std::uint32_t> configuration) const;
  const std::string& text() const { return constraint_.get().expression.text(); }

 private:
  // A parameter's value in a configuration, or a constant.
  struct Binding {
    std::size_t parameter = 0;
    const Value* constant = nullptr;
  };

  std::reference_wrapper<const Constraint> constraint_;
  std::span<const Parameter> parameters_;
  std::vector<Binding> bindings_;  // By the constraint's variables.
};

}  // namespace warptune::model::diagrams
