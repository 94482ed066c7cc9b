#pragma once

#include <optional>
#include <vector>

#include "db/store.h"
#include "search/strategy.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// What the database knows of a plan's kernel for other sizes and GPUs, by the plan's objective.
struct Transfer {
  /// The best of each, nearest first, two at most: with the three best of `source` that a strategy asks for
  /// itself, a source that misleads costs five evaluations.
  std::vector<model::Configuration> best;
  /// The measured and (where the time is the objective) dropped rows of the same problem on the nearest other
  /// GPU that has enough of them for a model; empty when none has. Not of other sizes: on an H200, sgemm of
  /// 2048^3 as the source of 1024^3 and 3072^3 left the search 19 % from the best after 20 evaluations, and
  /// 3 to 7 % without (docs/notes/search-recordings.md).
  std::vector<search::Observation> source;
  std::optional<TransferSource> origin;  ///< Of `source`.
};

/// Nearest first as `db::look_up` ranks them. Only configurations of the plan's space.
Transfer find_transfer(const SessionPlan& plan, const db::Store& store);

}  // namespace warptune::tuner::session
