// `warptune campaign`, and `--db` with the address of a store, as processes on a spool.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "db/store.h"
#include "fleet/fleet_store.h"
#include "fleet/rows/row_batch.h"
#include "kernel_templates/library.h"
#include "tests/fleet/campaign_data.h"
#include "tests/tuner/program.h"
#include "tests/tuner/watching/http_client.h"

namespace warptune::tuner::commands::campaigns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CampaignCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    warptune_.variables["WARPTUNE_STORE"] = store_;
    warptune_.file("nightly.toml", R"(name = "nightly"
[[tune]]
kernel = ")" + kernel_.string() +
                                       R"("
sizes = { N = [1024, 2048] }
)");
    ASSERT_EQ(warptune_.run({"campaign", "init"}).exit_code, 0);
  }

  testing::ProgramRun add() {
    return warptune_.run({"campaign", "add", (warptune_ / "nightly.toml").string()});
  }

  // What a node does: it leases a task, and publishes the rows of a session.
  void run_a_task(const model::GpuDescription& gpu = model::fictional_gpu()) {
    const std::unique_ptr<fleet::FleetStore> store = fleet::open_store(store_, fleet::Access::kNode);
    store->enter_node({kNode, "anna", "1.0", {{gpu, {}}}});
    const std::optional<fleet::Lease> lease = store->lease(kNode, {{"nightly", 0}});
    ASSERT_TRUE(lease);
    leased_ = model::to_text(lease->task.sizes);  // Any of the two tasks.
    const std::filesystem::path database = warptune_ / "node.db";
    fleet::rows::BatchWriter writer(database, warptune_.folder().path());
    model::Recording recording = testing::toy_recording(kernel_);
    recording.workload.problem = lease->task.sizes;
    {
      db::Store rows(database);
      db::Session session;
      session.workload = recording.workload;
      session.default_configuration = recording.default_configuration;
      const std::int64_t id = rows.begin_session(session);
      for (const model::Measurement& row : recording.measurements) rows.add_measurement(id, row);
      rows.finish_session(id, 1);
    }
    store->publish({lease->key, kNode, 0}, writer.next().value());
    fleet::TaskOutcome outcome;
    outcome.evaluated = recording.measurements.size();
    outcome.gpu_seconds = 36.0;
    outcome.best_ns = 1.0;
    outcome.gpu = recording.workload.gpu.name;
    EXPECT_TRUE(store->finish(kNode, lease->key, outcome));
  }

  std::string leased_;
  static constexpr const char* kNode = "0123456789abcdef0123456789abcdef";
  testing::Warptune warptune_;
  std::filesystem::path kernel_ = testing::write_toy_kernel(warptune_.folder());
  std::string store_ = "spool:" + (warptune_ / "store").string();
};

TEST_F(CampaignCommandTest, ACampaignIsAddedOnceAndListed) {
  EXPECT_THAT(warptune_.run({"campaign", "list"}).out, HasSubstr("the store has no campaign"));
  const testing::ProgramRun added = add();
  EXPECT_EQ(added.exit_code, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("nightly: 2 tasks added"));
  EXPECT_THAT(add().out, HasSubstr("the store has the same campaign already; nothing has changed"));
  EXPECT_THAT(warptune_.run({"campaign", "list"}).out, HasSubstr("nightly       2     0  2 open"));
}

TEST_F(CampaignCommandTest, AnotherCampaignOfTheNameIsRefused) {
  add();
  warptune_.file("nightly.toml", "name = \"nightly\"\n[[tune]]\nkernel = \"transpose\"\n");
  const testing::ProgramRun refused = add();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("nightly"));
}

TEST_F(CampaignCommandTest, TheStatusSaysWhatIsDoneAndWhatIsMissing) {
  add();
  EXPECT_THAT(warptune_.run({"campaign", "status", "nightly"}).out,
              HasSubstr("2 open tasks of toy wait: no node is here; needed is any GPU"));
  run_a_task();
  const nlohmann::json status = warptune_.json_of({"campaign", "status", "nightly"});
  EXPECT_EQ(status.at("store"), store_);
  EXPECT_EQ(status.at("tasks").at("done"), 1);
  EXPECT_EQ(status.at("tasks").at("open"), 1);
  EXPECT_DOUBLE_EQ(status.at("gpu_hours"), 0.01);
  EXPECT_EQ(status.at("nodes").at(0).at("name"), "anna");
  EXPECT_EQ(status.at("nodes").at(0).at("is_here"), true);
  EXPECT_TRUE(status.at("unfit").empty());
}

