#include "tuner/carrying/opposite_outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace warptune::tuner::carrying {

namespace {

using Rows = std::vector<db::StoredMeasurement>;

bool cannot_work(const model::Measurement& row) {
  return row.status == model::Status::kWrongResult || row.status == model::Status::kCompileFailed ||
         row.status == model::Status::kLaunchInvalid;
}

}  // namespace

std::string contradiction_of(const db::Store& store, const model::Workload& earlier,
                             const model::Workload& present) {
  const Rows some = store.uncounted_measurements(earlier);
  const Rows others = store.uncounted_measurements(present);
  for (const auto& [failed, timed] : {std::pair(&some, &others), std::pair(&others, &some)}) {
    for (const db::StoredMeasurement& row : *failed) {
      if (!cannot_work(row.measurement)) continue;
      const auto has_time = [&](const db::StoredMeasurement& other) {
        return other.measurement.configuration == row.measurement.configuration &&
               model::median_ns_of(other.measurement);
      };
      if (std::any_of(timed->begin(), timed->end(), has_time)) {
        return fmt::format("{} has another outcome with the present text",
                           model::to_text(row.measurement.configuration));
      }
    }
  }
  return "";
}

}  // namespace warptune::tuner::carrying
