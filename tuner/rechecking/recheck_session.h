#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/cancellation.h"
#include "tuner/rechecking/recheck_plan.h"
#include "tuner/rechecking/recheck_verdict.h"
#include "tuner/session/session_events.h"

namespace warptune::tuner::rechecking {

/// What is stored as the purpose of a session of `recheck`, in place of a strategy's name.
inline constexpr const char* kPurpose = "recheck";

/// A workload that was measured again.
struct RecheckResult {
  PlannedRecheck planned{};  ///< Its rows have the new measurements. They may be more than were planned.
  std::vector<std::int64_t> sessions{};             ///< The sessions that store the new rows.
  std::optional<model::Environment> environment{};  ///< No value: no session has begun.
  Judgement judgement{};
  /// Rows of earlier sessions whose old time is still more than 1 % shorter than that of the best one now.
  /// They were not measured again, so that a look-up may prefer one of them.
  std::size_t unproven = 0;
  /// Whether the winner gives other bits than before on the same inputs. No value: that is not known, or
  /// its launches differ from each other, before or now.
  std::optional<bool> has_other_bits{};
};

/// What a recheck has measured.
struct RecheckOutcome {
  std::vector<RecheckResult> results{};
  bool interrupted = false;  ///< It was cancelled: the results are those of the workloads before.
};

/// Receives each result as soon as it is known.
using ResultListener = std::function<void(const RecheckResult&)>;

/// Measures the winners of a plan again, with their rivals. Each workload gets a session of its own, whose
/// final rounds time all of them interleaved. Rows of earlier sessions are not changed. If the best one is
/// now slower than old times of other rows, up to two more sessions measure the fastest of these too. A
/// workload whose definition cannot be used any more fails with the reason. Throws `base::MachineError` when
/// the GPU or the database cannot be used.
RecheckOutcome recheck(const RecheckRequest& request, const RecheckPlan& plan,
                       session::SessionListener& listener, const ResultListener& on_result,
                       const base::Cancellation& cancellation);

}  // namespace warptune::tuner::rechecking
