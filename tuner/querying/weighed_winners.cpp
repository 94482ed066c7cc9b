#include "tuner/querying/weighed_winners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "model/median.h"
#include "tuner/knowledge/known_winners.h"

namespace warptune::tuner::querying {

namespace {

constexpr std::size_t kListed = 16;
constexpr std::size_t kCompared = 32;
constexpr double kFarther = 1.0;  // In doublings.

bool is_same_workload(const db::Winner& a, const db::Winner& b) {
  return model::key_of(a.workload.problem) == model::key_of(b.workload.problem) &&
         a.workload.gpu.key() == b.workload.gpu.key();
}

// The first winners of a look-up's order that were not imported.
std::vector<db::Winner> compared_winners(const std::vector<db::RankedWinner>& winners) {
  std::vector<db::Winner> compared;
  for (const db::RankedWinner& ranked : winners) {
    if (compared.size() == kCompared) break;
    if (ranked.winner->best.source != model::RowSource::kImported) compared.push_back(*ranked.winner);
  }
  return compared;
}

// The losses must not be empty.
ExpectedLoss summary_of(const std::vector<double>& losses) {
  return {*model::median_of(losses), *std::max_element(losses.begin(), losses.end()), losses.size()};
}

model::NamedValues recommended_for(const kernel_templates::KernelDefinition& definition,
                                   const model::Workload& workload) {
  try {
    return kernel_templates::KernelInstance(definition, workload.problem, workload.gpu)
        .recommended_configuration();
  } catch (const base::InputError&) {
    return {};  // The definition no longer allows this problem.
  }
}

std::vector<ExcludedWinners> excluded_of(const std::vector<db::Winner>& all, const db::Question& question) {
  ExcludedWinners version{"of another version of the kernel's source"};
  ExcludedWinners cache{"timed from another state of the L2 cache"};
  ExcludedWinners kind{"for another kind of problem: other types, texts or names of sizes"};
  ExcludedWinners inexact{"not exactly for this problem and GPU, as --strict and --reproducible want"};
  for (const db::Winner& winner : all) {
    if (winner.workload.kernel_hash != question.kernel_hash)
      ++version.count;
    else if (winner.workload.cache != question.cache)
      ++cache.count;
    else if (!db::are_comparable(question.problem, winner.workload.problem))
      ++kind.count;
    else if (question.strict && (model::key_of(winner.workload.problem) != model::key_of(question.problem) ||
                                 winner.workload.gpu.key() != question.gpu.key()))
      ++inexact.count;
  }
  std::vector<ExcludedWinners> excluded = {version, cache, kind, inexact};
  std::erase_if(excluded, [](const ExcludedWinners& reason) { return reason.count == 0; });
  return excluded;
}

// `chosen_above`: whether the answer ranks above this winner.
std::string verdict_of(const Weighing& weighing, const WeighedWinner& weighed, bool chosen_above) {
  if (weighed.chosen && weighed.fault)
    return fmt::format("another row of it answers; its best is not valid here: {}", *weighed.fault);
  if (weighed.chosen) return "the answer";
  if (weighed.fault) return fmt::format("not valid here: {}", *weighed.fault);
  if (weighing.is_recommended) {
    const bool is_same =
        model::key_of(weighed.winner.best.configuration) == model::key_of(weighing.recommended);
    return is_same ? "has the recommended configuration"
                   : "passed over: another configuration is recommended";
  }
  return chosen_above ? "ranks below the answer" : "ranks above, and was passed over";
}

}  // namespace

std::optional<RecommendedLoss> recommended_loss(
    const std::vector<db::RankedWinner>& winners, const kernel_templates::KernelDefinition& definition,
    const std::string& gpu_key, const model::Objective& objective,
    const std::function<const db::Store&(const db::Winner&)>& store_of) {
  std::vector<double> here;
  std::vector<double> elsewhere;
  for (const db::Winner& winner : compared_winners(winners)) {
    const model::NamedValues recommended = recommended_for(definition, winner.workload);
    const std::optional<double> loss =
        recommended.empty() ? std::nullopt
                            : knowledge::measured_loss(recommended, winner, objective, store_of(winner));
    if (loss) (winner.workload.gpu.key() == gpu_key ? here : elsewhere).push_back(*loss);
  }
  const std::vector<double>& losses = here.empty() ? elsewhere : here;
  if (losses.empty()) return std::nullopt;
  return RecommendedLoss{summary_of(losses), here.empty()};
}

std::vector<MeasuredLoss> measured_losses(
    const std::vector<db::RankedWinner>& winners, const model::Objective& objective,
    const std::function<const db::Store&(const db::Winner&)>& store_of) {
  const std::vector<db::Winner> compared = compared_winners(winners);
  std::vector<MeasuredLoss> losses;
  for (const db::Winner& to : compared) {
    for (const db::RankedWinner& from : db::rank_winners(compared, db::question_about(to.workload))) {
      if (from.tier == db::MatchTier::kExact) continue;
      if (const std::optional<double> loss =
              knowledge::measured_loss(from.winner->best.configuration, to, objective, store_of(to)))
        losses.push_back({from.tier, std::log2(from.ratio), *loss});
    }
  }
  return losses;
}

std::optional<ExpectedLoss> expected_loss(const std::vector<MeasuredLoss>& losses, db::MatchTier tier,
                                          double distance) {
  std::vector<double> related;
  for (const MeasuredLoss& measured : losses) {
    if (measured.tier == tier && measured.distance <= distance + kFarther) related.push_back(measured.loss);
  }
  if (related.empty()) return std::nullopt;
  return summary_of(related);
}

Weighing weigh(const std::vector<db::Winner>& winners, const std::vector<db::Winner>& all,
               const db::Question& question, const db::Match& match,
               const kernel_templates::KernelInstance& instance, const model::Objective& objective,
               const std::function<const db::Store&(const db::Winner&)>& store_of) {
  const std::vector<db::RankedWinner> ranked = db::rank_winners(winners, question);
  const std::vector<MeasuredLoss> losses = measured_losses(ranked, objective, store_of);
  Weighing weighing;
  weighing.excluded = excluded_of(all, question);
  weighing.is_recommended = match.tier == db::MatchTier::kRecommended;
  if (weighing.is_recommended) {
    weighing.recommended = match.configuration;
    weighing.recommended_loss =
        recommended_loss(ranked, instance.definition(), question.gpu.key(), objective, store_of);
  }
  bool chosen_above = false;
  for (const db::RankedWinner& candidate : ranked) {
    if (weighing.winners.size() == kListed) break;
    const db::Winner& winner = *candidate.winner;
    WeighedWinner weighed;
    weighed.tier = candidate.tier;
    weighed.distance = std::log2(candidate.ratio);
    weighed.winner = winner;
    weighed.fault = knowledge::why_invalid_for(instance, winner.best.configuration, winner.best);
    weighed.chosen = match.winner && is_same_workload(*match.winner, winner) &&
                     match.winner->of_system == winner.of_system &&
                     match.winner->session_id == winner.session_id;
    weighed.loss = expected_loss(losses, candidate.tier, weighed.distance);
    weighed.verdict = verdict_of(weighing, weighed, chosen_above);
    chosen_above = chosen_above || weighed.chosen;
    weighing.winners.push_back(std::move(weighed));
  }
  weighing.left_out = ranked.size() - weighing.winners.size();
  return weighing;
}

}  // namespace warptune::tuner::querying
