#pragma once

#include <optional>
#include <string>

#include "tuner/rechecking/recheck_session.h"

namespace warptune::tuner::rechecking {

/// The text of the output of `warptune recheck --format json`. Without an outcome, it is that of `--dry-run`:
/// what would be measured again.
std::string recheck_json(const RecheckRequest& request, const RecheckPlan& plan,
                         const std::optional<RecheckOutcome>& outcome);

}  // namespace warptune::tuner::rechecking
