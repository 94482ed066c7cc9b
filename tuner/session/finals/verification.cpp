#include "tuner/session/finals/verification.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/text.h"
#include "db/confirmation.h"
#include "model/own_metrics.h"

namespace warptune::tuner::session::finals {

namespace {

std::optional<double> find(const model::Counters& counters, const char* name) {
  const auto found = counters.find(name);
  return found == counters.end() || !std::isfinite(found->second) ? std::nullopt
                                                                  : std::optional(found->second);
}

}  // namespace

bool was_launched(const profiling::timing::Confirmation& confirmation) {
  const model::Status status = confirmation.verdict.status;
  return status != model::Status::kWorkerDied && status != model::Status::kTimedOut &&
         status != model::Status::kCompileFailed;
}

model::Counters counters_of(const profiling::timing::Confirmation& confirmation) {
  model::Counters counters = {
      {model::own_metric::kVerifiedLaunches, static_cast<double>(confirmation.launches)},
      {model::own_metric::kDetectionChance,
       confirmation.chance_of_detection(Verification::kLaunchesPerError)},
      {model::own_metric::kDeviatingLaunches, static_cast<double>(confirmation.deviating)}};
  if (confirmation.deviation_of_tolerance && std::isfinite(*confirmation.deviation_of_tolerance))
    counters[model::own_metric::kDeviationShareOfTolerance] = *confirmation.deviation_of_tolerance;
  return counters;
}

model::Counters with_earlier_confirmation(const model::Counters& before) {
  if (!before.contains(model::own_metric::kVerifiedLaunches)) return {};
  const auto sum = [&](const char* one, const char* other) {
    return find(before, one).value_or(0.0) + find(before, other).value_or(0.0);
  };
  return {{model::own_metric::kComparedLaunches,
           sum(model::own_metric::kComparedLaunches, model::own_metric::kVerifiedLaunches)},
          {model::own_metric::kDifferingLaunches,
           sum(model::own_metric::kDifferingLaunches, model::own_metric::kDeviatingLaunches)}};
}

std::optional<Verification> verification_of(const model::Measurement& row) {
  const std::optional<double> launches = db::confirming_launches(row);
  if (!launches) return std::nullopt;
  const model::Counters& counters = row.counters;
  profiling::timing::Confirmation confirmation;
  confirmation.launches = static_cast<std::uint64_t>(*launches);
  Verification verification;
  verification.launches = *launches;
  verification.chance_of_detection =
      find(counters, model::own_metric::kDetectionChance)
          .value_or(confirmation.chance_of_detection(Verification::kLaunchesPerError));
  verification.deviating = find(counters, model::own_metric::kDeviatingLaunches).value_or(0.0);
  verification.deviation_of_tolerance = find(counters, model::own_metric::kDeviationShareOfTolerance);
  return verification;
}

std::string nondeterminism_text(const Verification& verification) {
  if (!verification.nondeterministic()) return "";
  std::string text = fmt::format("nondeterministic: {:.0f} of {:.0f} launches gave other bits",
                                 verification.deviating, verification.launches);
  if (verification.deviation_of_tolerance)
    text += fmt::format(", at most {:.2g} of the tolerance apart", *verification.deviation_of_tolerance);
  return text;
}

std::string verification_text(const model::Measurement& best) {
  const std::optional<Verification> verification = verification_of(best);
  if (best.source == model::RowSource::kImported ||
      (!verification && best.source == model::RowSource::kReplayed))
    return "";
  if (!verification)
    return "not confirmed: it has not been verified on new inputs, as the best of a completed session is\n";
  std::string text = fmt::format(
      "verified in {} on new inputs: an error in one of {:.0f} launches would have been "
      "found with a chance of {:.0f} %\n",
      base::counted(static_cast<std::uint64_t>(verification->launches), "further launch", "further launches"),
      Verification::kLaunchesPerError, std::floor(100.0 * verification->chance_of_detection));
  if (verification->nondeterministic()) text += nondeterminism_text(*verification) + "\n";
  return text;
}

}  // namespace warptune::tuner::session::finals
