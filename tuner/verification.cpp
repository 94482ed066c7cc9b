#include "tuner/verification.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace warptune::tuner {

namespace {

constexpr const char* kLaunches = "verified_launches";
constexpr const char* kChance = "detection_chance";
constexpr const char* kDeviating = "deviating_launches";
constexpr const char* kDeviation = "deviation_of_tolerance";

std::optional<double> find(const search::Counters& counters, const char* name) {
  const auto found = counters.find(name);
  return found == counters.end() || !std::isfinite(found->second) ? std::nullopt
                                                                  : std::optional(found->second);
}

}  // namespace

search::Counters counters_of(const profiling::Confirmation& confirmation) {
  search::Counters counters = {{kLaunches, static_cast<double>(confirmation.launches)},
                               {kChance, confirmation.chance_of_detection(Verification::kOneIn)},
                               {kDeviating, static_cast<double>(confirmation.deviating)}};
  if (std::isfinite(confirmation.deviation_of_tolerance))
    counters[kDeviation] = confirmation.deviation_of_tolerance;
  return counters;
}

std::optional<Verification> verification_of(const search::Counters& counters) {
  const std::optional<double> launches = find(counters, kLaunches);
  if (!launches || *launches < 1.0) return std::nullopt;
  profiling::Confirmation confirmation;
  confirmation.launches = static_cast<std::uint64_t>(*launches);
  Verification verification;
  verification.launches = *launches;
  verification.chance_of_detection =
      find(counters, kChance).value_or(confirmation.chance_of_detection(Verification::kOneIn));
  verification.deviating = find(counters, kDeviating).value_or(0.0);
  verification.deviation_of_tolerance = find(counters, kDeviation);
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

std::string verification_text(const search::Measurement& best) {
  const std::optional<Verification> verification = verification_of(best.counters);
  if (!verification) return "";
  std::string text = fmt::format(
      "verified in {:.0f} further launch{} on new inputs: an error in one of {:.0f} launches would have been "
      "found with a chance of {:.0f} %\n",
      verification->launches, verification->launches == 1.0 ? "" : "es", Verification::kOneIn,
      std::floor(100.0 * verification->chance_of_detection));
  if (verification->nondeterministic()) text += nondeterminism_text(*verification) + "\n";
  return text;
}

}  // namespace warptune::tuner
