#include "tuner/rechecking/recheck_verdict.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "db/preference.h"

namespace warptune::tuner::rechecking {

namespace {

constexpr std::array<std::string_view, 5> kNames = {"holds", "faster", "slower", "flipped", "fails"};

double finite_or(const std::optional<double>& number, double otherwise) {
  return number && std::isfinite(*number) ? *number : otherwise;
}

// Whether the whole interval of `a` is below that of `b`. A time without an interval counts as exact.
bool is_below(const model::TimeSummary& a, const model::TimeSummary& b) {
  return finite_or(a.high_ns, a.median_ns) < finite_or(b.low_ns, b.median_ns);
}

bool is_measured(const RecheckedRow& row) {
  return row.after && row.after->status == model::Status::kMeasured && row.after->time;
}

Judgement failed(const RecheckedRow& winner) {
  Judgement judgement;
  judgement.verdict = Verdict::kFails;
  judgement.reason = "it was not measured";
  if (!winner.after) return judgement;
  judgement.reason = std::string(model::to_string(winner.after->status));
  if (!winner.after->reason.empty()) judgement.reason += ": " + winner.after->reason;
  return judgement;
}

// The fastest row that is better than the winner.
std::optional<std::size_t> better_row(const std::vector<RecheckedRow>& rows) {
  const model::TimeSummary& winner = *rows.front().after->time;
  std::optional<std::size_t> best;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!is_measured(rows[i]) || (rows[i].outputs && !rows[i].outputs->is_met())) continue;
    const model::TimeSummary& time = *rows[i].after->time;
    if (time.median_ns * db::kPreferredRatio >= winner.median_ns || !is_below(time, winner)) continue;
    if (!best || time.median_ns < rows[*best].after->time->median_ns) best = i;
  }
  return best;
}

}  // namespace

std::string_view to_string(Verdict verdict) { return kNames.at(static_cast<std::size_t>(verdict)); }

bool passes(Verdict verdict) { return verdict == Verdict::kHolds || verdict == Verdict::kFaster; }

Judgement judge(const std::vector<RecheckedRow>& rows, double limit_share) {
  if (rows.empty()) return {};
  const RecheckedRow& winner = rows.front();
  if (!is_measured(winner)) return failed(winner);
  const model::TimeSummary& after = *winner.after->time;
  Judgement judgement;
  if (winner.before) {
    const model::TimeSummary& before = *winner.before;
    const double change = after.median_ns / before.median_ns - 1.0;
    judgement.change_share = change;
    if (change > limit_share && is_below(before, after)) judgement.verdict = Verdict::kSlower;
    if (change < -limit_share && is_below(after, before)) judgement.verdict = Verdict::kFaster;
  }
  if (winner.outputs && !winner.outputs->is_met()) {
    judgement.verdict = Verdict::kFails;
    judgement.reason = winner.outputs->reason;
    return judgement;
  }
  judgement.better = better_row(rows);
  if (judgement.better) {
    judgement.verdict = Verdict::kFlipped;
    judgement.gain_share = after.median_ns / rows[*judgement.better].after->time->median_ns - 1.0;
  }
  return judgement;
}

}  // namespace warptune::tuner::rechecking
