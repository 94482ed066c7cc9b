// The CUDA graphs of a survey.
#pragma once

#include <cstdint>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::analysis::summaries {

/// All launches of one executable graph.
struct GraphLaunches {
  records::Index process = 0;
  std::uint32_t graph = 0;  ///< CUPTI's number of the executable graph within the process.
  std::int64_t launches =
      0;  ///< Calls that launched the graph. Launches without any listed work do not count.
  std::int64_t kernels = 0;  ///< Launches of kernels by all launches of the graph.
  std::int64_t copies = 0;
  std::int64_t fills = 0;
  std::int64_t duration = 0;  ///< The sum of the durations of its kernels, copies and fills, in nanoseconds.
  bool operator==(const GraphLaunches&) const = default;
};

/// The graph with the longest sum comes first. With a range, only work that was given to the GPU within it
/// counts.
std::vector<GraphLaunches> graph_launches(const records::Survey& survey);

}  // namespace warptune::survey::analysis::summaries
