#include "tuner/text_output/explain_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "profiling/counters/metrics.h"
#include "tuner/knowledge/workload.h"
#include "tuner/text_output/configuration_comparison.h"
#include "tuner/text_output/diagnosis_report.h"
#include "tuner/text_output/explain_sections.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/surveys/program_steps_text.h"

namespace warptune::tuner::text_output {

namespace {

constexpr double kMinShownChange = 0.01;   // A step with a smaller change is listed without its counters.
constexpr std::size_t kMetricsOfStep = 3;  // How many counters are listed.
constexpr std::size_t kResourcesOfStep = 2;

struct ShownMetric {
  std::string_view name;
  std::string_view title;
  std::string_view unit;
};
constexpr std::array<ShownMetric, 5> kResources = {{{"registers", "registers per thread", ""},
                                                    {"shared_bytes", "shared memory per block", "byte"},
                                                    {"local_bytes", "local memory per thread", "byte"},
                                                    {"blocks", "blocks", ""},
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
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue()) {
    if (metric.name == name) return {metric.name, metric.title, metric.unit};
  }
  return {name, name, ""};
}

std::string value_text(std::string_view unit, double value) {
  return unit == "share" ? fmt::format("{:.3g} %", 100.0 * value) : format_counter(unit, value);
}

std::string metric_text(const search::analysis::MetricChange& change) {
  const ShownMetric metric = shown(change.name);
  return fmt::format("{} {} -> {}", lower_first(metric.title), value_text(metric.unit, change.before),
                     value_text(metric.unit, change.after));
}

std::string change_text(const search::analysis::ParameterStep& change) {
  return fmt::format("{} {} -> {}", change.name, model::to_text(change.from), model::to_text(change.to));
}

std::string_view grouping_text(search::analysis::Grouping grouping) {
  switch (grouping) {
    case search::analysis::Grouping::kInvalidApart:
      return "changed together: separately they break a constraint";
    case search::analysis::Grouping::kFailedApart:
      return "changed together: separately they break a constraint or fail";
    case search::analysis::Grouping::kSlowerApart:
      return "changed together: separately they make it slower";
    case search::analysis::Grouping::kUnmeasuredSeparately:
      return "changed together: the steps between were not measured";
    case search::analysis::Grouping::kAlone:
      break;
  }
  return "";
}

std::string head_text(const ExplainedWorkload& workload, const explaining::Explanation& explanation) {
  std::string text = knowledge::heading_of(*workload.recording) + "\n";
  text += fmt::format("from {}: {} evaluated, {} with a time", workload.origin, explanation.rows,
                      explanation.timed);
  if (explanation.estimated > 0)
    text += fmt::format(" ({} of these are estimates: dropped early as too slow)", explanation.estimated);
  if (explanation.measured_now > 0) text += fmt::format("; {} measured now", explanation.measured_now);
  if (workload.session) text += fmt::format(", stored as session {}", *workload.session);
  return text + "\n";
}

// Compares the first and the last configuration of the path.
std::string ends_text(const ExplainedWorkload& workload, const explaining::Explanation& explanation) {
  std::vector<ReportColumn> columns;
  if (explanation.from && search::analysis::has_time(*explanation.from))
    columns.push_back({explanation.from_title, *explanation.from});
  const bool same =
      explanation.from && explanation.to &&
      model::key_of(explanation.from->configuration) == model::key_of(explanation.to->configuration);
  if (same && !columns.empty()) {
    columns.front().title = fmt::format("{} = {}", explanation.from_title, explanation.to_title);
  } else if (explanation.to && search::analysis::has_time(*explanation.to)) {
    columns.push_back({explanation.to_title, *explanation.to});
  }
  if (columns.empty()) return "";
  return "\n" + comparison_table(columns, workload.recording->work, workload.recording->roofs);
}

std::string everywhere_text(const explaining::ExplainedStep& step) {
  if (!step.everywhere || step.everywhere->pairs < 2 || !step.everywhere->ratio) return "";
  const model::MedianInterval& ratio = *step.everywhere->ratio;
  // A high ratio of the times is a low speed-up.
  return fmt::format("everywhere in the space: {} ({} to {}) in {} pairs", speed_up_text(ratio.median),
                     speed_up_text(ratio.high), speed_up_text(ratio.low), step.everywhere->pairs);
}

// Lists changed counters first, then changed resources of the code.
std::string metrics_text(const explaining::ExplainedStep& step) {
  std::string text;
  for (const bool resources : {false, true}) {
    const std::size_t maximum = resources ? kResourcesOfStep : kMetricsOfStep;
    std::size_t listed = 0;
    for (const search::analysis::MetricChange& change : step.metrics) {
      if (change.is_resource != resources || listed == maximum) continue;
      text += (text.empty() ? "" : "; ") + metric_text(change);
      ++listed;
    }
  }
  return text;
}

std::string modelled_text(const explaining::ExplainedStep& step) {
  std::string text;
  for (const explaining::ModelledChange& change : step.modelled)
    text += fmt::format("{}{} {}", text.empty() ? "predicted by the model: " : ", ",
                        change_text(change.change), speed_up_text(change.ratio));
  return text;
}

std::string step_details(const explaining::ExplainedStep& step) {
  std::string text;
  const auto line = [&](std::string_view content) {
    if (!content.empty()) text += fmt::format("      {}\n", content);
  };
  line(grouping_text(step.step.grouping));
  if (step.within_noise || std::abs(std::log(step.ratio)) < kMinShownChange) return text;
  line(modelled_text(step));
  line(metrics_text(step));
  line(everywhere_text(step));
  return text;
}

std::string effect_text(const explaining::ExplainedStep& step) {
  if (step.within_noise) return "no difference";
  return fmt::format("{}, {:.0f} % of the gain", speed_up_text(step.ratio), 100.0 * step.share);
}

std::string path_text(const explaining::Explanation& explanation) {
  if (explanation.steps.empty()) return "";
  const explaining::ExplainedStep& first = explanation.steps.front();
  const double ratio = explanation.steps.back().step.after.time->median_ns / first.before.time->median_ns;
  std::vector<std::string> titles = {"    " + explanation.from_title};
  std::size_t width = 0;
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    std::string title = fmt::format("{:>2}. ", i + 1);
    for (const search::analysis::ParameterStep& change : explanation.steps[i].step.changes)
      title += (&change == &explanation.steps[i].step.changes.front() ? "" : ", ") + change_text(change);
    titles.push_back(std::move(title));
  }
  for (const std::string& title : titles) width = std::max(width, title.size());
  std::string text =
      fmt::format("\nFrom the {} to the {}, each step with the largest known gain: {} as fast\n",
                  explanation.from_title, explanation.to_title, speed_up_text(ratio));
  text += fmt::format("{:<{}}  {:>8}\n", titles.front(), width, time_text(first.before));
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    const explaining::ExplainedStep& step = explanation.steps[i];
    text += fmt::format("{:<{}}  {:>8}  {}\n", titles[i + 1], width, time_text(step.step.after),
                        effect_text(step));
    text += step_details(step);
  }
  if (!explanation.arrived) text += "    the path ends here: no further step is known\n";
  if (explanation.not_measured > 0) {
    text += fmt::format("    {} possible steps were not measured; the path uses only measured ones\n",
                        explanation.not_measured);
  }
  return text;
}

