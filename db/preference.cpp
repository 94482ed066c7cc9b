#include "db/preference.h"

#include <cmath>

#include "db/confirmation.h"

namespace warptune::db {

namespace {

bool counts(const StoredMeasurement& row) {
  return row.measurement.status == model::Status::kMeasured &&
         row.measurement.source == model::RowSource::kMeasured;
}

// What is known of the outputs of the earlier row. An error that the newer row has stays if it is larger.
model::Counters outputs_of(const model::Counters& earlier, const model::Counters& newer) {
  model::Counters outputs = db::output_errors_in(earlier);
  for (auto& [name, error] : outputs) {
    const auto own = newer.find(name);
    if (own != newer.end() && (std::isnan(own->second) || own->second > error)) error = own->second;
  }
  outputs.merge(db::output_bits_in(earlier));
  return outputs;
}

}  // namespace

void keep_preference(Store& store, const StoredMeasurement& earlier, const StoredMeasurement& newer) {
  if (!counts(earlier) || !counts(newer)) return;
  const model::Counters outputs = outputs_of(earlier.measurement.counters, store.counters(newer.id));
  const bool is_same_code = ran_same_code(store, earlier.session_id, newer.session_id);
  if (is_same_code && !outputs.empty()) store.add_counters(newer.id, outputs);
  if (db::is_confirmed(earlier.measurement)) {
    if (!is_same_code) return;
    store.add_counters(newer.id, db::confirmation_in(earlier.measurement.counters));
  }
  if (earlier.preferred) store.set_preferred(newer.id);
}

}  // namespace warptune::db
