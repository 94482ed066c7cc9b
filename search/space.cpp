#include "search/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "search/detail/space_engine.h"
#include "search/detail/tokenizer.h"
#include "search/detail/tree.h"

namespace warptune::search {

namespace {

void check_parameter(const Parameter& parameter) {
  if (parameter.values.empty()) {
    throw base::InputError(fmt::format("parameter '{}' has no values", parameter.name), parameter.position);
  }
  const ValueType type = type_of(parameter.values.front());
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    const Value& value = parameter.values[i];
    if (type_of(value) != type) {
      throw base::InputError(fmt::format("parameter '{}' has values of several types: {} is {}, {} is {}",
                                         parameter.name, to_literal(parameter.values.front()),
                                         to_string(type), to_literal(value), to_string(type_of(value))),
                             parameter.position);
    }
    const auto end = parameter.values.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(parameter.values.begin(), end, value) != end) {
      throw base::InputError(
          fmt::format("parameter '{}' has the value {} twice", parameter.name, to_literal(value)),
          parameter.position);
    }
  }
}

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

std::size_t parameter_index(const std::vector<Parameter>& parameters, std::string_view name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [name](const Parameter& p) { return p.name == name; });
  return static_cast<std::size_t>(found - parameters.begin());
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

[[noreturn]] void throw_unknown_name(const Constraint& constraint, std::size_t variable,
                                     const std::vector<Parameter>& parameters, const NamedValues& constants) {
  const std::string& name = constraint.expression.variables()[variable];
  std::vector<std::string> known = names_of(parameters);
  for (const auto& constant : constants) known.push_back(constant.first);
  const detail::Tree tree =
      detail::parse_tree(constraint.expression.text(), constraint.expression.position());
  detail::throw_at(
      tree.text, tree.where, tree.variable_offsets[variable],
      fmt::format("'{}' is neither a parameter nor a known name{}", name, base::did_you_mean(name, known)));
}

// A parameter's value in a configuration, or a constant.
struct Binding {
  std::size_t parameter = 0;
  const Value* constant = nullptr;
};

std::vector<Binding> bind(const Constraint& constraint, const std::vector<Parameter>& parameters,
                          const NamedValues& constants) {
  std::vector<Binding> bindings;
  for (const std::string& name : constraint.expression.variables()) {
    Binding binding;
    binding.parameter = parameter_index(parameters, name);
    if (binding.parameter == parameters.size()) binding.constant = find(constants, name);
    if (binding.parameter == parameters.size() && binding.constant == nullptr) {
      throw_unknown_name(constraint, bindings.size(), parameters, constants);
    }
    bindings.push_back(binding);
  }
  return bindings;
}

std::string describe(const Constraint& constraint, const std::string& what) {
  std::string text = fmt::format("'{}' {}", constraint.expression.text(), what);
  if (!constraint.reason.empty()) text += ": " + constraint.reason;
  return text;
}

}  // namespace

struct Space::Engine {
  Engine(std::vector<Parameter> given_parameters, std::vector<Constraint> given_constraints,
         NamedValues given_constants)
      : parameters(std::move(given_parameters)),
        constraints(std::move(given_constraints)),
        constants(std::move(given_constants)),
        bindings(checked_bindings()),
        valid(parameters, constraints, constants) {}

  Engine(std::vector<Parameter> given_parameters, std::vector<Configuration> configurations)
      : parameters(std::move(given_parameters)),
        bindings(checked_bindings()),
        listed(true),
        valid(checked_list(std::move(configurations)), parameters.size()) {}

  std::vector<Configuration> checked_list(std::vector<Configuration> configurations) const {
    for (const Configuration& configuration : configurations) {
      bool fits = configuration.size() == parameters.size();
      for (std::size_t p = 0; fits && p < configuration.size(); ++p)
        fits = configuration[p] < parameters[p].values.size();
      if (!fits) throw base::InputError("a listed configuration has no value for each parameter");
    }
    return configurations;
  }

  std::vector<std::vector<Binding>> checked_bindings() const {
    check_parameters(parameters, constants);
    std::vector<std::vector<Binding>> all;
    for (const Constraint& constraint : constraints) all.push_back(bind(constraint, parameters, constants));
    return all;
  }

  base::Result<bool> meets(std::size_t constraint, const Configuration& configuration) const {
    std::vector<const Value*> slots;
    for (const Binding& b : bindings[constraint]) {
      slots.push_back(b.constant ? b.constant : &parameters[b.parameter].values[configuration[b.parameter]]);
    }
    return constraints[constraint].expression.evaluate_slots(slots.data()).and_then(to_truth);
  }

  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  NamedValues constants;
  std::vector<std::vector<Binding>> bindings;  // By constraint and its variables.
  bool listed = false;
  detail::SpaceEngine valid;
};

Space::Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, NamedValues constants)
    : engine_(std::make_shared<const Engine>(std::move(parameters), std::move(constraints),
                                             std::move(constants))) {}

Space Space::listed(std::vector<Parameter> parameters, std::vector<Configuration> configurations) {
  return Space(std::make_shared<const Engine>(std::move(parameters), std::move(configurations)));
}

const std::vector<Parameter>& Space::parameters() const { return engine_->parameters; }
const std::vector<Constraint>& Space::constraints() const { return engine_->constraints; }

std::uint64_t Space::cartesian_size() const {
  std::uint64_t size = 1;
  for (const Parameter& parameter : parameters())
    size = detail::saturating_multiply(size, parameter.values.size());
  return size;
}

std::uint64_t Space::size() const { return engine_->valid.size(); }

