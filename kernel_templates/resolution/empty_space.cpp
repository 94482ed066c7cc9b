// Finds a set of constraints that conflict, by deletion (Chinneck and Dravnieks, Locating minimal infeasible
// constraint sets, 1991). The constraints are tried one after another. If the space is still empty without a
// constraint, that constraint is left out. Those that remain conflict, and the conflict needs each of them.
#include "kernel_templates/resolution/empty_space.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/space.h"

namespace warptune::kernel_templates::resolution {

namespace {

using Constraints = std::vector<model::Constraint>;

// Whether it is certain, within small limits, that no configuration meets the constraints.
bool is_surely_empty(const KernelDefinition& definition, const Constraints& constraints,
                     const model::NamedValues& constants) {
  constexpr model::SpaceLimits kSmall{std::uint64_t{1} << 21, std::size_t{64} * 1024 * 1024};
  return model::Space(definition.parameters, constraints, constants, kSmall).size() == 0;
}

Constraints conflicting(const KernelDefinition& definition, const model::NamedValues& constants) {
  Constraints kept = definition.constraints;
  for (std::size_t i = 0; i < kept.size();) {
    Constraints fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_surely_empty(definition, fewer, constants)) {
      kept = std::move(fewer);
    } else {
      ++i;
    }
  }
  return kept;
}

std::string described(const model::Constraint& constraint) {
  std::string text = fmt::format("'{}'", constraint.expression.text());
  if (constraint.expression.position().line > 0)
    text += fmt::format(" (line {})", constraint.expression.position().line);
  return text;
}

}  // namespace

base::InputError empty_space(const KernelDefinition& definition, const model::NamedValues& problem,
                             const model::NamedValues& constants) {
  const Constraints conflict = conflicting(definition, constants);
  std::vector<std::string> texts;
  texts.reserve(conflict.size());
  for (const model::Constraint& constraint : conflict) texts.push_back(described(constraint));
  return base::InputError(fmt::format("the space of '{}' is empty for {}: no configuration meets {} {}",
                                      definition.name, model::to_text(problem),
                                      conflict.size() == 1 ? "the constraint" : "these constraints together:",
                                      fmt::join(texts, ", ")),
                          {definition.path.string(), 0, 0});
}

}  // namespace warptune::kernel_templates::resolution
