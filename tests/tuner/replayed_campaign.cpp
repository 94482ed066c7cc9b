#include "tests/tuner/replayed_campaign.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "base/cancellation.h"
#include "base/files.h"
#include "base/hash.h"
#include "db/recording_file.h"
#include "fleet/rows/batch_owner.h"
#include "fleet/rows/row_batch.h"
#include "fleet/rows/snapshot.h"
#include "tests/fleet/spool/spool_under_test.h"
#include "tests/tuner/session_data.h"
#include "tuner/nodes/node.h"

namespace warptune::tuner::testing {

namespace fs = std::filesystem;

namespace {

void record_sizes(const fs::path& kernel, const fs::path& folder, int tasks, double measure_ms) {
  fs::create_directories(folder);
  model::Recording recording = toy_recording(kernel);
  for (model::Measurement& row : recording.measurements) {
    row.compile_ms = 5.0;
    row.measure_ms = measure_ms;
  }
  for (int n = 1; n <= tasks; ++n) {
    recording.workload.problem = {{"N", std::int64_t{32} * n}};
    db::write_recording(folder / fmt::format("toy-{}.wtrec.zst", n), recording);
  }
}

RowSet rows_in(const db::Store& database) {
  RowSet rows;
  for (const model::Workload& workload : database.workloads()) {
    for (const db::StoredMeasurement& row : database.measurements(workload))
      rows[model::key_of(workload.problem)].insert(model::key_of(row.measurement.configuration));
  }
  return rows;
}

}  // namespace

ReplayedCampaign::ReplayedCampaign(int tasks, int a_values, double measure_ms)
    : folder_(fleet::spool::memory_folder()) {
  const fs::path kernel = write_toy_kernel(folder_, a_values);
  record_sizes(kernel, recordings(), tasks, measure_ms);
  std::ofstream(folder_ / "c.toml") << fmt::format(
      "name = 'c'\n[[tune]]\nkernel = 'toy.cu'\nstrategy = 'exhaustive'\nbudget = 'all'\n"
      "sizes = {{ N = '32..{} step 32' }}\n",
      32 * tasks);
  const std::string key = (folder_ / "key").string();
  const std::string make_key = "ssh-keygen -q -t ed25519 -N '' -f '" + key + "'";
  if (std::system(make_key.c_str()) != 0)  // NOLINT(cert-env33-c)
    throw std::runtime_error("ssh-keygen makes no key");
  std::ofstream(signers()) << "tester@example.org " << base::read_file(key + ".pub");
  campaign_ = campaigns::read_campaign_file(folder_ / "c.toml", key);
}

void ReplayedCampaign::add_to(fleet::FleetStore& store) const { campaigns::add_campaign(store, campaign_); }

const RowSet& ReplayedCampaign::rows_in_sequence() {
  if (in_sequence_.empty()) in_sequence_ = run_in_sequence();
  return in_sequence_;
}

RowSet ReplayedCampaign::run_in_sequence() const {
  const std::string address = "spool:" + (folder_ / "sequence").string();
  const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(address);
  add_to(*store);
  nodes::NodeOptions options;
  options.store = [&] { return fleet::open_store(address, fleet::Access::kNode); };
  options.state = folder_ / "sequence-state";
  options.replay = recordings();
  options.allowed_signers = signers();
  options.pace = 0.0;
  options.until_done = true;
  const base::Cancellation never;
  const nodes::NodeEnd end = nodes::run_node(
      options, [](const nodes::NodeEvent&) {}, never);
  EXPECT_EQ(end.done, campaign_.campaign.tasks.size());
  return rows_in(db::Store::open_existing(joined(*store)));
}

fs::path ReplayedCampaign::joined(fleet::FleetStore& store) const {
  const fs::path database = folder_ / (base::hash_hex(base::random_bytes(8)) + ".db");
  const fleet::rows::SnapshotCounts counts = fleet::rows::update_snapshot(store, database, {}, std::nullopt);
  EXPECT_EQ(counts.damaged, 0U);
  EXPECT_EQ(counts.withheld, 0U);
  return database;
}

CampaignCounts ReplayedCampaign::expect_complete(fleet::FleetStore& store) {
  CampaignCounts counts;
  for (const fleet::TaskRecord& task : store.tasks("c")) {
    EXPECT_EQ(task.state, fleet::TaskState::kDone) << "task " << task.task;
    std::map<fleet::AttemptEnd, std::size_t> ends;
    for (const fleet::Attempt& attempt : task.attempts) ++ends[attempt.end];
    EXPECT_EQ(ends[fleet::AttemptEnd::kDone], 1U) << "reports that closed task " << task.task;
    EXPECT_EQ(ends[fleet::AttemptEnd::kFailed] + ends[fleet::AttemptEnd::kRunning], 0U)
        << "task " << task.task;
    counts.attempts += task.attempts.size();
    counts.lost += ends[fleet::AttemptEnd::kLost];
    counts.superseded += ends[fleet::AttemptEnd::kSuperseded];
  }
  db::Store database(joined(store));
  const RowSet rows = rows_in(database);
  EXPECT_EQ(rows, rows_in_sequence());
  count_rows(database, counts);
  for (const auto& [problem, configurations] : rows) counts.measured_again -= configurations.size();
  merge_again(store, database, counts);
  EXPECT_TRUE(database.damage().empty());
  return counts;
}

// A session never measures a configuration twice.
void ReplayedCampaign::count_rows(const db::Store& joined, CampaignCounts& counts) {
  for (const db::Session& session : joined.sessions()) {
    std::set<std::string> configurations;
    const std::vector<db::StoredMeasurement> rows = joined.session_measurements(session.id);
    for (const db::StoredMeasurement& row : rows)
      configurations.insert(model::key_of(row.measurement.configuration));
    EXPECT_EQ(configurations.size(), rows.size()) << "a row counts twice in session " << session.id;
    counts.rows += rows.size();
  }
  counts.measured_again = counts.rows;
}

// The store has only this campaign.
void ReplayedCampaign::merge_again(fleet::FleetStore& store, db::Store& joined, CampaignCounts& counts) {
  const std::vector<fleet::CampaignSummary> campaigns = store.campaigns();
  ASSERT_EQ(campaigns.size(), 1U);
  const std::string identity = fleet::rows::identity_of(campaigns.front());
  const fleet::Campaign campaign = store.campaign(campaigns.front().name);
  const std::vector<fleet::BatchName> listed = store.batches({}, "").batches;
  for (const fleet::BatchName& name : std::set<fleet::BatchName>(listed.begin(), listed.end())) {
    const db::MergeCounts merged =
        fleet::rows::merge_batch(joined, store.batch(name), fleet::rows::owner_of(identity, name, campaign));
    EXPECT_EQ(merged.sessions + merged.added + merged.updated + merged.refused, 0U);
    ++counts.batches;
  }
}

}  // namespace warptune::tuner::testing
