// warptune lab on a machine without a GPU: it lists, checks and replays experiments, and says what is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "kernel_templates/experiment.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/sanitizers.h"
#include "tests/tuner/lab_data.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LabCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const kernel_templates::Experiment experiment = testing::toy_experiment(warptune_.folder());
    path_ = experiment.path.string();
    std::filesystem::create_directory(warptune_ / "run");
    lab::write_lab_result(testing::toy_lab_result(experiment), warptune_ / "run");
  }

  void expect_refusal(const std::vector<std::string>& arguments, int exit_code, const std::string& expected) {
    const testing::ProgramRun run = warptune_.run(arguments);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(expected));
  }

  testing::Warptune warptune_;
  std::string path_;
};

TEST_F(LabCommandTest, ListsTheShippedExperiments) {
  const testing::ProgramRun run = warptune_.run({"lab"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const std::string& name : kernel_templates::shipped_experiments())
    EXPECT_THAT(run.out, HasSubstr(name));
  EXPECT_EQ(warptune_.json_of({"lab"}).at("experiments").size(),
            kernel_templates::shipped_experiments().size());
}

TEST_F(LabCommandTest, ReplaysARecordedRunAndWritesItsPage) {
  const std::vector<std::string> words = {"lab",
                                          path_,
                                          "--replay",
                                          "--recordings",
                                          (warptune_ / "run").string(),
                                          "--pages",
                                          (warptune_ / "pages").string()};
  expect_refusal(words, 2, "pages: there is no such folder; make it");
  EXPECT_FALSE(std::filesystem::exists(warptune_ / "pages"));
  std::filesystem::create_directory(warptune_ / "pages");
  const testing::ProgramRun run = warptune_.run(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("A toy [toy_lab], on"), HasSubstr("HOLDS: measured 2 x"),
                             HasSubstr("toy_lab: 1 holds"), HasSubstr("within")));
  EXPECT_THAT(base::read_file(warptune_ / "pages" / "toy_lab.md"), HasSubstr("# A toy"));
}

TEST_F(LabCommandTest, RefusesOptionsThatWouldMeanNothing) {
  for (const std::string option : {"--replay", "--check", "--record=.", "--pages=.", "--device=3"})
    expect_refusal({"lab", option}, 2, " needs the name of an experiment, or --all");
  for (const std::string option : {"--replay", "--record=.", "--pages=."})
    expect_refusal({"lab", path_, "--check", option}, 2, "--check only compiles");
  expect_refusal({"lab", path_, "--replay", "--recordings", "/nosuch"}, 2,
                 "--recordings /nosuch: there is no such folder");
  expect_refusal({"lab", path_, "--replay", "--recordings", path_}, 2, "expected a folder, found a file");
}

TEST_F(LabCommandTest, GivesJsonToPrograms) {
  const nlohmann::json report =
      warptune_.json_of({"lab", path_, "--replay", "--recordings", (warptune_ / "run").string()})
          .at("experiments");
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0]["claims"][0]["verdict"], "holds");
  EXPECT_EQ(report[0]["tables"][0]["rows"][2]["reason"], "wrong_result: x[0] is 3, expected 2");
  EXPECT_EQ(report[0]["theory"][0]["within"], true);
}

TEST_F(LabCommandTest, AllReplaysWhatIsRecordedAndNamesTheRest) {
  const std::filesystem::path folder = warptune_ / "some";
  std::filesystem::create_directory(folder);
  for (const auto& file :
       std::filesystem::directory_iterator(kernel_templates::tested_sources() / "recordings/lab")) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("stride.")) std::filesystem::copy(file.path(), folder / name);
  }
  std::filesystem::create_directory(warptune_ / "pages");
  const testing::ProgramRun run = warptune_.run({"lab", "--all", "--replay", "--recordings", folder.string(),
                                                 "--pages", (warptune_ / "pages").string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("[stride]"));
  EXPECT_THAT(run.err,
              HasSubstr("overlap: there is no recorded run; `warptune lab overlap` measures it on a GPU"));
  const std::string index = base::read_file(warptune_ / "pages" / "README.md");
  EXPECT_THAT(index,
              HasSubstr("These experiments have no recorded run, so nothing is known about their claims: "));
  EXPECT_FALSE(std::filesystem::exists(warptune_ / "pages" / "overlap.md"));
}

