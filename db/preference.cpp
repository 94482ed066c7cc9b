#include "db/preference.h"

#include "db/confirmation.h"

namespace warptune::db {

namespace {

// Whether both sessions compiled with the same NVRTC for the same driver, so that both rows ran the same
// code.
bool ran_same_code(const Store& store, const StoredMeasurement& one, const StoredMeasurement& other) {
  const std::optional<Session> a = store.session(one.session_id);
  const std::optional<Session> b = store.session(other.session_id);
  return a && b && a->environment.nvrtc_version == b->environment.nvrtc_version &&
         a->environment.driver_version == b->environment.driver_version;
}

bool counts(const StoredMeasurement& row) {
  return row.measurement.status == model::Status::kMeasured && !row.measurement.replayed;
}

}  // namespace

void keep_preference(Store& store, const StoredMeasurement& earlier, const StoredMeasurement& newer) {
  if (!counts(earlier) || !counts(newer)) return;
  if (db::is_confirmed(earlier.measurement)) {
    if (!ran_same_code(store, earlier, newer)) return;
    store.add_counters(newer.id, db::confirmation_in(earlier.measurement.counters));
  }
  if (earlier.preferred) store.set_preferred(newer.id);
}

}  // namespace warptune::db
