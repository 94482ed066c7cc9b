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

/// A recording on which strategies are replayed, with its name. The name is the file's, without folders and
/// without the endings .gz, .zst, .json and .wtrec.
class ReplayWorkload {
 public:
  /// Reads a file of any known format. Throws `base::InputError` that names the file.
  explicit ReplayWorkload(const std::filesystem::path& path);
  ReplayWorkload(std::string name, model::Recording recording);

  const std::string& name() const { return name_; }
  const search::scoring::RecordedSpace& space() const { return *space_; }

 private:
  std::string name_;
  std::unique_ptr<const model::Recording> recording_;
  std::unique_ptr<const search::scoring::RecordedSpace> space_;
};

/// The name of a recording, as `ReplayWorkload` has it.
std::string recording_name(const std::filesystem::path& path);

/// The machine on which sessions are simulated. See `SessionSimulation`.
struct SimulatedSetting {
  std::size_t compile_workers = 16;
  double cached_share = 0.0;
  std::optional<double> choice_s;
};

/// The runs to simulate.
struct ReplayPlan {
  std::vector<std::string> strategies;  ///< As `ReplayedStrategy::parse` reads them.
  /// Another recording of the same kernel, for the strategies that know one. It must outlive the runs.
  const ReplayWorkload* source = nullptr;
  std::uint64_t repeats = 30;
  /// Without a budget, each run lasts as long as its score needs (1.1 times the recording's 0.95 cut-off, see
  /// docs/replay.md), and for at least 200 evaluations. A simulated session ends after 200 evaluations, which
  /// it does not know in advance.
  std::optional<session::Budget> budget;
  /// The seed of the first repeat. The next repeats use the next seeds. All strategies use the same seeds.
  std::uint64_t seed = 1;
  /// How many evaluations are pending at a time. Only without `session`.
  std::size_t pending = 1;
  /// Simulates sessions of `tune` in time, with this machine.
  std::optional<SimulatedSetting> session;
  /// Maximum number of threads. Fewer are used if there are fewer runs or a thread cannot be started.
  std::size_t jobs = 1;
};

/// All runs of one strategy: by recording in the order of the workloads, then by repeat.
struct StrategyRuns {
  std::string strategy;
  std::vector<std::vector<search::scoring::Trace>> by_recording;
};

/// Called after each run from any of the threads, but never by two at the same time.
using ReplayProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Simulates all runs. Throws `base::InputError` for an unknown or repeated strategy. Also throws it for a
/// source that is missing, used by no strategy, one of the workloads, or without any of their configurations.
/// Exceptions of a run are passed on.
std::vector<StrategyRuns> replay_strategies(const ReplayPlan& plan,
                                            const std::vector<ReplayWorkload>& workloads,
                                            const ReplayProgress& progress);

}  // namespace warptune::tuner::replay
