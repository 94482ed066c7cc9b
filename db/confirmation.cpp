#include "db/confirmation.h"

#include <array>
#include <cmath>

#include "model/own_metrics.h"

namespace warptune::db {

namespace {

constexpr std::array kConfirmationCounters = {
    model::own_metric::kVerifiedLaunches, model::own_metric::kDetectionChance,
    model::own_metric::kDeviatingLaunches, model::own_metric::kDeviationOfTolerance};

}  // namespace

std::optional<double> confirming_launches(const model::Measurement& row) {
  if (row.status != model::Status::kMeasured) return std::nullopt;
  const auto launches = row.counters.find(model::own_metric::kVerifiedLaunches);
  if (launches == row.counters.end() || !std::isfinite(launches->second) || launches->second < 1.0)
    return std::nullopt;
  return launches->second;
}

bool is_confirmed(const model::Measurement& row) {
  return !row.replayed && confirming_launches(row).has_value();
}

void erase_confirmation(model::Counters& counters) {
  for (const char* name : kConfirmationCounters) counters.erase(name);
}

model::Counters confirmation_in(const model::Counters& counters) {
  model::Counters found;
  for (const char* name : kConfirmationCounters) {
    if (const auto value = counters.find(name); value != counters.end()) found.insert(*value);
  }
  return found;
}

}  // namespace warptune::db
