#include "tuner/text_output/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "tuner/session/finals/demanded_outputs.h"
#include "tuner/session/finals/verification.h"
#include "tuner/text_output/configuration_comparison.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/style.h"

namespace warptune::tuner::text_output {

namespace {

// Why a search found nothing more to evaluate. A recording may hold a part of the space only.
std::string exhausted_text(const session::SessionProgress& progress, bool replayed) {
  const std::uint64_t done = progress.evaluated + progress.known;
  if (!replayed || done >= progress.space_size) return "; the space is exhausted";
  return fmt::format("; the recording holds none of the other {}", progress.space_size - done);
}

std::string summary_of(const session::SessionResult& result, bool replayed) {
  const session::SessionProgress& progress = result.progress;
  std::string text = fmt::format("{} evaluated in {:.1f} s",
                                 base::counted(progress.evaluated, "configuration"), progress.elapsed_s);
  const std::uint64_t before = progress.known - progress.shared;
  if (before > 0) text += fmt::format(", {} known from earlier sessions", before);
  if (progress.shared > 0) text += fmt::format(", {} by sessions that ran meanwhile", progress.shared);
  text += fmt::format(", of {} in the space", progress.space_size);
  std::string parts;
  for (const auto& [status, count] : progress.by_status) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, model::to_string(status));
  }
  if (!parts.empty()) text += ": " + parts;
  if (result.exhausted) text += exhausted_text(progress, replayed);
  return text + "\n";
}

std::string percent_text(double share) { return fmt::format("{:.2g} %", 100.0 * share); }

// Says where the search began and why it ended.
std::string search_text(const session::SessionPlan& plan, const session::SessionResult& result) {
  std::string text;
  if (result.source) {
    text += fmt::format("began with {} of {} on {}\n", base::counted(result.source->rows, "measurement"),
                        model::to_text(result.source->workload.problem), result.source->workload.gpu.name);
  }
  if (result.goal_reached) {
    text +=
        plan.goal.roof_share
            ? fmt::format("ended because the best configuration reached {} of the roof\n",
                          percent_text(*plan.goal.roof_share))
            : fmt::format("ended because the search's model predicts that more evaluations gain at most {}\n",
                          plan.goal.text);
  }
  if (result.expected_gain) {
    const session::ExpectedGain& gain = *result.expected_gain;
    text += fmt::format(
        "another {} would gain at most {}, according to the model of {}\n",
        gain.seconds ? fmt::format("{:.0f} s", *gain.seconds) : base::counted(gain.evaluations, "evaluation"),
        percent_text(gain.share), plan.strategy);
  } else if (plan.goal.gain_share && result.progress.evaluated > 0 && !result.exhausted) {
    text += fmt::format("--until {}: strategy {} had no model to predict the gain of more evaluations\n",
                        plan.goal.text, plan.strategy);
  }
  return text;
}

std::string failure_table(const session::SessionResult& result) {
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [reason, count] : result.reasons) reasons.emplace_back(count, reason);
  std::sort(reasons.rbegin(), reasons.rend());
  std::string text;
  constexpr std::size_t kMaxShown = 5;
  for (std::size_t i = 0; i < std::min(reasons.size(), kMaxShown); ++i) {
    text += fmt::format("  {} x {}\n", reasons[i].first, reasons[i].second);
  }
  if (reasons.size() > kMaxShown)
    text += fmt::format("  and {}; see warptune show {}\n",
                        base::counted(reasons.size() - kMaxShown, "further reason"), result.session_id);
  return text;
}

// Lists the rows whose outputs are right, but whose times or counters cannot be true. A person has to find
// out why.
std::string implausible_text(const session::SessionResult& result) {
  if (result.implausible.empty()) return "";
  constexpr std::size_t kMaxShown = 5;
  std::string text =
      fmt::format("{}: {}\n", styled(Style::kCaution, "implausible measurements, which are not ranked"),
                  result.implausible.size());
  for (std::size_t i = 0; i < std::min(result.implausible.size(), kMaxShown); ++i) {
    const session::ImplausibleRow& row = result.implausible[i];
    text += fmt::format("  {}: {}\n", model::to_text(row.configuration), base::first_line(row.reason));
  }
  if (result.implausible.size() > kMaxShown)
    text += fmt::format("  and {} more\n", result.implausible.size() - kMaxShown);
  return text;
}

// Lists what a person should know before relying on the best configuration: a doubtful [work] section, and
// finalists that are less precise than the others.
std::string doubts_text(const session::SessionResult& result) {
  std::string text;
  if (result.work_doubt)
    text += fmt::format("{} {}\n", styled(Style::kCaution, "doubtful:"), result.work_doubt->message());
  for (const session::FinalistImprecise& one : result.imprecise)
    text += fmt::format("{} {}\n", styled(Style::kCaution, "imprecise:"), one.message());
  return text;
}

