// Whether a row was confirmed: launched on inputs that no launch had seen before, and right each time.
// Everything that tells people or programs about this asks here.
#pragma once

#include <optional>

#include "model/measurement.h"

namespace warptune::db {

/// How many launches on new inputs were verified and right when the row was confirmed. Returns std::nullopt
/// for a row that was not confirmed, such as the best of an interrupted session, and for a row that is not
/// measured. The number of a replayed row is what its recording says.
std::optional<double> confirming_launches(const model::Measurement& row);

/// Whether the row was confirmed on a GPU of the database's sessions. A replayed row never is, because its
/// recording may have been written by anyone.
bool is_confirmed(const model::Measurement& row);

/// Removes the counters that say how a row was confirmed. Only a confirmation may store them.
void erase_confirmation(model::Counters& counters);

/// The counters that say how a row was confirmed.
model::Counters confirmation_in(const model::Counters& counters);

}  // namespace warptune::db