TEST_F(LabCommandTest, OneThatFailsKeepsTheOthersFromNothing) {
  const std::string text = base::read_file(path_);
  std::ofstream(warptune_ / "unrecorded.toml") << text;
  const testing::ProgramRun run = warptune_.run({"lab", (warptune_ / "unrecorded.toml").string(), path_,
                                                 "--replay", "--recordings", (warptune_ / "run").string()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("warptune: unrecorded: "));
  EXPECT_THAT(run.out, HasSubstr("toy_lab: 1 holds"));
}

TEST_F(LabCommandTest, JsonHasTheErrorOfAnExperimentThatFailsBesideTheOthers) {
  std::ofstream(warptune_ / "unrecorded.toml") << base::read_file(path_);
  const testing::ProgramRun run =
      warptune_.run({"lab", (warptune_ / "unrecorded.toml").string(), path_, "--replay", "--recordings",
                     (warptune_ / "run").string(), "--format", "json"});
  EXPECT_EQ(run.exit_code, 2);
  const nlohmann::json report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report.at("experiments").size(), 1U);
  EXPECT_EQ(report.at("errors").at(0).at("experiment"), "unrecorded");
  EXPECT_EQ(report.at("errors").at(0).at("error").at("kind"), "input");
}

TEST_F(LabCommandTest, SaysThatThereIsNoGpuAndWhatWorksWithoutOne) {
  expect_refusal({"lab", path_}, 3, "--replay");
}

TEST_F(LabCommandTest, RefusesWhatCannotBeMeant) {
  expect_refusal({"lab", "strid"}, 2, "unknown experiment 'strid'");
  expect_refusal({"lab", (warptune_ / "none.toml").string()}, 2, "none.toml");
  expect_refusal({"lab", path_, "--recordings", "x"}, 2, "--recordings is valid only with --replay");
  expect_refusal({"lab", path_, "--replay", "--record", "x"}, 2, "--replay measures nothing");
  expect_refusal({"lab", "--all", path_}, 2, "--all cannot be combined");
  expect_refusal({"lab", path_, "--replay", "--recordings", warptune_.folder().path().string()}, 2,
                 "has no recorded run of toy_lab");
  expect_refusal({"lab", path_, "--replay", "--device", "x"}, 2, "device");
}

TEST_F(LabCommandTest, ADefinitionIsNoExperiment) {
  std::ofstream(warptune_ / "kernel.toml") << "[kernel]\nname = \"x\"\n";
  expect_refusal({"lab", (warptune_ / "kernel.toml").string(), "--check"}, 2, "unknown key 'kernel'");
}

TEST_F(LabCommandTest, CheckCompilesWhatWouldBeMeasured) {
  // Counters are looked up by CUPTI's host library, which does not load under the address sanitizer.
  std::string claims = testing::kToyClaims;
  if (tests::kAddressSanitizer) {
    for (std::size_t at = 0; (at = claims.find("dram__bytes.sum", at)) != std::string::npos;)
      claims.replace(at, 15, "time_ns");
    testing::toy_experiment(warptune_.folder(), claims);
  }
  const testing::ProgramRun run = warptune_.run({"lab", path_, "--check"});
  if (run.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << run.err;
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("0 of 4 programs"));
  const nlohmann::json report = warptune_.json_of({"lab", path_, "--check"});
  EXPECT_EQ(report.at("experiments").at(0).at("program_count"), 4);
  EXPECT_TRUE(report.at("experiments").at(0).at("problems").empty());
}

}  // namespace
}  // namespace warptune::tuner::commands
