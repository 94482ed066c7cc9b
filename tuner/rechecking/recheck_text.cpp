#include "tuner/rechecking/recheck_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "profiling/known_gpu.h"
#include "tuner/knowledge/environment_changes.h"
#include "tuner/text_output/style.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::rechecking {

namespace {

// Each change with the number of workloads for which it holds, in the order in which they first occur.
std::string changes_text(const RecheckOutcome& outcome) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  std::size_t compared = 0;
  for (const RecheckResult& result : outcome.results) {
    if (!result.environment) continue;
    ++compared;
    for (const knowledge::EnvironmentChange& difference :
         knowledge::environment_changes(result.planned.winner.environment, *result.environment)) {
      const std::string change =
          fmt::format("{} {} -> {}", difference.title, difference.before, difference.after);
      const auto found =
          std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == change; });
      if (found == counts.end()) {
        counts.emplace_back(change, 1);
      } else {
        ++found->second;
      }
    }
  }
  if (compared == 0) return "";
  if (counts.empty()) return "since then: no change of driver, NVRTC, warptune or clocks is known\n";
  std::string text;
  for (const auto& [change, count] : counts) {
    text += fmt::format("{}{}", text.empty() ? "since then: " : "; ", change);
    if (count < compared) text += fmt::format(" ({} of {} workloads)", count, compared);
  }
  return text + "\n";
}

// For how many workloads the GPU was throttled when its session began.
std::string throttled_text(const RecheckOutcome& outcome) {
  const auto is_throttled = [](const RecheckResult& result) {
    return result.environment && profiling::is_throttled(*result.environment);
  };
  const auto count = std::count_if(outcome.results.begin(), outcome.results.end(), is_throttled);
  if (count == 0) return "";
  return fmt::format(
      "the GPU was throttled when {} of {} began, which can make a winner slower; nvidia-smi -q -d "
      "PERFORMANCE "
      "says why\n",
      count, base::counted(outcome.results.size(), "recheck"));
}

std::string workload_text(const model::Workload& workload) {
  std::string text = model::to_text(workload.problem);
  if (workload.cache != model::CacheState::kCold) text += ", warm L2";
  return text;
}

std::string verdict_text(const RecheckResult& result) {
  const Judgement& judgement = result.judgement;
  std::string text(to_string(judgement.verdict));
  if (judgement.better)
    text += fmt::format(": {} is {:.1f} % faster",
                        model::to_text(result.planned.rows[*judgement.better].configuration),
                        100 * judgement.gain_share);
  if (!judgement.reason.empty()) text += ": " + judgement.reason;
  return text;
}

std::string time_after(const RecheckedRow& winner) {
  const bool measured = winner.after && winner.after->status == model::Status::kMeasured;
  return measured ? base::format_time_ns(model::median_ns_of(*winner.after)) : "-";
}

text_output::Style style_of(Verdict verdict) {
  if (verdict == Verdict::kFails) return text_output::Style::kBad;
  return passes(verdict) ? text_output::Style::kGood : text_output::Style::kCaution;
}

std::string counts_text(const RecheckOutcome& outcome) {
  std::map<Verdict, std::size_t> counts;
  for (const RecheckResult& result : outcome.results) ++counts[result.judgement.verdict];
  std::string text = fmt::format("{} measured again", base::counted(outcome.results.size(), "winner"));
  for (const auto& [verdict, count] : counts) text += fmt::format(", {} {}", count, to_string(verdict));
  return text + "\n";
}

std::string not_measured_text(const RecheckPlan& plan) {
  if (plan.skipped.empty()) return "";
  return fmt::format("not measured again: {}\n", skipped_text(plan.skipped));
}

}  // namespace

std::string result_line(const RecheckResult& result) {
  const model::Workload& workload = result.planned.winner.workload;
  return fmt::format("{} {}: {}\n", workload.kernel, workload_text(workload),
                     to_string(result.judgement.verdict));
}

std::string recheck_text(const RecheckOutcome& outcome, const RecheckPlan& plan) {
  text_output::TextTable table({"kernel", "problem", "before", "after", "change", "verdict"}, {2, 3, 4});
  std::string notes;
  for (const RecheckResult& result : outcome.results) {
    const model::Workload& workload = result.planned.winner.workload;
    const RecheckedRow& winner = result.planned.rows.front();
    const std::optional<double>& change = result.judgement.change_share;
    table.add({workload.kernel, workload_text(workload),
               base::format_time_ns(model::median_ns_of(result.planned.winner.best)), time_after(winner),
               change ? fmt::format("{:+.1f} %", 100 * *change) : "-", verdict_text(result)},
              style_of(result.judgement.verdict));
    if (result.has_other_bits.value_or(false)) {
      notes += fmt::format("{} {}: the winner gives other bits than before on the same inputs\n",
                           workload.kernel, workload_text(workload));
    }
    if (result.unproven > 0)
      notes += fmt::format(
          "{} {}: {} of earlier sessions {} ahead by old times, and may no longer hold; measure them again "
          "with "
          "warptune tune {} --fresh\n",
          workload.kernel, workload_text(workload), base::counted(result.unproven, "row"),
          result.unproven == 1 ? "is" : "are", result.planned.kernel);
  }
  return fmt::format("{}{}{}{}{}{}", table.empty() ? "" : table.text(), counts_text(outcome),
                     changes_text(outcome), throttled_text(outcome), notes, not_measured_text(plan));
}

std::string plan_text(const RecheckPlan& plan) {
  text_output::TextTable table({"kernel", "problem", "before", "configurations", "winner"}, {2, 3});
  for (const PlannedRecheck& planned : plan.workloads) {
    const db::Winner& winner = planned.winner;
    table.add({winner.workload.kernel, workload_text(winner.workload),
               base::format_time_ns(model::median_ns_of(winner.best)), std::to_string(planned.rows.size()),
               model::to_text(winner.best.configuration)});
  }
  return fmt::format("{}{} would be measured again on {}\n{}", table.empty() ? "" : table.text(),
                     base::counted(plan.workloads.size(), "winner"), plan.gpu.name, not_measured_text(plan));
}

}  // namespace warptune::tuner::rechecking
