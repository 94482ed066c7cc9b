// Runs a surveyed program once more, and reads the hardware counters of its hot kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "profiling/counters/planned_counting.h"
#include "survey/collecting/counting/counted_records.h"
#include "survey/collecting/surveyed_run.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting::counting {

/// The functions of CUPTI's host interface that counting needs. Tests use others.
struct CountingTools {
  /// Returns the names of all chips that CUPTI's host library knows.
  std::function<std::vector<std::string>()> chips;
  std::function<profiling::counters::CountingConfig(const std::string& chip,
                                                    const std::vector<std::string>& metrics)>
      configure;
  EvaluateImage evaluate;
};
/// Those of CUPTI.
CountingTools cupti_tools();

/// What to count.
struct CountingRequest {
  std::int64_t launches = 3;         ///< How many of each kernel, in each process.
  std::vector<std::string> metrics;  ///< By CUPTI's names. The core set if it is empty.
  double longest_s = 120.0;          ///< A process stops counting after it has counted for so many seconds.
  CountingTools tools = cupti_tools();
};

/// The largest number of kernels that are counted.
constexpr std::size_t kMaxCountedKernels = 10;

/// Runs the program of `run` again, and counts the first launches of some of its kernels. `shapes` has an
/// index into `survey.shapes` for each of these kernels, and no kernel twice. A shape is a kernel with a grid
/// and a block. Launches of the kernel with another grid or block are not counted, nor are those outside of
/// the time that `run` selects. CUDA graphs with such kernels are counted as a whole, if they are launched
/// once for each pass of the counters. Fills in `Survey::counted` and `Survey::counted_graphs`, and
/// `Run::counting_problem` with what could not be counted and why. It throws only `base::InternalError`.
/// Other exceptions are described in `Run::counting_problem`, because a survey without counters is better
/// than none.
void count_launches(const SurveyRequest& run, const CountingRequest& counting,
                    const std::vector<records::Index>& shapes, records::Survey& survey);

}  // namespace warptune::survey::collecting::counting
