#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/rechecking/recheck_plan.h"

namespace warptune::tuner::rechecking {

/// What measuring a winner again has shown. Only `kHolds` and `kFaster` pass a check.
enum class Verdict {
  kHolds,    ///< It is still the best of those that were measured again, and about as fast as before.
  kFaster,   ///< The same, but its time is shorter by more than the limit.
  kSlower,   ///< It is still the best, but its time is longer by more than the limit.
  kFlipped,  ///< Another configuration is now better.
  kFails     ///< It no longer runs, its result is wrong, or its outputs are not what is demanded.
};

/// The word for a verdict in output: `holds`, `faster`, `slower`, `flipped`, `fails`.
std::string_view to_string(Verdict verdict);
bool passes(Verdict verdict);

/// A verdict and its grounds.
struct Judgement {
  Verdict verdict = Verdict::kHolds;
  std::optional<double> change_share{};  ///< The winner's time after, over its time before, minus 1.
  std::optional<std::size_t> better{};   ///< With `kFlipped`: the index of the row that is now the best.
  double gain_share = 0.0;               ///< How much longer the winner's time is than that of `better`.
  std::string reason{};                  ///< With `kFails`: why.
};

/// Judges a workload. `rows` are those of a `PlannedRecheck`, measured again; the first is the winner. Times
/// differ only if their 95 % intervals do not overlap. Another row is better if it also is more than 1 %
/// faster (`db::kPreferredRatio`): below that, warptune chooses by simplicity. Where something is demanded of
/// the outputs (`RecheckedRow::outputs`), only a row that meets it is better, and a winner that does not meet
/// it fails.
Judgement judge(const std::vector<RecheckedRow>& rows, double limit_share);

}  // namespace warptune::tuner::rechecking
