#include "model/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/diagrams/constraint_check.h"
#include "model/diagrams/space_engine.h"
#include "model/parameter_checks.h"

namespace warptune::model {

namespace {

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

std::string list_of(const std::vector<Value>& values) {
  constexpr std::size_t kMaxShown = 40;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(values.size(), kMaxShown); ++i) texts.push_back(to_literal(values[i]));
  std::string text = fmt::format("{}", fmt::join(texts, " "));
  if (values.size() > kMaxShown) text += fmt::format(" and {} more", values.size() - kMaxShown);
  return text;
}

std::string describe(const Constraint& constraint, const std::string& what) {
  std::string text = fmt::format("'{}' {}", constraint.expression.text(), what);
  if (!constraint.reason.empty()) text += ": " + constraint.reason;
  return text;
}

}  // namespace

struct Space::Engine {
  Engine(std::vector<Parameter> given_parameters, std::vector<Constraint> given_constraints,
         NamedValues given_constants, const SpaceLimits& limits)
      : parameters(std::move(given_parameters)),
        constraints(std::move(given_constraints)),
        constants(std::move(given_constants)),
        checks(make_checks()),
        limits_(limits) {}

  Engine(std::vector<Parameter> given_parameters, std::vector<Configuration> configurations)
      : parameters(std::move(given_parameters)), checks(make_checks()), listed(true) {
    std::call_once(built_once_, [&] { build(parameters, checked_list(std::move(configurations))); });
  }

  Engine(const Engine&) = delete;  // The engine has references to its own members.
  Engine& operator=(const Engine&) = delete;

  // The diagrams. The first caller builds them.
  const diagrams::SpaceEngine& valid() const {
    std::call_once(built_once_, [this] { build(parameters, constraints, constants, checks, limits_); });
    return *valid_;
  }

  double build_ms() const {
    static_cast<void>(valid());
    return build_time_.count();
  }

  // Evaluates the constraints one by one if the diagrams do not exist yet.
  bool contains(const Configuration& configuration) const {
    if (is_built_.load(std::memory_order_acquire)) return valid_->index_of(configuration).has_value();
    return fits(configuration) && std::all_of(checks.begin(), checks.end(), [&](const auto& check) {
             return check(configuration).value_or(false);
           });
  }

  bool fits(const Configuration& configuration) const {
    bool fits = configuration.size() == parameters.size();
    for (std::size_t p = 0; fits && p < configuration.size(); ++p)
      fits = configuration[p] < parameters[p].values.size();
    return fits;
  }

  std::vector<Configuration> checked_list(std::vector<Configuration> configurations) const {
    for (const Configuration& configuration : configurations) {
      if (!fits(configuration))
        throw base::InputError("a listed configuration has no value for each parameter");
    }
    return configurations;
  }

  std::vector<diagrams::ConstraintCheck> make_checks() const {
    check_parameters(parameters, constants);
    std::vector<diagrams::ConstraintCheck> all;
    for (const Constraint& constraint : constraints) all.emplace_back(constraint, parameters, constants);
    return all;
  }

  std::optional<std::string> broken(std::size_t constraint, const Configuration& configuration) const {
    const base::Result<bool> met = checks[constraint](configuration);
    if (met.value_or(false)) return std::nullopt;
    return describe(constraints[constraint],
                    met ? "is not met" : fmt::format("cannot be evaluated ({})", met.error()));
  }

  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  NamedValues constants;
  std::vector<diagrams::ConstraintCheck> checks;  // In the order of the constraints.
  bool listed = false;

 private:
  template <class... Arguments>
  void build(Arguments&&... arguments) const {
    const auto start = std::chrono::steady_clock::now();
    valid_.emplace(std::forward<Arguments>(arguments)...);
    build_time_ = std::chrono::steady_clock::now() - start;
    is_built_.store(true, std::memory_order_release);
  }

  SpaceLimits limits_;
  mutable std::once_flag built_once_;
  mutable std::atomic<bool> is_built_ = false;
  mutable std::optional<diagrams::SpaceEngine> valid_;
  mutable std::chrono::duration<double, std::milli> build_time_{};
};

Space::Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, NamedValues constants,
             const SpaceLimits& limits)
    : engine_(std::make_shared<const Engine>(std::move(parameters), std::move(constraints),
                                             std::move(constants), limits)) {}

Space Space::listed(std::vector<Parameter> parameters, std::vector<Configuration> configurations) {
  return Space(std::make_shared<const Engine>(std::move(parameters), std::move(configurations)));
}