TEST_F(CampaignCommandTest, ResultsAreThoseOfTheRowsThatNodesPublished) {
  add();
  run_a_task();
  const nlohmann::json results = warptune_.json_of({"campaign", "results", "nightly"}).at("results");
  ASSERT_EQ(results.size(), 2U);
  const std::size_t done = leased_ == "N=1024" ? 0 : 1;
  EXPECT_EQ(results.at(done).at("winner").at("best").at("configuration"),
            nlohmann::json({{"A", 2}, {"B", true}}));
  EXPECT_GT(results.at(done).at("default_loss_share"), 0.0);
  EXPECT_EQ(results.at(1 - done).at("winner"), nullptr);
  EXPECT_THAT(warptune_.run({"campaign", "results", "nightly"}).out, HasSubstr("toy " + leased_ + "  done"));
}

TEST_F(CampaignCommandTest, ACancelledCampaignIsRetried) {
  add();
  EXPECT_EQ(warptune_.run({"campaign", "cancel", "nightly"}).out, "nightly: 2 tasks cancelled\n");
  EXPECT_THAT(warptune_.run({"campaign", "status", "nightly"}).out, HasSubstr("2 cancelled"));
  EXPECT_EQ(warptune_.run({"campaign", "retry", "nightly"}).out, "nightly: 2 tasks open again\n");
}

TEST_F(CampaignCommandTest, ACampaignIsRemovedWhenItHasEndedOrByForce) {
  add();
  run_a_task();
  const testing::ProgramRun refused = warptune_.run({"campaign", "remove", "nightly"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the campaign 'nightly' has not ended: 1 task is open and 0 run; "
                                     "cancel it first, or use --force"));
  EXPECT_EQ(warptune_.run({"campaign", "status", "nightly"}).exit_code, 0) << "nothing was removed";
  EXPECT_EQ(warptune_.run({"campaign", "remove", "nightly", "--force"}).out,
            "nightly: removed with 2 tasks and 1 batch of rows; databases that have these rows keep them\n");
  EXPECT_EQ(warptune_.run({"campaign", "status", "nightly"}).exit_code, 2);
  EXPECT_EQ(warptune_.run({"campaign", "remove", "nightly"}).exit_code, 2);
  add();
  EXPECT_EQ(warptune_.json_of({"campaign", "remove", "nightly", "--force"}).at("batch_count"), 0);
}

TEST_F(CampaignCommandTest, RowsOfOtherCampaignsAreNoResults) {
  add();
  run_a_task();
  warptune_.file("other.toml", "name = \"other\"\n[[tune]]\nkernel = \"" + kernel_.string() +
                                   "\"\nsizes = { N = [1024, 2048] }\n");
  ASSERT_EQ(warptune_.run({"campaign", "add", (warptune_ / "other.toml").string()}).exit_code, 0);
  const nlohmann::json results = warptune_.json_of({"campaign", "results", "other"}).at("results");
  ASSERT_EQ(results.size(), 2U);
  for (const nlohmann::json& result : results) EXPECT_EQ(result.at("winner"), nullptr);
}

TEST_F(CampaignCommandTest, ACampaignThatHasEndedIsNotCancelled) {
  add();
  run_a_task();
  run_a_task();
  EXPECT_EQ(warptune_.run({"campaign", "cancel", "nightly"}).out,
            "nightly: nothing is cancelled, because all tasks have ended\n");
  EXPECT_EQ(warptune_.json_of({"campaign", "status", "nightly"}).at("cancelled"), false);
  EXPECT_EQ(warptune_.run({"campaign", "retry", "nightly"}).out,
            "nightly: nothing is opened again, because no task is failed, quarantined or cancelled, or done "
            "with a damaged batch\n");
}

