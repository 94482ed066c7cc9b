#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/scoring/simulation.h"
#include "tuner/session/budget.h"

namespace warptune::tuner::replay {

/// A recording to replay on, with its name: the file's without folders and without the endings .gz, .zst,
/// .json and .wtrec.
class ReplayWorkload {
 public:
  /// Reads a file of any known format. Throws `base::InputError` naming it.
  explicit ReplayWorkload(const std::filesystem::path& path);
  ReplayWorkload(std::string name, model::Recording recording);

  const std::string& name() const { return name_; }
  const search::scoring::RecordedSpace& space() const { return *space_; }

 private:
  std::string name_;
  std::unique_ptr<const model::Recording> recording_;
  std::unique_ptr<const search::scoring::RecordedSpace> space_;
};

std::string recording_name(const std::filesystem::path& path);

/// Which runs to simulate.
struct ReplayPlan {
  std::vector<std::string> strategies;  ///< As `ReplayedStrategy::parse` reads them.
  /// The same kernel recorded elsewhere, for the strategies that are told of it; must outlive the runs.
  const ReplayWorkload* source = nullptr;
  std::uint64_t repeats = 30;
  /// Without one each run goes on for what its score needs (1.1 times the recording's 0.95 cut-off) and for
  /// 200 evaluations at least.
  std::optional<session::Budget> budget;
  std::uint64_t seed = 1;  ///< Of the first repeat; the next have the next ones, for all strategies alike.
  std::size_t pending = 1;
  std::size_t jobs = 1;  ///< Threads at most; fewer where there are fewer runs or no more can be started.
};

/// All runs of one strategy: by recording in the order of the workloads, then by repeat.
struct StrategyRuns {
  std::string strategy;
  std::vector<std::vector<search::scoring::Trace>> by_recording;
};

/// Told after each run from any of the threads, one call at a time.
using ReplayProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Simulates all runs. Throws `base::InputError` for an unknown or repeated strategy, for a source that is
/// missing, asked of no strategy, one of the workloads or without a configuration of theirs; what a run
/// throws.
std::vector<StrategyRuns> replay_strategies(const ReplayPlan& plan,
                                            const std::vector<ReplayWorkload>& workloads,
                                            const ReplayProgress& progress);

}  // namespace warptune::tuner::replay
