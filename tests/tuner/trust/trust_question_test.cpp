#include "tuner/trust/trust_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/read_scope.h"
#include "tests/tuner/session_data.h"
#include "tests/tuner/trust/written_file.h"
#include "tuner/trust/trusted_folders.h"

namespace warptune::tuner::trust {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::TemporaryFolder;

// Tests that a developer runs in a terminal must not wait for an answer.
class NoQuestions : public ::testing::Environment {
 public:
  void SetUp() override { ASSERT_NE(std::freopen("/dev/null", "r", stdin), nullptr); }
};
[[maybe_unused]] ::testing::Environment* const kNoQuestions =
    ::testing::AddGlobalTestEnvironment(new NoQuestions);

class TrustQuestionTest : public ::testing::Test {
 protected:
  TrustQuestionTest() {
    definition_ = fs::canonical(written(folder_ / "own/k.cu"));
    outside_ = fs::canonical(written(folder_ / "else/data.bin"));
    ::chmod(definition_.c_str(), 0644);
    ::chmod(definition_.parent_path().c_str(), 0755);
    ::chmod(folder_.path().c_str(), 0755);
  }
  Terminal terminal(std::optional<std::string> answer) {
    return {true, [this](const std::string& text) { shown_.push_back(text); }, [answer] { return answer; }};
  }
  fs::path file() const { return folder_.path() / "data/trusted-folders"; }
  kernel_templates::ReadScope scope(std::shared_ptr<kernel_templates::Trust> trust) const {
    return {definition_, kernel_templates::Permissions{{}, std::move(trust)}};
  }
  void require(const kernel_templates::ReadScope& scope) const {
    scope.require(outside_, "the data", {definition_.string(), 1, 1});
  }

  TemporaryFolder folder_;
  fs::path definition_;
  fs::path outside_;
  std::vector<std::string> shown_;
};

TEST_F(TrustQuestionTest, AYesCoversTheFolderAndIsRemembered) {
  const auto trust = trust_by_question(file(), terminal("y"));
  EXPECT_TRUE(trust->covers({definition_, "is to be compiled by nvcc"}));
  EXPECT_TRUE(trust->covers({definition_, "reads files in /else"}));
  ASSERT_THAT(shown_, SizeIs(1));
  EXPECT_THAT(shown_[0], HasSubstr("k.cu is to be compiled by nvcc"));
  EXPECT_THAT(shown_[0], HasSubstr(definition_.parent_path().string() + "? [y/N]"));
  // Another command does not ask again, even without a terminal.
  EXPECT_TRUE(trust_by_question(file(), {})->covers({definition_, ""}));
}

TEST_F(TrustQuestionTest, AnythingButYesIsNoAndIsAskedOnce) {
  for (const std::optional<std::string>& answer :
       {std::optional<std::string>("n"), std::optional<std::string>(""), std::optional<std::string>()}) {
    shown_.clear();
    const auto trust = trust_by_question(file(), terminal(answer));
    EXPECT_FALSE(trust->covers({definition_, "asks"}));
    EXPECT_FALSE(trust->covers({definition_, "asks"}));
    EXPECT_THAT(shown_, SizeIs(1));
    EXPECT_FALSE(fs::exists(file()));
  }
}

TEST_F(TrustQuestionTest, WithoutATerminalNothingIsAsked) {
  Terminal silent = terminal("y");
  silent.is_interactive = false;
  EXPECT_FALSE(trust_by_question(file(), silent)->covers({definition_, "asks"}));
  EXPECT_TRUE(shown_.empty());
}

TEST_F(TrustQuestionTest, WhatOthersCanChangeIsNotTrustedEvenIfItWasBefore) {
  TrustedFolders(file()).add(definition_.parent_path());
  EXPECT_TRUE(trust_by_question(file(), terminal("y"))->covers({definition_, ""}));
  ::chmod(definition_.parent_path().c_str(), 0777);
  EXPECT_FALSE(trust_by_question(file(), terminal("y"))->covers({definition_, ""}));
  EXPECT_TRUE(shown_.empty());
  EXPECT_TRUE(trust_all_definitions()->covers({definition_, ""}));
}

TEST_F(TrustQuestionTest, ControlCharactersOfAPathDoNotReachTheTerminal) {
  const fs::path odd = written(folder_ / "own/k\x1b[2J.cu");
  trust_by_question(file(), terminal("n"))->covers({fs::canonical(odd), "asks"});
  ASSERT_THAT(shown_, SizeIs(1));
  EXPECT_EQ(shown_[0].find('\x1b'), std::string::npos);
}

TEST_F(TrustQuestionTest, ATrustedDefinitionReadsTheFoldersThatItNames) {
  const kernel_templates::ReadScope trusted = scope(trust_by_question(file(), terminal("yes")));
  EXPECT_FALSE(trusted.allows(outside_));
  require(trusted);
  EXPECT_TRUE(trusted.allows(outside_));
  EXPECT_THAT(trusted.permissions().readable, ::testing::ElementsAre(outside_.parent_path()));
  EXPECT_THAT(trusted.folders(), ::testing::Contains(outside_.parent_path()));
}

TEST_F(TrustQuestionTest, AnUntrustedDefinitionIsToldWhatAllowsIt) {
  try {
    require(scope(trust_by_question(file(), terminal("n"))));
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--allow-read " + outside_.parent_path().string()));
    EXPECT_THAT(error.what(), HasSubstr("--trust"));
  }
}

}  // namespace
}  // namespace warptune::tuner::trust
