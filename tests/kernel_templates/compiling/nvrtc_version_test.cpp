#include "kernel_templates/compiling/nvrtc_version.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel_templates/compiler.h"
#include "tests/kernel_templates/definitions.h"

namespace warptune::kernel_templates::compiling {
namespace {

class NvrtcVersionTest : public ::testing::Test {
 protected:
  NvrtcVersionTest() { write(folder_.path() / "libnvrtc.so", "first"); }

  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  int version() {
    return remembered_version(folder_.path() / "cache/version", folder_.path() / "libnvrtc.so", [this] {
      ++asked_;
      return answer_;
    });
  }

  TemporaryFolder folder_;
  int answer_ = 13000;
  int asked_ = 0;
};

TEST_F(NvrtcVersionTest, AKnownLibraryIsNotAskedAgain) {
  EXPECT_EQ(version(), 13000);
  EXPECT_EQ(version(), 13000);
  EXPECT_EQ(asked_, 1);
}

TEST_F(NvrtcVersionTest, AnotherLibraryIsAsked) {
  version();
  answer_ = 12080;
  write(folder_.path() / "libnvrtc.so", "another");
  EXPECT_EQ(version(), 12080);
  EXPECT_EQ(version(), 12080);
  EXPECT_EQ(asked_, 2);
}

TEST_F(NvrtcVersionTest, ADamagedMemoryIsNotBelieved) {
  version();
  for (const char* text : {"", "nonsense", "nonsense 13000\n"}) {
    write(folder_.path() / "cache/version", text);
    EXPECT_EQ(version(), 13000);
  }
  EXPECT_EQ(asked_, 4);
}

TEST_F(NvrtcVersionTest, AMissingLibraryIsAsked) {
  std::filesystem::remove(folder_.path() / "libnvrtc.so");
  EXPECT_EQ(version(), 13000);
  EXPECT_EQ(version(), 13000);
  EXPECT_EQ(asked_, 2);
}

TEST_F(NvrtcVersionTest, TheInstalledVersionIsThatOfTheLibrary) {
  EXPECT_EQ(installed_nvrtc_version(), nvrtc_version());
}

}  // namespace
}  // namespace warptune::kernel_templates::compiling
