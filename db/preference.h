#pragma once

namespace warptune::db {

/// How many times the fastest row's time the preferred row may take and still be the winner. The schema's
/// view `winner` says the same in SQL, where a stored schema cannot name it.
inline constexpr double kPreferredRatio = 1.01;

}  // namespace warptune::db