// Returns the whole text of the most common failure of a session. Failures whose texts have the same first
// line count as one.
std::string commonest_failure(const db::Store& store, std::int64_t session_id) {
  struct Failure {
    std::string text;
    std::uint64_t count = 0;
  };
  std::map<std::string, Failure> failures;
  Failure commonest;
  for (const db::OutcomeCount& outcome : store.outcome_counts(session_id)) {
    if (outcome.reason.empty()) continue;
    const std::string text = fmt::format("{}: {}", model::to_string(outcome.status), outcome.reason);
    Failure& failure = failures[std::string(base::first_line(text))];
    if (failure.text.empty()) failure.text = text;
    failure.count += outcome.rows;
    if (failure.count > commonest.count) commonest = failure;
  }
  return commonest.text;
}

std::string head_of(const session::TuningOutcome& outcome) {
  const session::SessionPlan& plan = outcome.plan;
  const std::size_t gpus = outcome.ordinals.size();
  return fmt::format("{} {} on {}{}{}\n", plan.workload.kernel, model::to_text(plan.workload.problem),
                     gpus > 1 ? fmt::format("{} x ", gpus) : "", plan.workload.gpu.name,
                     plan.replayed ? " (replayed)" : "");
}

std::string objective_text(const session::TuningOutcome& outcome, const db::Store& store) {
  const session::SessionPlan& plan = outcome.plan;
  const session::SessionResult& result = outcome.result;
  if (plan.objective.is_time()) return "";
  const bool several = plan.objective.parts().size() > 1;
  std::string text;
  if (several) {
    text = "\n" + pareto_text(pareto_points(store, plan.workload, plan.objective), plan.objective, plan.work,
                              outcome.roofs, result.best_value.value_or(0.0));
  } else {
    text = fmt::format("objective {}: best {}\n", plan.objective.text(),
                       objective_value_text(plan.objective.text(), result.best_value.value_or(0.0)));
  }
  if (result.unrated > 0)
    text += fmt::format("measured but not rated: {}, because a metric is missing{}\n", result.unrated,
                        several ? ", or one is not positive" : "");
  return text;
}

}  // namespace

std::string ties_text(const std::vector<model::NamedValues>& tied) {
  if (tied.empty()) return "";
  constexpr std::size_t kMaxShown = 5;
  std::string text = fmt::format("tied with the best: {}: ", base::counted(tied.size(), "other"));
  for (std::size_t i = 0; i < std::min(tied.size(), kMaxShown); ++i)
    text += (i == 0 ? "" : "; ") + model::to_text(tied[i]);
  return text + (tied.size() > kMaxShown ? "; ...\n" : "\n");
}

std::string tune_text(const session::TuningOutcome& outcome, const db::Store& store,
                      const std::string& kernel) {
  const session::SessionPlan& plan = outcome.plan;
  const session::SessionResult& result = outcome.result;
  if (result.session_id == 0) return head_of(outcome) + "cancelled before the first measurement\n";
  std::string text =
      head_of(outcome) + summary_of(result, plan.replayed) + failure_table(result) + implausible_text(result);
  text += search_text(plan, result);
  text += fmt::format("timed from {}\n", model::l2_text(plan.workload.cache));
  if (!result.best) return text + replayed_text(outcome);
  text += objective_text(outcome, store) + "\n";
  text +=
      comparison_table(default_and_best(result.default_measurement, *result.best), plan.work, outcome.roofs);
  text += ties_text(result.tied) + session::finals::verification_text(*result.best);
  text += session::finals::demanded_text(plan, result) + doubts_text(result);
  return text +
         fmt::format("\nstored as session {}; show the best with: {}\n", result.session_id,
                     session::finals::query_command(plan, kernel)) +
         replayed_text(outcome);
}

std::string replayed_text(const session::TuningOutcome& outcome) {
  if (!outcome.plan.replayed) return "";
  return styled(Style::kCaution,
                fmt::format("replayed from {}: nothing was measured on this machine, and export leaves "
                            "replayed results out without --replayed",
                            outcome.recording)) +
         "\n";
}

base::WorkError nothing_measured_in(const session::TuningOutcome& outcome, const db::Store& store) {
  const session::SessionResult& result = outcome.result;
  const session::SessionProgress& progress = result.progress;
  if (progress.evaluated == 0 && progress.known == 0)
    return base::WorkError("nothing was evaluated within the budget");
  if (!result.passed_over.empty()) {
    return base::WorkError(session::finals::nothing_met_text(*outcome.plan.reproducible, result.passed_over));
  }
  const auto measured = progress.by_status.find(model::Status::kMeasured);
  if (measured != progress.by_status.end()) {
    return base::WorkError(
        fmt::format("{} measured, but --objective {} could not rate any: a metric is missing{}",
                    base::counted(measured->second, "configuration was", "configurations were"),
                    outcome.plan.objective.text(),
                    outcome.plan.objective.parts().size() > 1 ? ", or one is not positive" : ""));
  }
  const std::string failure = commonest_failure(store, result.session_id);
  return base::WorkError(
      fmt::format("no configuration could be measured; every failure is stored, see warptune show {}{}{}",
                  result.session_id, failure.empty() ? "" : "; the most common one is\n", failure));
}

}  // namespace warptune::tuner::text_output
