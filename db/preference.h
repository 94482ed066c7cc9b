#pragma once

#include "db/store.h"

namespace warptune::db {

/// The preferred row is the winner if its time is at most this ratio times the fastest row's. The schema's
/// view `winner` repeats the number in SQL, because a stored schema cannot name a C++ constant.
inline constexpr double kPreferredRatio = 1.01;

/// Call this after a configuration of a workload was measured again without final rounds and confirmation.
/// The new row is preferred if the earlier one was. If the earlier one was confirmed, the new row gets its
/// verification record. If it was confirmed with another driver or compiler, the code may be another one: the
/// new row then gets neither.
void keep_preference(Store& store, const StoredMeasurement& earlier, const StoredMeasurement& newer);

}  // namespace warptune::db
