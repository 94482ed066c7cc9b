#include "model/recording.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/error.h"

namespace warptune::model {

namespace {

// Converts configurations from names to indices. It is fast when the names are in the order of the
// parameters.
class ConfigurationReader {
 public:
  explicit ConfigurationReader(const std::vector<Parameter>& parameters) : parameters_(parameters) {
    for (const Parameter& parameter : parameters) {
      std::map<Value, std::uint32_t>& indices = indices_.emplace_back();
      for (const Value& value : parameter.values) {
        indices.emplace(value, static_cast<std::uint32_t>(indices.size()));
      }
    }
  }

  Configuration read(const NamedValues& values) const {
    Configuration configuration(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string& name = parameters_[i].name;
      const Value* value =
          i < values.size() && values[i].first == name ? &values[i].second : find(values, name);
      const auto found = value == nullptr ? indices_[i].end() : indices_[i].find(*value);
      if (found == indices_[i].end()) {
        throw base::InputError(
            fmt::format("a recorded configuration ({}) has no known value of {}", to_text(values), name));
      }
      configuration[i] = found->second;
    }
    return configuration;
  }

 private:
  const std::vector<Parameter>& parameters_;
  std::vector<std::map<Value, std::uint32_t>> indices_;
};

}  // namespace

Space Recording::space() const { return listed ? listed_space() : Space(parameters, constraints, constants); }

Space Recording::listed_space() const { return Space::listed(parameters, configurations()); }

std::vector<Configuration> Recording::configurations() const {
  const ConfigurationReader reader(parameters);
  std::vector<Configuration> all;
  all.reserve(measurements.size());
  for (const Measurement& measurement : measurements) all.push_back(reader.read(measurement.configuration));
  return all;
}

RecordingIndex::RecordingIndex(const Recording& recording) {
  for (const Measurement& measurement : recording.measurements) {
    by_key_[key_of(measurement.configuration)] = &measurement;
  }
}

const Measurement* RecordingIndex::find(const NamedValues& configuration) const {
  const auto found = by_key_.find(key_of(configuration));
  return found == by_key_.end() ? nullptr : found->second;
}

}  // namespace warptune::model
