#include "survey/collecting/injection_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"
#include "survey/collecting/injection_library.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::collecting {

namespace {

namespace fs = std::filesystem;

class InjectionFolderTest : public ::testing::Test {
 protected:
  InjectionFolderTest() {
    if (const char* old = ::getenv("TMPDIR"); old != nullptr) before_ = old;
    ::setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~InjectionFolderTest() override {
    before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR");
  }

  tests::TemporaryFolder folder_;

 private:
  std::optional<std::string> before_;
};

TEST_F(InjectionFolderTest, HasTheLibraryForThisUserAloneAndIsRemoved) {
  fs::path path;
  {
    const InjectionFolder made;
    path = made.path();
    EXPECT_EQ(path.parent_path(), folder_.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_EQ(base::read_file(made.library()), injection_library());
  }
  EXPECT_FALSE(fs::exists(path));
}

// The program may change its folder before it initialises CUDA.
TEST_F(InjectionFolderTest, IsAbsoluteIfTmpdirIsRelative) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  fs::create_directory("temporary");
  ::setenv("TMPDIR", "temporary", 1);
  {
    const InjectionFolder made;
    EXPECT_TRUE(made.path().is_absolute()) << made.path();
    EXPECT_TRUE(made.library().is_absolute()) << made.library();
    fs::current_path(before);
    EXPECT_TRUE(fs::exists(made.library()));
  }
  EXPECT_TRUE(fs::is_empty(folder_ / "temporary")) << "it is removed, whatever the folder is then";
}

}  // namespace

}  // namespace warptune::survey::collecting
