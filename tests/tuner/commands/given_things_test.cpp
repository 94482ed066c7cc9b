// What users give to commands: sizes, paths, recordings of others, and definitions that share a name or check
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "db/recording_file.h"
#include "tests/tuner/commands/toy_session.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class GivenThingsTest : public ToySessionTest {};

TEST_F(GivenThingsTest, ARecordingOfAPartOfTheSpaceIsNotTheWholeSpace) {
  model::Recording recording = testing::toy_recording(kernel_);
  recording.measurements.resize(3);
  db::write_recording(recording_, recording);
  const testing::ProgramRun done = tune();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("the recording holds none of the other 5"));
  EXPECT_THAT(done.out, Not(HasSubstr("the space is exhausted")));
}

TEST_F(GivenThingsTest, TuneReplaysWhatAnotherTunerRecordedOfAnyKernel) {
  const auto row = [](int x, const std::string& time) {
    return "\"" + std::to_string(x) + "\": {\"X\": " + std::to_string(x) + ", \"time\": " + time +
           ", \"times\": [], \"compile_time\": 10, \"verification_time\": 0, \"benchmark_time\": 5, "
           "\"strategy_time\": 0, \"framework_time\": 1, \"timestamp\": \"2022-12-01\"}";
  };
  const std::string file = warptune_.file(
      "foreign.json", R"json({"device_name": "A100", "kernel_name": "foreign", "problem_size": "(4096, 4096)",
      "tune_params_keys": ["X"], "tune_params": {"X": [1, 2, 3]}, "objective": "time", "cache": {)json" +
                          row(1, "3.0") + ", " + row(2, "2.0") + ", " + row(3, "\"RuntimeFailedConfig\"") +
                          "}}");
  const testing::ProgramRun done = warptune_.run({"tune", "foreign", "--replay", file, "--budget", "all"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("2 measured"));
  const testing::ProgramRun other = warptune_.run({"tune", "others", "--replay", file});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("unknown kernel 'others'"));
}

TEST_F(GivenThingsTest, WhatIsNotCheckedIsSaidAtEachUseAndInTheExport) {
  std::ifstream in(kernel_);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t at = text.find("[check]");
  const std::size_t end = at == std::string::npos ? at : text.find("*/", at);
  if (at != std::string::npos) warptune_.file(kernel_, text.substr(0, at) + text.substr(end));
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"tune", kernel_, "--replay", recording_, "--budget", "all"},
                                             {"space", kernel_},
                                             {"query", kernel_},
                                             {"export", kernel_, "--replayed"},
                                             {"explain", kernel_, "--no-measure"},
                                             {"report", kernel_}}) {
    EXPECT_THAT(warptune_.run(line).err, HasSubstr("'toy' has no [check]")) << line.front();
  }
  EXPECT_THAT(warptune_.run({"export", kernel_, "--replayed"}).out,
              HasSubstr("results not compared with a reference"));
  EXPECT_EQ(json::parse(warptune_.run({"export", kernel_, "--replayed", "--format", "json"}).out)
                .at("kernels")
                .at(0)
                .at("has_check"),
            false);
}

TEST_F(GivenThingsTest, ASizeMayHaveASuffix) {
  EXPECT_EQ(warptune_.json_of({"space", kernel_, "--size", "N=2k"}).at("problem").at("N"), 2048);
  ASSERT_EQ(tune({"--size", "N=1k"}).exit_code, 0);
  const testing::ProgramRun wrong = warptune_.run({"space", kernel_, "--size", "N=2x"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--size N=2x: expected integer"));
}

TEST_F(GivenThingsTest, TwoKernelsOfOneNameAreToldApartInAnExport) {
  std::ifstream in(kernel_);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string other = warptune_.file("other.cu", text + "\n// another source\n");
  const std::string others = (warptune_ / "other.wtrec.zst").string();
  db::write_recording(others, testing::toy_recording(other));
  ASSERT_EQ(tune().exit_code, 0);
  ASSERT_EQ(warptune_.run({"tune", other, "--replay", others, "--budget", "all"}).exit_code, 0);
  const std::string first = warptune_.run({"export", kernel_, other, "--replayed"}).out;
  const auto hash = [&](const std::string& kernel) {
    return testing::toy_recording(kernel).workload.kernel_hash.substr(0, 8);
  };
  EXPECT_THAT(first, HasSubstr("namespace warptune_toy_" + hash(kernel_) + " {"));
  EXPECT_THAT(first, HasSubstr("namespace warptune_toy_" + hash(other) + " {"));
  EXPECT_THAT(warptune_.run({"export", other, kernel_, "--replayed", "--format", "defines"}).out,
              HasSubstr("# toy (" + hash(other) + "): "));
}

TEST_F(GivenThingsTest, AFileThatIsMissingIsNotTakenForAKernel) {
  const testing::ProgramRun done = warptune_.run({"report", "nope.wtrec.zst"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("there is no file 'nope.wtrec.zst'"));
}

TEST_F(GivenThingsTest, NoFolderIsMadeForAPathThatIsGiven) {
  const std::string typo = (warptune_ / "typo/file").string();
  ASSERT_EQ(tune().exit_code, 0);
  const std::vector<std::vector<std::string>> lines = {
      {"tune", kernel_, "--replay", recording_, "--db", typo},
      {"tune", kernel_, "--replay", recording_, "--record", typo},
      {"list", "--db", typo},
      {"query", kernel_, "--db", typo},
      {"export", kernel_, "-o", typo},
      {"report", recording_, "-o", typo},
      {"document", kernel_, "-o", typo},
      {"replay", recording_, "--csv", typo}};
  for (const std::vector<std::string>& line : lines) {
    const testing::ProgramRun done = warptune_.run(line);
    EXPECT_EQ(done.exit_code, 2) << line.front();
    EXPECT_THAT(done.err, HasSubstr("typo does not exist; make it, or correct the path")) << line.front();
    EXPECT_FALSE(std::filesystem::exists(warptune_ / "typo")) << line.front();
  }
}

TEST_F(GivenThingsTest, TracesThatLackARecordingAreNamed) {
  const std::string second = (warptune_ / "second.wtrec.zst").string();
  db::write_recording(second, testing::toy_recording(kernel_));
  const std::string traces = warptune_.file("traces.csv",
                                            "strategy,recording,repeat,evaluation,objective_ns\n"
                                            "other,toy,0,1,2000\nother,toy,0,2,1000\n");
  const testing::ProgramRun done = warptune_.run(
      {"replay", recording_, second, "--strategy", "random", "--repeats", "1", "--with-traces", traces});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err,
              HasSubstr("'other' has no runs of second; the overall figures of all strategies leave "
                        "this recording out"));
}

}  // namespace
}  // namespace warptune::tuner::commands
