// The fake worker measures the same time for every configuration, so that one is enough for all sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/program.h"
#include "tests/tuner/stored_winners.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class CoverCommandTest : public ::testing::Test {
 protected:
  CoverCommandTest() { warptune_.variables = {{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER}}; }

  testing::ProgramRun run(const std::string& sizes, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"cover", kernel_, "--jobs", "1", "--sizes", sizes, "--budget", "60",
                                     "--checks", "2", "--check-budget", "4"});
    return warptune_.run(options);
  }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_acting_kernel(warptune_.folder());
};

TEST_F(CoverCommandTest, TheListAndWhatHeldBackSizesSayAreShown) {
  const testing::ProgramRun done = run("N=64..1024 log2");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("acting on fictional GPU"), HasSubstr("N=64..1024 log2\n"),
                              HasSubstr("1 configuration, within 5 % of the best at "),
                              HasSubstr("held back: 2 of 2 sizes within 5 %, worst 0.0 %"),
                              HasSubstr("with 90 % confidence, at least 32 % of all sizes"),
                              HasSubstr("otherwise"), HasSubstr("A=")));
  EXPECT_THAT(done.err, HasSubstr("evaluations, 1 configuration: N=256 tuned\n"));
}

TEST_F(CoverCommandTest, QueryAnswersByTheListAndSaysSo) {
  ASSERT_EQ(run("N=64..1024 log2").exit_code, 0);
  const testing::ProgramRun inside = warptune_.run({"query", kernel_, "--size", "N=1000"});
  EXPECT_THAT(inside.out,
              AllOf(HasSubstr("match: near_problem"),
                    HasSubstr("answered by the cover of N=64..1024 log2 within 5 % (1 configuration)")));
  const testing::ProgramRun explained =
      warptune_.run({"query", kernel_, "--size", "N=1000", "--explain", "--format", "json"});
  EXPECT_THAT(json::parse(explained.out)["reason"].get<std::string>(),
              HasSubstr("line 1 of its list, otherwise"));
  EXPECT_THAT(warptune_.run({"query", kernel_, "--size", "N=2000"}).out,
              HasSubstr("outside of N=64..1024 log2"));
  EXPECT_THAT(warptune_.run({"query", kernel_, "--size", "N=256"}).out,
              AllOf(HasSubstr("match: exact"), Not(HasSubstr("cover"))));
  EXPECT_EQ(warptune_.run({"query", kernel_, "--size", "N=1000", "--strict"}).exit_code, 1);
}

TEST_F(CoverCommandTest, TheSameCommandContinuesAndMeasuresNothingThatIsKnown) {
  const json first = json::parse(run("N=64..1024 log2", {"--format", "json"}).out);
  EXPECT_THAT(first["held_back"]["sizes"], SizeIs(2));
  EXPECT_EQ(first["held_back"]["within_count"], 2);
  EXPECT_GT(first["check_evaluations"], 0);
  EXPECT_LE(first["evaluations"], 60 + 23);
  const json second = json::parse(run("N=64..1024 log2", {"--format", "json"}).out);
  EXPECT_GE(second["evaluations"], first["evaluations"]);
  EXPECT_EQ(second["check_evaluations"], 0);
  EXPECT_EQ(second["held_back"]["sizes"], first["held_back"]["sizes"]);
}

TEST_F(CoverCommandTest, SizesOfAFileHaveWeights) {
  std::ofstream(warptune_.folder() / "sizes.txt") << "N=64\nN=128 weight 3\n";
  const json report = json::parse(run((warptune_.folder() / "sizes.txt").string(), {"--format", "json"}).out);
  ASSERT_THAT(report["sizes"], SizeIs(2));
  EXPECT_EQ(report["sizes"][0]["weight"].get<double>() + report["sizes"][1]["weight"].get<double>(), 4.0);
  EXPECT_TRUE(report["settled"].get<bool>());
  EXPECT_THAT(report["held_back"]["sizes"], SizeIs(0)) << "two sizes are too few to hold one back";
}

