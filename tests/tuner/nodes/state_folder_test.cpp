#include "tuner/nodes/state_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::nodes {
namespace {

using ::testing::MatchesRegex;

TEST(StateFolderTest, TheIdIsRandomAndKept) {
  const testing::TemporaryFolder folder;
  const std::string id = StateFolder(folder / "a").id();
  EXPECT_THAT(id, MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(StateFolder(folder / "a").id(), id);
  EXPECT_NE(StateFolder(folder / "b").id(), id);
}

TEST(StateFolderTest, ADamagedIdIsReplaced) {
  const testing::TemporaryFolder folder;
  { const StateFolder first(folder / "a"); }
  std::ofstream(folder / "a/node") << "not an id";
  EXPECT_THAT(StateFolder(folder / "a").id(), MatchesRegex("[0-9a-f]{32}"));
}

TEST(StateFolderTest, IsForThisUserAndOneProcessOnly) {
  const testing::TemporaryFolder folder;
  const StateFolder first(folder / "a");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_THROW(StateFolder(folder / "a"), base::InputError);
  std::ofstream(folder / "file") << "x";
  EXPECT_THROW(StateFolder(folder / "file"), base::MachineError);
}

}  // namespace
}  // namespace warptune::tuner::nodes
