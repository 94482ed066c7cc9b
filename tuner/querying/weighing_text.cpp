#include "tuner/querying/weighing_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::querying {

namespace {

// `what`: the singular of what was counted.
std::string loss_text(const ExpectedLoss& loss, std::string_view what) {
  return fmt::format("{:.0f} %, up to {:.0f} % ({})", 100 * loss.median, 100 * loss.maximum,
                     base::counted(loss.count, what));
}

std::string loss_text(const WeighedWinner& weighed) {
  if (weighed.tier == db::MatchTier::kExact) return "none: measured here";
  return weighed.loss ? loss_text(*weighed.loss, "pair") : "unknown";
}

std::string recommended_text(const std::optional<RecommendedLoss>& found) {
  if (!found)
    return "expected loss of the recommendation: unknown, because nothing that the definition recommends was "
           "timed at a stored problem for which it is recommended.\n";
  return fmt::format(
      "expected loss of the recommendation: {}. That is what the definition's recommendations lost "
      "there{}.\n",
      loss_text(found->loss, "timed problem"),
      found->is_of_other_gpus ? ", on other GPUs: nothing is known of this one" : "");
}

std::string origin_of(const db::Winner& winner) {
  std::string text(model::to_string(winner.best.source));
  if (winner.of_system) text += ", system";
  return text;
}

}  // namespace

std::string reproducible_text(const knowledge::ReproducibleWinner& chosen, const model::Objective& objective,
                              const std::string& kernel, bool explain) {
  std::string text = fmt::format("reproducible ({}): {}\n", chosen.demanded.text, chosen.verdict.reason);
  const std::string passed_over = knowledge::passed_over_text(chosen, kernel);
  if (!passed_over.empty()) text += fmt::format("passed over, although they rank above: {}\n", passed_over);
  if (!explain) return text;
  for (const knowledge::PassedOver& one : chosen.passed_over) {
    text += fmt::format("  {} ({}): {}\n", model::to_text(one.configuration),
                        text_output::objective_value_text(objective.text(), one.value), one.verdict.reason);
  }
  const std::uint64_t left_out = chosen.unmet + chosen.unknown - chosen.passed_over.size();
  return left_out == 0 ? text : text + fmt::format("  and {} more\n", left_out);
}

std::string weighing_text(const Weighing& weighing, const model::Objective& objective) {
  std::string text;
  if (weighing.winners.empty()) {
    text += "weighed: no stored result of this version of the kernel fits\n";
  } else {
    text += "weighed, in the order in which they are tried:\n";
    text_output::TextTable table(
        {"match", "distance", "problem", "GPU", objective.text(), "from", "expected loss", ""}, {1, 4});
    for (const WeighedWinner& weighed : weighing.winners) {
      const db::Winner& winner = weighed.winner;
      const std::optional<double> value = objective.value(winner.best);
      table.add({std::string(db::to_string(weighed.tier)), fmt::format("{:.2f}", weighed.distance),
                 model::to_text(winner.workload.problem), winner.workload.gpu.name,
                 value ? text_output::objective_value_text(objective.text(), *value) : "unknown",
                 origin_of(winner), loss_text(weighed), weighed.verdict});
    }
    text += table.text();
  }
  if (weighing.left_out > 0) text += fmt::format("{} more rank below these\n", weighing.left_out);
  const bool has_loss = std::any_of(weighing.winners.begin(), weighing.winners.end(),
                                    [](const WeighedWinner& weighed) { return weighed.loss.has_value(); });
  if (weighing.is_recommended) text += recommended_text(weighing.recommended_loss);
  if (has_loss) {
    text +=
        "expected loss: what the winner of one stored workload lost at another one, where it was measured "
        "there, too: the median, and the largest.\n";
  }
  for (const ExcludedWinners& excluded : weighing.excluded)
    text += fmt::format("cannot answer: {} {}\n", excluded.count, excluded.reason);
  return text;
}

}  // namespace warptune::tuner::querying
