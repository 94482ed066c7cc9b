// `profile --sanitize` with a fake worker (fake_gpu_worker.cpp) and a fake compute-sanitizer
// (fake_compute_sanitizer). scripts/gpu-sanitize-profile runs the real ones.
#include "tuner/sanitizing/sanitize_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "tests/tuner/program.h"
#include "tuner/sanitizing/sanitizer_program.h"

namespace warptune::tuner::sanitizing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kReports = WARPTUNE_TUNER_TEST_DATA "/sanitizer";

class SanitizeTest : public ::testing::Test {
 protected:
  SanitizeTest() {
    fs::create_directories(warptune_ / "toolkit/bin");
    fs::create_directory(warptune_ / "reports");
    const fs::path program = warptune_ / "toolkit/bin/compute-sanitizer";
    fs::copy_file(kReports + "/fake_compute_sanitizer", program);
    fs::permissions(program, fs::perms::owner_all);
    warptune_.variables = {{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER},
                           {"WARPTUNE_CUDA_PATH", (warptune_ / "toolkit").string()},
                           {"FAKE_CLEAN", kReports + "/clean.txt"},
                           {"FAKE_REPORTS", (warptune_ / "reports").string()},
                           {"FAKE_SOURCE", kernel_}};
  }
  /// Lets a tool write the report `name` of the test data.
  void report(const std::string& tool, const std::string& name) {
    fs::copy_file(fs::path(kReports) / (name + ".txt"), warptune_ / "reports" / (tool + ".txt"));
  }
  testing::ProgramRun sanitize(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"profile", kernel_, "--sanitize"});
    return warptune_.run(more);
  }
  nlohmann::json sanitized() {
    const testing::ProgramRun done = sanitize({"--format", "json"});
    EXPECT_EQ(done.exit_code, 1) << done.err;
    return nlohmann::json::parse(done.out);
  }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
};

TEST_F(SanitizeTest, WhereNothingIsFoundItIsSaidForEachToolAndNothingIsStored) {
  const testing::ProgramRun done = sanitize();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("the default: A=1 B=false"), HasSubstr("memcheck"),
                              HasSubstr("initcheck"), HasSubstr("synccheck"), HasSubstr("racecheck"),
                              HasSubstr("\n\nnothing found\n"), Not(HasSubstr("error"))));
  EXPECT_FALSE(fs::exists(warptune_.database()));
}

TEST_F(SanitizeTest, AFaultIsSaidInTheLineOfTheSourceAndEndsWithExitCode1) {
  report("memcheck", "memcheck");
  report("racecheck", "racecheck");
  const testing::ProgramRun done = sanitize();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr(kernel_ + ":3: error: Invalid __global__ write of size 4 bytes "
                                                  "[memcheck, 2 times]\n"),
                              HasSubstr("called from: " + kernel_ + ":5, toy(float *, int)"),
                              HasSubstr("    3 | name = \"toy\"\n"), HasSubstr("out of bounds"),
                              HasSubstr("error: Race reported between Write access and Read access"),
                              HasSubstr("\n\n2 errors\n")));
  const nlohmann::json json = sanitized();
  EXPECT_EQ(json.at("error_count"), 2);
  const nlohmann::json& tool = json.at("configurations").at(0).at("tools").at(0);
  EXPECT_EQ(tool.at("tool"), "memcheck");
  EXPECT_TRUE(tool.at("complete"));
  EXPECT_EQ(tool.at("findings").at(0).at("places").at(0).at("place").at("line"), 3);
  EXPECT_EQ(tool.at("findings").at(0).at("report_count"), 2);
}

TEST_F(SanitizeTest, WarningsAreShownAndDoNotFail) {
  report("racecheck", "racecheck_warning");
  const testing::ProgramRun done = sanitize();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("warning: (Warp Level Programming) Potential RAW hazard"),
                              HasSubstr("\n\n1 warning\n")));
}

TEST_F(SanitizeTest, TheDefaultAndTheBestAreCheckedUnlessOneIsNamed) {
  ASSERT_EQ(warptune_.run({"profile", kernel_, "--set", "A=2", "--set", "B=true", "--jobs", "1"}).exit_code,
            0);
  const std::string both = sanitize().out;
  EXPECT_THAT(both,
              AllOf(HasSubstr("the default: A=1 B=false"), HasSubstr("the best of 1 known: A=2 B=true")));
  EXPECT_THAT(sanitize({"--default"}).out, Not(HasSubstr("the best of")));
  EXPECT_THAT(sanitize({"--set", "A=4"}).out,
              AllOf(HasSubstr("with A=4: A=4 B=true"), Not(HasSubstr("the default"))));
}

TEST_F(SanitizeTest, ASmallProblemIsLaunchedUnlessSizesAreGiven) {
  std::string text = testing::slurp(kernel_);
  const std::string size = "N = 1024";
  text.replace(text.find(size), size.size(), "N = 65536");
  kernel_ = warptune_.file("toy.cu", text);
  EXPECT_THAT(sanitize().out, HasSubstr("launched for N=2048\n"));
  EXPECT_THAT(sanitize({"--size", "N=65536"}).out, HasSubstr("launched for N=65536\n"));
}

TEST_F(SanitizeTest, TheLaunchIsForTheGpuAndNotForOneWithTwoSms) {
  warptune_.variables["FAKE_LAUNCHED"] = (warptune_ / "launched").string();
  ASSERT_EQ(sanitize().exit_code, 0);
  const std::string small = testing::slurp(warptune_ / "launched");
  ASSERT_EQ(sanitize({"--size", "N=1024"}).exit_code, 0);
  EXPECT_EQ(small, testing::slurp(warptune_ / "launched"));
  EXPECT_GT(std::stoi(small), 2);
}

