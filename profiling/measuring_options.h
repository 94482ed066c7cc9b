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
  model::CacheState cache = model::CacheState::kCold;  ///< The contents of L2 before timed launches.
  bool count = true;                                   ///< Whether hardware counters are read.
  /// The counters to read. If it is empty, as much of the core set is read as fits into one pass. If the
  /// named ones take several passes, the launch is repeated for each pass.
  std::vector<std::string> metrics;
  bool thorough = false;  ///< Time every configuration to the end and drop none early.
  /// Measure the energy of configurations that are not dropped. It takes half a second and more for each.
  bool measure_energy = false;
  bool measure_error = false;  ///< Measure the error of floating-point outputs against the reference.
  std::filesystem::path compile_cache;  ///< A folder for compiled code. Empty: no cache.
};

template <model::MaybeConst<MeasuringOptions> Object, class Visit>
void visit_fields(Object& options, Visit&& visit) {
  visit("seed", options.seed);
  visit("cache", options.cache);
  visit("count", options.count);
  visit("metrics", options.metrics);
  visit("thorough", options.thorough);
  visit("measure_energy", options.measure_energy);
  visit("measure_error", options.measure_error);
  visit("compile_cache", options.compile_cache);
}

}  // namespace warptune::profiling