TEST_F(CampaignCommandTest, ANodeIsAcceptedByItsNameOrId) {
  add();
  run_a_task();
  EXPECT_THAT(warptune_.run({"campaign", "accept", "anna"}).out, HasSubstr("anna is accepted"));
  EXPECT_EQ(warptune_.json_of({"campaign", "accept", kNode}).at("node"), "anna");
  EXPECT_TRUE(warptune_.json_of({"campaign", "status", "nightly"}).at("nodes").at(0).at("accepted"));
  const testing::ProgramRun unknown = warptune_.run({"campaign", "accept", "ann"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("the store has no node 'ann' (did you mean anna"));
}

TEST_F(CampaignCommandTest, AnUnknownCampaignIsBadInput) {
  for (const char* action : {"status", "watch", "results", "cancel", "retry", "remove"}) {
    const testing::ProgramRun unknown = warptune_.run({"campaign", action, "weekly"});
    EXPECT_EQ(unknown.exit_code, 2) << action;
    EXPECT_THAT(unknown.err, HasSubstr("weekly")) << action;
    EXPECT_EQ(unknown.out, "") << action;
  }
}

TEST_F(CampaignCommandTest, AFileThatIsNoCampaignIsBadInputAndAddsNothing) {
  for (const char* text : {"name = \"x\"\n", "no toml", "name = \"x\"\n[[tune]]\nkernel = \"sgem\"\n"}) {
    warptune_.file("nightly.toml", text);
    const testing::ProgramRun refused = add();
    EXPECT_EQ(refused.exit_code, 2) << text;
    EXPECT_THAT(refused.err, HasSubstr("nightly.toml")) << text;
  }
  EXPECT_TRUE(warptune_.json_of({"campaign", "list"}).at("campaigns").empty());
}

TEST_F(CampaignCommandTest, WatchEndsWithTheCampaignAndServesAPage) {
  add();
  run_a_task();
  const pid_t watcher = warptune_.start({"campaign", "watch", "nightly", "--page", "--format", "json"});
  // Another program would write its output over that of the first.
  fleet::open_store(store_, fleet::Access::kAdministrator)->cancel("nightly");
  const testing::ProgramRun watched = warptune_.wait(watcher);
  EXPECT_EQ(watched.exit_code, 0) << watched.err;
  EXPECT_NE(watching::address_in(watched.err).port, 0);
  const std::size_t last = watched.out.rfind('\n', watched.out.size() - 2);
  const nlohmann::json end =
      nlohmann::json::parse(watched.out.substr(last == std::string::npos ? 0 : last + 1));
  EXPECT_EQ(end.at("is_over"), true);
  EXPECT_EQ(end.at("tasks").at("cancelled"), 1);
}

TEST_F(CampaignCommandTest, CommandsThatReadTakeAStoreAsTheirDatabase) {
  add();
  run_a_task();
  const std::string kernel = kernel_.string();
  const nlohmann::json answer = warptune_.json_of({"query", kernel, "--size", "N=1024", "--db", store_});
  EXPECT_EQ(answer.at("winner").at("best").at("configuration"), nlohmann::json({{"A", 2}, {"B", true}}));
  EXPECT_EQ(warptune_.json_of({"db", "info", "--db", store_}).at("session_count"), 1);
  EXPECT_THAT(warptune_.run({"export", kernel, "--db", store_}).out, HasSubstr("toy"));
  EXPECT_EQ(
      warptune_.run({"report", kernel, "--db", store_, "-o", (warptune_ / "r.html").string()}).exit_code, 0);
  const testing::ProgramRun explained =
      warptune_.run({"explain", kernel, "--size", leased_, "--no-measure", "--db", store_});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_EQ(warptune_.run({"show", "1", "--db", store_}).exit_code, 0);
  EXPECT_EQ(warptune_.run({"list", "--db", store_}).exit_code, 0);
  EXPECT_THAT(warptune_.run({"db", "export", "--as", "csv", "--db", store_}).out, HasSubstr("toy"));
  EXPECT_EQ(warptune_.run({"db", "merge", store_}).exit_code, 0);
  EXPECT_EQ(warptune_.json_of({"db", "info"}).at("session_count"), 1) << "the user's own database";
  run_a_task();
  EXPECT_EQ(warptune_.json_of({"db", "info", "--db", store_}).at("session_count"), 2)
      << "what is new is read";
}

TEST_F(CampaignCommandTest, IfTheStoreIsAwayTheLastSnapshotAnswers) {
  add();
  run_a_task();
  const std::vector<std::string> question{"query", kernel_.string(), "--size", "N=1024", "--db", store_};
  const testing::ProgramRun before = warptune_.run(question);
  ASSERT_EQ(before.exit_code, 0) << before.err;
  EXPECT_THAT(before.err, Not(HasSubstr("ago")));
  std::filesystem::rename(warptune_ / "store", warptune_ / "away");
  const testing::ProgramRun after = warptune_.run(question);
  EXPECT_EQ(after.exit_code, 0) << after.err;
  EXPECT_EQ(after.out, before.out);
  EXPECT_THAT(after.err, HasSubstr("the answer comes from the rows that were read 0 minutes ago"));
  EXPECT_EQ(warptune_.run({"campaign", "status", "nightly"}).exit_code, 2) << "the state has no snapshot";
}

TEST_F(CampaignCommandTest, AMissingSpoolIsSaidInOneSentence) {
  const std::string missing = "spool:" + (warptune_ / "missing").string();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"campaign", "list", "--store", missing}, {"query", kernel_.string(), "--db", missing}}) {
    const testing::ProgramRun refused = warptune_.run(arguments);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err, fmt::format("warptune: {0} is not a spool: it does not exist; if it was made "
                                       "before, correct the address; otherwise, make one with `warptune "
                                       "campaign init --store {0}`\n",
                                       missing));
  }
}

