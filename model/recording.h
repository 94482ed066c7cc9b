#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/measurement.h"
#include "model/parameter.h"
#include "model/space.h"

namespace warptune::model {

/// A space with the measurements of all or many of its configurations. It can be replayed without a GPU.
struct Recording {
  Workload workload;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  NamedValues constants;              ///< More names that the constraints use.
  NamedValues default_configuration;  ///< It may be empty.
  Work work;
  Roofs roofs;
  Environment environment;
  std::vector<Measurement> measurements;  ///< Each configuration occurs once.

  /// True if the constraints are unknown or admit more than was measured. Then the space consists of the
  /// measured configurations.
  bool listed = false;

  /// The space of the parameters and constraints, or `listed_space()`.
  Space space() const;
  /// The space of exactly the configurations that have a measurement, including failures. A replay can answer
  /// only these. Throws `base::InputError` when a measurement does not fit the parameters.
  Space listed_space() const;
  /// The same configurations as indices into the parameters' values, one for each measurement. Throws in the
  /// same case.
  std::vector<Configuration> configurations() const;
};

/// Finds a measurement of a recording by its configuration.
class RecordingIndex {
 public:
  /// `recording` must outlive the index. If a configuration is repeated, the last row is found.
  explicit RecordingIndex(const Recording& recording);
  /// Returns null when the recording does not have the configuration.
  const Measurement* find(const NamedValues& configuration) const;

 private:
  std::unordered_map<std::string, const Measurement*> by_key_;
};

}  // namespace warptune::model
