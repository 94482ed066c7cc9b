// While a GPU measures one configuration for m seconds, the next must be chosen and compiled, which takes c
// seconds. So c / m programs must be in the making at any time (Little's law), and half as many again because
// times differ, but never more than there are compile workers. Before a time is known, a search chooses its
// first candidates without any result anyway.
//
// If c is less than a tenth of m, the next candidate is wanted only when the GPU has ended the last. Then the
// GPU waits for at most a tenth of the time, and every candidate is chosen with all results.
// docs/notes/search-experiments.md has the measurements.
#include "tuner/evaluation/ask_ahead.h"

#include <algorithm>
#include <cmath>

namespace warptune::tuner::evaluation {

namespace {

constexpr std::size_t kBlindStarts = 6;  // As many as the strategy `surrogate` chooses without a result.
constexpr double kMaxIdleShare = 0.1;    // The share of a measurement for which a GPU may wait.
// The time to choose, store and send an evaluation. Nine of ten choices of `surrogate` take at most 3.4 ms.
constexpr double kChoiceS = 0.005;
constexpr double kSpare = 1.5;      // Times differ, so so many times the programs are in the making.
constexpr double kAveraged = 16.0;  // The moving averages are those of about so many evaluations.

std::size_t missing(std::size_t needed, std::size_t present) {
  return needed > present ? needed - present : 0;
}

}  // namespace

void AskAhead::note(double compile_s, double measure_s) {
  ++noted_;
  const double weight = 1.0 / std::min(static_cast<double>(noted_), kAveraged);
  compile_s_ += weight * (compile_s - compile_s_);
  measure_s_ += weight * (measure_s - measure_s_);
}

std::size_t AskAhead::wanted(std::size_t pending) const { return missing(2 * workers_ + 4 * gpus_, pending); }

std::size_t AskAhead::wanted_of_search(std::size_t compiling, std::size_t on_gpus) const {
  if (noted_ == 0) return missing(std::min(workers_, kBlindStarts), compiling + on_gpus);
  const double prepare_s = compile_s_ + kChoiceS;
  if (prepare_s < kMaxIdleShare * measure_s_) return missing(gpus_, compiling + on_gpus);
  const double gpu_s = measure_s_ / static_cast<double>(gpus_);
  const double workers = static_cast<double>(workers_);
  const double programs = gpu_s > 0.0 ? std::ceil(kSpare * prepare_s / gpu_s) : workers;
  const auto needed = static_cast<std::size_t>(std::clamp(programs, 1.0, workers));
  return missing(needed, compiling + missing(on_gpus, gpus_));  // What is being measured needs a successor.
}

}  // namespace warptune::tuner::evaluation
