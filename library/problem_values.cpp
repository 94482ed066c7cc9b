#include "library/problem_values.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace warptune::library {

model::NamedValues problem_of(const kernel_templates::KernelDefinition& definition,
                              std::span<const warptune_value> values) {
  const model::NamedValues& entries = definition.problem;
  if (values.size() > entries.size()) {
    throw base::InputError(fmt::format("{}: expected at most {} values for the problem, found {}",
                                       definition.name, entries.size(), values.size()));
  }
  model::NamedValues problem;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = entries[i].first;
    switch (values[i].type) {
      case WARPTUNE_VALUE_USUAL:
        break;
      case WARPTUNE_VALUE_INTEGER:
        problem.emplace_back(name, values[i].as.integer);
        break;
      case WARPTUNE_VALUE_REAL:
        problem.emplace_back(name, values[i].as.real);
        break;
      case WARPTUNE_VALUE_BOOLEAN:
        problem.emplace_back(name, values[i].as.integer != 0);
        break;
      case WARPTUNE_VALUE_TEXT:
        if (values[i].as.text == nullptr)
          throw base::InputError(
              fmt::format("{}: expected a text for {}, found null", definition.name, name));
        problem.emplace_back(name, std::string(values[i].as.text));
        break;
      default:
        throw base::InputError(fmt::format("{}: the value of {} has the unknown type {}", definition.name,
                                           name, values[i].type));
    }
  }
  return problem;
}

}  // namespace warptune::library
