#include "model/diagrams/constraint_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "model/expressions/tokenizer.h"
#include "model/expressions/tree.h"

namespace warptune::model::diagrams {

namespace {

// The values of at most this many variables are looked up without allocating memory.
constexpr std::size_t kFewVariables = 16;

[[noreturn]] void throw_unknown_name(const Constraint& constraint, std::size_t variable,
                                     std::span<const Parameter> parameters, const NamedValues& constants) {
  const std::string& name = constraint.expression.variables()[variable];
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  for (const auto& constant : constants) known.push_back(constant.first);
  const expressions::Tree tree =
      expressions::parse_tree(constraint.expression.text(), constraint.expression.position());
  expressions::throw_at(
      tree.text, tree.where, tree.variable_offsets[variable],
      fmt::format("'{}' is neither a parameter nor a known name{}", name, base::did_you_mean(name, known)));
}

}  // namespace

ConstraintCheck::ConstraintCheck(const Constraint& constraint, std::span<const Parameter> parameters,
                                 const NamedValues& constants)
    : constraint_(constraint), parameters_(parameters) {
  for (const std::string& name : constraint.expression.variables()) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&name](const Parameter& p) { return p.name == name; });
    Binding binding;
    binding.parameter = static_cast<std::size_t>(found - parameters.begin());
    if (found == parameters.end()) binding.constant = find(constants, name);
    if (found == parameters.end() && binding.constant == nullptr)
      throw_unknown_name(constraint, bindings_.size(), parameters, constants);
    bindings_.push_back(binding);
  }
}

base::Result<bool> ConstraintCheck::operator()(std::span<const std::uint32_t> configuration) const {
  std::array<const Value*, kFewVariables> few{};
  std::vector<const Value*> many;
  const Value** slots = few.data();
  if (bindings_.size() > few.size()) {
    many.resize(bindings_.size());
    slots = many.data();
  }
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    const Binding& binding = bindings_[i];
    slots[i] = binding.constant != nullptr
                   ? binding.constant
                   : &parameters_[binding.parameter].values[configuration[binding.parameter]];
  }
  return constraint_.get().expression.evaluate_slots(slots).and_then(to_truth);
}

}  // namespace warptune::model::diagrams
