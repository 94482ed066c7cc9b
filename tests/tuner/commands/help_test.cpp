// Each command's help is compared with help/<command>.txt. This command updates the files after an intended
// change:
//   WARPTUNE_UPDATE_SNAPSHOTS=1 ctest -R tuner.HelpTest
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "tests/tuner/program.h"
#include "tuner/commands/campaigns/campaign_action.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database/db_action.h"

namespace warptune::tuner::commands {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = WARPTUNE_HELP_FOLDER;

// Compares `text` with the snapshot, or writes the snapshot when WARPTUNE_UPDATE_SNAPSHOTS is set.
void compare(const std::string& name, const std::string& text) {
  const fs::path path = kFolder / (name + ".txt");
  if (std::getenv("WARPTUNE_UPDATE_SNAPSHOTS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << path << " is missing; WARPTUNE_UPDATE_SNAPSHOTS=1 writes it";
  EXPECT_EQ(testing::slurp(path), text) << path << " differs; WARPTUNE_UPDATE_SNAPSHOTS=1 updates it";
}

TEST(HelpTest, EveryCommandsHelpIsItsSnapshot) {
  testing::Warptune warptune;
  for (const Command& command : commands()) {
    const testing::ProgramRun help = warptune.run({std::string(command.name), "--help"});
    EXPECT_EQ(help.exit_code, 0) << command.name;
    EXPECT_EQ(help.err, "") << command.name;
    compare(std::string(command.name), help.out);
  }
}

TEST(HelpTest, TheHelpOfEveryActionOfDbIsItsSnapshot) {
  testing::Warptune warptune;
  for (const Command& action : database::db_actions()) {
    const testing::ProgramRun help = warptune.run({"db", std::string(action.name), "--help"});
    EXPECT_EQ(help.exit_code, 0) << action.name;
    compare("db-" + std::string(action.name), help.out);
  }
}

TEST(HelpTest, TheHelpOfEveryActionOfCampaignIsItsSnapshot) {
  testing::Warptune warptune;
  for (const Command& action : campaigns::campaign_actions()) {
    const testing::ProgramRun help = warptune.run({"campaign", std::string(action.name), "--help"});
    EXPECT_EQ(help.exit_code, 0) << action.name;
    compare("campaign-" + std::string(action.name), help.out);
  }
}

TEST(HelpTest, TheOverviewIsItsSnapshotHoweverItIsAskedFor) {
  testing::Warptune warptune;
  const testing::ProgramRun help = warptune.run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  compare("overview", help.out);
  EXPECT_EQ(warptune.run({"help"}).out, help.out);
  EXPECT_EQ(warptune.run({"-h"}).out, help.out);
}

TEST(HelpTest, WithoutACommandTheOverviewGoesToStandardErrorAsBadInput) {
  testing::Warptune warptune;
  const testing::ProgramRun none = warptune.run({});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, warptune.run({"--help"}).out);
}

TEST(HelpTest, NoSnapshotIsOfACommandThatIsGone) {
  std::set<std::string> known = {"overview"};
  for (const Command& command : commands()) known.emplace(command.name);
  for (const Command& action : database::db_actions()) known.insert("db-" + std::string(action.name));
  for (const Command& action : campaigns::campaign_actions())
    known.insert("campaign-" + std::string(action.name));
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    EXPECT_TRUE(known.count(entry.path().stem().string()) != 0) << entry.path();
  }
}

TEST(HelpTest, EveryCommandTakesHelpWhateverElseIsGiven) {
  testing::Warptune warptune;
  for (const Command& command : commands()) {
    EXPECT_EQ(warptune.run({std::string(command.name), "-h", "--log-level", "off"}).exit_code, 0)
        << command.name;
  }
}

TEST(HelpTest, TheVersionIsTheBuilds) {
  EXPECT_EQ(testing::Warptune().run({"--version"}).out, "warptune " WARPTUNE_VERSION "\n");
  EXPECT_EQ(testing::Warptune().run({"-V"}).out, "warptune " WARPTUNE_VERSION "\n");
}

}  // namespace
}  // namespace warptune::tuner::commands
