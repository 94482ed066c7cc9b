// Transfer: a search begins with what earlier sessions found for the same kernel elsewhere.
//
// `db::rank_winners` ranks the workloads of the same kernel source by their distance in problem size and GPU.
// `find_transfer` goes through the nearest kMaxWorkloads of them. It uses each workload in up to two ways:
//
// 1. Its best configuration is tried first. Good configurations of one size or GPU are often good for others,
// and a try costs one evaluation.
// 2. All its rated rows become the source of a strategy's model, if the problem is the same and only the GPU
// differs. The ranking of configurations is similar between GPUs, while their times differ. Rows of other
// sizes are not used: which tiles fill the GPU changes with the size (figures in transfer.h).
//
// Only the rows of the best source of a workload are used: imported ones only if it has no others.
//
// Only configurations that the plan's space contains are used, because another problem or GPU has other
// constraints. The plan's own workload is skipped: the strategy is informed of its rows in another way
// (session_search.h).
#include "tuner/session/transfer.h"

#include <set>
#include <string>
#include <utility>

#include "db/lookup.h"
#include "model/row_sources.h"
#include "tuner/session/session_search.h"

namespace warptune::tuner::session {

namespace {

constexpr std::size_t kMaxBest = 8;
constexpr std::size_t kMaxWorkloads = 16;  // Examined at most, so that a large database costs little.
constexpr std::size_t kMinRows = 8;        // A source with fewer rated rows gives no model.

std::optional<model::Configuration> valid_configuration(const model::Space& space,
                                                        const model::NamedValues& values) {
  const base::Result<model::Configuration> configuration = space.configuration_of(values);
  if (!configuration || !space.contains(*configuration)) return std::nullopt;
  return *configuration;
}

std::vector<search::Observation> rated_rows(const SessionPlan& plan, const db::Store& store,
                                            const model::Workload& workload) {
  std::vector<KnownRow> rows = known_rows(plan, store, workload);
  model::keep_best_source(rows);
  std::vector<search::Observation> rated;
  for (const KnownRow& row : rows) {
    if (!row.value) continue;
    search::Observation observation{row.configuration, row.measurement.status, *row.value};
    if (observation.is_rated() && plan.space.contains(row.configuration))
      rated.push_back(std::move(observation));
  }
  return rated;
}

}  // namespace

Transfer find_transfer(const SessionPlan& plan, const db::Store& store) {
  const model::Workload& workload = plan.workload;
  const db::Question question = db::question_about(workload);
  const std::vector<db::Winner> winners =
      store.winners(workload.kernel, workload.kernel_hash, plan.objective);
  Transfer found;
  std::set<std::string> looked_at;
  for (const db::RankedWinner& ranked : db::rank_winners(winners, question)) {
    if (looked_at.size() == kMaxWorkloads || (found.best.size() == kMaxBest && found.origin)) break;
    const model::Workload& other = ranked.winner->workload;
    if (!looked_at.insert(model::key_of(other.problem) + other.gpu.key()).second) continue;
    if (ranked.tier == db::MatchTier::kExact) continue;
    const auto best = valid_configuration(plan.space, ranked.winner->best.configuration);
    if (best && found.best.size() < kMaxBest) found.best.push_back(*best);
    // From another size only the best is worth trying: which tiles fill the GPU changes with the size.
    const bool same_problem = model::key_of(other.problem) == model::key_of(workload.problem);
    if (found.origin || !same_problem) continue;
    std::vector<search::Observation> rows = rated_rows(plan, store, other);
    if (rows.size() < kMinRows) continue;
    found.origin = TransferSource{other, rows.size()};
    found.source = std::move(rows);
  }
  return found;
}

}  // namespace warptune::tuner::session
