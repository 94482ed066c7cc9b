// Questions of `query` where no session has made a database yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "db/store.h"
#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::querying {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kGpu = "cc=90,sms=132";

// A kernel that recommends A=2 for N up to 1000, and otherwise nothing.
class QueryWithoutDatabase : public ::testing::Test {
 protected:
  QueryWithoutDatabase() {
    const std::filesystem::path path = testing::write_toy_kernel(warptune_.folder());
    std::string text = base::read_file(path);
    text.replace(text.find("[launch]"), 8,
                 "[[recommended]]\nwhen = \"N <= 1000\"\n[recommended.values]\nA = 2\n[launch]");
    base::write_file_atomically(path, text);
    kernel_ = path.string();
  }

  std::vector<std::string> question(const std::string& n, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"query", kernel_, "--gpu", kGpu, "--size", "N=" + n};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  testing::Warptune warptune_;
  std::string kernel_;
};

TEST_F(QueryWithoutDatabase, WhatIsRecommendedIsTheAnswerOfADatabaseWithoutRows) {
  const std::string empty = warptune_.file("empty.db", "");
  { const db::Store made(warptune_ / "made.db"); }
  const nlohmann::json without = warptune_.json_of(question("512"));
  EXPECT_EQ(without.at("match"), "recommended");
  EXPECT_EQ(without.at("configuration").at("A"), 2);
  EXPECT_EQ(without, warptune_.json_of(question("512", {"--db", (warptune_ / "made.db").string()})));
  EXPECT_EQ(without, warptune_.json_of(question("512", {"--db", empty})));
  EXPECT_THAT(
      warptune_.run(question("512", {"--explain"})).out,
      AllOf(HasSubstr("match: recommended\nwhat the definition recommends for this size and GPU, because "
                      "nothing is stored of toy\nconfiguration: A=2 B=false\n"),
            HasSubstr("weighed: no stored result of this version of the kernel fits\n"
                      "expected loss of the recommendation: unknown, because nothing ")));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database())) << "a question makes no database";
}

TEST_F(QueryWithoutDatabase, WithoutARecommendationThatHoldsTheDatabaseIsMissing) {
  const std::string missing = "there is no database yet: run `warptune tune KERNEL` first";
  for (const std::vector<std::string>& words :
       {question("4096"), question("512", {"--strict"}), question("512", {"--reproducible"}),
        question("512", {"--objective", "registers"}),
        std::vector<std::string>{"query", kernel_, "--portable"},
        std::vector<std::string>{"query", kernel_, "--size", "N=512"},
        std::vector<std::string>{"query", kernel_, "--size", "N=512", "--gpu", "H100"}}) {
    const testing::ProgramRun run = warptune_.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(missing));
  }
}

TEST_F(QueryWithoutDatabase, ANamedDatabaseMustExist) {
  const testing::ProgramRun run = warptune_.run(question("512", {"--db", "mistyped.db"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("mistyped.db: there is no database yet"));
}

}  // namespace
}  // namespace warptune::tuner::querying
