// The notes about winners that were measured under other conditions. The machine is made up.
#include "tuner/knowledge/environment_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/tuner/stored_winners.h"

namespace warptune::tuner::knowledge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EnvironmentChangesTest : public ::testing::Test {
 protected:
  EnvironmentChangesTest() {
    winner_.workload = testing::line_plan(4).workload;
    winner_.workload.gpu = testing::named_gpu("NVIDIA H200", 132);
    winner_.best = testing::measured(testing::at(1), 100.0);
    winner_.environment = environment_;
    winner_.session_id = 3;
    here_ = {winner_.workload.gpu, environment_};
  }

  db::Session session_with(const model::Environment& environment, std::int64_t id = 9) const {
    db::Session session;
    session.id = id;
    session.workload = winner_.workload;
    session.environment = environment;
    return session;
  }
  std::string note(const std::optional<db::Session>& newest = std::nullopt) const {
    return environment_note(environment_differences(winner_, newest, here_), winner_, "sgemm", true);
  }

  model::Environment environment_ = {"0.1.0", 12080, 12080, 1980, 3201, "0x0"};
  db::Winner winner_;
  gpus::PresentMachine here_;
};

TEST_F(EnvironmentChangesTest, NothingIsSaidIfNothingDiffers) {
  EXPECT_EQ(note(), "");
  EXPECT_EQ(note(session_with(environment_)), "");
  here_.environment.warptune_version = "0.2.0";
  here_.environment.sm_clock_mhz = 1975;  // Less than 1 %.
  EXPECT_EQ(note(), "");
}

TEST_F(EnvironmentChangesTest, OneSentenceSaysWhatDiffersHereAndWhatToDo) {
  here_.environment = {"0.1.0", 13000, 13010, 1410, 2619, "0x2"};
  EXPECT_EQ(
      note(),
      "measured with driver 12.8 (here 13.0), NVRTC 12.8 (here 13.1), SM clock 1980 MHz (here 1410 MHz) and "
      "memory clock 3201 MHz (here 2619 MHz): warptune recheck sgemm says whether it still holds");
}

TEST_F(EnvironmentChangesTest, ClocksOfAnIdleOrThrottledGpuAreNotCompared) {
  for (const char* reasons : {"0x1", "0x4", "0x42", "", "unknown", "0x"}) {
    here_.environment = {"0.1.0", 12080, 12080, 345, 405, reasons};
    EXPECT_EQ(note(), "") << reasons;
    here_.environment = environment_;
    winner_.environment = {"0.1.0", 12080, 12080, 345, 405, reasons};
    EXPECT_EQ(note(), "") << reasons;
    winner_.environment = environment_;
  }
}

TEST_F(EnvironmentChangesTest, WhatIsUnknownHereIsComparedWithTheNewestSessionOnTheGpu) {
  const db::Session later = session_with({"0.1.0", 13000, 13000, 1410, 3201, "0x0"});
  EXPECT_EQ(note(later), "") << "this machine decides";
  here_.environment = {"", {}, 12080, 0, 0, ""};
  EXPECT_EQ(
      note(later),
      "measured with driver 12.8 (13.0 in session 9, the newest on this GPU) and SM clock 1980 MHz (1410 MHz "
      "in session 9, the newest on this GPU): warptune recheck sgemm says whether it still holds");
  EXPECT_EQ(note(session_with(later.environment, winner_.session_id)), "") << "its own session";
}

TEST_F(EnvironmentChangesTest, WithoutTheGpuOnlyNvrtcIsComparedAndOnlyWhereThereIsNoOtherGpu) {
  here_ = {std::nullopt, {"0.1.0", {}, 13000, 0, 0, ""}};
  EXPECT_EQ(note(),
            "measured with NVRTC 12.8 (here 13.0): warptune recheck sgemm on a machine with the NVIDIA H200 "
            "says whether it still holds");
  here_ = {testing::named_gpu("NVIDIA A100", 108), {"0.1.0", 13000, 13000, 1410, 3201, "0x0"}};
  EXPECT_EQ(note(), "");
  here_.gpu.reset();  // A GPU that is not recognised.
  EXPECT_EQ(note(), "");
}

TEST_F(EnvironmentChangesTest, UnknownPartsAndRowsThatWereNotMeasuredAreNotCompared) {
  here_.environment = {"", {}, 0, 0, 0, ""};
  EXPECT_EQ(note(), "");
  here_.environment = {"0.1.0", 13000, 13000, 1410, 3201, "0x0"};
  winner_.environment = {"", {}, 0, 0, 0, ""};
  EXPECT_EQ(note(), "");
  winner_.environment = environment_;
  winner_.best.source = model::RowSource::kReplayed;
  EXPECT_EQ(note(), "");
}

TEST_F(EnvironmentChangesTest, AWinnerThatRecheckDoesNotMeasureIsTunedAgain) {
  here_.environment.driver_version = 13000;
  const EnvironmentDifferences found = environment_differences(winner_, std::nullopt, here_);
  EXPECT_EQ(environment_note(found, winner_, "sgemm", false),
            "measured with driver 12.8 (here 13.0): warptune tune sgemm --fresh measures it again");
  winner_.of_system = true;
  EXPECT_THAT(environment_note(found, winner_, "sgemm", true), ::testing::HasSubstr("tune sgemm --fresh"));
}

TEST_F(EnvironmentChangesTest, ResultsWithTheSameDifferencesShareASentence) {
  const testing::TemporaryFolder folder;
  const db::Store store(folder / "w.db");
  here_.environment.driver_version = 13000;
  db::Winner same = winner_;
  same.environment = here_.environment;
  EXPECT_THAT(
      environment_notes({winner_, same, winner_}, store, "sgemm", here_),
      ElementsAre("2 results were measured with driver 12.8 (here 13.0): warptune recheck sgemm says what "
                  "still holds"));
  EXPECT_THAT(environment_notes({same}, store, "sgemm", here_), IsEmpty());
}

TEST_F(EnvironmentChangesTest, AnotherReleaseOfTheDriverIsSaidAlsoForTheSameCuda) {
  winner_.environment.driver_release = "570.86.15";
  EXPECT_EQ(note(), "") << "the release of this machine is unknown";
  here_.environment.driver_release = "570.133.20";
  EXPECT_EQ(note(),
            "measured with driver 570.86.15 (here 570.133.20): warptune recheck sgemm says whether it still "
            "holds");
  here_.environment.driver_version = 13000;
  EXPECT_EQ(note(),
            "measured with driver 570.86.15 (here 570.133.20) and CUDA of the driver 12.8 (here 13.0): "
            "warptune recheck sgemm says whether it still holds");
  here_.environment = {"", {}, 12080, 0, 0, ""};
  db::Session later = session_with(environment_);
  later.environment.driver_release = "575.57.08";
  EXPECT_THAT(note(later), ::testing::HasSubstr("driver 570.86.15 (575.57.08 in session 9,"));
}

TEST_F(EnvironmentChangesTest, ChangesHaveTheStoredNumbers) {
  const std::vector<EnvironmentChange> changes =
      environment_changes(environment_, {"0.2.0", 13000, 0, 1980, 3201, ""});
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].name, "driver_version");
  EXPECT_EQ(changes[0].before_number, 12080);
  EXPECT_EQ(changes[0].after_number, 13000);
  EXPECT_EQ(changes[1].title, "warptune");
  EXPECT_EQ(changes[1].after, "0.2.0");
}

}  // namespace
}  // namespace warptune::tuner::knowledge
