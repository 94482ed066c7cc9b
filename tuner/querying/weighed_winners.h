// Which winners a look-up weighs, what their use is expected to cost, and why others are passed over.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/lookup.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "model/objective.h"

namespace warptune::tuner::querying {

/// The loss that is expected when a configuration is used at a workload where it was not measured. A loss is
/// the configuration's value of the objective at a workload, divided by that of the best configuration there,
/// minus 1. The expectation comes from losses that were measured elsewhere. How often it holds:
/// docs/notes/search-experiments.md, "Whether the expected losses come true".
struct ExpectedLoss {
  double median = 0.0;
  double maximum = 0.0;
  std::size_t count = 0;  ///< The number of measured losses that it comes from, at least 1.
};

/// A winner that may answer the question.
struct WeighedWinner {
  db::MatchTier tier = db::MatchTier::kNone;
  double distance = 0.0;  ///< As `db::Match::distance`.
  db::Winner winner;
  bool chosen = false;               ///< The answer comes from this winner's workload.
  std::optional<std::string> fault;  ///< Why its configuration is not valid for the question.
  std::string verdict;               ///< Whether it answers, and otherwise why not.
  /// Absent for an exact match, and if no loss was measured for the tier and a similar distance
  /// (`expected_loss`).
  std::optional<ExpectedLoss> loss;
};

/// What the definition's recommendations lost where they were measured: at each stored workload, the one that
/// the definition recommends there.
struct RecommendedLoss {
  ExpectedLoss loss;  ///< Its count is that of the workloads.
  /// Whether none of these workloads was measured on the asked GPU.
  bool is_of_other_gpus = false;
};

/// Winners of the kernel that cannot answer, and why.
struct ExcludedWinners {
  std::string reason;  ///< A part of a sentence, such as "of another version of the source".
  std::size_t count = 0;
};

/// What a look-up weighed.
struct Weighing {
  std::vector<WeighedWinner> winners;  ///< In the order in which the look-up tries them.
  std::size_t left_out = 0;            ///< Winners that follow those and are not listed.
  std::vector<ExcludedWinners> excluded;
  /// The answer is what the definition recommends, so all winners were passed over.
  bool is_recommended = false;
  model::NamedValues recommended{};  ///< The answer, if it is recommended.
  /// Absent if nothing is recommended, or if no recommendation was measured where it is recommended.
  std::optional<RecommendedLoss> recommended_loss{};
};

/// Says what a look-up weighed for `match`, its result. `winners` are those of the present version of the
/// kernel, `all` those of every version. `store_of` returns the database of a winner. At most 16 winners are
/// listed, and the losses come from the first 32 in the order of the look-up. `question` says what was looked
/// up, as for `db::look_up`.
Weighing weigh(const std::vector<db::Winner>& winners, const std::vector<db::Winner>& all,
               const db::Question& question, const db::Match& match,
               const kernel_templates::KernelInstance& instance, const model::Objective& objective,
               const std::function<const db::Store&(const db::Winner&)>& store_of);

/// What the winner of one workload lost at another one.
struct MeasuredLoss {
  db::MatchTier tier =
      db::MatchTier::kNone;  ///< The match of the winner for a question about the other workload.
  double distance = 0.0;
  double loss = 0.0;
};

/// The losses of these winners at the workloads of the others, as far as they were measured there. If the
/// objective is the time, the estimated time of a dropped row counts: without those, only the winners that
/// did well elsewhere would count. Imported winners are left out.
std::vector<MeasuredLoss> measured_losses(const std::vector<db::RankedWinner>& winners,
                                          const model::Objective& objective,
                                          const std::function<const db::Store&(const db::Winner&)>& store_of);

/// What recommendations lost at the workloads of the first 32 of these winners, as far as they were measured
/// or, if the objective is the time, dropped there. Imported ones are left out. The workloads of the GPU with
/// the key `gpu_key` count, or those of other GPUs if there are none.
std::optional<RecommendedLoss> recommended_loss(
    const std::vector<db::RankedWinner>& winners, const kernel_templates::KernelDefinition& definition,
    const std::string& gpu_key, const model::Objective& objective,
    const std::function<const db::Store&(const db::Winner&)>& store_of);

/// The expected loss of a winner with this tier and distance. It summarises the losses that have the same
/// tier, and a distance of at most `distance` + 1 (one doubling more). Returns std::nullopt if there is no
/// such loss, as for an exact match.
std::optional<ExpectedLoss> expected_loss(const std::vector<MeasuredLoss>& losses, db::MatchTier tier,
                                          double distance);

}  // namespace warptune::tuner::querying
