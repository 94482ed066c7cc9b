#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/recording.h"
#include "tests/model/spaces.h"

// Recordings whose rows are known functions of their configurations.
namespace warptune::search::analysis {

inline double number(const model::Measurement& row, const std::string& name) {
  return model::to_number(*model::find(row.configuration, name)).value();
}

/// A recording with a row for each valid configuration. Each row begins as measured with 1000 ns, and `fill`
/// changes it.
inline model::Recording recording_of(std::vector<model::Parameter> parameters,
                                     std::vector<model::Constraint> constraints,
                                     const std::function<void(model::Measurement&)>& fill) {
  model::Recording recording;
  recording.workload.kernel = "known";
  recording.parameters = std::move(parameters);
  recording.constraints = std::move(constraints);
  const model::Space space = recording.space();
  space.for_each([&](const model::Configuration& configuration) {
    model::Measurement row;
    row.configuration = space.values_of(configuration);
    row.status = model::Status::kMeasured;
    row.time = {1000.0, 990.0, 1010.0};
    fill(row);
    recording.measurements.push_back(std::move(row));
    return true;
  });
  return recording;
}

inline void set_time(model::Measurement& row, double time_ns) { row.time = {time_ns, time_ns, time_ns}; }

}  // namespace warptune::search::analysis