TEST_F(CampaignCommandTest, ADatabaseThatCannotBeReachedIsSaidWithoutItsPassword) {
  warptune_.variables["WARPTUNE_STORE"] = "postgresql://me:secret@127.0.0.1:1/campaigns?connect_timeout=2";
  const std::string away = "postgresql://me@127.0.0.1:1/campaigns?connect_timeout=2";
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"campaign", "list"}, {"query", kernel_.string(), "--db", away}}) {
    const testing::ProgramRun refused = warptune_.run(arguments);
    EXPECT_EQ(refused.exit_code, 3) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("127.0.0.1"));
    EXPECT_THAT(refused.err, Not(HasSubstr("secret")));
  }
}

TEST_F(CampaignCommandTest, APasswordAmongTheArgumentsIsRefused) {
  const std::string address = "postgresql://me:secret@127.0.0.1:1/campaigns";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"campaign", "list", "--store", address},
                                             {"query", kernel_.string(), "--db", address},
                                             {"node", "--store", address}}) {
    const testing::ProgramRun refused = warptune_.run(arguments);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("PGPASSFILE"));
    EXPECT_THAT(refused.err, Not(HasSubstr("secret")));
  }
}

TEST_F(CampaignCommandTest, OnlyADatabaseRestrictsACampaignToARole) {
  ASSERT_EQ(warptune_.run({"campaign", "init"}).exit_code, 0);
  warptune_.file("restricted.toml", "name = \"restricted\"\n[[tune]]\nkernel = \"sgemm\"\n");
  const testing::ProgramRun refused =
      warptune_.run({"campaign", "add", "restricted.toml", "--role", "project_x"});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("only stores in PostgreSQL have roles"));
}

TEST_F(CampaignCommandTest, AStoreOfAnotherVersionIsRefused) {
  warptune_.file("store/VERSION", "warptune spool 99\n");
  for (const char* action : {"list", "init"}) {
    const testing::ProgramRun refused = warptune_.run({"campaign", action});
    EXPECT_EQ(refused.exit_code, 2) << action;
    EXPECT_THAT(refused.err, HasSubstr("another version")) << action;
  }
}

}  // namespace
}  // namespace warptune::tuner::commands::campaigns
