#include "tuner/trust/trusted_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "tests/tuner/session_data.h"
#include "tests/tuner/trust/written_file.h"

namespace warptune::tuner::trust {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

class TrustedFoldersTest : public ::testing::Test {
 protected:
  TrustedFoldersTest() { definition_ = fs::canonical(written(folder_ / "own/k.cu")); }
  void allow(const fs::path& path, ::mode_t mode) const { ASSERT_EQ(::chmod(path.c_str(), mode), 0) << path; }

  TemporaryFolder folder_;
  fs::path definition_;
};

TEST_F(TrustedFoldersTest, AFolderOfTheUserAloneCanBeTrusted) {
  allow(definition_, 0644);
  allow(definition_.parent_path(), 0755);
  EXPECT_EQ(changeable_by_others(definition_), std::nullopt);
}

TEST_F(TrustedFoldersTest, AFileThatOthersMayWriteCannotBeTrusted) {
  for (const ::mode_t mode : {0664U, 0646U}) {
    allow(definition_, mode);
    EXPECT_THAT(changeable_by_others(definition_).value_or(""), HasSubstr("k.cu is writable by other users"));
  }
}

TEST_F(TrustedFoldersTest, AFolderThatOthersMayWriteCannotBeTrusted) {
  const fs::path own = definition_.parent_path();
  for (const ::mode_t mode :
       {0775U, 0757U, 01777U}) {  // The sticky bit protects files, but not from additions.
    allow(own, mode);
    EXPECT_THAT(changeable_by_others(definition_).value_or(""), HasSubstr("own is writable by other users"));
  }
}

TEST_F(TrustedFoldersTest, AFolderAboveMayBeSharedOnlyWithTheStickyBit) {
  const fs::path above = definition_.parent_path().parent_path();
  allow(above, 0777);
  EXPECT_NE(changeable_by_others(definition_), std::nullopt);
  allow(above, 01777);
  EXPECT_EQ(changeable_by_others(definition_), std::nullopt);
}

TEST_F(TrustedFoldersTest, AMissingFileCannotBeTrusted) {
  EXPECT_THAT(changeable_by_others(definition_.parent_path() / "none.cu").value_or(""),
              HasSubstr("cannot be examined"));
}

TEST_F(TrustedFoldersTest, FoldersAreRememberedForTheUserAlone) {
  const fs::path file = folder_.path() / "data/trusted-folders";
  TrustedFolders folders(file);
  EXPECT_THAT(folders.folders(), IsEmpty());
  folders.add("/a b");
  folders.add("/c");
  folders.add("/a b");
  const TrustedFolders again(file);
  EXPECT_THAT(again.folders(), ElementsAre("/a b", "/c"));
  EXPECT_TRUE(again.contains("/c"));
  EXPECT_FALSE(again.contains("/a b/below"));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(TrustedFoldersTest, ANewlineCannotAddASecondFolder) {
  TrustedFolders folders(folder_.path() / "trusted-folders");
  EXPECT_THROW(folders.add("/a\n/"), base::InputError);
  EXPECT_THAT(folders.folders(), IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner::trust
