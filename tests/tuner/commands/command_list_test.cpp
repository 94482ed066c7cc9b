// The list of subcommands has every NAME_command.cpp of the folder and of those below, and only those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/commands/command.h"

namespace warptune::tuner::commands {
namespace {

namespace fs = std::filesystem;

TEST(CommandListTest, EachFileOfACommandHasItsLineAndEachLineItsFile) {
  const std::string ending = "_command.cpp";
  std::vector<std::string> files;
  const fs::path folder = WARPTUNE_SOURCE_FOLDER "/tuner/commands";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(ending)) files.push_back(file.substr(0, file.size() - ending.size()));
  }
  std::vector<std::string> lines;
  for (const Command& command : commands()) lines.emplace_back(command.name);
  EXPECT_THAT(lines, ::testing::UnorderedElementsAreArray(files));
}

TEST(CommandListTest, ALineIsCalledAsItsCommand) {
#define WARPTUNE_NAMED(line) EXPECT_EQ(line##_command().name, #line);
  WARPTUNE_COMMANDS(WARPTUNE_NAMED)
#undef WARPTUNE_NAMED
}

}  // namespace
}  // namespace warptune::tuner::commands