TEST_F(CoverCommandTest, ARangeThatDoesNotFitTheKernelIsRefused) {
  const testing::ProgramRun unknown = run("M=1..2");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--sizes: acting has no size 'M'"));
  const testing::ProgramRun twice = run("N=1..2", {"--size", "N=3"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--size N: --sizes already says which values N has"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
}

TEST_F(CoverCommandTest, ReproducibleCoversHaveOnlyConfigurationsWithTheBitsOfTheDefault) {
  warptune_.variables["FAKE_OUTPUT_DIGEST"] = "7";
  warptune_.variables["FAKE_OTHER_BITS_FROM"] = "3";
  const testing::ProgramRun done = run("N=64..1024 log2", {"--reproducible"});
  EXPECT_EQ(done.exit_code, 0) << done.err << done.out;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("reproducible (bits): each configuration gives the bits of the default in each "
                              "launch, at all "),
                    HasSubstr("against the best of all, whatever their outputs: mean loss "),
                    HasSubstr("left out: ")));
  const json report = json::parse(run("N=64..1024 log2", {"--reproducible", "--format", "json"}).out);
  EXPECT_EQ(report["reproducible"]["demand"], "bits");
  EXPECT_GT(report["reproducible"]["excluded_count"], 0);
  ASSERT_FALSE(report["configurations"].empty());
  for (const json& one : report["configurations"]) EXPECT_LT(one["A"], 3);
  EXPECT_EQ(report["check_evaluations"], 0) << "the second run continues the first";
  EXPECT_THAT(warptune_.run({"query", kernel_, "--size", "N=1000"}).out,
              HasSubstr("reproducible=bits): line "));
  EXPECT_EQ(json::parse(run("N=64..1024 log2", {"--format", "json"}).out)["reproducible"], nullptr);
}

TEST_F(CoverCommandTest, WithoutReproducibleOutputsNoSizeIsCovered) {
  warptune_.variables["FAKE_OUTPUT_DIGEST"] = "7";
  warptune_.variables["FAKE_DIFFERING_LAUNCHES"] = "2";
  const testing::ProgramRun failed = run("N={64,128}", {"--reproducible=runs"});
  EXPECT_EQ(failed.exit_code, 1) << failed.err;
  EXPECT_THAT(failed.out,
              AllOf(HasSubstr("No size could be measured.\n"),
                    HasSubstr("left out: N=64: no configuration gives the same bits in each launch: ")));
}

TEST_F(CoverCommandTest, TheListIsWrittenAsRecommendationsThatOthersGetWithoutADatabase) {
  const std::string file = (warptune_.folder() / "tables.toml").string();
  ASSERT_EQ(run("N=64..1024 log2", {"--recommended", file}).exit_code, 0);
  const std::string tables = testing::slurp(file);
  EXPECT_THAT(tables,
              HasSubstr("[[recommended]]\nwhen = \"N >= 64 && N <= 1024\"\n[recommended.values]\nA = "));
  EXPECT_EQ(warptune_.run({"export", kernel_, "--format", "recommended"}).out, tables);
  std::string text = testing::slurp(kernel_);
  text.insert(text.find("[launch]"), tables);
  std::ofstream(kernel_) << text;
  const std::string other = (warptune_.folder() / "other.db").string();
  { const db::Store empty(other); }
  const std::vector<std::string> question = {"query", kernel_, "--db", other, "--size"};
  std::vector<std::string> inside = question, outside = question;
  inside.emplace_back("N=1000");
  outside.emplace_back("N=2000");
  EXPECT_THAT(warptune_.run(inside).out, HasSubstr("match: recommended"));
  EXPECT_THAT(warptune_.run(outside).out, HasSubstr("match: default"));
  EXPECT_EQ(warptune_.run({"export", kernel_, "--format", "recommended"}).out, tables)
      << "the hash is the same";
}

TEST_F(CoverCommandTest, RecommendationsForADefinitionWithoutADefaultAreRefusedBeforeAnythingIsMeasured) {
  std::string text = testing::slurp(kernel_);
  const std::size_t begin = text.find("[default]");
  ASSERT_NE(begin, std::string::npos);
  text.erase(begin, text.find("\n[", begin) + 1 - begin);
  std::ofstream(kernel_) << text;
  const std::string file = (warptune_.folder() / "tables.toml").string();
  const testing::ProgramRun refused = run("N=64..1024 log2", {"--recommended", file});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("it has no [default], of which [[recommended]] replaces values"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
  EXPECT_EQ(run("N=64..1024 log2").exit_code, 0) << "a cover needs no default";
}

TEST_F(CoverCommandTest, OptionsThatCoversDoNotHaveAreRefused) {
  for (const char* option : {"--portable", "--replayed", "--imported"}) {
    const testing::ProgramRun refused = warptune_.run({"export", kernel_, "--format", "recommended", option});
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_THAT(refused.err, HasSubstr("cannot be given with --format recommended")) << option;
  }
}

TEST_F(CoverCommandTest, SizesThatCannotBeMeasuredAreLeftOut) {
  warptune_.variables["WARPTUNE_FAKE_COMPILE_FAILS"] = "1";
  const testing::ProgramRun failed = run("N={64,128}", {"--compile-cache", "none"});
  EXPECT_EQ(failed.exit_code, 1) << failed.err;
  EXPECT_THAT(failed.out, AllOf(HasSubstr("No size could be measured.\n"), HasSubstr("left out: N=64: ")));
}

}  // namespace
}  // namespace warptune::tuner::commands
