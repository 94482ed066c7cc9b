// The questions about finalists that the coordinator's end of a GPU worker asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
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
      link_.confirm({{configuration("hang_in_confirmation"), {}}}).value();
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(3));
  EXPECT_EQ(confirmation.verdict.status, Status::kTimedOut);
  EXPECT_EQ(
      confirmation.verdict.reason,
      "a launch took more than 0.516 s while confirming the best; raise this limit with --timeout SECONDS");
  EXPECT_THAT(link_.take_warnings(),
              ElementsAre(HasSubstr("the GPU worker ended while confirming the best: ")));
  EXPECT_TRUE(link_.confirm({{configuration("measure"), {}}}).value().has_passed());
}

TEST_F(WorkerLinkTest, EachLaunchOfAConfirmationHasItsOwnLimit) {
  link_.set_finalist_times(11e3, 11e3);
  EXPECT_TRUE(link_.confirm({{configuration("crawl_in_confirmation"), {}}}).value().has_passed());
}

TEST_F(WorkerLinkTest, TheLimitThatWasAskedForHoldsInTheFinalsToo) {
  GpuLink link(0, evaluation::EvaluationLimit{seconds(60), std::chrono::milliseconds(100)});
  std::swap(link, link_);
  start(link_);
  const profiling::timing::Confirmation confirmation =
      link_.confirm({{configuration("crawl_in_confirmation"), {}}}).value();
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
  const profiling::timing::Confirmation confirmation =
      link_.confirm({{configuration("measure"), {}}}).value();
  EXPECT_TRUE(confirmation.has_passed());
  EXPECT_EQ(confirmation.launches, 30U);
  EXPECT_THAT(link_.take_warnings(), ElementsAre(HasSubstr("while confirming the best: exit code 9")));
}

TEST_F(WorkerLinkTest, AConfigurationThatEndsEachWorkerThatConfirmsItHasFailed) {
  const profiling::timing::Confirmation confirmation = link_.confirm({{configuration("die"), {}}}).value();
  EXPECT_EQ(confirmation.verdict.status, Status::kWorkerDied);
  EXPECT_EQ(confirmation.verdict.reason,
            "the GPU worker ended 2 times while confirming the best: exit code 9");
  EXPECT_TRUE(link_.confirm({{configuration("measure"), {}}}).value().has_passed());
}

TEST_F(WorkerLinkTest, AConfirmationOfMoreLaunchesThanWereBegunIsNotBelieved) {
  const profiling::timing::Confirmation confirmation = link_.confirm({{configuration("boast"), {}}}).value();
  EXPECT_EQ(confirmation.verdict.status, Status::kWorkerDied);
  EXPECT_THAT(confirmation.verdict.reason,
              HasSubstr("it sent a confirmation of more launches than it has begun"));
  EXPECT_EQ(confirmation.launches, 0U);
}

TEST_F(WorkerLinkTest, TimesOfFinalistsThatNoRoundCanGiveAreNotBelieved) {
  for (const char* action : {"extra_time", "negative_time", "faultless"}) {
    EXPECT_TRUE(interleave({"measure", action}).empty()) << action;
    EXPECT_THAT(link_.take_warnings(), ElementsAre(HasSubstr("the GPU worker ended while timing the best")))
        << action;
  }
}

TEST_F(WorkerLinkTest, OnlyAConfirmationMayStoreThatARowIsConfirmed) {
  evaluate(1, "forge");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].measurement.source, model::RowSource::kMeasured);
  EXPECT_THAT(events[0].measurement.counters,
              ElementsAre(std::pair<const std::string, double>("spill_bytes", 8.0)));
  const std::vector<profiling::timing::FinalistTiming> timings = interleave({"forge"});
  ASSERT_THAT(timings, SizeIs(1));
  EXPECT_THAT(timings[0].errors, ElementsAre(std::pair<const std::string, double>("error_max_ulp", 1.0)));
  EXPECT_THAT(timings[0].bits, ElementsAre(std::pair<const std::string, double>("output_digest", 7.0)));
}

TEST_F(WorkerLinkTest, AMeasuredTimeThatIsNotPositiveIsNotBelieved) {
  evaluate(1, "negative_time");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].measurement.status, Status::kWorkerDied);
  EXPECT_THAT(events[0].measurement.reason, HasSubstr("it sent a time that is not a positive number"));
}

// Cancels after 200 ms, in another thread.
class CancelledFinalsTest : public WorkerLinkTest {
 public:
  ~CancelledFinalsTest() override { canceller_.join(); }

 protected:
  CancelledFinalsTest() { link_.set_cancellation(cancellation_); }

  void cancel_soon() {
    canceller_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      cancelled_at_ = std::chrono::steady_clock::now();
      cancellation_.cancel();
    });
  }
  void expect_end_within_half_a_second() {
    EXPECT_TRUE(cancellation_.is_cancelled());
    EXPECT_LT(std::chrono::steady_clock::now() - cancelled_at_.load(), std::chrono::milliseconds(500));
  }

  base::Cancellation cancellation_;
  std::atomic<std::chrono::steady_clock::time_point> cancelled_at_{};
  std::thread canceller_;
};

TEST_F(CancelledFinalsTest, DoNotWaitForAnotherWorker) {
  const testing::ScopedVariable hangs("FAKE_SET_UP_HANGS", "1");  // Only the next worker sees the variable.
  cancel_soon();
  EXPECT_TRUE(interleave({"die", "measure"}).empty());
  expect_end_within_half_a_second();
  EXPECT_FALSE(link_.confirm({{configuration("measure"), {}}}).has_value());
  expect_end_within_half_a_second();
}

TEST_F(CancelledFinalsTest, FollowACloseOfTheCountersForWhichCountingDoesNotBegin) {
  evaluate(1, "keep_counters");
  EXPECT_THAT(finish(), SizeIs(1));
  cancel_soon();
  while (!cancellation_.is_cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(link_.close_counters().empty());
}

TEST_F(CancelledFinalsTest, DoNotWaitForALaunchOfAFinalistAndNobodyIsToBlame) {
  cancel_soon();
  EXPECT_TRUE(interleave({"measure", "hang_in_finals"}).empty());
  expect_end_within_half_a_second();
  EXPECT_THAT(link_.take_warnings(), SizeIs(0));
}

TEST_F(CancelledFinalsTest, DoNotWaitForALaunchOfAConfirmationAndRejectNothing) {
  cancel_soon();
  EXPECT_FALSE(link_.confirm({{configuration("hang_in_confirmation"), {}}}).has_value());
  expect_end_within_half_a_second();
}

}  // namespace
}  // namespace warptune::tuner::workers
