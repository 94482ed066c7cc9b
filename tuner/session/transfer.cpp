#include "tuner/session/transfer.h"

#include <string>
#include <utility>

#include "db/lookup.h"
#include "tuner/session/session_search.h"

namespace warptune::tuner::session {

namespace {

constexpr std::size_t kMaxBest = 2;
constexpr std::size_t kMaxSubjects = 16;  // Looked at, so that a large database costs little.
constexpr std::size_t kMinRows = 8;       // Rated ones a model of a source needs.

std::optional<model::Configuration> valid_configuration(const model::Space& space,
                                                        const model::NamedValues& values) {
  const base::Result<model::Configuration> configuration = space.configuration_of(values);
  if (!configuration || !space.contains(*configuration)) return std::nullopt;
  return *configuration;
}

std::vector<search::Observation> rated_rows(const SessionPlan& plan, const db::Store& store,
                                            const model::Subject& subject) {
  std::vector<search::Observation> rated;
  for (const KnownRow& row : known_rows(plan, store, subject)) {
    search::Observation observation{row.configuration, row.measurement.status, row.value};
    if (observation.is_rated() && plan.space.contains(row.configuration))
      rated.push_back(std::move(observation));
  }
  return rated;
}

}  // namespace

Transfer find_transfer(const SessionPlan& plan, const db::Store& store) {
  const model::Subject& subject = plan.subject;
  const db::Question question{
      subject.kernel, subject.kernel_hash, subject.problem, subject.gpu, {}, false, {}, subject.cache};
  std::vector<db::Winner> winners = store.winners(subject.kernel, subject.kernel_hash, plan.objective);
  Transfer found;
  for (std::size_t looked_at = 0; looked_at < kMaxSubjects; ++looked_at) {
    if (found.best.size() == kMaxBest && found.origin) break;
    const db::Match match = db::look_up(winners, question);
    if (!match.winner) break;
    const auto key_of = [](const model::Subject& any) { return model::key_of(any.problem) + any.gpu.key(); };
    std::erase_if(winners, [&, taken = key_of(match.winner->subject)](const db::Winner& winner) {
      return key_of(winner.subject) == taken;
    });
    if (match.tier == db::MatchTier::kExact) continue;
    const auto best = valid_configuration(plan.space, match.configuration);
    if (best && found.best.size() < kMaxBest) found.best.push_back(*best);
    // Of another size only the best is worth trying: which tiles fill the GPU changes with it.
    const bool same_problem = model::key_of(match.winner->subject.problem) == model::key_of(subject.problem);
    if (found.origin || !same_problem) continue;
    std::vector<search::Observation> rows = rated_rows(plan, store, match.winner->subject);
    if (rows.size() < kMinRows) continue;
    found.origin = TransferSource{match.winner->subject, rows.size()};
    found.source = std::move(rows);
  }
  return found;
}

}  // namespace warptune::tuner::session
