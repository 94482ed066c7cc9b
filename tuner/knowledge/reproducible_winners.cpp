// The values of all rows come from an index. Whole rows, with their counters, are read only where a counter
// exists that says something about the outputs. These are few: the finalists of sessions.
#include "tuner/knowledge/reproducible_winners.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "db/confirmation.h"
#include "db/preference.h"
#include "tuner/knowledge/known_winners.h"

namespace warptune::tuner::knowledge {

namespace {

using Kind = model::outputs::ReproducibilityVerdict::Kind;

class ReproducibleSearch {
 public:
  ReproducibleSearch(const model::Workload& workload, const db::Store& store, const model::NamedValues& usual,
                     const model::Objective& objective, const model::outputs::Reproducibility& demanded)
      : workload_(workload),
        store_(store),
        objective_(objective),
        demanded_(demanded),
        usual_(usual.empty() ? std::nullopt : store.latest_measurement(workload, usual)),
        evidence_(store.ids_with_counters(workload, demanded.evidence())) {}

  // Rows come best first. The first one that meets the demand is kept, and the search goes on for a confirmed
  // one that is not much worse.
  std::optional<db::StoredMeasurement> run(ReproducibleWinner& result) {
    std::optional<db::StoredMeasurement> best;
    double limit = 0.0;
    for (const db::RankedId& ranked : store_.ranked_ids(workload_, objective_)) {
      if (best && ranked.value > limit) break;
      if (best && !evidence_.contains(ranked.id)) continue;
      std::optional<db::StoredMeasurement> row = row_of(ranked, best ? nullptr : &result);
      if (!row) continue;
      model::outputs::ReproducibilityVerdict verdict = judge(*row);
      if (!verdict.is_met()) {
        if (!best) pass_over(result, row->measurement.configuration, ranked.value, std::move(verdict));
        continue;
      }
      const bool is_confirmed = db::is_confirmed(row->measurement);
      if (best && !is_confirmed) continue;
      if (!best) limit = ranked.value > 0.0 ? ranked.value * db::kPreferredRatio : ranked.value;
      best = std::move(row);
      result.verdict = std::move(verdict);
      if (is_confirmed) break;
    }
    return best;
  }

 private:
  // Reads a row if anything may be known of its outputs. Otherwise the row counts as passed over.
  std::optional<db::StoredMeasurement> row_of(const db::RankedId& ranked, ReproducibleWinner* result) {
    const bool is_known = evidence_.contains(ranked.id);
    const bool is_read = is_known || (result != nullptr && result->passed_over.size() < kMaxListed);
    if (!is_read && result != nullptr) ++result->unknown;
    return is_read ? store_.ranked_row(ranked, objective_) : std::nullopt;
  }

  model::outputs::ReproducibilityVerdict judge(const db::StoredMeasurement& row) const {
    return model::outputs::judge(demanded_, row.measurement, usual_ ? &usual_->measurement : nullptr);
  }

  static void pass_over(ReproducibleWinner& result, const model::NamedValues& configuration, double value,
                        model::outputs::ReproducibilityVerdict verdict) {
    ++(verdict.kind == Kind::kUnmet ? result.unmet : result.unknown);
    if (result.passed_over.size() < kMaxListed)
      result.passed_over.push_back({configuration, value, std::move(verdict)});
  }

  static constexpr std::size_t kMaxListed = 16;

  const model::Workload& workload_;
  const db::Store& store_;
  const model::Objective& objective_;
  const model::outputs::Reproducibility& demanded_;
  std::optional<db::StoredMeasurement> usual_;
  std::unordered_set<std::int64_t> evidence_;
};

}  // namespace

ReproducibleWinner reproducible_winner(const db::Winner& winner, const db::Store& store,
                                       const model::NamedValues& usual, const model::Objective& objective,
                                       const model::outputs::Reproducibility& demanded) {
  ReproducibleWinner result;
  result.demanded = demanded;
  const std::optional<db::StoredMeasurement> row =
      ReproducibleSearch(winner.workload, store, usual, objective, demanded).run(result);
  if (row) result.winner = winner_with_row(winner, *row, store);
  return result;
}

std::string passed_over_text(const ReproducibleWinner& chosen, const std::string& kernel) {
  std::string text;
  if (chosen.unmet > 0) text = base::counted(chosen.unmet, "configuration does not", "configurations do not");
  if (chosen.unknown == 0) return text;
  if (!text.empty()) text += ", and ";
  return text + fmt::format("of {} it is not known, which `warptune tune {} --reproducible={}` finds out",
                            base::counted(chosen.unknown, text.empty() ? "configuration" : "other"), kernel,
                            chosen.demanded.text);
}

std::string nothing_reproducible_text(const model::Workload& workload, const ReproducibleWinner& chosen,
                                      const std::string& kernel) {
  const std::string why = passed_over_text(chosen, kernel);
  return fmt::format("nothing that is stored of {} {} on {} {}{}{}", workload.kernel,
                     model::to_text(workload.problem), workload.gpu.name, chosen.demanded.sentence(),
                     why.empty() ? "" : ": ", why);
}

}  // namespace warptune::tuner::knowledge
