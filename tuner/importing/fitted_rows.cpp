#include "tuner/importing/fitted_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::importing {

namespace {

bool means_the_same(const model::Value& a, const model::Value& b) {
  const std::optional<double> number_a = model::to_number(a);
  const std::optional<double> number_b = model::to_number(b);
  return number_a && number_b ? *number_a == *number_b : model::to_text(a) == model::to_text(b);
}

// For each value of the file's parameter, the definition's value. Values that the definition lacks are
// missing.
using ValueMap = std::map<model::Value, model::Value>;

ValueMap value_map(const std::vector<model::Value>& file_values, const std::vector<model::Value>& values) {
  ValueMap map;
  for (const model::Value& file_value : file_values) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const model::Value& value) {
      return means_the_same(file_value, value);
    });
    if (found != values.end()) map.emplace(file_value, *found);
  }
  return map;
}

const model::Parameter* find_parameter(const std::vector<model::Parameter>& parameters,
                                       const std::string& name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const model::Parameter& parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<model::Parameter>& parameters) {
  std::string names;
  for (const model::Parameter& parameter : parameters) names += (names.empty() ? "" : ", ") + parameter.name;
  return names;
}

class Fitting {
 public:
  Fitting(const model::Recording& rows, const kernel_templates::KernelInstance& instance,
          const std::filesystem::path& file)
      : instance_(instance), file_(file) {
    for (const model::Parameter& parameter : instance.space().parameters()) map_parameter(rows, parameter);
  }

  // Returns std::nullopt if the definition lacks a value.
  std::optional<model::NamedValues> configuration(const model::NamedValues& row) const {
    model::NamedValues values;
    for (const model::Parameter& parameter : instance_.space().parameters()) {
      const auto map = maps_.find(parameter.name);
      if (map == maps_.end()) {
        values.emplace_back(parameter.name, parameter.values.front());
        continue;
      }
      const model::Value* value = model::find(row, parameter.name);
      const auto found = value == nullptr ? map->second.end() : map->second.find(*value);
      if (found == map->second.end()) return std::nullopt;
      values.emplace_back(parameter.name, found->second);
    }
    return values;
  }

 private:
  void map_parameter(const model::Recording& rows, const model::Parameter& parameter) {
    if (const model::Parameter* found = find_parameter(rows.parameters, parameter.name)) {
      maps_.emplace(parameter.name, value_map(found->values, parameter.values));
    } else if (parameter.values.size() > 1) {
      throw base::InputError(
          fmt::format("expected the parameter {} of the kernel {}, but the file has only {}", parameter.name,
                      instance_.definition().name, names_of(rows.parameters)),
          {file_.string(), 0, 0});
    }
  }

  const kernel_templates::KernelInstance& instance_;
  std::filesystem::path file_;
  std::map<std::string, ValueMap> maps_;  // By the parameter's name.
};

// The file's parameters that the definition lacks. One that varies cannot be left out: its rows would be
// mixed up.
std::vector<std::string> ignored_parameters(const model::Recording& rows,
                                            const kernel_templates::KernelInstance& instance,
                                            const std::filesystem::path& file) {
  std::vector<std::string> ignored;
  const std::vector<model::Parameter>& known = instance.space().parameters();
  for (const model::Parameter& parameter : rows.parameters) {
    if (find_parameter(known, parameter.name) != nullptr) continue;
    if (parameter.values.size() > 1) {
      throw base::InputError(fmt::format("the parameter {} varies in the file, but the kernel {} has only {}",
                                         parameter.name, instance.definition().name, names_of(known)),
                             {file.string(), 0, 0});
    }
    ignored.push_back(parameter.name);
  }
  return ignored;
}

}  // namespace

FittedRows fit_rows(const model::Recording& file_rows, const kernel_templates::KernelInstance& instance,
                    model::CacheState cache, const std::filesystem::path& file) {
  FittedRows fitted;
  fitted.ignored = ignored_parameters(file_rows, instance, file);
  fitted.recording.environment = file_rows.environment;
  knowledge::describe_workload(fitted.recording, instance, cache);
  const Fitting fitting(file_rows, instance, file);
  for (const model::Measurement& row : file_rows.measurements) {
    std::optional<model::NamedValues> configuration = fitting.configuration(row.configuration);
    if (!configuration) {
      ++fitted.unknown_values;
    } else if (!knowledge::fitting_configuration(instance, *configuration)) {
      ++fitted.broken;
    } else {
      fitted.recording.measurements.push_back(row);
      fitted.recording.measurements.back().configuration = *std::move(configuration);
    }
  }
  if (fitted.recording.measurements.empty()) {
    throw base::InputError(
        fmt::format("no row fits the kernel {}: {} have values that it lacks, and {} break its constraints",
                    instance.definition().name, fitted.unknown_values, fitted.broken),
        {file.string(), 0, 0});
  }
  return fitted;
}

}  // namespace warptune::tuner::importing
