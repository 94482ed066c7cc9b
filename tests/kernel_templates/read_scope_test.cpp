#include "kernel_templates/read_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/shared_library.h"
#include "definitions.h"

namespace warptune::kernel_templates {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ReadScopeTest : public ::testing::Test {
 protected:
  ReadScopeTest() {
    folder_.write("own/k.cu", "");
    folder_.write("own/sub/a.cuh", "");
    folder_.write("owner/b.cuh", "");
    folder_.write("granted/c.cuh", "");
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_;
  ReadScope scope_{at("own/k.cu"), {}};
};

TEST_F(ReadScopeTest, TheDefinitionsFolderAndWhatIsBelowMayBeRead) {
  EXPECT_TRUE(scope_.allows(at("own/k.cu")));
  EXPECT_TRUE(scope_.allows(at("own/sub/a.cuh")));
  EXPECT_TRUE(scope_.allows(at("own/not/there.cuh")));
  EXPECT_TRUE(scope_.allows(at("own/sub/../k.cu")));
  EXPECT_FALSE(scope_.allows(at("own/../owner/b.cuh")));
  EXPECT_FALSE(scope_.allows(at("owner/b.cuh"))) << "its name only begins like the folder's";
  EXPECT_FALSE(scope_.allows("/etc/passwd"));
}

TEST_F(ReadScopeTest, ALinkCountsByWhereItLeads) {
  fs::create_symlink(at("owner/b.cuh"), at("own/out.cuh"));
  fs::create_symlink("sub/a.cuh", at("own/in.cuh"));
  fs::create_directory_symlink("..", at("own/up"));
  fs::create_symlink("nothing", at("own/nowhere.cuh"));
  fs::create_symlink("circle", at("own/circle"));
  EXPECT_FALSE(scope_.allows(at("own/out.cuh")));
  EXPECT_TRUE(scope_.allows(at("own/in.cuh")));
  EXPECT_FALSE(scope_.allows(at("own/up/owner/b.cuh")));
  EXPECT_FALSE(scope_.allows(at("own/nowhere.cuh")));
  EXPECT_FALSE(scope_.allows(at("own/circle")));
}

TEST_F(ReadScopeTest, ALinkToTheDefinitionsFolderIsThatFolder) {
  fs::create_directory_symlink("own", at("other_name"));
  const ReadScope scope(at("other_name/k.cu"), {});
  EXPECT_TRUE(scope.allows(at("own/sub/a.cuh")));
  EXPECT_TRUE(scope.allows(at("other_name/sub/a.cuh")));
}

TEST_F(ReadScopeTest, FoldersThatTheUserGrantsMayBeRead) {
  const ReadScope scope(at("own/k.cu"), {{granted_folder(at("granted"))}});
  EXPECT_TRUE(scope.allows(at("granted/c.cuh")));
  EXPECT_TRUE(scope.allows(at("own/../granted/c.cuh")));
  EXPECT_FALSE(scope.allows(at("owner/b.cuh")));
}

TEST_F(ReadScopeTest, TheToolkitAndWhatIsShippedMayBeRead) {
  EXPECT_TRUE(scope_.allows(base::share_folder() / "kernels" / "memory_access.cuh"));
  EXPECT_TRUE(scope_.is_trusted(base::share_folder() / "lab" / "stride.cu"));
  EXPECT_FALSE(scope_.allows(base::share_folder() / "kernels" / "../../../secret"));
  for (const std::string& folder : base::cuda_include_folders()) {
    EXPECT_TRUE(scope_.allows(fs::path(folder) / "cuda_fp16.h"));
    EXPECT_FALSE(scope_.allows(fs::path(folder) / "../../../../../../../etc/passwd"));
  }
  EXPECT_FALSE(scope_.is_trusted(at("own/k.cu")));
}

TEST_F(ReadScopeTest, ARefusalNamesTheFolderToGrant) {
  fs::create_symlink(at("owner/b.cuh"), at("own/out.cuh"));
  try {
    scope_.require(at("own/out.cuh"), "the include", {"k.cu", 2, 3});
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(base::to_string(error.position()), "k.cu:2:3");
    EXPECT_THAT(error.message(), HasSubstr("the include " + at("own/out.cuh").string() + " leads to " +
                                           fs::canonical(at("owner/b.cuh")).string()));
    EXPECT_THAT(error.message(), HasSubstr("--allow-read " + fs::canonical(at("owner")).string()));
  }
}

TEST_F(ReadScopeTest, OnlyAFolderThatIsThereCanBeGranted) {
  EXPECT_EQ(granted_folder(at("own/../granted")), fs::canonical(at("granted")));
  EXPECT_THROW(granted_folder(at("nothing")), base::InputError);
  EXPECT_THROW(granted_folder(at("own/k.cu")), base::InputError);
  EXPECT_THROW(granted_folder(""), base::InputError);
}

}  // namespace
}  // namespace warptune::kernel_templates