Configuration Space::at(std::uint64_t index) const {
  if (index >= size()) {
    throw base::InternalError(fmt::format("configuration {} of a space of {} was asked for", index, size()));
  }
  return engine_->valid.at(index);
}

void Space::for_each(const std::function<bool(const Configuration&)>& visit) const {
  engine_->valid.for_each(visit);
}

std::optional<std::uint64_t> Space::index_of(const Configuration& configuration) const {
  return engine_->valid.index_of(configuration);
}

std::vector<Configuration> Space::neighbours(const Configuration& configuration, Neighbourhood kind) const {
  std::vector<Configuration> found;
  if (size() == 0 || configuration.size() != parameters().size()) return found;
  const bool valid = contains(configuration);
  Configuration changed = configuration;
  const auto try_value = [&](std::size_t parameter, std::uint32_t value) {
    changed[parameter] = value;
    const bool good = valid ? engine_->valid.is_valid_around(changed, parameter) : contains(changed);
    if (good) found.push_back(changed);
    return good;
  };
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    const auto count = static_cast<std::uint32_t>(parameters()[p].values.size());
    const std::uint32_t own = configuration[p];
    if (kind == Neighbourhood::kHamming) {
      for (std::uint32_t v = 0; v < count; ++v) {
        if (v != own) try_value(p, v);
      }
    } else {
      for (std::uint32_t v = std::min(own, count); v-- > 0;) {
        if (try_value(p, v)) break;
      }
      for (std::uint64_t v = std::uint64_t{own} + 1; v < count; ++v) {
        if (try_value(p, static_cast<std::uint32_t>(v))) break;
      }
    }
    changed[p] = own;
  }
  return found;
}

Configuration Space::nearest(std::span<const double> positions) const {
  if (size() == 0) throw base::InternalError("the nearest configuration of an empty space was asked for");
  if (positions.size() != parameters().size()) {
    throw base::InternalError(
        fmt::format("{} positions were given for {} parameters", positions.size(), parameters().size()));
  }
  return engine_->valid.nearest(positions, parameters());
}

NamedValues Space::values_of(const Configuration& configuration) const {
  NamedValues values;
  for (std::size_t p = 0; p < parameters().size(); ++p) {
    values.emplace_back(parameters()[p].name, value(configuration, p));
  }
  return values;
}

base::Result<Configuration> Space::configuration_of(const NamedValues& values) const {
  Configuration configuration(parameters().size());
  std::vector<bool> given(parameters().size(), false);
  for (const auto& entry : values) {
    const std::size_t p = parameter_index(parameters(), entry.first);
    if (p == parameters().size()) {
      return base::failure(fmt::format("'{}' is not a parameter{}", entry.first,
                                       base::did_you_mean(entry.first, names_of(parameters()))));
    }
    if (given[p]) return base::failure(fmt::format("parameter '{}' is given twice", entry.first));
    given[p] = true;
    const std::vector<Value>& known = parameters()[p].values;
    auto found = std::find(known.begin(), known.end(), entry.second);
    const auto* integer = std::get_if<std::int64_t>(&entry.second);
    if (found == known.end() && integer != nullptr) {
      found = std::find(known.begin(), known.end(), Value(static_cast<double>(*integer)));
    }
    if (found == known.end()) {
      std::vector<std::string> texts;
      texts.reserve(known.size());
      for (const Value& v : known) texts.push_back(to_literal(v));
      return base::failure(fmt::format("parameter '{}' has no value {}, expected one of {}", entry.first,
                                       to_literal(entry.second), fmt::join(texts, " ")));
    }
    configuration[p] = static_cast<std::uint32_t>(found - known.begin());
  }
  for (std::size_t p = 0; p < given.size(); ++p) {
    if (!given[p]) return base::failure(fmt::format("parameter '{}' is missing", parameters()[p].name));
  }
  return configuration;
}

std::optional<std::string> Space::broken_constraint(const Configuration& configuration) const {
  for (std::size_t c = 0; c < constraints().size(); ++c) {
    const base::Result<bool> met = engine_->meets(c, configuration);
    if (!met) return describe(constraints()[c], fmt::format("cannot be evaluated ({})", met.error()));
    if (!*met) return describe(constraints()[c], "is not met");
  }
  if (engine_->listed && !contains(configuration)) return "it is not one of those listed";
  return std::nullopt;
}

std::vector<std::uint64_t> Space::count_rejections(std::size_t samples, std::uint64_t seed) const {
  std::vector<std::uint64_t> rejections(constraints().size(), 0);
  base::Random random(seed);
  Configuration configuration(parameters().size());
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t p = 0; p < configuration.size(); ++p) {
      configuration[p] = static_cast<std::uint32_t>(random.below(parameters()[p].values.size()));
    }
    for (std::size_t c = 0; c < rejections.size(); ++c) {
      if (!engine_->meets(c, configuration).value_or(false)) ++rejections[c];
    }
  }
  return rejections;
}

std::string Space::hash() const {
  std::string text;
  for (const Parameter& parameter : parameters()) {
    text += parameter.name + ":" + std::string(to_string(type_of(parameter.values.front())));
    for (const Value& value : parameter.values) text += " " + to_literal(value);
    text += '\n';
  }
  for (const Constraint& constraint : constraints()) text += "! " + constraint.expression.text() + '\n';
  if (engine_->listed) {
    for_each([&text](const Configuration& configuration) {
      text += fmt::format("{}\n", fmt::join(configuration, " "));
      return true;
    });
  }
  return base::hash_hex(text);
}

std::size_t Space::memory_bytes() const { return engine_->valid.memory_bytes(); }
std::size_t Space::node_count() const { return engine_->valid.node_count(); }

}  // namespace warptune::search
