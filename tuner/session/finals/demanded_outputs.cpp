#include "tuner/session/finals/demanded_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "tuner/session/finals/choice.h"

namespace warptune::tuner::session::finals {

namespace {

using Kind = model::outputs::ReproducibilityVerdict::Kind;

std::uint64_t count_of(const std::vector<PassedOverRow>& rows, Kind kind) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(rows, [&](const PassedOverRow& row) { return row.verdict.kind == kind; }));
}

std::string counts_text(const std::vector<PassedOverRow>& rows) {
  return fmt::format("{} not meet it, {} not known",
                     base::counted(count_of(rows, Kind::kUnmet), "configuration does", "configurations do"),
                     base::counted(count_of(rows, Kind::kUnknown), "is", "are"));
}

}  // namespace

DemandedOutputs::DemandedOutputs(const SessionPlan& plan, const db::Store& store, knowledge::Ranking& ranking)
    : demanded_(*plan.reproducible), store_(store), ranking_(ranking) {
  ranking_.ignore_preferred();
}

model::outputs::ReproducibilityVerdict DemandedOutputs::judge(const db::StoredMeasurement& row) const {
  const model::Measurement judged = with_counters(row, store_);
  const db::StoredMeasurement* const usual = ranking_.default_row();
  if (usual == nullptr) return model::outputs::judge(demanded_, judged, nullptr);
  const model::Measurement usual_row = with_counters(*usual, store_);
  return model::outputs::judge(demanded_, judged, &usual_row);
}

bool DemandedOutputs::keep(const db::StoredMeasurement& row) {
  model::outputs::ReproducibilityVerdict verdict = judge(row);
  if (verdict.is_met()) return true;
  passed_over_.push_back({row.measurement.configuration, std::move(verdict)});
  ranking_.pass_over(row.id);
  return false;
}

void DemandedOutputs::reach_first_met() {
  bool is_met = false;
  while (!is_met && !ranking_.rows().empty())
    is_met = keep(db::StoredMeasurement(ranking_.rows().front().stored));
}

void DemandedOutputs::report(SessionResult& result) {
  if (const knowledge::RatedRow* best = ranking_.best()) result.reproducible = judge(best->stored);
  result.passed_over = std::exchange(passed_over_, {});
}

std::string demanded_text(const SessionPlan& plan, const SessionResult& result) {
  if (!plan.reproducible || !result.reproducible) return "";
  constexpr std::size_t kMaxShown = 5;
  std::string text =
      fmt::format("reproducible ({}): {}\n", plan.reproducible->text, result.reproducible->reason);
  const std::vector<PassedOverRow>& rows = result.passed_over;
  if (rows.empty()) return text;
  text += fmt::format("passed over: {}\n", counts_text(rows));
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxShown); ++i)
    text += fmt::format("  {}: {}\n", model::to_text(rows[i].configuration), rows[i].verdict.reason);
  if (rows.size() > kMaxShown) text += fmt::format("  and {} more\n", rows.size() - kMaxShown);
  return text;
}

std::string query_command(const SessionPlan& plan, const std::string& kernel) {
  return fmt::format("warptune query {}{}", kernel,
                     plan.reproducible ? " --reproducible=" + plan.reproducible->text : "");
}

std::string nothing_met_text(const model::outputs::Reproducibility& demanded,
                             const std::vector<PassedOverRow>& passed_over) {
  std::string text = fmt::format("no configuration {}: {}", demanded.sentence(), counts_text(passed_over));
  if (!passed_over.empty()) {
    text += fmt::format("; the first is {}: {}", model::to_text(passed_over.front().configuration),
                        passed_over.front().verdict.reason);
  }
  return text;
}

}  // namespace warptune::tuner::session::finals
