#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/fields.h"
#include "model/measurement.h"

namespace warptune::profiling {

/// How configurations are measured. A session's request holds these options, and they reach the GPU worker
/// unchanged. To add an option that a worker needs, add a member here and a line in `visit_fields`.
struct MeasuringOptions {
  /// The seed of the data that buffers hold at first.
  std::uint64_t seed = 1;
  model::CacheState cache = model::CacheState::kCold;  ///< The state of L2 before timed launches.
  bool count = true;                                   ///< Whether hardware counters are read.
  /// Whether every configuration is counted. Otherwise these are: all that are not dropped after their first
  /// launch, and a sample of the others (`KernelRunner::evaluate`).
  bool count_all = false;
  /// The names of the counters to read. If it is empty, the metrics of the core set are read that fit into
  /// one pass. If the named counters take several passes, the launch is repeated for each pass.
  std::vector<std::string> metrics;
  bool thorough = false;  ///< Drop no configuration in the race: each gets all its launches.
  /// Measure the energy of configurations that are not dropped. It takes at least half a second for each.
  bool measure_energy = false;
  bool measure_error = false;  ///< Measure the error of floating-point outputs against the reference.
  std::filesystem::path compile_cache;  ///< A folder for compiled code. Empty: no cache.
  /// For how many seconds after its first measurement a GPU worker only evaluates. Then it measures unknown
  /// roofs and opens the first profiler session, which together take 0.4 to 2 s. A session that ends earlier
  /// does this before its finals.
  double search_first_s = 4.0;
};

template <model::MaybeConst<MeasuringOptions> Object, class Visit>
void visit_fields(Object& options, Visit&& visit) {
  visit("seed", options.seed);
  visit("cache", options.cache);
  visit("count", options.count);
  visit("count_all", options.count_all);
  visit("metrics", options.metrics);
  visit("thorough", options.thorough);
  visit("measure_energy", options.measure_energy);
  visit("measure_error", options.measure_error);
  visit("compile_cache", options.compile_cache);
  visit("search_first_s", options.search_first_s);
}

}  // namespace warptune::profiling
