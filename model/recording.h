#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/measurement.h"
#include "model/parameter.h"
#include "model/space.h"

namespace warptune::model {

/// A space with all (or many) of its measurements, replayable with no GPU.
struct Recording {
  Workload workload;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  NamedValues constants;              ///< Further names that the constraints use.
  NamedValues default_configuration;  ///< May be empty.
  Work work;
  Roofs roofs;
  Environment environment;
  std::vector<Measurement> measurements;  ///< Each configuration once.

  /// Nobody wrote constraints down, or they admit more than was measured: the space is the measured
  /// configurations.
  bool listed = false;

  /// The space that parameters and constraints describe, or `listed_space()`.
  Space space() const;
  /// Exactly the configurations that have a measurement, failed ones included: what a replay can answer.
  /// Throws `base::InputError` when a measurement does not fit the parameters.
  Space listed_space() const;
  /// Those configurations as indices into the parameters' values, one for each measurement. Throws as above.
  std::vector<Configuration> configurations() const;
};

/// Finds measurements of a recording by configuration.
class RecordingIndex {
 public:
  /// `recording` must outlive the index. The last of repeated rows counts.
  explicit RecordingIndex(const Recording& recording);
  /// Null when the recording lacks it.
  const Measurement* find(const NamedValues& configuration) const;

 private:
  std::unordered_map<std::string, const Measurement*> by_key_;
};

}  // namespace warptune::model
