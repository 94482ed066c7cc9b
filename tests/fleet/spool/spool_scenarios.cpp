#include "tests/fleet/spool/spool_scenarios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>

#include "fleet/spool/task_file.h"

namespace warptune::fleet::spool {

using testing::campaign_of;
using testing::class_of;
using testing::kNodeA;
using testing::kNodeB;
using testing::kNodeC;
using testing::node_of;

namespace {

const LeaseKey kKey{"one", 0, 1};

TaskOutcome outcome() {
  TaskOutcome made;
  made.evaluated = 12;
  made.best_ns = 3.5;
  return made;
}

void add_campaign(FleetStore& store, std::uint64_t tasks) {
  store.add_campaign(campaign_of("one", {class_of("sgemm")}, tasks));
}

// A campaign of one task.
void one_task(SpoolUnderTest& spool) { add_campaign(*spool.connect(Access::kAdministrator), 1); }

void one_lease(SpoolUnderTest& spool) {
  one_task(spool);
  const auto store = spool.connect(Access::kNode);
  store->enter_node(node_of(kNodeA));
  ASSERT_TRUE(store->lease(kNodeA, {{"one", 0}}));
}

void one_old_lease(SpoolUnderTest& spool) {
  one_lease(spool);
  spool.age_leases(kLeaseMs + 1'000);
}

// Tasks that are open, leased, done, failed and quarantined.
void tasks_in_all_states(SpoolUnderTest& spool) {
  const auto administrator = spool.connect(Access::kAdministrator);
  std::vector<TaskClass> classes;
  for (const char* kernel : {"open", "leased", "done", "failed", "quarantined"})
    classes.push_back(class_of(kernel));
  administrator->add_campaign(campaign_of("one", classes, 1));
  const auto lease = [&](std::uint64_t index, const std::string& node) {
    return administrator->lease(node, {{"one", index}})->key;
  };
  lease(1, kNodeA);
  administrator->finish(kNodeA, lease(2, kNodeA), outcome());
  TaskOutcome failure;
  failure.failed = true;
  administrator->finish(kNodeA, lease(3, kNodeA), failure);
  for (const std::string& node : {kNodeA, kNodeB, kNodeC})
    administrator->give_back(node, lease(4, node), AttemptEnd::kLost, "the GPU is gone");
}

void all_states_cancelled(SpoolUnderTest& spool) {
  tasks_in_all_states(spool);
  spool.connect(Access::kAdministrator)->cancel("one");
}

TaskRecord task_of(FleetStore& store, std::uint64_t task = 0) { return store.tasks("one").at(task); }

// All of `states` are there, or none. Returns whether they are.
bool all_or_none(FleetStore& store, TaskState state, std::uint64_t count) {
  const std::map<TaskState, std::uint64_t> tasks = store.campaigns().at(0).tasks;
  const std::uint64_t found = tasks.count(state) != 0 ? tasks.at(state) : 0;
  EXPECT_TRUE(found == 0 || found == count) << found << " of " << count;
  return found == count;
}

}  // namespace

std::vector<Scenario> scenarios() {
  const auto nothing = [](SpoolUnderTest&) {};
  const auto attempt_ends = [](FleetStore& store, AttemptEnd end, TaskState state) {
    const TaskRecord task = task_of(store);
    if (task.attempts.at(0).end == AttemptEnd::kRunning) {
      EXPECT_EQ(task.state, TaskState::kLeased);
      return false;
    }
    EXPECT_EQ(task.attempts[0].end, end);
    EXPECT_EQ(task.state, state);
    return true;
  };
  return {
      {"AddCampaign", nothing, [](FleetStore& store) { add_campaign(store, 5); },
       [](FleetStore& store) {
         const auto all = store.campaigns();
         EXPECT_TRUE(all.empty() || all[0].tasks.at(TaskState::kOpen) == 5U);
         return !all.empty();
       }},
      {"Lease", one_task,
       [](FleetStore& store) {
         static_cast<void>(store.lease(kNodeA, {{"one", 0}}));
       },
       [](FleetStore& store) { return task_of(store).state == TaskState::kLeased; }},
      {"LeaseOfALostTask", one_old_lease,
       [](FleetStore& store) {
         static_cast<void>(store.lease(kNodeB, {{"one", 0}}));
       },
       [](FleetStore& store) { return task_of(store).attempts.size() == 2; }},
      {"Heartbeat", one_old_lease, [](FleetStore& store) { store.heartbeat(kNodeA, {kKey}); },
       [](FleetStore& store) { return task_of(store).state == TaskState::kLeased; }},
      {"Finish", one_lease, [](FleetStore& store) { EXPECT_TRUE(store.finish(kNodeA, kKey, outcome())); },
       [=](FleetStore& store) { return attempt_ends(store, AttemptEnd::kDone, TaskState::kDone); }},
      {"GiveBack", one_lease,
       [](FleetStore& store) { store.give_back(kNodeA, kKey, AttemptEnd::kGivenBack, "stopped"); },
       [=](FleetStore& store) { return attempt_ends(store, AttemptEnd::kGivenBack, TaskState::kOpen); }},
      {"LateReport",
       [](SpoolUnderTest& spool) {
         one_old_lease(spool);
         spool.connect(Access::kNode)->lease(kNodeB, {{"one", 0}});
       },
       [](FleetStore& store) { EXPECT_FALSE(store.finish(kNodeA, kKey, outcome())); },
       [](FleetStore& store) { return task_of(store).attempts.at(0).outcome == outcome(); }},
      {"Publish", one_lease,
       [](FleetStore& store) {
         store.publish({kKey, kNodeA, 0}, "rows");
       },
       [](FleetStore& store) {
         const auto listed = store.batches({}, "").batches;
         for (const BatchName& name : listed) EXPECT_EQ(store.batch(name), "rows");
         // A later attempt measures nothing again that it finds here.
         for (const BatchName& name : store.batches({"one", 0}, "").batches)
           EXPECT_THAT(listed, ::testing::Contains(name)) << "no reader ever sees these rows";
         return !listed.empty();
       }},
      {"Cancel", tasks_in_all_states, [](FleetStore& store) { store.cancel("one"); },
       [](FleetStore& store) { return all_or_none(store, TaskState::kCancelled, 3); }},
      {"Retry", tasks_in_all_states, [](FleetStore& store) { store.retry("one"); },
       [](FleetStore& store) {
         all_or_none(store, TaskState::kQuarantined, 1);
         return !all_or_none(store, TaskState::kFailed, 1);
       }},
      {"RetryOfACancelledCampaign", all_states_cancelled, [](FleetStore& store) { store.retry("one"); },
       [](FleetStore& store) { return !all_or_none(store, TaskState::kCancelled, 3); }},
      {"PutFile", nothing, [](FleetStore& store) { store.put_file("bundle"); },
       [](FleetStore& store) { return store.file(SpoolUnderTest::digest_of("bundle")).has_value(); }},
      {"EnterNode", nothing, [](FleetStore& store) { store.enter_node(node_of(kNodeA)); },
       [](FleetStore& store) { return !store.nodes().empty(); }},
      {"LeaveNode", one_lease, [](FleetStore& store) { store.leave_node(kNodeA); },
       [](FleetStore& store) { return store.nodes().at(0).has_left; }},
      {"SetRefusals", one_lease,
       [](FleetStore& store) {
         store.set_refusals(kNodeA, {{"one", 0, "no signature"}});
       },
       [](FleetStore& store) { return !store.nodes().at(0).refusals.empty(); }},
      {"AcceptNode", one_lease, [](FleetStore& store) { store.accept_node(kNodeA); },
       [](FleetStore& store) { return store.nodes().at(0).accepted; }},
  };
}

namespace {

void expect_one_file_for_each_task(const std::filesystem::path& campaign, std::size_t tasks) {
  std::map<std::uint64_t, std::vector<std::string>> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(campaign)) {
    const std::string folder = entry.path().parent_path().filename().string();
    const bool holds_tasks = folder == "leased" || folder == "closed" ||
                             entry.path().parent_path().parent_path().filename() == "open";
    if (!holds_tasks || entry.is_directory()) continue;
    const auto file = parse_task_file(entry.path().filename().string());
    ASSERT_TRUE(file) << entry.path();
    files[file->task].push_back(entry.path().string());
  }
  EXPECT_EQ(files.size(), tasks);
  for (const auto& [task, names] : files) EXPECT_THAT(names, ::testing::SizeIs(1)) << task;
}

}  // namespace

void expect_usable(SpoolUnderTest& spool) {
  const auto store = spool.connect(Access::kAdministrator);
  for (const BatchName& name : store->batches({}, "").batches) EXPECT_FALSE(store->batch(name).empty());
  for (const CampaignSummary& summary : store->campaigns()) {
    const Campaign campaign = store->campaign(summary.name);
    expect_one_file_for_each_task(spool.path() / "campaigns" / summary.name, campaign.tasks.size());
    spool.age_leases(kLeaseMs + 1'000);
    std::vector<ClassKey> classes;
    for (std::uint64_t i = 0; i < campaign.classes.size(); ++i) classes.push_back({summary.name, i});
    while (const auto lease = store->lease(kNodeC, classes))
      EXPECT_TRUE(store->finish(kNodeC, lease->key, outcome()));
    for (const TaskRecord& task : store->tasks(summary.name)) {
      EXPECT_TRUE(is_closed(task.state)) << to_string(task.state);
      int closing = 0;
      for (const Attempt& attempt : task.attempts) closing += attempt.end == AttemptEnd::kDone;
      EXPECT_EQ(closing, task.state == TaskState::kDone ? 1 : 0);
    }
  }
}

}  // namespace warptune::fleet::spool
