#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/lab/lab_plan.h"

namespace warptune::tuner::lab {

/// The counters that the expressions of an experiment name.
std::set<std::string> metrics_named_in(const kernel_templates::Experiment& experiment);

/// Returns a text with a position for each name in an expression that has no value. Such a name is neither a
/// number that rows have nor a counter of the GPU's chip. Rows that the GPU cannot run are not checked.
/// Counters are not checked where CUPTI is missing.
std::vector<std::string> name_problems(const LabPlan& plan);

}  // namespace warptune::tuner::lab
