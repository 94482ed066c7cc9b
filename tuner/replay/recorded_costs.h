#pragma once

#include "search/scoring/recorded_space.h"

namespace warptune::tuner::replay {

/// How long an evaluation occupies a compile worker and the GPU's worker.
struct EvaluationCost {
  double compile_s = 0.0;
  double measure_s = 0.0;
  bool uses_gpu = true;  ///< False: it ends when it is compiled.
};

/// The costs of the configurations of a recording. Where the recording lacks a time, the median of its other
/// rows is used, and without any the median of warptune's own recordings (docs/replay.md).
class RecordedCosts {
 public:
  explicit RecordedCosts(const search::scoring::RecordedSpace& recorded);

  EvaluationCost of(const search::scoring::ReplayRow& row) const;
  /// The time of one launch in the final rounds: the recorded time on the GPU's worker divided by the number
  /// of samples.
  double launch_s(const search::scoring::ReplayRow& row) const;

 private:
  double usual_compile_s_ = 0.0;
  double usual_measure_s_ = 0.0;
};

}  // namespace warptune::tuner::replay
