#pragma once

#include <vector>

#include "model/measurement.h"
#include "model/parameter.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::knowledge {

/// Whether a workload has the sizes, the GPU and the cache state that are selected. What is not selected fits
/// always.
bool fits_selection(const model::Workload& workload, const WorkloadSelection& wanted);

/// The parameters of rows. The values of each are those that occur in the rows, in ascending order.
std::vector<model::Parameter> occurring_parameters(const std::vector<model::Measurement>& rows);

}  // namespace warptune::tuner::knowledge
