#include "model/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "model/fields.h"
#include "model/own_metrics.h"

namespace warptune::model {

namespace {

// The names that an objective may use for warptune's own metrics, and the name under which each is stored.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOwnMetricNames = {
    {{"energy", own_metric::kEnergyJ},
     {own_metric::kEnergyJ, own_metric::kEnergyJ},
     {"power", own_metric::kPowerW},
     {own_metric::kPowerW, own_metric::kPowerW},
     {own_metric::kSmClockMhz, own_metric::kSmClockMhz}}};

struct ResourceName {
  std::string_view name;
  Value (*value)(const ResourceUse& use);
};
constexpr std::array<ResourceName, 7> kResources = {
    {{"registers", [](const ResourceUse& use) -> Value { return use.registers_per_thread; }},
     {"shared_bytes",
      [](const ResourceUse& use) -> Value { return use.static_shared_bytes + use.dynamic_shared_bytes; }},
     {"local_bytes", [](const ResourceUse& use) -> Value { return use.local_bytes; }},
     {"threads", [](const ResourceUse& use) -> Value { return use.threads_per_block; }},
     {"blocks", [](const ResourceUse& use) -> Value { return use.blocks; }},
     {"blocks_per_sm", [](const ResourceUse& use) -> Value { return stored_number(use.blocks_per_sm); }},
     {"occupancy",
      [](const ResourceUse& use) -> Value { return stored_number(use.theoretical_occupancy); }}}};

bool is_hardware_metric(std::string_view name) { return name.find('.') != std::string_view::npos; }

std::string_view stored_metric(std::string_view name) {
  for (const auto& [asked, stored] : kOwnMetricNames) {
    if (asked == name) return stored;
  }
  return is_hardware_metric(name) ? name : std::string_view();
}

const ResourceName* resource_named(std::string_view name) {
  const auto* found = std::find_if(kResources.begin(), kResources.end(),
                                   [&](const ResourceName& resource) { return resource.name == name; });
  return found == kResources.end() ? nullptr : found;
}

bool is_known(std::string_view name) {
  return name == "time" || !stored_metric(name).empty() || resource_named(name) != nullptr;
}

// Returns where each part ends: at a comma outside of parentheses and quotes, or at the end of the text.
std::vector<std::size_t> part_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == ')') {
      depth += c == '(' ? 1 : -1;
    } else if (c == ',' && depth == 0) {
      ends.push_back(i);
    }
  }
  ends.push_back(text.size());
  return ends;
}

base::SourcePosition position_of(std::size_t offset) {
  return {"--objective", 1, static_cast<int>(offset) + 1};
}

void require_known_names(const Expression& part, std::string_view whole, std::size_t offset) {
  const std::vector<std::string> known = objective_names();
  for (const std::string& name : part.variables()) {
    if (is_known(name)) continue;
    throw base::InputError(fmt::format("unknown name '{}'{}, expected one of {}, or a hardware metric's name",
                                       name, base::did_you_mean(name, known), fmt::join(known, " ")),
                           position_of(whole.find(name, offset)));
  }
}

// Returns the value of a name in a measurement, or std::nullopt when it is missing.
std::optional<Value> value_of(const std::string& name, const Measurement& measurement) {
  if (name == "time") return median_ns_of(measurement);
  if (const ResourceName* resource = resource_named(name)) return resource->value(measurement.resources);
  const auto counter = measurement.counters.find(std::string(stored_metric(name)));
  if (counter == measurement.counters.end()) return std::nullopt;
  return Value(counter->second);
}

