// Checks the parameters of a space, and reports the first one that is not valid.
#include "model/parameter_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace warptune::model {

namespace {

void check_parameter(const Parameter& parameter) {
  if (parameter.values.empty()) {
    throw base::InputError(fmt::format("parameter '{}' has no values", parameter.name), parameter.position);
  }
  const ValueType type = type_of(parameter.values.front());
  for (const Value& value : parameter.values) {
    if (type_of(value) != type) {
      throw base::InputError(fmt::format("parameter '{}' has values of several types: {} is {}, {} is {}",
                                         parameter.name, to_literal(parameter.values.front()),
                                         to_string(type), to_literal(value), to_string(type_of(value))),
                             parameter.position);
    }
    if (type == ValueType::kReal && !std::isfinite(std::get<double>(value))) {
      throw base::InputError(
          fmt::format("parameter '{}' has the value {}, which is not finite", parameter.name, to_text(value)),
          parameter.position);
    }
  }
  std::vector<Value> sorted = parameter.values;
  std::sort(sorted.begin(), sorted.end());
  const auto repeated = std::adjacent_find(sorted.begin(), sorted.end());
  if (repeated != sorted.end()) {
    throw base::InputError(
        fmt::format("parameter '{}' has the value {} twice", parameter.name, to_literal(*repeated)),
        parameter.position);
  }
}

}  // namespace

void check_parameters(const std::vector<Parameter>& parameters, const NamedValues& constants) {
  if (parameters.empty()) throw base::InputError("a space needs at least one parameter");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    check_parameter(parameter);
    for (std::size_t j = 0; j < i; ++j) {
      if (parameters[j].name != parameter.name) continue;
      throw base::InputError(fmt::format("parameter '{}' is given twice", parameter.name),
                             parameter.position);
    }
    if (find(constants, parameter.name) != nullptr) {
      throw base::InputError(
          fmt::format("parameter '{}' has the name of a problem entry or device attribute", parameter.name),
          parameter.position);
    }
  }
}

}  // namespace warptune::model
