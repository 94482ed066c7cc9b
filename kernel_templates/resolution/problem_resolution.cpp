// Replaces entries of a definition's problem by given sizes.
#include "kernel_templates/resolution/problem_resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "model/size_text.h"

namespace warptune::kernel_templates::resolution {

namespace {

// Converts a given value to the type of the definition's entry.
model::Value converted(const std::string& name, const model::Value& given, const model::Value& declared) {
  if (const std::optional<model::Value> value = model::size_like(given, declared)) return *value;
  throw base::InputError(fmt::format("--size {}={}: expected {} such as {}", name, model::to_text(given),
                                     model::to_string(model::type_of(declared)),
                                     model::to_literal(declared)));
}

}  // namespace

model::NamedValues resolve_problem(const KernelDefinition& definition, const model::NamedValues& overrides) {
  model::NamedValues problem = definition.problem;
  std::vector<std::string> known;
  for (const auto& [name, value] : problem) known.push_back(name);
  for (const auto& [name, value] : overrides) {
    const std::string& wanted = name;
    const auto entry =
        std::find_if(problem.begin(), problem.end(), [&](const auto& row) { return row.first == wanted; });
    if (entry == problem.end()) {
      throw base::InputError(fmt::format("'{}' has no problem entry '{}'{}; it has {}", definition.name, name,
                                         base::did_you_mean(name, known),
                                         known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    entry->second = converted(name, value, entry->second);
  }
  for (const auto& [name, allowed] : definition.problem_values) {
    const model::Value* value = model::find(problem, name);
    if (std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) continue;
    std::vector<std::string> texts;
    for (const model::Value& one : allowed) texts.push_back(model::to_text(one));
    throw base::InputError(
        fmt::format("{}={}: expected one of {}", name, model::to_text(*value), fmt::join(texts, " ")));
  }
  return problem;
}

}  // namespace warptune::kernel_templates::resolution
