#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "search/recording.h"
#include "tests/search/spaces.h"

// Recordings whose rows are known functions of their configurations.
namespace warptune::search::testing_spaces {

inline double number(const Measurement& row, const std::string& name) {
  return to_number(*find(row.configuration, name)).value();
}

/// A row for each valid configuration; `fill` makes it what it is: it starts as measured in 1000 ns.
inline Recording recording_of(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                              const std::function<void(Measurement&)>& fill) {
  Recording recording;
  recording.subject.kernel = "known";
  recording.parameters = std::move(parameters);
  recording.constraints = std::move(constraints);
  const Space space = recording.space();
  space.for_each([&](const Configuration& configuration) {
    Measurement row;
    row.configuration = space.values_of(configuration);
    row.status = Status::kMeasured;
    row.time = {1000.0, 990.0, 1010.0};
    fill(row);
    recording.measurements.push_back(std::move(row));
    return true;
  });
  return recording;
}

inline void set_time(Measurement& row, double time_ns) { row.time = {time_ns, time_ns, time_ns}; }

}  // namespace warptune::search::testing_spaces
