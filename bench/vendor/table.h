#pragma once

#include <string>
#include <vector>

#include "bench/vendor/comparison.h"

namespace warptune::bench::vendor {

/// What the table's head says of the run.
struct RunHead {
  model::GpuDescription gpu;
  model::Environment environment;
  model::Roofs roofs;
  int rounds = 0;
};

/// One line for a terminal.
std::string line_of(const Comparison& comparison);
/// The table, and below it what was skipped, wrong or slow to enqueue.
std::string to_markdown(const RunHead& head, const std::vector<Comparison>& comparisons);
/// Everything, samples included.
std::string to_json(const RunHead& head, const std::vector<Comparison>& comparisons);

}  // namespace warptune::bench::vendor
