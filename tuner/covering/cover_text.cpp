#include "tuner/covering/cover_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "tuner/covering/held_back.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::covering {

namespace {

std::string loss_text(double loss) {
  return std::isfinite(loss) ? fmt::format("{:.1f} %", 100.0 * loss) : "unknown";
}

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

std::string outputs_text(const CoverRequest& request, const CoverResult& result) {
  if (!request.goal.reproducible) return "";
  const covers::SizeCover& cover = *result.outcome.cover;
  const model::outputs::Reproducibility& demanded = *request.goal.reproducible;
  const std::size_t sizes = result.table.sizes.size();
  const std::size_t compared = covers::min_compared_sizes(result.table, cover);
  std::string text =
      fmt::format("reproducible ({}): each configuration {}, at ", demanded.text, demanded.sentence());
  if (demanded.demand == model::outputs::Reproducibility::Demand::kError)
    text += "the sizes that it answers\n";
  else
    text += compared == sizes
                ? fmt::format("all {} sizes that were measured\n", sizes)
                : fmt::format("the sizes where it was compared, at least {} of {}\n", compared, sizes);
  if (const std::size_t excluded = result.table.excluded_count(); excluded > 0)
    text += fmt::format("left out: {} not, at one size or more\n",
                        base::counted(excluded, "configuration does", "configurations do"));
  text += fmt::format("against the best of all, whatever their outputs: mean loss {}, worst {}",
                      loss_text(cover.mean_loss_against_all), loss_text(cover.worst_loss_against_all));
  if (cover.beyond_limit > 0)
    text += fmt::format("; more than {:g} % at {}", 100.0 * request.goal.limit_share,
                        base::counted(cover.beyond_limit, "measured size"));
  return text + "\n";
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
    text += fmt::format(
        "{} within {:g} % of the best at {} (mean loss {}, worst {}); {}\n",
        base::counted(cover.configurations.size(), "configuration"), 100.0 * request.goal.limit_share,
        base::counted(result.table.taking_part(), "measured size"), loss_text(cover.mean_loss),
        loss_text(cover.worst_loss), base::counted(outcome.evaluations, "evaluation"));
    text += outputs_text(request, result);
    text += held_back_text(request, outcome);
    text += end_text(request, outcome);
    text_output::TextTable lines({"line", "if", "configuration", "sizes"}, {0, 2, 3});
    for (std::size_t l = 0; l < cover.list.lines.size(); ++l)
      lines.add({std::to_string(l + 1), cover.list.text_of(l),
                 std::to_string(cover.list.lines[l].configuration + 1),
                 std::to_string(cover.list.lines[l].sizes)});
    text += "\n" + lines.text() + "\n";
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
