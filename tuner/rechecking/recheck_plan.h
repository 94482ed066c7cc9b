#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/read_scope.h"
#include "model/measurement.h"
#include "model/outputs/reproducibility.h"
#include "model/value.h"
#include "profiling/measuring_options.h"
#include "tuner/gpus/known_gpus.h"

namespace warptune::tuner::rechecking {

/// Which stored winners are measured again, and how.
struct RecheckRequest {
  /// Names of shipped kernels, or paths of `.cu` and `.toml` files. Empty: every shipped kernel.
  std::vector<std::string> kernels{};
  model::NamedValues sizes{};  ///< Only workloads whose problem has these entries.
  int device = 0;              ///< Ordinal of the GPU that measures.
  std::size_t rivals = 3;      ///< How many of the winner's nearest rivals are measured beside it.
  double limit_share = 0.03;   ///< A change of the winner's time that is larger than this is reported.
  profiling::MeasuringOptions measuring{};  ///< The cache state is that of each workload.
  std::size_t compile_workers = 0;          ///< 0: as many as cores and memory allow.
  /// The limit of one evaluation. Without it, the limit follows from the best time so far.
  std::optional<std::chrono::milliseconds> timeout{};
  kernel_templates::Permissions permissions{};
  std::filesystem::path database{};
  /// What the outputs of winners must be. Then the winner of a workload is the best row that is known to meet
  /// it, and no other row can replace it.
  std::optional<model::outputs::Reproducibility> reproducible{};
};

/// Rivals of a winner are at most this much slower than it, as in the final rounds of a session.
inline constexpr double kRivalRatio = 1.05;

/// A configuration that is measured again, with its last time before and its row after.
struct RecheckedRow {
  model::NamedValues configuration{};
  std::optional<model::TimeSummary> before{};  ///< No value: it had no time.
  std::optional<model::Measurement> after{};   ///< No value: it was not measured again.
  /// Whether the new row meets what the request demands. No value: it demands nothing.
  std::optional<model::outputs::ReproducibilityVerdict> outputs{};
};

/// One workload whose winner is measured again.
struct PlannedRecheck {
  std::string kernel{};  ///< As requested: a name or a path.
  db::Winner winner{};   ///< As stored before.
  /// The winner is the first. Its rivals follow in the order of their times, then the default, unless it is
  /// the winner or a rival.
  std::vector<RecheckedRow> rows{};
};

/// A workload that cannot be measured again.
struct SkippedWorkload {
  model::Workload workload{};
  std::string reason{};  ///< A part of a sentence.
  /// Whether a program on this GPU would use the winner, so that a check which leaves it out does not pass.
  /// It is false for winners on other GPUs, and for replayed and imported ones. It is also false for those of
  /// an earlier version of the kernel if the present version has a winner for the same problem.
  bool fails_ci = false;
};

struct RecheckPlan {
  model::GpuDescription gpu{};
  std::vector<PlannedRecheck> workloads{};
  std::vector<SkippedWorkload> skipped{};
  std::vector<std::string> without_winner{};  ///< Requested kernels of which no winner is measured again.
};

/// Finds the winners that this machine can measure again. It reads the database and measures nothing.
/// `list_gpus` lists the GPUs of this machine. Throws `base::InputError` for an unknown kernel and for a
/// missing or unreadable database. Throws `base::MachineError` if the GPU does not exist.
RecheckPlan plan_recheck(const RecheckRequest& request, const gpus::GpuLister& list_gpus);

/// The number of skipped workloads for each reason: `2 on another GPU (H100), 1 ...`. Empty if there are
/// none.
std::string skipped_text(const std::vector<SkippedWorkload>& skipped);

/// Which winners a check on this GPU would need, and are not measured again: a sentence. Empty if there are
/// none.
std::string unchecked_text(const RecheckPlan& plan);

}  // namespace warptune::tuner::rechecking
