#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/shared_library.h"

namespace warptune::base {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

TEST(CudaFolders, ALibraryFindsWhatItOpensByBareNameInItsOwnFolder) {
  const SharedLibrary library({"libnvrtc.so"}, {WARPTUNE_FAKE_LIBRARIES}, "");
  EXPECT_THAT(library.path(), StartsWith(WARPTUNE_FAKE_LIBRARIES));
  EXPECT_TRUE(library.function<bool()>("fake_nvrtc_finds_its_builtins")());
}

TEST(CudaFolders, AnUnpackedWheelNamedByTheEnvironmentComesFirst) {
  const fs::path root = fs::path(::testing::TempDir()) / "warptune-wheels";
  fs::create_directories(root / "nvidia/cu13/lib");
  fs::create_directories(root / "nvidia/cu13/include");
  ::setenv("WARPTUNE_CUDA_PATH", root.c_str(), 1);
  const std::vector<std::string> libraries = cuda_library_folders();
  const std::vector<std::string> includes = cuda_include_folders();
  ::unsetenv("WARPTUNE_CUDA_PATH");
  fs::remove_all(root);
  ASSERT_FALSE(libraries.empty());
  EXPECT_EQ(libraries.front(), root / "nvidia/cu13/lib");
  ASSERT_FALSE(includes.empty());
  EXPECT_EQ(includes.front(), root / "nvidia/cu13/include");
}

}  // namespace
}  // namespace warptune::base
