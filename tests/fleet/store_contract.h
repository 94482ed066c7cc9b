// What every store of campaigns must do, as tests over a list of kinds of stores. The tests are in
// store_contract.cpp, store_contract_rows.cpp, store_contract_leases.cpp, store_contract_ends.cpp and
// store_contract_races.cpp. A kind of store takes part by
// `INSTANTIATE_TEST_SUITE_P(Spool, StoreContract, ::testing::Values(StoreKind{...}), kind_name)`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet_store.h"

namespace warptune::fleet::testing {

/// A new, empty store that is removed at the end of a test.
class StoreUnderTest {
 public:
  StoreUnderTest() = default;
  StoreUnderTest(const StoreUnderTest&) = delete;
  StoreUnderTest& operator=(const StoreUnderTest&) = delete;
  virtual ~StoreUnderTest() = default;
  /// A further connection to the store.
  virtual std::unique_ptr<FleetStore> connect(Access access) = 0;
  /// Makes all leases older: the last heartbeat of each is moved into the past by so much.
  virtual void age_leases(std::int64_t ms) = 0;
};

struct StoreKind {
  std::string name;  ///< Letters and digits.
  std::function<std::unique_ptr<StoreUnderTest>()> make;
};

inline std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }
inline std::string kind_name(const ::testing::TestParamInfo<StoreKind>& info) { return info.param.name; }

inline const std::string kNodeA(32, 'a');
inline const std::string kNodeB(32, 'b');
inline const std::string kNodeC(32, 'c');

inline TaskClass class_of(const std::string& kernel, std::int64_t priority = 0) {
  TaskClass one;
  one.kernel = kernel;
  one.kernel_hash = std::string(32, '0');
  one.priority = priority;
  return one;
}

/// A campaign with `tasks` tasks of each class.
inline Campaign campaign_of(const std::string& name, std::vector<TaskClass> classes, std::uint64_t tasks) {
  Campaign made{name, std::move(classes), {}};
  for (std::uint64_t index = 0; index < made.classes.size(); ++index)
    for (std::uint64_t task = 0; task < tasks; ++task)
      made.tasks.push_back({index, {{"N", static_cast<std::int64_t>(1024 * (task + 1))}}});
  return made;
}

inline Node node_of(const std::string& id) {
  return {id, "node " + id.substr(0, 1), "1.0.0", {{model::fictional_gpu(), {}}}};
}

class StoreContract : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    under_test_ = GetParam().make();
    administrator_ = under_test_->connect(Access::kAdministrator);
    node_ = under_test_->connect(Access::kNode);
    for (const std::string& id : {kNodeA, kNodeB, kNodeC}) node_->enter_node(node_of(id));
  }

  FleetStore& administrator() { return *administrator_; }
  FleetStore& node() { return *node_; }
  std::unique_ptr<FleetStore> connect(Access access) { return under_test_->connect(access); }
  void age_leases(std::int64_t ms) { under_test_->age_leases(ms); }
  /// All leases end, unless heartbeats come.
  void end_leases() { age_leases(kLeaseMs + 1'000); }

  /// Adds the campaign "one" with `tasks` tasks of one class.
  Campaign add_one(std::uint64_t tasks) {
    const Campaign added = campaign_of("one", {class_of("sgemm")}, tasks);
    administrator().add_campaign(added);
    return added;
  }
  /// Leases a task of the campaign "one". Fails the test if there is none.
  Lease lease_one(const std::string& node_id) {
    const auto lease = node().lease(node_id, {{"one", 0}});
    if (!lease) throw std::runtime_error("no task of the campaign is open");
    return *lease;
  }
  TaskRecord task_of_one(std::uint64_t task) { return administrator().tasks("one").at(task); }

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
  std::unique_ptr<FleetStore> administrator_;
  std::unique_ptr<FleetStore> node_;
};

}  // namespace warptune::fleet::testing
