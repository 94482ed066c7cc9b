#pragma once

#include <string>
#include <vector>

#include "bench/vendor/comparison.h"

namespace warptune::bench::vendor {

/// The facts about the run in the head of the table.
struct RunHead {
  model::GpuDescription gpu;
  model::Environment environment;
  model::Roofs roofs;
  int rounds = 0;
};

/// A line about a row for the terminal.
std::string line_of(const Comparison& comparison);
/// The table. Below it are the rows that were skipped, had other results, or were slow to enqueue.
std::string to_markdown(const RunHead& head, const std::vector<Comparison>& comparisons);
/// All results, including the samples.
std::string to_json(const RunHead& head, const std::vector<Comparison>& comparisons);

}  // namespace warptune::bench::vendor
