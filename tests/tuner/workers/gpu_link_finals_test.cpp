// The questions about finalists that the coordinator's end of a GPU worker asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/tuner/workers/worker_link_fixture.h"

namespace warptune::tuner::workers {
namespace {

using model::Status;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(WorkerLinkTest, TimesOfFewerFinalistsThanWereGivenAreNone) {
  const testing::ScopedVariable fewer("FAKE_INTERLEAVES_FEWER", "1");
  evaluate(1, "die");  // The next worker sees the variable.
  finish();
  EXPECT_TRUE(link_.interleave({{{configuration("measure"), {}}}, 3}).empty());
  EXPECT_THAT(link_.take_warnings(),
              ElementsAre(HasSubstr("it sent a number of timings that is not the number of finalists")));
}

TEST_F(WorkerLinkTest, FinalistsAreTimedInARoundEvenAfterAnEvaluationDied) {
  evaluate(1, "die");
  finish();
  const std::vector<profiling::timing::FinalistTiming> timings =
      link_.interleave({{{configuration("measure"), {}}}, 3});
  ASSERT_EQ(timings.size(), 1U);
  EXPECT_THAT(timings[0].samples_ns, ElementsAre(1.0, 2.0, 3.0));
}

TEST_F(WorkerLinkTest, AFinalistThatEndsTheWorkerTwiceHasFailedAndTheOthersAreTimedWithoutIt) {
  const std::vector<profiling::timing::FinalistTiming> timings = interleave({"measure", "die", "measure"});
  ASSERT_THAT(timings, SizeIs(3));
  ASSERT_TRUE(timings[1].fault.has_value());
  EXPECT_EQ(timings[1].fault->status, Status::kWorkerDied);
  EXPECT_EQ(timings[1].fault->reason,
            "the GPU worker ended 2 times while timing the best once more: exit code 9");
  for (const std::size_t i : {0U, 2U}) EXPECT_THAT(timings[i].samples_ns, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_THAT(link_.take_warnings(), SizeIs(2));
  evaluate(1, "measure");
  EXPECT_THAT(finish(), SizeIs(1));
}

TEST_F(WorkerLinkTest, AHangInTheFinalsCostsHalfASecondAndTheOthersAreTimedWithoutIt) {
  link_.set_finalist_times(11e3, 12e3);
  const auto started = std::chrono::steady_clock::now();
  const std::vector<profiling::timing::FinalistTiming> timings =
      interleave({"measure", "hang_in_finals", "measure", "die_in_finals"});
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(5));
  ASSERT_THAT(timings, SizeIs(4));
  ASSERT_TRUE(timings[1].fault.has_value());
  EXPECT_EQ(timings[1].fault->status, Status::kTimedOut);
  EXPECT_EQ(
      timings[1].fault->reason,
      "a launch took more than 0.516 s while timing the best once more; raise this limit with --timeout "
      "SECONDS");
  EXPECT_EQ(timings[3].fault->status, Status::kWorkerDied);
  for (const std::size_t i : {0U, 2U}) EXPECT_THAT(timings[i].samples_ns, ElementsAre(1.0, 2.0, 3.0));
}

TEST_F(WorkerLinkTest, AHangInTheConfirmationCostsHalfASecondAndIsTriedOnce) {
  link_.set_finalist_times(11e3, 11e3);
  const auto started = std::chrono::steady_clock::now();
  const profiling::timing::Confirmation confirmation =
      link_.confirm({{configuration("hang_in_confirmation"), {}}});
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(3));
  EXPECT_EQ(confirmation.verdict.status, Status::kTimedOut);
  EXPECT_EQ(
      confirmation.verdict.reason,
      "a launch took more than 0.516 s while confirming the best; raise this limit with --timeout SECONDS");
  EXPECT_THAT(link_.take_warnings(),
              ElementsAre(HasSubstr("the GPU worker ended while confirming the best: ")));
  EXPECT_TRUE(link_.confirm({{configuration("measure"), {}}}).has_passed());
}

TEST_F(WorkerLinkTest, EachLaunchOfAConfirmationHasItsOwnLimit) {
  link_.set_finalist_times(11e3, 11e3);
  EXPECT_TRUE(link_.confirm({{configuration("crawl_in_confirmation"), {}}}).has_passed());
}

TEST_F(WorkerLinkTest, TheLimitThatWasAskedForHoldsInTheFinalsToo) {
  GpuLink link(0, evaluation::EvaluationLimit{seconds(60), std::chrono::milliseconds(100)});
  std::swap(link, link_);
  start(link_);
  const profiling::timing::Confirmation confirmation =
      link_.confirm({{configuration("crawl_in_confirmation"), {}}});
  EXPECT_EQ(confirmation.verdict.status, Status::kTimedOut);
  EXPECT_THAT(confirmation.verdict.reason, HasSubstr("more than 0.1 s while confirming"));
  const std::vector<profiling::timing::FinalistTiming> timings = interleave({"hang_in_finals"});
  ASSERT_THAT(timings, SizeIs(1));
  EXPECT_THAT(timings[0].fault.value().reason, HasSubstr("more than 0.1 s while timing"));
}

TEST_F(WorkerLinkTest, AWorkerThatEndsOnceWhileItConfirmsIsReplacedAndTheConfigurationConfirmed) {
  const testing::TemporaryFolder folder;
  const testing::ScopedVariable once("FAKE_CONFIRM_DIES_ONCE", (folder / "ended").string());
  evaluate(1, "die");  // The next worker sees the variable.
  finish();
  const profiling::timing::Confirmation confirmation = link_.confirm({{configuration("measure"), {}}});
  EXPECT_TRUE(confirmation.has_passed());
  EXPECT_EQ(confirmation.launches, 30U);
  EXPECT_THAT(link_.take_warnings(), ElementsAre(HasSubstr("while confirming the best: exit code 9")));
}

TEST_F(WorkerLinkTest, AConfigurationThatEndsEachWorkerThatConfirmsItHasFailed) {
  const profiling::timing::Confirmation confirmation = link_.confirm({{configuration("die"), {}}});
  EXPECT_EQ(confirmation.verdict.status, Status::kWorkerDied);
  EXPECT_EQ(confirmation.verdict.reason,
            "the GPU worker ended 2 times while confirming the best: exit code 9");
  EXPECT_TRUE(link_.confirm({{configuration("measure"), {}}}).has_passed());
}

}  // namespace
}  // namespace warptune::tuner::workers
