#pragma once

#include <cstddef>

namespace warptune::tuner::evaluation {

/// Decides how many candidates an evaluator wants at a time. `tune` and the simulated sessions of `replay`
/// share these rules.
class AskAhead {
 public:
  AskAhead(std::size_t compile_workers, std::size_t gpus) : workers_(compile_workers), gpus_(gpus) {}

  /// To be called for each evaluation that a GPU has ended. `compile_s`: how long the session waited for the
  /// program, almost 0 if it was in the cache. `measure_s`: the time on the GPU's worker.
  void note(double compile_s, double measure_s);

  /// How many more candidates are wanted if they are known in advance. Each compile worker has one program
  /// and another one waits behind it. A few compiled programs wait for each GPU.
  std::size_t wanted(std::size_t pending) const;
  /// How many more are wanted of a search that learns: as many as keep the compile workers or the GPUs busy,
  /// whichever limit the rate, and no more. Each further one would be chosen without the results of those
  /// before it. `compiling`: candidates whose programs are not compiled yet. `on_gpus`: compiled candidates
  /// that wait for a GPU or are being measured.
  std::size_t wanted_of_search(std::size_t compiling, std::size_t on_gpus) const;

 private:
  std::size_t workers_;
  std::size_t gpus_;
  std::size_t noted_ = 0;
  double compile_s_ = 0.0;  // Moving averages.
  double measure_s_ = 0.0;
};

}  // namespace warptune::tuner::evaluation
