#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/fields.h"
#include "model/measurement.h"

namespace warptune::profiling {

/// How configurations are measured. A session's request holds it, and it reaches the GPU worker as it is: an
/// option that a worker needs is a member here, a line in `visit_fields`, and whatever reads it.
struct MeasuringOptions {
  std::uint64_t seed = 1;                              ///< Of the data that buffers hold at first.
  model::CacheState cache = model::CacheState::kCold;  ///< What timed launches find in the L2 cache.
  bool count = true;                                   ///< Read hardware counters.
  /// Which counters. Empty: as much of the core set as one pass reads. Names that take several passes repeat
  /// the launch for each.
  std::vector<std::string> metrics;
  bool thorough = false;                ///< Time every configuration to the end: none is dropped as hopeless.
  bool measure_energy = false;          ///< Of what is measured to the end: half a second and more each.
  bool measure_error = false;           ///< How far outputs of floating type are from the reference.
  std::filesystem::path compile_cache;  ///< Folder of compiled code; empty: none.
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
