#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/lab/lab_plan.h"

namespace warptune::tuner::lab {

/// The counters that the expressions of an experiment name.
std::set<std::string> metrics_named_in(const kernel_templates::Experiment& experiment);

/// Returns those of them that the chip of the plan's GPU does not have. Empty if CUPTI is missing.
std::vector<std::string> missing_counters(const LabPlan& plan);

/// Returns a text with a position for each name in an expression that has no value. Such a name is neither a
/// number that rows have nor a counter, or it is one of `missing_counters`. Rows that the GPU cannot run are
/// not checked.
std::vector<std::string> name_problems(const LabPlan& plan, const std::vector<std::string>& missing_counters);

}  // namespace warptune::tuner::lab
