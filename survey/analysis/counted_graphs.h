// The CUDA graphs of several kernels whose hardware counters a survey has.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/measurement.h"
#include "survey/analysis/counted_kernels.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {

/// The counters of whole launches of one graph on one GPU. There are no findings: the rules are about one
/// kernel.
struct CountedGraph {
  records::Index device = 0;
  std::int64_t kernel_nodes = 0;
  std::int64_t other_nodes = 0;           ///< Copies, fills and other nodes.
  std::vector<records::GraphPart> parts;  ///< Those of its kernels that were to be counted.
  std::int64_t launches = 0;              ///< That were counted.
  /// The median of its launches in the survey, in nanoseconds: from the start of the first node to the end of
  /// the last one. Absent if no launch with the same nodes is listed.
  std::optional<double> time_ns;
  model::Counters counters;  ///< The median of each metric. Shares of elapsed time refer to `time_ns`.
  RooflinePoint roofline;    ///< Without rates if there is no time.
};

/// Those of `Survey::counted_graphs`, without graphs whose nodes all have one shape, which `counted_kernels`
/// has.
std::vector<CountedGraph> counted_graphs(const records::Survey& survey);

}  // namespace warptune::survey::analysis
