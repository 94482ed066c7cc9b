// What was replayed from a recording is said to be so wherever it is shown, and does not pass for measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "db/recording_file.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kLast =
    "replayed from toy-fictional.wtrec.zst: nothing was measured on this machine, and export leaves replayed "
    "results out without --replayed\n";

// A share folder with one kernel and its recording, on a machine without a GPU.
class ReplayedResultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path share = warptune_ / "share";
    std::filesystem::create_directories(share / "kernels");
    std::filesystem::create_directories(share / "recordings");
    const std::filesystem::path toy = testing::write_toy_kernel(warptune_.folder());
    std::filesystem::copy_file(toy, share / "kernels" / "toy.cu");
    recording_ = (share / "recordings" / "toy-fictional.wtrec.zst").string();
    db::write_recording(recording_, testing::toy_recording((share / "kernels" / "toy.cu").string()));
    warptune_.variables["WARPTUNE_SHARE"] = share.string();
  }

  testing::ProgramRun tune(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"tune", "toy", "--budget", "all"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return warptune_.run(arguments);
  }

  testing::Warptune warptune_;
  std::string recording_;
};

TEST_F(ReplayedResultsTest, AreSaidFirstAndLastByTune) {
  const testing::ProgramRun done = tune();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("no GPU ("),
                              HasSubstr("replaying the recording toy-fictional.wtrec.zst instead\n")));
  EXPECT_THAT(done.out, EndsWith(kLast));
  const testing::ProgramRun as_json = tune({"--format", "json", "--fresh"});
  EXPECT_EQ(json::parse(as_json.out).at("sessions").at(0).at("best").at("replayed"), true);
  EXPECT_THAT(as_json.err, AllOf(HasSubstr("no GPU ("), EndsWith(kLast)));
}

TEST_F(ReplayedResultsTest, AnswerOnlyExactlyWhatTheRecordingHolds) {
  const auto told_by = [&](const std::vector<std::string>& more) {
    const testing::ProgramRun done = tune(more);
    EXPECT_EQ(done.exit_code, 3) << ::testing::PrintToString(more) << done.out;
    EXPECT_EQ(done.out, "");
    return done.err;
  };
  const std::string told = told_by({"--size", "N=512"});
  EXPECT_THAT(told, AllOf(HasSubstr("no shipped recording holds exactly what is asked for"),
                          HasSubstr("toy-fictional.wtrec.zst holds N=1024 from a cold L2 cache")));
  EXPECT_EQ(told_by({"--cache", "warm"}), told);
  const auto expect_told = [&](const std::vector<std::string>& more, const std::string& why) {
    EXPECT_THAT(told_by(more), AllOf(HasSubstr("no shipped recording holds exactly what is asked for"),
                                     HasSubstr("toy-fictional.wtrec.zst " + why)));
  };
  expect_told({"--device", "3"}, "cannot be replayed on GPUs that --device names");
  expect_told({"--device", "all"}, "cannot be replayed on GPUs that --device names");
  expect_told({"--metrics", "full"}, "lacks ");
  expect_told({"--objective", "energy"}, "lacks energy");
  std::string own = testing::slurp(warptune_ / "share" / "kernels" / "toy.cu");
  own += "// Another source.\n";
  const testing::ProgramRun done = warptune_.run({"tune", warptune_.file("own.cu", own)});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("toy-fictional.wtrec.zst belongs to another source of the kernel"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
  EXPECT_EQ(tune({"--size", "N=1024", "--cache", "cold"}).exit_code, 0);
  EXPECT_EQ(tune({"--size", "NOPE=1"}).exit_code, 2);  // What is wrong everywhere is the input's fault.
}

TEST_F(ReplayedResultsTest, AreForbiddenByMeasure) {
  const testing::ProgramRun done = tune({"--measure"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, AllOf(HasSubstr("no GPU: "), Not(HasSubstr("recording"))));
  const testing::ProgramRun both = tune({"--measure", "--replay", recording_});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--measure forbids a replay"));
}

TEST_F(ReplayedResultsTest, AreMarkedByEveryCommandThatShowsThem) {
  ASSERT_EQ(tune().exit_code, 0);
  EXPECT_THAT(warptune_.run({"query", "toy"}).out,
              HasSubstr("replayed from a recording: nothing was measured"));
  EXPECT_EQ(warptune_.json_of({"query", "toy"}).at("winner").at("best").at("replayed"), true);
  EXPECT_THAT(warptune_.run({"list"}).out, HasSubstr("a replay"));
  EXPECT_THAT(warptune_.run({"show"}).out, HasSubstr("replayed"));
  EXPECT_THAT(warptune_.run({"show", "1"}).out, HasSubstr("(replayed)"));
  EXPECT_EQ(warptune_.json_of({"show", "1"}).at("measurements").at(0).at("replayed"), true);
  EXPECT_THAT(warptune_.run({"explain", "toy"}).out, HasSubstr(", replayed from a recording\n"));
  const testing::ProgramRun csv = warptune_.run({"report", "toy", "--format", "csv"});
  EXPECT_THAT(csv.out, AllOf(HasSubstr("theoretical_occupancy,replayed"), HasSubstr(",true")));
  const json report = json::parse(warptune_.run({"report", "toy", "--format", "json"}).out);
  EXPECT_EQ(report.at("workloads").at(0).at("rows").at("replayed").at(0), true);
}

TEST_F(ReplayedResultsTest, AreExportedOnlyWhenAskedFor) {
  ASSERT_EQ(tune().exit_code, 0);
  const testing::ProgramRun refused = warptune_.run({"export", "toy"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("everything that is known of toy was replayed from a recording"));
  EXPECT_THAT(warptune_.run({"export", "toy", "--replayed"}).out, HasSubstr("replayed from a recording"));
  EXPECT_THAT(warptune_.run({"export", "toy", "--replayed", "--format", "defines"}).out,
              HasSubstr("replayed from a recording"));
  const json all = json::parse(warptune_.run({"export", "toy", "--replayed", "--format", "json"}).out);
  EXPECT_EQ(all.at("kernels").at(0).at("winners").at(0).at("best").at("replayed"), true);
}

TEST_F(ReplayedResultsTest, OfAnUnknownCacheStateAreFoundByThatState) {
  model::Recording recording = db::read_recording(recording_);
  recording.workload.cache = model::CacheState::kUnknown;
  db::write_recording(recording_, recording);
  EXPECT_THAT(tune({"--replay", recording_}).out, HasSubstr("timed from an L2 cache in an unknown state\n"));
  EXPECT_EQ(warptune_.run({"query", "toy", "--strict"}).exit_code, 1);
  EXPECT_EQ(warptune_.json_of({"query", "toy", "--strict", "--cache", "unknown"}).at("workload").at("cache"),
            "unknown");
  EXPECT_EQ(tune({"--cache", "unknown"}).exit_code, 2);
}

}  // namespace
}  // namespace warptune::tuner::commands
