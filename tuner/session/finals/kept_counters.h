// What earlier final rounds found of a row counts in later ones, too.
#pragma once

#include "db/store.h"

namespace warptune::tuner::session::finals {

/// The errors of a row's outputs: the larger ones of `found` and of earlier final rounds.
model::Counters largest_errors(const db::StoredMeasurement& row, const model::Counters& found,
                               const db::Store& store);

/// What is known of the bits of a row's outputs: `found`, with the launches of earlier final rounds.
model::Counters all_launches(const db::StoredMeasurement& row, const model::Counters& found,
                             const db::Store& store);

}  // namespace warptune::tuner::session::finals
