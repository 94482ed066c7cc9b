#include "base/environment.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace warptune::base {
namespace {

namespace fs = std::filesystem;

TEST(EnvironmentTest, EachRowStandsAtItsVariablesNumber) {
  for (std::size_t i = 0; i < environment_variables().size(); ++i) {
    const VariableInfo& row = environment_variables()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.variable), i) << row.name;
    EXPECT_STREQ(name_of(row.variable), row.name);
  }
  EXPECT_EQ(environment_variables().back().variable, Variable::kWorker);
}

TEST(EnvironmentTest, AnEmptyVariableIsSet) {
  const char* const name = name_of(Variable::kVisibleDevices);
  const std::optional<std::string> before = environment(Variable::kVisibleDevices);
  ::setenv(name, "", 1);
  EXPECT_EQ(environment(Variable::kVisibleDevices), "");
  ::setenv(name, "1", 1);
  EXPECT_EQ(environment_text(Variable::kVisibleDevices), "1");
  ::unsetenv(name);
  EXPECT_EQ(environment(Variable::kVisibleDevices), std::nullopt);
  EXPECT_EQ(environment_text(Variable::kVisibleDevices), "");
  if (before) ::setenv(name, before->c_str(), 1);
}

TEST(EnvironmentTest, NoOtherSourceAsksForAVariableByItsName) {
  const fs::path root = WARPTUNE_SOURCE_FOLDER;
  std::size_t looked_at = 0;
  for (const char* const module :
       {"base", "model", "search", "kernel_templates", "profiling", "db", "tuner"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / module)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      ++looked_at;
      if (entry.path().filename() == "environment.cpp") continue;
      EXPECT_EQ(text.str().find("getenv("), std::string::npos) << entry.path() << ": ask base::environment";
    }
  }
  EXPECT_GT(looked_at, 100U);
}

}  // namespace
}  // namespace warptune::base