std::optional<double> part_value(const Expression& part, const Measurement& measurement) {
  NamedValues values;
  for (const std::string& name : part.variables()) {
    std::optional<Value> value = value_of(name, measurement);
    if (!value) return std::nullopt;
    values.emplace_back(name, *std::move(value));
  }
  const base::Result<Value> result = part.evaluate(values);
  const std::optional<double> number = result ? to_number(*result) : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

std::vector<std::pair<std::string_view, Value>> resource_values(const ResourceUse& use) {
  std::vector<std::pair<std::string_view, Value>> values;
  values.reserve(kResources.size());
  for (const ResourceName& resource : kResources) values.emplace_back(resource.name, resource.value(use));
  return values;
}

Objective::Objective() {
  static const Expression kTime = Expression::parse("time");
  parts_.push_back(kTime);
}

Objective Objective::parse(std::string_view text) {
  Objective objective;
  objective.text_ = base::trim(text);
  objective.texts_.clear();
  objective.parts_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : part_ends(text)) {
    const std::string_view raw = text.substr(begin, end - begin);
    const std::string_view part = base::trim(raw);
    const std::size_t offset = part.empty() ? begin : begin + raw.find_first_of(part.front());
    if (part.empty()) {
      throw base::InputError(
          "found nothing, expected an objective: time, energy, power, a metric or an expression",
          position_of(offset));
    }
    objective.parts_.push_back(Expression::parse(std::string(part), position_of(offset), NameForm::kDotted));
    require_known_names(objective.parts_.back(), text, offset);
    if (objective.parts_.back().variables().empty()) {
      throw base::InputError(fmt::format("'{}' is the same for every configuration", part),
                             position_of(offset));
    }
    objective.texts_.emplace_back(part);
    begin = end + 1;
  }
  return objective;
}

std::vector<std::string> Objective::names() const {
  std::vector<std::string> names;
  for (const Expression& part : parts_) {
    for (const std::string& name : part.variables()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

bool Objective::is_time_like() const {
  const std::vector<std::string> used = names();
  const bool measured = std::any_of(used.begin(), used.end(),
                                    [](const std::string& name) { return !stored_metric(name).empty(); });
  return !measured && std::find(used.begin(), used.end(), "time") != used.end();
}

bool Objective::needs_energy() const {
  const std::vector<std::string> used = names();
  return std::any_of(used.begin(), used.end(), [](const std::string& name) {
    return stored_metric(name) == own_metric::kEnergyJ || stored_metric(name) == own_metric::kPowerW;
  });
}

bool Objective::needs_resources() const {
  const std::vector<std::string> used = names();
  return std::any_of(used.begin(), used.end(),
                     [](const std::string& name) { return resource_named(name) != nullptr; });
}

std::vector<std::string> Objective::stored_metrics() const {
  std::vector<std::string> metrics;
  for (const std::string& name : names()) {
    const std::string stored(stored_metric(name));
    if (!stored.empty() && std::find(metrics.begin(), metrics.end(), stored) == metrics.end())
      metrics.push_back(stored);
  }
  return metrics;
}

std::vector<std::string> Objective::counters() const {
  std::vector<std::string> metrics = names();
  std::erase_if(metrics, [](const std::string& name) { return !is_hardware_metric(name); });
  return metrics;
}

std::optional<std::vector<double>> Objective::values(const Measurement& measurement) const {
  const std::optional<double> median_ns = median_ns_of(measurement);
  if (!(median_ns > 0.0) || !std::isfinite(*median_ns)) return std::nullopt;
  if (is_time()) return std::vector<double>{*median_ns};
  std::vector<double> all;
  for (const Expression& part : parts_) {
    const std::optional<double> value = part_value(part, measurement);
    if (!value || (parts_.size() > 1 && !(*value > 0.0))) return std::nullopt;
    all.push_back(*value);
  }
  return all;
}

std::optional<double> Objective::value(const Measurement& measurement) const {
  const std::optional<std::vector<double>> all = values(measurement);
  return all ? value_of_parts(*all) : std::nullopt;
}

std::optional<double> Objective::value_of_parts(const std::vector<double>& parts) {
  double product = 1.0;
  for (const double value : parts) product *= value;
  return std::isfinite(product) ? std::optional(product) : std::nullopt;
}

std::vector<std::string> objective_names() {
  std::vector<std::string> names = {"time"};
  for (const auto& [name, ignored] : kOwnMetricNames) names.emplace_back(name);
  for (const ResourceName& resource : kResources) names.emplace_back(resource.name);
  return names;
}

}  // namespace warptune::model
