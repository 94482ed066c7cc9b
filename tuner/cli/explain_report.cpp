#include "tuner/cli/explain_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "profiling/metrics.h"
#include "tuner/report.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

namespace analysis = search::analysis;

namespace {

constexpr double kMattersInStep = 0.01;  // A step that changes less is listed without its counters.
constexpr std::size_t kMetricsOfStep = 4;
constexpr double kLeastShare = 0.005;  // Of the variance: below it a parameter is not listed.
constexpr std::size_t kMostPairs = 5;
constexpr std::size_t kMostOfKind = 5;  // Lines of one kind in "what to try next".
constexpr double kTrustworthy = 0.5;    // R^2 of a model whose shares are shown.

struct ShownMetric {
  std::string_view name;
  std::string_view title;
  std::string_view unit;
};
constexpr std::array<ShownMetric, 7> kResources = {{{"registers", "registers a thread", ""},
                                                    {"shared_bytes", "shared memory a block", "byte"},
                                                    {"local_bytes", "local memory a thread", "byte"},
                                                    {"threads", "threads a block", ""},
                                                    {"blocks", "blocks", ""},
                                                    {"blocks_per_sm", "blocks an SM", ""},
                                                    {"occupancy", "occupancy limit", "share"}}};

std::string lower_first(std::string_view title) {
  std::string text(title);
  // "DRAM traffic" and "L2 traffic" stay as they are.
  const bool word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (word) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

ShownMetric shown(const std::string& name) {
  for (const ShownMetric& resource : kResources) {
    if (resource.name == name) return resource;
  }
  for (const profiling::MetricInfo& metric : profiling::metric_catalogue()) {
    if (metric.name == name) return {metric.name, metric.title, metric.unit};
  }
  return {name, name, ""};
}

std::string value_text(std::string_view unit, double value) {
  return unit == "share" ? fmt::format("{:.0f} %", 100.0 * value) : format_counter(unit, value);
}

std::string metric_text(const analysis::MetricChange& change) {
  const ShownMetric metric = shown(change.name);
  return fmt::format("{} {} -> {}", lower_first(metric.title), value_text(metric.unit, change.before),
                     value_text(metric.unit, change.after));
}

std::string changes_text(const std::vector<analysis::ParameterStep>& changes) {
  std::string text;
  for (const analysis::ParameterStep& change : changes) {
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", change.name, search::to_text(change.from),
                        search::to_text(change.to));
  }
  return text;
}

std::string_view grouping_text(analysis::Grouping grouping) {
  switch (grouping) {
    case analysis::Grouping::kInvalidApart:
      return "together: fewer of them break a constraint";
    case analysis::Grouping::kFailedApart:
      return "together: fewer of them break a constraint or do not run";
    case analysis::Grouping::kSlowerApart:
      return "together: alone they make it slower";
    case analysis::Grouping::kUnknownApart:
      return "together: what lies between was not measured";
    case analysis::Grouping::kAlone:
      break;
  }
  return "";
}

// How many times as fast, by the ratio of times.
std::string faster_text(double ratio) { return fmt::format("{:.2f}x", 1.0 / ratio); }

std::string head_text(const ExplainedSubject& subject, const Explanation& explanation) {
  const search::Recording& recording = *subject.recording;
  std::string text = fmt::format("{} {} on {}, timed from a {} L2 cache\n", recording.subject.kernel,
                                 search::to_text(recording.subject.problem), recording.subject.gpu.name,
                                 search::to_string(recording.subject.cache));
  text += fmt::format("from {}: {} evaluated, {} with a time", subject.origin, explanation.rows,
                      explanation.timed);
  if (explanation.estimated > 0)
    text += fmt::format(" ({} of them an estimate: given up early as hopeless)", explanation.estimated);
  if (explanation.measured_now > 0) text += fmt::format("; {} measured now", explanation.measured_now);
  if (subject.session) text += fmt::format(", stored as session {}", *subject.session);
  return text + "\n";
}

std::string ends_text(const ExplainedSubject& subject, const Explanation& explanation) {
  std::vector<ReportColumn> columns;
  if (explanation.from && analysis::has_time(*explanation.from))
    columns.push_back({explanation.from_title, *explanation.from});
  const bool same =
      explanation.from && explanation.to &&
      search::key_of(explanation.from->configuration) == search::key_of(explanation.to->configuration);
  if (same && !columns.empty()) {
    columns.front().title = fmt::format("{} = {}", explanation.from_title, explanation.to_title);
  } else if (explanation.to && analysis::has_time(*explanation.to)) {
    columns.push_back({explanation.to_title, *explanation.to});
  }
  if (columns.empty()) return "";
  return "\n" + comparison_table(columns, subject.recording->work, subject.recording->roofs);
}

std::string everywhere_text(const ExplainedStep& step) {
  if (!step.everywhere || step.everywhere->pairs < 2) return "";
  const analysis::MedianOfPairs& ratio = step.everywhere->ratio;
  return fmt::format("everywhere in the space: {} ({} to {}) in {} pairs", faster_text(ratio.median),
                     faster_text(ratio.high), faster_text(ratio.low), step.everywhere->pairs);
}

std::string step_details(const ExplainedStep& step) {
  std::string text;
  const auto line = [&](std::string_view content) {
    if (!content.empty()) text += fmt::format("     {}\n", content);
  };
  line(grouping_text(step.step.grouping));
  if (std::abs(std::log(step.ratio)) < kMattersInStep) return text;
  std::string metrics;
  for (std::size_t i = 0; i < std::min(step.metrics.size(), kMetricsOfStep); ++i)
    metrics += (i == 0 ? "" : "; ") + metric_text(step.metrics[i]);
  line(metrics);
  line(everywhere_text(step));
  return text;
}

std::string step_line(const ExplainedStep& step, std::size_t number) {
  const std::string what = fmt::format("{:>2}. {}", number, changes_text(step.step.changes));
  const std::string effect = step.within_noise ? "no difference"
                                               : fmt::format("{}, {:.0f} % of the gain",
                                                             faster_text(step.ratio), 100.0 * step.share);
  return fmt::format("{:<44}  {:>9}  {}\n", what, time_text(step.step.after), effect);
}

std::string path_text(const Explanation& explanation) {
  if (explanation.steps.empty()) return "";
  const ExplainedStep& first = explanation.steps.front();
  const double ratio = explanation.steps.back().step.after.time.median_ns / first.before.time.median_ns;
  std::string text = fmt::format("\nFrom the {} to the {}, the change that gains most first: {} in all\n",
                                 explanation.from_title, explanation.to_title, faster_text(ratio));
  text += fmt::format("{:<44}  {:>9}\n", "    " + explanation.from_title, time_text(first.before));
  for (std::size_t i = 0; i < explanation.steps.size(); ++i)
    text += step_line(explanation.steps[i], i + 1) + step_details(explanation.steps[i]);
  if (!explanation.arrived) text += "    the path ends here: nothing known leads on\n";
  if (explanation.not_measured > 0) {
    text += fmt::format(
        "    {} configurations that could have been steps were not measured; the path takes those known\n",
        explanation.not_measured);
  }
  return text;
}

std::string share_text(double share) {
  if (share < kLeastShare) return "-";
  return fmt::format("{:.0f} %", 100.0 * share);
}

// What a parameter does in the pairs listed.
double with_others(const analysis::Importance& importance, std::size_t parameter) {
  double sum = 0.0;
  for (const analysis::PairShare& pair : importance.pairs) {
    if (pair.first == parameter || pair.second == parameter) sum += std::max(0.0, pair.share);
  }
  return sum;
}

double total_share(const analysis::Importance& importance, std::size_t parameter) {
  return std::max(0.0, importance.by_parameter[parameter]) + with_others(importance, parameter);
}

bool is_trustworthy(const std::optional<analysis::ModelledImportance>& modelled) {
  return modelled && modelled->model->error().r_squared >= kTrustworthy;
}

std::string model_text(const analysis::ModelledImportance& modelled, const std::string& where) {
  const search::models::ForestError& error = modelled.model->error();
  return fmt::format(
      "{}: a forest of {} rows, off by {:.1f} % in the median for rows it has not seen, R^2 {:.2f}{}\n",
      where, modelled.rows, 100.0 * error.median_relative_error, error.r_squared,
      error.r_squared < kTrustworthy ? ": too poor to say what matters" : "");
}

std::string pairs_text(const std::vector<search::Parameter>& parameters,
                       const analysis::Importance& importance, const std::string& where) {
  std::string text;
  std::size_t listed = 0;
  for (const analysis::PairShare& pair : importance.pairs) {
    if (pair.share < 2 * kLeastShare || listed++ == kMostPairs) break;
    text += fmt::format("{}{} x {} {}", text.empty() ? "" : ", ", parameters[pair.first].name,
                        parameters[pair.second].name, share_text(pair.share));
  }
  return text.empty() ? "" : fmt::format("strongest pairs {}: {}\n", where, text);
}

std::string importance_text(const search::Recording& recording, const Explanation& explanation) {
  if (!explanation.over_space) return "";
  const bool space = is_trustworthy(explanation.over_space);
  const bool near = is_trustworthy(explanation.near_best);
  std::string text = "\nWhich parameters matter: shares of the variance of log time\n";
  const std::vector<search::Parameter>& parameters = recording.parameters;
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t p) {
    return (space ? total_share(explanation.over_space->importance, p) : 0.0) +
           (near ? total_share(explanation.near_best->importance, p) : 0.0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  TextTable table({"parameter", "alone", "in pairs", "near the best", "in pairs"}, {1, 2, 3, 4});
  std::string idle;
  for (const std::size_t p : order) {
    if (parameters[p].values.size() < 2) continue;
    if (rank(p) < kLeastShare) {
      idle += (idle.empty() ? "" : ", ") + parameters[p].name;
      continue;
    }
    const auto cells = [&](bool shown, const std::optional<analysis::ModelledImportance>& modelled) {
      return shown ? std::pair(share_text(modelled->importance.by_parameter[p]),
                               share_text(with_others(modelled->importance, p)))
                   : std::pair(std::string(), std::string());
    };
    const auto [alone, paired] = cells(space, explanation.over_space);
    const auto [near_alone, near_paired] = cells(near, explanation.near_best);
    table.add({parameters[p].name, alone, paired, near_alone, near_paired});
  }
  if (!table.empty()) text += table.text();
  if ((space || near) && !idle.empty())
    text += fmt::format("less than {:.1f} %: {}\n", 100 * kLeastShare, idle);
  if (space) text += pairs_text(parameters, explanation.over_space->importance, "over the space");
  if (near) text += pairs_text(parameters, explanation.near_best->importance, "near the best");
  text += model_text(*explanation.over_space, "over the space");
  if (explanation.near_best)
    text += model_text(*explanation.near_best, fmt::format("within {}x of the best", analysis::kNearRatio));
  return text;
}

std::string border_text(const analysis::BorderTrend& trend) {
  std::string text = fmt::format(
      "{}: the best has {}, the end of the list, and from {} to {} it still gets faster: {} in {} pairs near "
      "the best",
      trend.parameter, search::to_text(trend.value), search::to_text(trend.inside),
      search::to_text(trend.value), faster_text(trend.effect.ratio.median), trend.effect.pairs);
  if (trend.best_ratio) text += fmt::format(", {} at the best", faster_text(*trend.best_ratio));
  text += trend.limit.empty() ? fmt::format("; try {}", search::to_text(trend.next))
                              : fmt::format("; {} would break: {}", search::to_text(trend.next), trend.limit);
  return text;
}

std::string idle_text(const std::vector<analysis::IdleParameter>& idle) {
  std::string list;
  std::size_t factor = 1;
  for (const analysis::IdleParameter& parameter : idle) {
    list += fmt::format("{}{}={}", list.empty() ? "" : ", ", parameter.parameter,
                        search::to_text(parameter.value));
    factor *= parameter.values;
  }
  return fmt::format(
      "near the best no value of {} does anything: fixed at {}, the space shrinks by up to {} times",
      idle.size() == 1 ? "this parameter" : "these", list, factor);
}

std::string outlook_text(const Explanation& explanation) {
  const analysis::Outlook& outlook = explanation.outlook;
  std::vector<std::string> lines;
  const auto add = [&](const auto& items, const auto& text_of) {
    for (std::size_t i = 0; i < std::min(items.size(), kMostOfKind); ++i) lines.push_back(text_of(items[i]));
    if (items.size() > kMostOfKind)
      lines.push_back(fmt::format("... and {} more of this kind", items.size() - kMostOfKind));
  };
  add(outlook.borders, border_text);
  add(outlook.blocked, [](const analysis::BlockedValue& blocked) {
    return fmt::format(
        "{}={} instead of {} is faster elsewhere, {} in {} pairs near the best; here it would break: {}",
        blocked.parameter, search::to_text(blocked.value), search::to_text(blocked.best_value),
        faster_text(blocked.effect.ratio.median), blocked.effect.pairs, blocked.limit);
  });
  if (!outlook.idle.empty()) lines.push_back(idle_text(outlook.idle));
  add(outlook.failing, [](const analysis::FailingValue& value) {
    return fmt::format("{}={} never works, in {} evaluations: {}{}{}", value.parameter,
                       search::to_text(value.value), value.rows, value.status,
                       value.reason.empty() ? "" : ": ", value.reason);
  });
  add(outlook.slow, [](const analysis::SlowValue& value) {
    return fmt::format("{}={} never comes nearer to the best than {:.1f} times its time, in {} evaluations",
                       value.parameter, search::to_text(value.value), value.ratio, value.rows);
  });
  if (lines.empty()) return "";
  std::string text = "\nWhat to try next\n";
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text;
}

}  // namespace

std::string explanation_text(const ExplainedSubject& subject, const Explanation& explanation) {
  std::string text = head_text(subject, explanation);
  for (const std::string& note : explanation.notes) text += fmt::format("note: {}\n", note);
  text += ends_text(subject, explanation);
  text += path_text(explanation);
  text += importance_text(*subject.recording, explanation);
  return text + outlook_text(explanation);
}

}  // namespace warptune::tuner::cli