const std::vector<Parameter>& Space::parameters() const { return engine_->parameters; }
const std::vector<Constraint>& Space::constraints() const { return engine_->constraints; }

std::uint64_t Space::cartesian_size() const {
  std::uint64_t size = 1;
  for (const Parameter& parameter : parameters())
    size = diagrams::saturating_multiply(size, parameter.values.size());
  return size;
}

std::uint64_t Space::size() const { return engine_->valid().size(); }
double Space::build_ms() const { return engine_->build_ms(); }
const std::vector<std::size_t>& Space::left_out() const { return engine_->valid().left_out(); }
double Space::estimated_size() const { return engine_->valid().estimated_size(); }

Configuration Space::at(std::uint64_t index) const {
  if (index >= size()) {
    throw base::InternalError(fmt::format("configuration {} of a space of {} was asked for", index, size()));
  }
  return engine_->valid().at(index);
}

Configuration Space::sample(base::Random& random) const {
  if (size() == 0) throw base::InternalError("a random configuration of an empty space was asked for");
  return engine_->valid().sample(random);
}

void Space::for_each(const std::function<bool(const Configuration&)>& visit) const {
  engine_->valid().for_each(visit);
}

bool Space::contains(const Configuration& configuration) const { return engine_->contains(configuration); }

std::optional<std::uint64_t> Space::index_of(const Configuration& configuration) const {
  return engine_->valid().index_of(configuration);
}

std::vector<Configuration> Space::neighbours(const Configuration& configuration, Neighbourhood kind) const {
  return engine_->valid().neighbours(configuration, kind);
}

Configuration Space::nearest(std::span<const double> positions) const {
  if (size() == 0) throw base::InternalError("the nearest configuration of an empty space was asked for");
  if (positions.size() != parameters().size()) {
    throw base::InternalError(
        fmt::format("{} positions were given for {} parameters", positions.size(), parameters().size()));
  }
  return engine_->valid().nearest(positions);
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
    // An integer may be given for a real of the same value.
    const auto* integer = std::get_if<std::int64_t>(&entry.second);
    if (found == known.end() && integer != nullptr) {
      found = std::find(known.begin(), known.end(), Value(static_cast<double>(*integer)));
    }
    if (found == known.end()) {
      return base::failure(fmt::format("parameter '{}' has no value {}, expected one of {}", entry.first,
                                       to_literal(entry.second), list_of(known)));
    }
    configuration[p] = static_cast<std::uint32_t>(found - known.begin());
  }
  for (std::size_t p = 0; p < given.size(); ++p) {
    if (!given[p]) return base::failure(fmt::format("parameter '{}' is missing", parameters()[p].name));
  }
  return configuration;
}

std::vector<std::string> Space::broken_constraints(const Configuration& configuration) const {
  std::vector<std::string> broken;
  for (std::size_t c = 0; c < constraints().size(); ++c) {
    if (std::optional<std::string> why = engine_->broken(c, configuration)) broken.push_back(*std::move(why));
  }
  if (engine_->listed && !contains(configuration))
    broken.emplace_back("it is not in the list of configurations");
  return broken;
}

std::optional<std::string> Space::broken_constraint(const Configuration& configuration) const {
  for (std::size_t c = 0; c < constraints().size(); ++c) {
    if (std::optional<std::string> why = engine_->broken(c, configuration)) return why;
  }
  if (engine_->listed && !contains(configuration)) return "it is not in the list of configurations";
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
      if (!engine_->checks[c](configuration).value_or(false)) ++rejections[c];
    }
  }
  return rejections;
}

std::string Space::hash() const {
  std::string text;
  for (const Parameter& parameter : parameters()) {
    text += parameter.name + ":" + std::string(to_string(type_of(parameter.values.front())));
    for (const Value& value : parameter.values) text += fmt::format(" {}", to_literal(value));
    text += '\n';
  }
  for (const Constraint& constraint : constraints())
    text += fmt::format("! {}\n", constraint.expression.text());
  if (engine_->listed) {
    for_each([&text](const Configuration& configuration) {
      text += fmt::format("{}\n", fmt::join(configuration, " "));
      return true;
    });
  }
  return base::hash_hex(text);
}

std::size_t Space::memory_bytes() const { return engine_->valid().memory_bytes(); }
std::size_t Space::node_count() const { return engine_->valid().node_count(); }

}  // namespace warptune::model
