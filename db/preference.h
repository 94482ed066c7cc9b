#pragma once

#include "db/store.h"

namespace warptune::db {

/// The preferred row is the winner if its time is at most this ratio times the fastest row's. The schema's
/// view `winner` repeats the number in SQL, because a stored schema cannot name a C++ constant.
inline constexpr double kPreferredRatio = 1.01;

/// Call this after a configuration of a workload was measured again without final rounds and confirmation.
/// The new row is preferred if the earlier one was. It gets what is known of the outputs of the earlier one
/// (`outputs_in`). If the earlier one was confirmed, the new row gets its verification record. If driver or
/// compiler differ, the code may be another one: the new row gets neither record then, and is not preferred
/// if the earlier one was confirmed.
void keep_preference(Store& store, const StoredMeasurement& earlier, const StoredMeasurement& newer);

}  // namespace warptune::db
