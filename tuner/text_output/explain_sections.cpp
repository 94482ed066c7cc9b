#include "tuner/text_output/explain_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output {

namespace {

constexpr double kMinShare = 0.005;  // A parameter with a smaller share of the variance is not listed.
constexpr std::size_t kMaxPairs = 5;
constexpr std::size_t kMaxOfKind = 5;  // How many lines of one kind "What to try next" lists.
constexpr std::size_t kMaxSlow = 8;
constexpr double kAtTheRoof = 0.9;  // From this share of the roof on, the text mentions the share.

std::string share_text(double share) {
  if (share < kMinShare) return "-";
  return fmt::format("{:.0f} %", 100.0 * share);
}

// The sum of the shares of all listed pairs that have the parameter.
double with_others(const search::analysis::Importance& importance, std::size_t parameter) {
  double sum = 0.0;
  for (const search::analysis::PairShare& pair : importance.pairs) {
    if (pair.first == parameter || pair.second == parameter) sum += std::max(0.0, pair.share);
  }
  return sum;
}

double total_share(const search::analysis::Importance& importance, std::size_t parameter) {
  return std::max(0.0, importance.by_parameter[parameter]) + with_others(importance, parameter);
}

bool is_shown(const std::optional<search::analysis::ModelledImportance>& modelled) {
  return modelled && search::analysis::is_trustworthy(*modelled);
}

std::string model_text(const search::analysis::ModelledImportance& modelled, const std::string& where) {
  const search::models::ForestError& error = modelled.model->error();
  return fmt::format(
      "{}: a random forest trained on {}; on unseen rows its median error is {:.1f} % and R^2 is "
      "{:.3f}{}\n",
      where, base::counted(modelled.rows, "row"), 100.0 * error.median_relative_error, error.r_squared,
      !search::analysis::is_trustworthy(modelled) ? ", which is too poor to say what matters" : "");
}

std::string pairs_text(const std::vector<model::Parameter>& parameters,
                       const search::analysis::Importance& importance, const std::string& where) {
  std::string text;
  std::size_t listed = 0;
  for (const search::analysis::PairShare& pair : importance.pairs) {
    if (pair.share < 2 * kMinShare || listed++ == kMaxPairs) break;
    text += fmt::format("{}{} x {} {}", text.empty() ? "" : ", ", parameters[pair.first].name,
                        parameters[pair.second].name, share_text(pair.share));
  }
  if (text.empty()) text = "none above 1 %";
  return fmt::format("strongest pairs {}: {}; weaker pairs and larger groups: {:.0f} %\n", where, text,
                     100.0 * std::max(0.0, importance.rest));
}

}  // namespace

