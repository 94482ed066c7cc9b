#include "profiling/diagnosis/remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warptune::profiling::diagnosis {

namespace {

// The target must change by at least a fifth. Otherwise a change of the time has another reason.
constexpr double kMinChange = 0.2;

bool is_better(const Target& target, double before, double after) {
  const double minimum = kMinChange * std::max(before, after);
  return target.raise ? after - before > minimum : before - after > minimum;
}

std::string number(const Target& target, double value) {
  if (target.is_share) return fmt::format("{:.0f} %", value * 100.0);
  return value < 1e5 ? fmt::format("{:.1f}", value) : fmt::format("{:.3g}", value);
}

std::string change_text(const ParameterRemedy& remedy, const Target& target, double before, double after) {
  return fmt::format("{}={} instead of {}: {} {} -> {}", remedy.parameter, model::to_text(remedy.to),
                     model::to_text(remedy.from), target.label, number(target, before),
                     number(target, after));
}

// Describes the effect of the same change of the parameter in all pairs of rows that differ only in this
// change. Returns an empty text for fewer than two pairs.
std::string pairs_text(const search::analysis::ParameterEffects& effects, const ParameterRemedy& remedy) {
  const auto change = effects.change_of(remedy.parameter, remedy.from, remedy.to);
  if (!change) return "";
  const search::analysis::PairedEffect effect = effects.time_effect(*change);
  if (effect.pairs < 2 || !effect.ratio) return "";
  return fmt::format(" ({:.2f}x in {} pairs)", effect.ratio->median, effect.pairs);
}

std::optional<model::Configuration> configuration_of(const search::analysis::TimedRows& rows,
                                                     const model::Measurement& measurement) {
  const std::string key = model::key_of(measurement.configuration);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (model::key_of(rows.measurements[row]->configuration) == key) return rows.configurations[row];
  }
  return std::nullopt;
}

std::vector<ParameterRemedy> measured_remedies(const Facts& facts, const Target& target, double before) {
  std::vector<ParameterRemedy> remedies;
  const search::analysis::ParameterEffects* effects = facts.input().effects;
  if (effects == nullptr) return remedies;
  const search::analysis::TimedRows& rows = effects->rows();
  const std::optional<model::Configuration> here = configuration_of(rows, facts.measurement());
  if (!here) return remedies;
  const auto& parameters = rows.recording->parameters;
  for (std::size_t parameter = 0; parameter < parameters.size(); ++parameter) {
    for (std::uint32_t value = 0; value < parameters[parameter].values.size(); ++value) {
      if (value == (*here)[parameter]) continue;
      const std::optional<std::size_t> sibling = effects->sibling(*here, parameter, value);
      if (!sibling) continue;
      const model::Measurement& other = *rows.measurements[*sibling];
      const std::optional<double> after = target.value(Facts(facts.input(), other));
      const double ratio = other.time->median_ns / facts.time_ns();
      if (!after || !is_better(target, before, *after) || ratio >= 1.0) continue;
      ParameterRemedy remedy{parameters[parameter].name,
                             parameters[parameter].values[(*here)[parameter]],
                             parameters[parameter].values[value],
                             true,
                             ratio,
                             ""};
      remedy.text = fmt::format("{}, time {:.2f}x{}", change_text(remedy, target, before, *after), ratio,
                                pairs_text(*effects, remedy));
      remedies.push_back(std::move(remedy));
    }
  }
  std::sort(remedies.begin(), remedies.end(),
            [](const ParameterRemedy& a, const ParameterRemedy& b) { return *a.time_ratio < *b.time_ratio; });
  return remedies;
}

// Compares configurations that were not measured. Only their resources are known, so the rows that this makes
// for them have nothing else.
std::vector<ParameterRemedy> remedies_by_resources(const Facts& facts, const Target& target, double before) {
  std::vector<ParameterRemedy> remedies;
  const search::analysis::ParameterEffects* effects = facts.input().effects;
  if (!facts.input().resources_of || effects == nullptr) return remedies;
  for (const model::Parameter& parameter : effects->rows().recording->parameters) {
    const model::Value* from = model::find(facts.measurement().configuration, parameter.name);
    if (from == nullptr) continue;
    std::optional<std::pair<double, ParameterRemedy>> best;
    for (const model::Value& value : parameter.values) {
      if (value == *from) continue;
      model::Measurement other;
      other.configuration = facts.measurement().configuration;
      for (auto& [name, current] : other.configuration) {
        if (name == parameter.name) current = value;
      }
      const std::optional<model::ResourceUse> use = facts.input().resources_of(other.configuration);
      if (!use) continue;
      other.resources = *use;
      const std::optional<double> after = target.value(Facts(facts.input(), other));
      if (!after || !is_better(target, before, *after)) continue;
      if (best && (target.raise ? best->first >= *after : best->first <= *after)) continue;
      best = {*after, {parameter.name, *from, value, false, std::nullopt, ""}};
    }
    if (!best) continue;
    best->second.text = change_text(best->second, target, before, best->first) + " (not measured)";
    remedies.push_back(std::move(best->second));
  }
  return remedies;
}

}  // namespace

std::vector<ParameterRemedy> parameter_remedies(const Facts& facts, const Target& target,
                                                UnmeasuredValues unmeasured) {
  if (target.value == nullptr) return {};
  const std::optional<double> before = target.value(facts);
  if (!before) return {};
  std::vector<ParameterRemedy> remedies = measured_remedies(facts, target, *before);
  if (remedies.empty() && target.by_resources && unmeasured == UnmeasuredValues::kTry)
    remedies = remedies_by_resources(facts, target, *before);
  if (remedies.size() > kMaxRemedies) remedies.erase(remedies.begin() + kMaxRemedies, remedies.end());
  return remedies;
}

}  // namespace warptune::profiling::diagnosis
