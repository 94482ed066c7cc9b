#include "tuner/querying/portable_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "base/text.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/style.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::querying {

namespace {

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

// `at most 3.2 %, 1.6 % in the mean`. Lower bounds are said to be ones.
std::string summary_text(const std::vector<PlaceLoss>& losses) {
  const LossSummary summary = summarise(losses);
  if (summary.unknown == losses.size()) return "unknown";
  std::string text = fmt::format("{} {}, {} in the mean", summary.is_exact ? "at most" : "at least",
                                 share_text(summary.worst), share_text(summary.mean));
  if (summary.unknown > 0) text += fmt::format("; unknown on {}", base::counted(summary.unknown, "GPU"));
  return text;
}

// What the loss rests on, in words.
std::string basis_text(const PortablePlace& place, const PlaceLoss& loss) {
  if (!place.winner) return "nothing is stored of this GPU that fits";
  switch (loss.basis) {
    case LossBasis::kMeasured:
      return std::string(model::to_string(place.winner->best.source));
    case LossBasis::kDropped:
      return fmt::format("{}, given up as too slow", model::to_string(place.winner->best.source));
    case LossBasis::kUnknown:
      break;
  }
  return loss.row ? "its row there cannot be compared" : "it has no row there";
}

std::string value_text(const model::Objective& objective, std::optional<double> value) {
  return value ? text_output::objective_value_text(objective.text(), *value) : "unknown";
}

std::string table_text(const PortableAnswer& answer, const model::Objective& objective) {
  text_output::TextTable table({"GPU", "problem", objective.text(), "best there", "loss", "rests on"},
                               {2, 3, 4});
  for (std::size_t i = 0; i < answer.places.size(); ++i) {
    const PortablePlace& place = answer.places[i];
    const PlaceLoss& loss = answer.choice.losses[i];
    const bool is_bound = loss.basis == LossBasis::kDropped;
    std::optional<double> value;
    if (loss.basis == LossBasis::kMeasured) value = objective.value(loss.row->measurement);
    if (is_bound) value = model::low_ns_of(loss.row->measurement);
    const std::optional<PlaceBest>& best = answer.choice.best[i];
    table.add({place.instance.gpu().name, place.winner ? model::to_text(place.winner->workload.problem) : "-",
               (is_bound ? "> " : "") + value_text(objective, value),
               value_text(objective, best ? std::optional(best->value) : std::nullopt),
               loss.loss ? (is_bound ? "> " : "") + share_text(*loss.loss) : "unknown",
               basis_text(place, loss)});
  }
  return table.text();
}

}  // namespace

std::string portable_text(const PortableAnswer& answer, const model::Objective& objective) {
  const PortableChoice& choice = answer.choice;
  std::string text = fmt::format("{} {} on {}, timed from {}\nconfiguration: {}\n", answer.kernel,
                                 model::to_text(answer.problem), base::counted(answer.places.size(), "GPU"),
                                 model::l2_text(answer.cache), model::to_text(choice.configuration));
  text += fmt::format("chosen for the smallest {} loss: {}\n\n",
                      answer.over == LossOver::kWorst ? "maximum" : "mean", summary_text(choice.losses));
  const std::string conditions = conditions_text(answer.places, answer.conditions);
  text += table_text(answer, objective) + (conditions.empty() ? "\n" : conditions);
  if (!summarise(choice.losses).is_exact) {
    text += text_output::styled(text_output::Style::kCaution,
                                "No configuration that can run was measured on each of these GPUs: the "
                                "losses are lower bounds.") +
            "\n";
  }
  if (answer.places.size() == 1) text += "Only one GPU has results: they say nothing of others.\n";
  text += fmt::format("compared: {}, of which {} a value on each GPU with results\n",
                      base::counted(choice.measured, "configuration"),
                      choice.shared == 1 ? "1 has" : fmt::format("{} have", choice.shared));
  if (choice.passed_over > 0) {
    text += fmt::format(
        "passed over: {} that would lose less, but may not answer or are not known to; the first {}\n",
        base::counted(choice.passed_over, "configuration"), choice.passed_over_reason);
  }
  for (const PortableRival& rival : choice.rivals)
    text += fmt::format("{} loses: {}\n", rival.name, summary_text(rival.losses));
  return text;
}

}  // namespace warptune::tuner::querying
