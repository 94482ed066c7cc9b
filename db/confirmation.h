// Whether a row was confirmed: launched on inputs that no launch had seen before, and right each time.
// Everything that tells people or programs about this asks here.
//
// The final rounds and the confirmation at the end of a session judge code: it is confirmed or rejected. Some
// commands measure without them (`profile`, `explain`, `lab`). If they measure the same code again:
// * A row of confirmed code gets the record of the confirmation (db/preference.h).
// * A row of rejected code is rejected, too, for the same reason (`standing_rejection`), although its few
//   launches were right. Only another session with final rounds or a confirmation, such as `tune --fresh`,
//   judges the code again.
// The code is the same if the workload, the configuration, the version of NVRTC and the CUDA version of the
// driver are the same. Another release of the driver with the same CUDA version does not change the code,
// because NVRTC makes machine code.
#pragma once

#include <cstdint>
#include <optional>

#include "db/store.h"
#include "model/measurement.h"

namespace warptune::db {

/// How many launches on new inputs were verified and right when the row was confirmed. Returns std::nullopt
/// for a row that was not confirmed, such as the best of an interrupted session, and for a row that is not
/// measured. The number of a replayed row is what its recording says.
std::optional<double> confirming_launches(const model::Measurement& row);

/// Whether a session measured the row on a GPU and confirmed it. This is false for replayed and imported
/// rows, because anyone may have written their files.
bool is_confirmed(const model::Measurement& row);

/// Whether the final rounds or the confirmation rejected the row, or a row of the same code before it.
bool is_rejected_in_finals(const model::Measurement& row);

/// The counter that a row gets when the final rounds or the confirmation reject it.
model::Counters rejection_mark();

/// Returns why a row of the new session must be rejected, or std::nullopt if it need not be. The row must be
/// rejected if `earlier` was (`is_rejected_in_finals`) and both sessions ran the same code. `earlier` is the
/// newest row of the same configuration and workload.
std::optional<model::Rejection> standing_rejection(const Store& store, const StoredMeasurement& earlier,
                                                   std::int64_t new_session);

/// Whether two sessions had the same version of NVRTC and drivers of the same CUDA version. If so, their rows
/// of the same configuration and workload ran the same code.
bool ran_same_code(const Store& store, std::int64_t one_session, std::int64_t other_session);

/// Removes the counters that say how a row was confirmed or rejected, and which bits its outputs have. Only
/// the end of a session may store them.
void erase_confirmation(model::Counters& counters);

/// The counters that say how a row was confirmed.
model::Counters confirmation_in(const model::Counters& counters);

/// The counters that say which bits the outputs of a row have (`model::outputs::output_bit_metrics`). Empty
/// if one of them has an impossible value, because the others may then be wrong, too.
model::Counters output_bits_in(const model::Counters& counters);

/// The errors of the outputs of a row.
model::Counters output_errors_in(const model::Counters& counters);

}  // namespace warptune::db
