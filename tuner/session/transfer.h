#pragma once

#include <optional>
#include <vector>

#include "db/store.h"
#include "search/strategy.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// What the database knows of a plan's kernel for other sizes and GPUs, rated by the plan's objective.
struct Transfer {
  /// The best configuration of each other workload, nearest first, at most eight. In addition, the strategy
  /// evaluates the three best configurations of `source`. Misleading rows therefore cost at most eleven
  /// evaluations.
  std::vector<model::Configuration> best;
  /// The rated rows of the same problem on the nearest other GPU that has enough of them for a model. They
  /// include dropped rows if the objective is the time. Empty when no GPU has enough.
  ///
  /// Rows of other sizes are not used. On an H200, rows of sgemm 2048^3 were the source for 1024^3 and
  /// 3072^3. After 20 evaluations, the search was then 19 % behind the best. Without a source, it was 3 to 7
  /// % behind (docs/notes/search-recordings.md).
  std::vector<search::Observation> source;
  std::optional<TransferSource> origin;  ///< The workload that `source` was measured for.
};

/// Searches the workloads nearest first, as `db::look_up` ranks them. Returns only configurations of the
/// plan's space.
Transfer find_transfer(const SessionPlan& plan, const db::Store& store);

}  // namespace warptune::tuner::session