// Rules that lack counters are the same for both ends. Only their number is shown; `profile` lists them.
std::string diagnoses_text(const explaining::Explanation& explanation) {
  std::string text;
  std::size_t unchecked = 0;
  const auto add = [&](const std::string& title, std::optional<profiling::diagnosis::Diagnosis> diagnosis) {
    if (!diagnosis) return;
    unchecked = std::max(unchecked, std::exchange(diagnosis->unchecked, {}).size());
    text += fmt::format("\nDiagnosis of the {}\n{}", title, diagnosis_text(*diagnosis));
  };
  add(explanation.from_title, explanation.from_diagnosis);
  const bool same = explanation.arrived && explanation.steps.empty();
  if (!same) add(explanation.to_title, explanation.to_diagnosis);
  if (unchecked > 0)
    text += fmt::format("{} further rules need counters that only warptune profile reads\n", unchecked);
  return text;
}

}  // namespace

std::string speed_up_text(double ratio) { return fmt::format("{:.2f}x", 1.0 / ratio); }

namespace {

// The steps of a host program, at both ends of the path.
std::string programs_text(const explaining::Explanation& explanation) {
  std::string text;
  const auto add = [&](const std::optional<explaining::TracedProgram>& program, const std::string& title,
                       const std::optional<model::Measurement>& measurement) {
    if (program)
      text += surveys::program_steps_text(*program,
                                          measurement ? model::median_ns_of(*measurement).value_or(0.0) : 0.0,
                                          fmt::format("Steps of the {}", title));
  };
  add(explanation.from_program, explanation.from_title, explanation.from);
  add(explanation.to_program, explanation.to_title, explanation.to);
  return text;
}

}  // namespace

std::string explanation_text(const ExplainedWorkload& workload, const explaining::Explanation& explanation) {
  std::string text = head_text(workload, explanation);
  for (const std::string& note : explanation.notes) text += fmt::format("note: {}\n", note);
  text += ends_text(workload, explanation);
  text += path_text(explanation);
  text += diagnoses_text(explanation);
  text += programs_text(explanation);
  text += importance_text(*workload.recording, explanation);
  return text + next_steps_text(explanation.next_steps);
}

}  // namespace warptune::tuner::text_output
