#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

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
  fs::create_directories(root / "nvidia/cu13/compute-sanitizer");
  ::setenv("WARPTUNE_CUDA_PATH", root.c_str(), 1);
  const std::vector<std::string> libraries = cuda_library_folders();
  const std::vector<std::string> includes = cuda_include_folders();
  const std::vector<std::string> programs = cuda_program_folders();
  ::unsetenv("WARPTUNE_CUDA_PATH");
  fs::remove_all(root);
  ASSERT_FALSE(libraries.empty());
  EXPECT_EQ(libraries.front(), root / "nvidia/cu13/lib");
  ASSERT_FALSE(includes.empty());
  EXPECT_EQ(includes.front(), root / "nvidia/cu13/include");
  ASSERT_FALSE(programs.empty());
  EXPECT_EQ(programs.front(), root / "nvidia/cu13/compute-sanitizer");
}

TEST(CudaFolders, AFolderWithTwoNamesIsListedOnce) {
  const fs::path root = fs::path(::testing::TempDir()) / "warptune-toolkit";
  const fs::path link = fs::path(::testing::TempDir()) / "warptune-toolkit-link";
  fs::create_directories(root / "lib64");
  fs::create_directories(root / "include");
  fs::create_directory_symlink("lib64", root / "lib");
  fs::create_directory_symlink(root, link);
  ::setenv("WARPTUNE_CUDA_PATH", root.c_str(), 1);
  const char* set = std::getenv("CUDA_PATH");
  const std::string before = set == nullptr ? "" : set;
  ::setenv("CUDA_PATH", link.c_str(), 1);
  const std::vector<std::string> libraries = cuda_library_folders();
  ::unsetenv("WARPTUNE_CUDA_PATH");
  set == nullptr ? ::unsetenv("CUDA_PATH") : ::setenv("CUDA_PATH", before.c_str(), 1);
  fs::remove(link);
  fs::remove_all(root);
  EXPECT_EQ(libraries.front(), root / "lib64");
  const auto ours = [](const std::string& folder) {
    return folder.find("warptune-toolkit") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(libraries.begin(), libraries.end(), ours), 1);
}

}  // namespace
}  // namespace warptune::base
