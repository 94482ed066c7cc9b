#include "db/preference.h"

#include "db/confirmation.h"

namespace warptune::db {

namespace {

bool counts(const StoredMeasurement& row) {
  return row.measurement.status == model::Status::kMeasured &&
         row.measurement.source == model::RowSource::kMeasured;
}

}  // namespace

void keep_preference(Store& store, const StoredMeasurement& earlier, const StoredMeasurement& newer) {
  if (!counts(earlier) || !counts(newer)) return;
  const model::Counters outputs = db::outputs_in(earlier.measurement.counters);
  const bool is_same_code = ran_same_code(store, earlier.session_id, newer.session_id);
  if (is_same_code && !outputs.empty()) store.add_counters(newer.id, outputs);
  if (db::is_confirmed(earlier.measurement)) {
    if (!is_same_code) return;
    store.add_counters(newer.id, db::confirmation_in(earlier.measurement.counters));
  }
  if (earlier.preferred) store.set_preferred(newer.id);
}

}  // namespace warptune::db