TEST_F(SanitizeTest, TheProgramItselfTakesTheCommandLineOfTheLaunch) {
  warptune_.variables["FAKE_LAUNCH_BY"] = WARPTUNE_BINARY;
  const testing::ProgramRun done = sanitize({"--compile-cache", "none"});
  EXPECT_EQ(done.exit_code, 1);  // There is no GPU, so the worker answers with a failure.
  EXPECT_THAT(done.out, AllOf(HasSubstr("4 checks are not complete"), Not(HasSubstr("the worker ended")),
                              Not(HasSubstr("starts its workers itself"))));
}

TEST_F(SanitizeTest, APercentSignInTheFolderOfTheReportIsNoPattern) {
  const std::vector<std::string> words =
      sanitizer_command("/cs", SanitizerTool::kMemcheck, "/a%pb/report", {"warptune"});
  EXPECT_THAT(words, ::testing::Contains("/a%%pb/report"));
}

TEST_F(SanitizeTest, OnlyMemcheckGetsItsOwnOptions) {
  warptune_.variables["FAKE_SANITIZER"] = "record";
  warptune_.variables["FAKE_OPTIONS"] = (warptune_ / "options").string();
  ASSERT_EQ(sanitize().exit_code, 0);
  const std::string options = testing::slurp(warptune_ / "options");
  EXPECT_THAT(options, AllOf(HasSubstr("--tool memcheck"), HasSubstr("--tool initcheck"),
                             HasSubstr("--tool synccheck"), HasSubstr("--tool racecheck")));
  EXPECT_EQ(options.find("--padding"), options.rfind("--padding"));
  EXPECT_LT(options.find("--padding"), options.find("--tool initcheck"));
}

TEST_F(SanitizeTest, AToolThatDoesNotEndProperlyIsNotTakenForAGoodResult) {
  const auto expect = [&](const std::string& action, const std::string& reason) {
    warptune_.variables["FAKE_SANITIZER"] = action;
    const testing::ProgramRun done = sanitize({"--sanitize-seconds", "1"});
    EXPECT_EQ(done.exit_code, 1) << action << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr(reason), HasSubstr("4 checks are not complete"))) << action;
  };
  expect("die", "compute-sanitizer ended by signal 11");
  expect("refuse", "compute-sanitizer ended with exit code 1, without a summary");
  expect("refuse", "unrecognised option '--padding'");
  expect("hang", "it did not end within 1 s");
  expect("rubbish", "counts 3 errors, but warptune does not recognise them");
  expect("rubbish", "<fault>");
  expect("unfound", "/none/compute-sanitizer: not found");
  expect("doubt", "compute-sanitizer wrote: Internal Sanitizer Error");
  expect("huge", "a report of more than 16 MiB");
  expect("launchless", "the worker ended before it had launched the configuration");
}

TEST_F(SanitizeTest, ALaunchThatFailsWithoutAFindingIsNoGoodResult) {
  warptune_.variables["FAKE_LAUNCH_FAILS"] = "the GPU fell off the bus";
  const testing::ProgramRun done = sanitize();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("not complete: the launch failed: the GPU fell off the bus"));
}

TEST_F(SanitizeTest, AConfigurationThatDoesNotCompileIsNotLaunched) {
  warptune_.variables["WARPTUNE_FAKE_COMPILE_FAILS"] = "1";
  const testing::ProgramRun done = sanitize({"--compile-cache", "none"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("not launched: compile_failed: a fake's"));
}

TEST_F(SanitizeTest, ABadRequestIsRefused) {
  const auto expect = [&](const std::vector<std::string>& more, const std::string& reason) {
    const testing::ProgramRun done = sanitize(more);
    EXPECT_EQ(done.exit_code, 2) << done.out;
    EXPECT_THAT(done.err, HasSubstr(reason));
  };
  expect({"--stored"}, "expected only one of --sanitize and --stored");
  expect({"--source"}, "expected only one of --sanitize and --source");
  expect({"--sanitize-seconds", "0"}, "--sanitize-seconds");
  expect({"--sanitize-seconds", "86001"}, "at most 86000");
  expect({"--size", "M=3"}, "M");
  const testing::ProgramRun alone = warptune_.run({"profile", kernel_, "--sanitize-seconds", "3"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--sanitize-seconds needs --sanitize"));
  const testing::ProgramRun recording =
      warptune_.run({"profile", WARPTUNE_TUNER_TEST_DATA "/transpose-whole-space.wtrec.zst", "--sanitize"});
  EXPECT_EQ(recording.exit_code, 2);
  EXPECT_THAT(recording.err, HasSubstr("is a recording"));
}

TEST_F(SanitizeTest, WithoutAGpuItIsSaid) {
  warptune_.variables.erase("WARPTUNE_WORKER");
  const testing::ProgramRun done = sanitize();
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("no GPU"));
}

TEST_F(SanitizeTest, WithoutComputeSanitizerItIsSaidWhatToInstall) {
  fs::remove(warptune_ / "toolkit/bin/compute-sanitizer");
  try {
    GTEST_SKIP() << "this machine has " << find_sanitizer();
  } catch (const base::MachineError&) {
  }
  const testing::ProgramRun done = sanitize();
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, AllOf(HasSubstr("compute-sanitizer is not found"), HasSubstr("set CUDA_HOME")));
}

}  // namespace
}  // namespace warptune::tuner::sanitizing
