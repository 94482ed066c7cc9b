#pragma once

namespace warptune::db {

/// The preferred row is the winner if its time is at most this ratio times the fastest row's. The schema's
/// view `winner` repeats the number in SQL, because a stored schema cannot name a C++ constant.
inline constexpr double kPreferredRatio = 1.01;

}  // namespace warptune::db
