// What may be interrupted in a spool, for tests that end a process at each of its steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fleet/fleet_store.h"
#include "tests/fleet/spool/spool_under_test.h"

namespace warptune::fleet::spool {

struct Scenario {
  std::string name;
  /// What was done before.
  std::function<void(SpoolUnderTest&)> prepare;
  /// What is interrupted. It may be called again.
  std::function<void(FleetStore&)> act;
  /// Whether another process finds that all of `act` was done, after it has looked at the spool. Fails the
  /// test if only a part was.
  std::function<bool(FleetStore&)> is_done;
};

inline void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

/// Every function of a store that changes it.
std::vector<Scenario> scenarios();

/// Fails the test unless each task has one file, and all batches that are listed can be read. Then runs all
/// tasks that are open and fails the test unless all are closed afterwards.
void expect_usable(SpoolUnderTest& spool);

}  // namespace warptune::fleet::spool
