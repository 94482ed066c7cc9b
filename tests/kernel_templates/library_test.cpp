#include "kernel_templates/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "definitions.h"
#include "library_cases.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Sets WARPTUNE_SHARE for one test.
class LibraryIn : public ::testing::Test {
 protected:
  LibraryIn() {
    if (const char* set = std::getenv("WARPTUNE_SHARE")) before_ = set;
    setenv("WARPTUNE_SHARE", folder_.path().c_str(), 1);
  }
  ~LibraryIn() override {
    if (before_.empty()) {
      unsetenv("WARPTUNE_SHARE");
    } else {
      setenv("WARPTUNE_SHARE", before_.c_str(), 1);
    }
  }
  std::string failure_of(const std::string& name) const {
    try {
      load_kernel(name);
      return "no error";
    } catch (const base::InputError& error) {
      return error.what();
    }
  }
  TemporaryFolder folder_;
  std::string before_;
};

// Shipped files are trusted in their own folder. In a user's folder they are checked like any others.
TEST(Library, PassesTheChecksOfAUsersFolder) {
  const TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(tested_sources() / "kernel_templates/library"))
    std::filesystem::copy_file(entry.path(), folder.path() / entry.path().filename());
  std::size_t loaded = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (!is_definition_file(entry.path())) continue;
    const KernelDefinition definition = load_kernel_definition(entry.path());
    EXPECT_FALSE(definition.scope.is_trusted(entry.path()));
    EXPECT_EQ(definition.hash, load_kernel(definition.name).hash) << definition.name;
    ++loaded;
  }
  EXPECT_EQ(loaded, shipped_kernels().size());
}

TEST_F(LibraryIn, ListsTheSourcesOfTheShareFolderByName) {
  folder_.write("kernels/zeta.cu", embedded(kScaleToml));
  folder_.write("kernels/alpha.cu", embedded(kScaleToml));
  folder_.write("kernels/notes.txt", "no kernel");
  folder_.write("kernels/alpha.recommended.toml", "");
  EXPECT_THAT(shipped_kernels(), ElementsAre("alpha", "zeta"));
}

TEST(Library, AFileOfRecommendationsIsNoDefinition) {
  EXPECT_TRUE(is_definition_file("a/sgemm.cu"));
  EXPECT_TRUE(is_definition_file("a/relu.toml"));
  EXPECT_FALSE(is_definition_file("a/sgemm.recommended.toml"));
  EXPECT_FALSE(is_definition_file("a/sgemm_tiles.cuh"));
}

TEST_F(LibraryIn, LoadsAShippedKernelByItsName) {
  const std::filesystem::path file = folder_.write("kernels/alpha.cu", embedded(kScaleToml));
  EXPECT_EQ(load_kernel("alpha").path, file);
}

TEST_F(LibraryIn, SaysTheNearestNamesOfAnUnknownKernel) {
  folder_.write("kernels/transpose.cu", embedded(kScaleToml));
  folder_.write("kernels/sgemm.cu", embedded(kScaleToml));
  const std::string failure = failure_of("tranpose");
  EXPECT_THAT(failure, HasSubstr("unknown kernel 'tranpose' (did you mean transpose"));
  EXPECT_THAT(failure, HasSubstr("the shipped ones are sgemm, transpose"));
}

TEST_F(LibraryIn, SaysWhereItLookedWhenNothingIsShipped) {
  EXPECT_THAT(shipped_kernels(), IsEmpty());
  EXPECT_THAT(failure_of("transpose"), HasSubstr("no shipped kernels in " + folder_.path().string()));
}

TEST_F(LibraryIn, TakesAPathForAPathEvenWhenAShippedKernelHasItsName) {
  folder_.write("kernels/alpha.cu", embedded(kScaleToml));
  const std::filesystem::path own = folder_.write("own/alpha.cu", embedded(kScaleToml));
  EXPECT_EQ(load_kernel(own.string()).path, own);
}

TEST_F(LibraryIn, NamesAFileThatIsMissing) {
  const std::string missing = (folder_.path() / "own/none.cu").string();
  EXPECT_THAT(failure_of(missing), HasSubstr(missing));
  EXPECT_THAT(failure_of("none_of_that_name.toml"), HasSubstr("none_of_that_name.toml"));
}

// The build folder's share, which the tests use.
TEST(ShippedLibrary, HoldsTheKernelsOfTheSourceTreeAndEachLoadsUnderItsName) {
  if (std::getenv("WARPTUNE_SHARE") == nullptr) GTEST_SKIP() << "WARPTUNE_SHARE is not set";
  EXPECT_EQ(shipped_kernels(), library_kernels());
  for (const std::string& name : shipped_kernels()) EXPECT_EQ(load_kernel(name).name, name);
}

}  // namespace
}  // namespace warptune::kernel_templates
