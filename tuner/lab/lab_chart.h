#pragma once

#include <string>

#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// Draws a picture of an experiment as SVG. It has a point for each measured row, and lines for formulas. A
/// line joins the points of a series unless two of them differ only in y.
std::string lab_chart(const LabResult& result, const LabNumbers& numbers,
                      const kernel_templates::ExperimentChart& chart);

}  // namespace warptune::tuner::lab
