// The counters of the second run as records of the survey.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "profiling/counters/planned_counting.h"
#include "survey/collecting/counting/counting_plan_file.h"
#include "survey/collecting/raw_process.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting::counting {

/// Returns the counters of each range of an image.
using EvaluateImage = std::function<std::vector<model::Counters>(
    const profiling::counters::CountingConfig& config, const std::vector<std::uint8_t>& image)>;

/// What the images of the second run are read with.
struct CountedInput {
  const records::Survey& survey;
  const CountingPlan& plan;
  const EvaluateImage& evaluate;
  const std::vector<records::Index>& shapes;  ///< The shape of each kernel of the plan.
};

struct CountedRecords {
  std::vector<records::CountedShape> shapes;  ///< In the order of the plan's kernels.
  std::vector<records::CountedGraph> graphs;  ///< Those with the plan's first kernels come first.
  std::string problem;  ///< Why counters of some launches are missing, as a sentence, or empty.
};

/// Evaluates the counters of all processes. Graphs of several processes with the same nodes are one. Launches
/// on a GPU that the survey does not have are left out.
CountedRecords counted_records(const CountedInput& input, const std::vector<RawProcess>& processes);

}  // namespace warptune::survey::collecting::counting
