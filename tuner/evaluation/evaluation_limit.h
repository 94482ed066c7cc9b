#pragma once

#include <chrono>
#include <optional>

#include "profiling/measuring_options.h"

namespace warptune::tuner::evaluation {

/// How long one evaluation may take before it counts as timed out.
struct EvaluationLimit {
  std::chrono::milliseconds maximum{30000};  ///< Where nothing was measured yet, and of slow kernels.
  /// Asked for by a person: holds for every evaluation, whatever the best takes.
  std::optional<std::chrono::milliseconds> asked{};

  /// Against a best median of `best_ns` (0: none): half a second and 1500 times the best, at most `most`. A
  /// few dozen launches are made of a good candidate and a few of a bad one, so that only what hangs, or is a
  /// hundred times slower than the best, meets it. Energy and counters of several passes get more.
  std::chrono::milliseconds of(double best_ns, const profiling::MeasuringOptions& measuring) const;
};

}  // namespace warptune::tuner::evaluation
