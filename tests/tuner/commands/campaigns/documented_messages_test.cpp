// The messages of the table "When something is wrong" in docs/fleet.md: each is provoked on a spool, is one
// sentence, and loses nothing. Those of PostgreSQL are provoked in
// tests/fleet/postgresql/encryption_test.cpp, schema_test.cpp and full_disk_test.cpp, and a full spool in
// tests/fleet/spool/spool_files_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "db/recording_file.h"
#include "fleet/fleet_store.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands::campaigns {
namespace {

using ::testing::HasSubstr;

class DocumentedMessagesTest : public ::testing::Test {
 protected:
  DocumentedMessagesTest() {
    warptune_.variables["WARPTUNE_STORE"] = "spool:spool";
    std::filesystem::create_directories(warptune_ / "recordings");
    db::write_recording(warptune_ / "recordings/toy.wtrec.zst", testing::toy_recording(kernel_));
    warptune_.file("c.toml", "name = 'c'\n[[tune]]\nkernel = 'toy.cu'\nbudget = 'all'\n");
    warptune_.file("nobody", "");
    EXPECT_EQ(warptune_.run({"campaign", "init"}).exit_code, 0);
  }

  // The output has the message, which is in the table.
  static void expect_documented(const std::string& output, const std::string& message) {
    static const std::string page = testing::slurp(WARPTUNE_SOURCE_FOLDER "/docs/fleet.md");
    EXPECT_THAT(page, HasSubstr("| `" + message + "` |"));
    EXPECT_THAT(output, HasSubstr(message));
  }
  // A command is refused in one sentence.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
    const testing::ProgramRun refused = warptune_.run(arguments);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    expect_documented(refused.err, message);
  }
  // A node with recordings takes no task of `c`. The task stays open, and the status says why.
  void expect_not_taken(const std::vector<std::string>& node_options, const std::string& message) {
    std::vector<std::string> arguments{"node", "--replay", "recordings", "--pace", "0"};
    arguments.insert(arguments.end(), node_options.begin(), node_options.end());
    const pid_t node = warptune_.start(arguments);
    std::string status;
    for (int i = 0; i < 600 && status.find(message) == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      status = warptune_.run({"campaign", "status", "c"}).out;
    }
    ::kill(node, SIGTERM);
    warptune_.wait(node);
    expect_documented(status, message);
    EXPECT_THAT(status, HasSubstr("0 of 1 task done, 1 open"));
    EXPECT_THAT(warptune_.run({"campaign", "status", "c"}).out, HasSubstr("has ended"));
  }
  void add() { ASSERT_EQ(warptune_.run({"campaign", "add", "c.toml"}).exit_code, 0); }

  testing::Warptune warptune_;
  std::filesystem::path kernel_ = testing::write_toy_kernel(warptune_.folder());
};

TEST_F(DocumentedMessagesTest, AFolderThatIsNoSpool) {
  std::filesystem::create_directories(warptune_ / "empty");
  std::filesystem::create_directories(warptune_ / "other/inner");
  const std::pair<const char*, const char*> cases[] = {
      {"spool:missing/spool", "is not a spool: it does not exist, and the folder above it"},
      {"spool:missing", "is not a spool: it does not exist; if it was made before"},
      {"spool:empty", "is not a spool: the folder is empty"},
      {"spool:other", "is not a spool: its file VERSION is missing"}};
  for (const auto& [address, text] : cases) expect_refused({"campaign", "list", "--store", address}, text);
}

TEST_F(DocumentedMessagesTest, ASpoolOfAnotherVersion) {
  add();
  const std::string version = testing::slurp(warptune_ / "spool/VERSION");
  warptune_.file("spool/VERSION", "warptune spool 99\n");
  for (const char* action : {"list", "init"})
    expect_refused({"campaign", action}, "has another version: expected");
  expect_refused({"node", "--replay", "recordings"}, "has another version: expected");
  warptune_.file("spool/VERSION", version);
  EXPECT_THAT(warptune_.run({"campaign", "list"}).out, HasSubstr("1 open"));
}

TEST_F(DocumentedMessagesTest, ATaskThatNoNodeFits) {
  warptune_.file("c.toml", "name = 'c'\n[[tune]]\nkernel = 'toy.cu'\ngpus = ['*B9000*']\n");
  add();
  expect_not_taken({}, "no node fits; needed is");
}

TEST_F(DocumentedMessagesTest, AnUnsignedDefinition) {
  add();
  expect_not_taken({"--allowed-signers", "nobody"}, "is not signed, and this node runs only signed ones");
}

TEST_F(DocumentedMessagesTest, ASpoolThatOthersCanWrite) {
  add();
  std::filesystem::permissions(warptune_ / "spool", std::filesystem::perms::all);
  expect_not_taken({}, "needs a signature: start the node with --allowed-signers");
}

TEST_F(DocumentedMessagesTest, ADefinitionOfAnUnknownSigner) {
  ASSERT_EQ(warptune_.shell("ssh-keygen -q -t ed25519 -N '' -f key").exit_code, 0);
  ASSERT_EQ(warptune_.run({"campaign", "add", "c.toml", "--sign", "key"}).exit_code, 0);
  expect_not_taken({"--allowed-signers", "nobody"}, "is signed by a key that");
}

TEST_F(DocumentedMessagesTest, ADefinitionThatIsDifferentOnTheNode) {
  fleet::Campaign campaign;
  campaign.name = "c";
  campaign.classes = {{"transpose", std::string(32, '0')}};
  campaign.tasks = {{0, {}}};
  const std::string address = "spool:" + (warptune_ / "spool").string();
  fleet::open_store(address, fleet::Access::kAdministrator)->add_campaign(campaign);
  expect_not_taken({}, "is different on this node");
}

}  // namespace
}  // namespace warptune::tuner::commands::campaigns
