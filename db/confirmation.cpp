#include "db/confirmation.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "model/outputs/reproducibility.h"
#include "model/own_metrics.h"

namespace warptune::db {

namespace {

constexpr std::array kConfirmationCounters = {
    model::own_metric::kVerifiedLaunches, model::own_metric::kDetectionChance,
    model::own_metric::kDeviatingLaunches, model::own_metric::kDeviationShareOfTolerance};

constexpr std::array kErrors = {model::own_metric::kErrorMaxAbsolute, model::own_metric::kErrorMaxRelative,
                                model::own_metric::kErrorMeanRelative, model::own_metric::kErrorMaxUlp};

model::Counters chosen_counters(const model::Counters& counters, const std::vector<std::string>& names) {
  model::Counters found;
  for (const std::string& name : names) {
    if (const auto value = counters.find(name); value != counters.end()) found.insert(*value);
  }
  return found;
}

}  // namespace

std::optional<double> confirming_launches(const model::Measurement& row) {
  if (row.status != model::Status::kMeasured) return std::nullopt;
  const auto launches = row.counters.find(model::own_metric::kVerifiedLaunches);
  if (launches == row.counters.end() || !std::isfinite(launches->second) || launches->second < 1.0)
    return std::nullopt;
  return launches->second;
}

bool is_confirmed(const model::Measurement& row) {
  return row.source == model::RowSource::kMeasured && confirming_launches(row).has_value();
}

bool is_rejected_in_finals(const model::Measurement& row) {
  return row.status != model::Status::kMeasured && row.source == model::RowSource::kMeasured &&
         row.counters.contains(model::own_metric::kRejectedInFinals);
}

model::Counters rejection_mark() { return {{model::own_metric::kRejectedInFinals, 1.0}}; }

std::optional<model::Rejection> standing_rejection(const Store& store, const StoredMeasurement& earlier,
                                                   std::int64_t new_session) {
  const model::Measurement& row = earlier.measurement;
  if (!is_rejected_in_finals(row) || !ran_same_code(store, earlier.session_id, new_session))
    return std::nullopt;
  return model::Rejection{row.status, row.reason};
}

bool ran_same_code(const Store& store, std::int64_t one_session, std::int64_t other_session) {
  const std::optional<Session> one = store.session(one_session);
  const std::optional<Session> other = store.session(other_session);
  return one && other && one->environment.nvrtc_version == other->environment.nvrtc_version &&
         one->environment.driver_version == other->environment.driver_version;
}

void erase_confirmation(model::Counters& counters) {
  counters.erase(model::own_metric::kRejectedInFinals);
  for (const char* name : kConfirmationCounters) counters.erase(name);
  for (const std::string& name : model::outputs::output_bit_metrics()) counters.erase(name);
}

model::Counters confirmation_in(const model::Counters& counters) {
  const std::vector<std::string> names(kConfirmationCounters.begin(), kConfirmationCounters.end());
  return chosen_counters(counters, names);
}

model::Counters output_bits_in(const model::Counters& counters) {
  model::Counters bits = chosen_counters(counters, model::outputs::output_bit_metrics());
  for (const auto& [name, value] : bits) {
    if (!model::outputs::is_exact_count(value)) return {};
  }
  return bits;
}

model::Counters output_errors_in(const model::Counters& counters) {
  return chosen_counters(counters, std::vector<std::string>(kErrors.begin(), kErrors.end()));
}

}  // namespace warptune::db
