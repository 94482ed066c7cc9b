#include "base/code_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace warptune::base {
namespace {

TEST(CodeFolderTest, OfAProgramIsTheFolderOfItsFile) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_TRUE(std::filesystem::equivalent(code_folder(), program.parent_path())) << code_folder();
}

}  // namespace
}  // namespace warptune::base