std::string importance_text(const model::Recording& recording, const explaining::Explanation& explanation) {
  if (!explanation.over_space) return "";
  const bool space = is_shown(explanation.over_space);
  const bool near = is_shown(explanation.near_best);
  std::string text = "\nWhich parameters matter: shares of the variance of log time\n";
  const std::vector<model::Parameter>& parameters = recording.parameters;
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t p) {
    return (space ? total_share(explanation.over_space->importance, p) : 0.0) +
           (near ? total_share(explanation.near_best->importance, p) : 0.0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  TextTable table({"parameter", "alone", "in pairs", "near the best: alone", "in pairs"}, {1, 2, 3, 4});
  std::string idle;  // Parameters with a share below `kMinShare` everywhere.
  for (const std::size_t p : order) {
    if (parameters[p].values.size() < 2) continue;
    std::vector<std::string> row = {parameters[p].name};
    bool any = false;
    for (const auto* modelled :
         {space ? &*explanation.over_space : nullptr, near ? &*explanation.near_best : nullptr}) {
      for (const bool alone : {true, false}) {
        const double share = modelled == nullptr ? 0.0
                             : alone             ? modelled->importance.by_parameter[p]
                                                 : with_others(modelled->importance, p);
        any = any || share >= kMinShare;
        row.push_back(modelled == nullptr ? "" : share_text(share));
      }
    }
    if (any) {
      table.add(std::move(row));
    } else {
      idle += (idle.empty() ? "" : ", ") + parameters[p].name;
    }
  }
  if (!table.empty()) text += table.text();
  if ((space || near) && !idle.empty())
    text += fmt::format("less than {:.1f} %: {}\n", 100 * kMinShare, idle);
  if (space) text += pairs_text(parameters, explanation.over_space->importance, "over the space");
  if (near) text += pairs_text(parameters, explanation.near_best->importance, "near the best");
  text += model_text(*explanation.over_space, "over the space");
  if (explanation.near_best)
    text += model_text(*explanation.near_best,
                       fmt::format("within {}x of the best", search::analysis::kNearRatio));
  return text;
}

namespace {

std::string border_text(const search::analysis::BorderTrend& trend) {
  std::string text = fmt::format(
      "{}: the best has {}, the end of the list. From {} to {} it still gets faster: {} in {} "
      "comparisons near the best that change only this parameter",
      trend.parameter, model::to_text(trend.value), model::to_text(trend.inside), model::to_text(trend.value),
      speed_up_text(trend.effect.ratio->median), trend.effect.pairs);
  if (trend.best_ratio) text += fmt::format(", {} at the best", speed_up_text(*trend.best_ratio));
  text += trend.limit.empty() ? fmt::format("; try {}", model::to_text(trend.next))
                              : fmt::format("; {} would break: {}", model::to_text(trend.next), trend.limit);
  return text;
}

std::string idle_text(const std::vector<search::analysis::IdleParameter>& idle) {
  std::string list;
  std::size_t factor = 1;
  for (const search::analysis::IdleParameter& parameter : idle) {
    list += fmt::format("{}{}={}", list.empty() ? "" : ", ", parameter.parameter,
                        model::to_text(parameter.value));
    factor *= parameter.values;
  }
  return fmt::format(
      "near the best the value of {} makes no difference: fixed at {}, the space shrinks by up to {} times",
      idle.size() == 1 ? "this parameter" : "these parameters", list, factor);
}

std::string slow_text(const std::vector<search::analysis::SlowValue>& slow) {
  std::string list;
  for (std::size_t i = 0; i < std::min(slow.size(), kMaxSlow); ++i) {
    list += fmt::format("{}{}={} ({:.1f} times)", i == 0 ? "" : ", ", slow[i].parameter,
                        model::to_text(slow[i].value), slow[i].ratio);
  }
  if (slow.size() > kMaxSlow) list += fmt::format(" and {} more", slow.size() - kMaxSlow);
  return "values that never come near the best, with their minimum time relative to the best: " + list;
}

}  // namespace

std::vector<std::string> next_steps_lines(const search::analysis::NextSteps& next_steps) {
  std::vector<std::string> lines;
  if (const std::optional<double> roof_share = next_steps.roof_share; roof_share >= kAtTheRoof) {
    lines.push_back(fmt::format("the best runs at {:.0f} % of the roof: {}", 100.0 * *roof_share,
                                *roof_share >= 1.0
                                    ? "only less work would make it faster"
                                    : fmt::format("at most {} is left to gain", speed_up_text(*roof_share))));
  }
  const auto add = [&](const auto& items, const auto& text_of) {
    for (std::size_t i = 0; i < std::min(items.size(), kMaxOfKind); ++i) lines.push_back(text_of(items[i]));
    if (items.size() > kMaxOfKind)
      lines.push_back(fmt::format("... and {} more of this kind", items.size() - kMaxOfKind));
  };
  add(next_steps.borders, border_text);
  add(next_steps.blocked, [](const search::analysis::BlockedValue& blocked) {
    return fmt::format(
        "{}={} instead of {} is faster elsewhere: {} in {} comparisons near the best that change only this "
        "parameter. At the best it would break: {}",
        blocked.parameter, model::to_text(blocked.value), model::to_text(blocked.best_value),
        speed_up_text(blocked.effect.ratio->median), blocked.effect.pairs, blocked.limit);
  });
  if (!next_steps.idle.empty()) lines.push_back(idle_text(next_steps.idle));
  add(next_steps.failing, [](const search::analysis::FailingValue& value) {
    return fmt::format("{}={} never works, in {}: {}{}{}", value.parameter, model::to_text(value.value),
                       base::counted(value.rows, "evaluation"), value.status,
                       value.reason.empty() ? "" : ": ", value.reason);
  });
  if (!next_steps.slow.empty()) lines.push_back(slow_text(next_steps.slow));
  return lines;
}

std::string next_steps_text(const search::analysis::NextSteps& next_steps) {
  const std::vector<std::string> lines = next_steps_lines(next_steps);
  if (lines.empty()) return "";
  std::string text = "\nWhat to try next\n";
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text;
}

}  // namespace warptune::tuner::text_output
