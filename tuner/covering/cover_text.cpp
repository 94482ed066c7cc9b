#include "tuner/covering/cover_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/covering/held_back.h"
#include "tuner/covers/cover_sentences.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::covering {

using covers::loss_text;

namespace {

std::string phase_text(CoverPhase phase) {
  switch (phase) {
    case CoverPhase::kSeeds:
      return "tuned";
    case CoverPhase::kFurther:
      return "further";
    case CoverPhase::kGaps:
      return "gap filled";
    case CoverPhase::kOutputs:
      return "outputs compared";
    case CoverPhase::kChecks:
      return "held back";
  }
  return "";
}

std::string end_text(const CoverRequest& request, const CoverOutcome& outcome) {
  if (outcome.interrupted)
    return "Interrupted. The same command continues; until then, this is what the sizes so far say.\n";
  if (outcome.settled) return "";
  return fmt::format(
      "The budget ({}) ended before 20 further sizes in a row were answered within the limit. The same "
      "command "
      "with a larger budget continues.\n",
      request.goal.budget.text);
}

// What is known of the outputs, if something is demanded of them.
std::string demand_text(const CoverRequest& request, const CoverResult& result) {
  if (!request.goal.reproducible) return "";
  const covers::SizeCover& cover = *result.outcome.cover;
  std::string text = covers::outputs_text(result.table, cover) + "\n";
  if (const std::size_t excluded = result.table.excluded_count(); excluded > 0)
    text += fmt::format("left out: {} not, at one size or more\n",
                        base::counted(excluded, "configuration does", "configurations do"));
  text += covers::against_all_text(cover);
  if (cover.beyond_limit > 0)
    text += fmt::format("; more than {:g} % at {}", 100.0 * request.goal.limit_share,
                        base::counted(cover.beyond_limit, "measured size"));
  return text + "\n";
}

std::string list_text(const covers::DecisionList& list) {
  text_output::TextTable lines({"line", "if", "configuration", "sizes"}, {0, 2, 3});
  for (std::size_t l = 0; l < list.lines.size(); ++l)
    lines.add({std::to_string(l + 1), list.text_of(l), std::to_string(list.lines[l].configuration + 1),
               std::to_string(list.lines[l].sizes)});
  return lines.text();
}

std::string costs_text(const covers::CoverCosts& costs) {
  text_output::TextTable lines({"configuration", "cost in us; the lowest answers"}, {0});
  for (std::size_t c = 0; c < costs.costs.size(); ++c)
    lines.add({std::to_string(c + 1), costs.costs[c] ? costs.text(c) : "none: timed at too few sizes"});
  return lines.text();
}

}  // namespace

std::string progress_line(const CoverRequest& request, const CoverProgress& progress) {
  std::string line =
      fmt::format("{}, {}, {}: {} {}", base::counted(progress.sizes, "size"),
                  base::counted(progress.evaluations, "evaluation"),
                  base::counted(progress.configurations, "configuration"),
                  model::to_text(request.goal.range.values_of(progress.size)), phase_text(progress.phase));
  if (progress.loss && progress.phase != CoverPhase::kGaps && progress.phase != CoverPhase::kOutputs)
    line += fmt::format(", the answer lost {}", loss_text(*progress.loss));
  return line + "\n";
}

std::string held_back_text(const CoverRequest& request, const CoverOutcome& outcome) {
  if (outcome.checked.empty()) return "";
  std::size_t within = 0;
  const CheckedSize* worst = &outcome.checked.front();
  for (const CheckedSize& one : outcome.checked) {
    within += one.loss <= request.goal.limit_share ? 1U : 0U;
    if (one.loss > worst->loss) worst = &one;
  }
  return fmt::format(
      "held back: {} of {} within {:g} %, worst {} ({}); with {:.0f} % confidence, at least {:.0f} % of all "
      "sizes are within it\n",
      within, base::counted(outcome.checked.size(), "size"), 100.0 * request.goal.limit_share,
      loss_text(worst->loss), model::to_text(request.goal.range.values_of(worst->at.size)),
      100.0 * kConfidence, 100.0 * share_lower_bound(within, outcome.checked.size(), kConfidence));
}

std::string cover_text(const CoverRequest& request, const CoverResult& result) {
  const CoverOutcome& outcome = result.outcome;
  std::string text = fmt::format("{} on {}, {}\n", result.workload.kernel, result.workload.gpu.name,
                                 request.goal.range.text());
  if (outcome.cover) {
    const covers::SizeCover& cover = *outcome.cover;
    text += fmt::format("{}, {}; {}\n", base::counted(cover.configurations.size(), "configuration"),
                        covers::losses_text(result.table, cover, request.goal.limit_share),
                        base::counted(outcome.evaluations, "evaluation"));
    text += demand_text(request, result);
    text += held_back_text(request, outcome);
    text += end_text(request, outcome);
    text += "\n" + (cover.costs ? costs_text(*cover.costs) : list_text(cover.list)) + "\n";
    text_output::TextTable configurations({"configuration", "values"}, {0});
    for (std::size_t c = 0; c < cover.configurations.size(); ++c)
      configurations.add(
          {std::to_string(c + 1), model::to_text(result.table.configurations[cover.configurations[c]])});
    text += configurations.text();
  } else {
    text += "No size could be measured.\n";
  }
  for (const FailedSize& failed : outcome.failed)
    text += fmt::format("left out: {}: {}\n", model::to_text(request.goal.range.values_of(failed.size)),
                        failed.reason);
  return text;
}

}  // namespace warptune::tuner::covering
