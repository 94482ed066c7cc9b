// The coordinator's end of a GPU worker, tested with a worker that does what the test asks
// (fake_gpu_worker.cpp). gpu_link_finals_test.cpp has the questions about finalists.
#include "tuner/workers/gpu_link.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "base/error.h"
#include "base/version.h"
#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"
#include "tests/tuner/workers/worker_link_fixture.h"

namespace warptune::tuner::workers {
namespace {

using model::Status;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(WorkerLinkTest, TakesTwoEvaluationsAndGivesTheirMeasurementsInOrder) {
  EXPECT_TRUE(link_.can_take());
  evaluate(1, "measure");
  EXPECT_TRUE(link_.can_take());
  evaluate(2, "measure");
  EXPECT_FALSE(link_.can_take());
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].id, 1U);
  EXPECT_EQ(events[1].id, 2U);
  EXPECT_EQ(events[0].measurement.status, Status::kMeasured);
  EXPECT_EQ(link_.roofs().copy_bytes_per_s, 4.2e12);
}

TEST_F(WorkerLinkTest, RoofsAreMeasuredWhereNoneAreKnownAndByAReplacementNeverAgain) {
  ASSERT_THAT(link_.new_roofs(), SizeIs(1));
  EXPECT_EQ(link_.new_roofs().front().value, 4.2e12);
  EXPECT_EQ(link_.new_roofs().front().driver_version, 13000);
  evaluate(1, "die");
  evaluate(2, "measure");
  finish();
  EXPECT_EQ(link_.roofs().copy_bytes_per_s, 4.2e12);
  EXPECT_THAT(link_.new_roofs(), SizeIs(1));
}

TEST_F(WorkerLinkTest, KnownRoofsAreNotMeasured) {
  GpuLink link(0, evaluation::EvaluationLimit{seconds(1)});
  start(link, {{"copy", 3e12, 0.0, 0.0, 0, 0}, {"tensor", 7e14, 0.0, 0.0, 0, 0}});
  EXPECT_EQ(link.roofs().copy_bytes_per_s, 3e12);
  EXPECT_EQ(link.roofs().tensor_flops_per_s, 7e14);
  EXPECT_THAT(link.new_roofs(), SizeIs(0));
}

// Whatever a worker asks about results, an evaluation ends.
TEST_F(WorkerLinkTest, AWorkerThatAsksAboutResultsWithoutEndHasDied) {
  int asked = 0;
  link_.set_judge([&] {
    ++asked;
    return std::nullopt;
  });
  evaluate(1, "results_without_end");
  evaluate(2, "measure");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].measurement.status, Status::kWorkerDied);
  EXPECT_THAT(events[0].measurement.reason, HasSubstr("it sent results without a request"));
  EXPECT_EQ(events[1].measurement.status, Status::kMeasured);
  EXPECT_LE(asked, 1000);
}

TEST_F(WorkerLinkTest, ADeadWorkerIsToBlameForTheFirstAndTheSecondStartsAgain) {
  evaluate(1, "die");
  evaluate(2, "measure");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].id, 1U);
  EXPECT_EQ(events[0].measurement.status, Status::kWorkerDied);
  EXPECT_EQ(events[0].measurement.reason, "the GPU worker ended: exit code 9");
  EXPECT_EQ(std::get<std::string>(events[0].measurement.configuration.at(0).second), "die");
  EXPECT_EQ(events[1].measurement.status, Status::kMeasured);
}

TEST_F(WorkerLinkTest, AHangTimesOutAndTheSecondStartsAgain) {
  evaluate(1, "hang");
  evaluate(2, "measure");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].measurement.status, Status::kTimedOut);
  EXPECT_EQ(events[0].measurement.reason,
            "the evaluation took more than 1 s; raise this limit with --timeout SECONDS");
  EXPECT_EQ(events[1].measurement.status, Status::kMeasured);
}

TEST_F(WorkerLinkTest, AHangBehindWhichALargeProgramWaitsStillTimesOut) {
  evaluate(1, "hang");
  evaluate(2, "measure", 1 << 20);  // More than a socket's buffer: a sender that waits would hang.
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].measurement.status, Status::kTimedOut);
  EXPECT_EQ(events[1].measurement.status, Status::kMeasured);
}

TEST_F(WorkerLinkTest, AFaultIsReportedOnceAndTheNextIsNotBlamedForIt) {
  evaluate(1, "fault");
  evaluate(2, "measure");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].measurement.status, Status::kLaunchFailed);
  EXPECT_EQ(events[0].measurement.reason, "illegal address");
  EXPECT_EQ(events[1].id, 2U);
  EXPECT_EQ(events[1].measurement.status, Status::kMeasured);
}

TEST_F(WorkerLinkTest, AWorkerThatCannotBeReplacedThrowsAfterTheEventOfTheOneThatDied) {
  evaluate(1, "die");
  evaluate(2, "measure");
  const testing::ScopedVariable broken("FAKE_SET_UP_DIES", "1");
  std::vector<evaluation::EvaluationEvent> events;
  while (events.empty()) events = link_.collect();
  EXPECT_EQ(std::get<evaluation::MeasurementEvent>(events.at(0)).id, 1U);
  EXPECT_THROW(link_.wait_until_ready(), base::MachineError);
}

TEST_F(WorkerLinkTest, AnErrorOfTheSessionIsThrownAsItWas) {
  evaluate(1, "fail");
  try {
    finish();
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_STREQ(error.what(), "the GPU fell off the bus");
  }
}

TEST_F(WorkerLinkTest, AWorkerThatSendsWhatIsNoMessageIsReplacedAndItsEvaluationHasTheReason) {
  evaluate(1, "babble");
  evaluate(2, "measure");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].measurement.status, Status::kWorkerDied);
  EXPECT_THAT(events[0].measurement.reason, HasSubstr("it sent something that is not a message"));
  EXPECT_EQ(events[1].measurement.status, Status::kMeasured);
}

// Messages that the worker of an untrusted kernel may send. Each ends the worker and one evaluation fails;
// the next one starts again.
TEST_F(WorkerLinkTest, AWorkerThatSaysWhatItWasNotAskedForHasDiedAndOnlyItsEvaluationIsToBlame) {
  const std::vector<std::pair<std::string, std::string>> lies = {
      {"another", "it sent the result of an evaluation that it has not begun"},
      {"counters_of_another", "it sent counters of an evaluation that it was not given"},
      {"count_unasked", "it sent a count without a request"},
      {"closed_unasked", "it sent the message that its counters are closed, without a request"},
      {"ready_again", "it sent the message that it is ready, without a request"},
      {"roofs_again", "it sent roofs for a second time"},
      {"results_unasked", "it sent results without a request"},
      {"talk", "messages, many more than it was asked for"},
      {"flood", "it sent the result of an evaluation that it has not begun"},
      {"huge", "a message of 9223372036854775808 bytes was announced"},
      {"nested", "a depth of 13 where 12 are accepted"}};
  std::uint64_t id = 0;
  for (const auto& [action, words] : lies) {
    const auto start = std::chrono::steady_clock::now();
    evaluate(++id, action);
    evaluate(++id, "measure");
    const std::vector<evaluation::MeasurementEvent> events = finish();
    ASSERT_THAT(events, SizeIs(2)) << action;
    EXPECT_EQ(events[0].measurement.status, Status::kWorkerDied) << action;
    EXPECT_THAT(events[0].measurement.reason, HasSubstr(words)) << action;
    EXPECT_EQ(events[1].measurement.status, Status::kMeasured) << action;
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5)) << action;
  }
  EXPECT_THAT(link_.take_warnings().size(), ::testing::Lt(1000U));
}

TEST_F(WorkerLinkTest, AReasonWithoutEndIsCut) {
  evaluate(1, "long_reason");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].measurement.reason, std::string(65536, 'x'));
}

TEST_F(WorkerLinkTest, AnAnswerWithNothingInFlightEndsTheWorkerAndNotTheSession) {
  evaluate(1, "twice");
  EXPECT_THAT(finish(), SizeIs(1));
  const auto end = std::chrono::steady_clock::now() + seconds(10);
  while (link_.is_ready() && std::chrono::steady_clock::now() < end) link_.collect();
  EXPECT_FALSE(link_.is_ready());
  evaluate(2, "measure");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].measurement.status, Status::kMeasured);
}

TEST_F(WorkerLinkTest, OnceTheBestIsKnownAHangCostsHalfASecond) {
  GpuLink link(0, evaluation::EvaluationLimit{seconds(60)});
  std::swap(link, link_);
  start(link_);
  evaluate(1, "measure");
  EXPECT_THAT(finish(), SizeIs(1));
  const auto started = std::chrono::steady_clock::now();
  evaluate(2, "hang");
  evaluate(3, "measure");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(2));
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].measurement.status, Status::kTimedOut);
  EXPECT_EQ(events[0].measurement.reason,
            "the evaluation took more than 0.5 s; raise this limit with --timeout SECONDS");
  EXPECT_EQ(events[1].measurement.status, Status::kMeasured);
}

TEST_F(WorkerLinkTest, ASlowEvaluationIsCutOffAtTheLimitThatWasAskedForAndNotBefore) {
  for (const auto& [limit, status] :
       {std::pair{100, Status::kTimedOut}, std::pair{5000, Status::kMeasured}}) {
    GpuLink link(0, evaluation::EvaluationLimit{seconds(60), std::chrono::milliseconds(limit)});
    std::swap(link, link_);
    start(link_);
    evaluate(1, "crawl");
    const std::vector<evaluation::MeasurementEvent> events = finish();
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].measurement.status, status);
  }
}

TEST_F(WorkerLinkTest, WhatAWorkerPrintedBeforeItDiedIsKeptWithTheRowBoundedAndPlain) {
  evaluate(1, "print_and_die");
  const std::vector<evaluation::MeasurementEvent> events = finish();
  ASSERT_THAT(events, SizeIs(1));
  const std::string& reason = events[0].measurement.reason;
  EXPECT_THAT(reason, ::testing::StartsWith("the GPU worker ended: exit code 9\nprinted: x = ?[31m7\nyyy"));
  EXPECT_THAT(reason, ::testing::EndsWith("\n... (9011 bytes)"));
  EXPECT_LT(reason.size(), 4300U);
}

TEST_F(WorkerLinkTest, CountersSurviveSeveralFaultsInARow) {
  evaluate(1, "keep_counters");
  finish();
  for (std::uint64_t id = 2; id < 6; ++id) {
    evaluate(id, "fault");
    finish();
  }
  evaluate(6, "measure");
  finish();
  for (const evaluation::CounterEvent& event : link_.close_counters()) counted_.push_back(event.id);
  EXPECT_THAT(counted_, ::testing::UnorderedElementsAre(1, 6));
}

TEST_F(WorkerLinkTest, WhatWasNotCountedIsNotCountedAgainWhenAWorkerEnds) {
  evaluate(1, "leave_uncounted");
  evaluate(2, "fault");
  EXPECT_THAT(finish(), SizeIs(2));
  EXPECT_TRUE(link_.close_counters().empty());
  EXPECT_EQ(link_.descriptor(), -1) << "no worker was started to count";
}

TEST_F(WorkerLinkTest, CountersOfAClosedSessionComeWithThoseOfTheLast) {
  evaluate(777, "keep_counters");
  EXPECT_THAT(finish(), SizeIs(1));
  const std::vector<evaluation::CounterEvent> events = link_.close_counters();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].id, 777U);
  EXPECT_EQ(events[0].counters.at("one"), 1.0);
}

TEST_F(WorkerLinkTest, CountersAreLostWithTheirWorkerAndNothingElseIs) {
  for (const char* action : {"die", "fault"}) {
    evaluate(1, action);
    EXPECT_THAT(finish(), SizeIs(1));
    EXPECT_TRUE(link_.close_counters().empty());
    EXPECT_EQ(link_.descriptor(), -1);  // Nobody waits for a worker that does not exist.
    evaluate(2, "measure");
    EXPECT_THAT(finish(), SizeIs(1));
  }
}

TEST_F(WorkerLinkTest, CountsLostWithTheirWorkerAreTakenAgainByTheNext) {
  evaluate(1, "keep_counters");
  evaluate(2, "fault");
  EXPECT_THAT(finish(), SizeIs(2));
  evaluate(3, "measure");
  std::vector<std::uint64_t> counted;
  const auto end = std::chrono::steady_clock::now() + seconds(20);
  while (counted.size() < 2 && std::chrono::steady_clock::now() < end) {
    pollfd polled{link_.descriptor(), POLLIN, 0};
    ::poll(&polled, 1, 50);
    for (const evaluation::EvaluationEvent& event : link_.collect()) {
      if (const auto* counters = std::get_if<evaluation::CounterEvent>(&event))
        counted.push_back(counters->id);
    }
  }
  EXPECT_THAT(counted, ElementsAre(1, 3));
}

TEST_F(WorkerLinkTest, CountsLostAtTheEndAreTakenAgainWhenCountersClose) {
  evaluate(1, "keep_counters");
  evaluate(2, "fault");
  EXPECT_THAT(finish(), SizeIs(2));
  std::vector<std::uint64_t> ids;
  for (const evaluation::CounterEvent& event : link_.close_counters()) ids.push_back(event.id);
  EXPECT_THAT(ids, ::testing::Contains(1));
}

TEST_F(WorkerLinkTest, ADisturbedCountIsTakenAgainAndItsFirstValuesAreNotGiven) {
  evaluate(1, "disturbed");
  EXPECT_THAT(finish(), SizeIs(1));
  std::vector<evaluation::CounterEvent> ones;
  for (evaluation::CounterEvent& event : link_.close_counters()) {
    if (event.id == 1) ones.push_back(std::move(event));
  }
  ASSERT_THAT(ones, SizeIs(1));
  EXPECT_EQ(ones[0].counters.at("one"), 1.0);
}

TEST_F(WorkerLinkTest, AWorkerThatDiesWhileCountersAreAskedForEndsNoSession) {
  for (const pid_t child : testing::children_of(::getpid())) ::kill(child, SIGKILL);
  EXPECT_TRUE(link_.close_counters().empty());
}

TEST(WorkerLinkSetUpTest, AWorkerThatCannotBeSetUpIsTheMachinesFault) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::ScopedVariable broken("FAKE_SET_UP_DIES", "1");
  try {
    GpuLink link(0, evaluation::EvaluationLimit{seconds(1)});
    link.prepare({});
    link.set_up({});
    link.begin({});
    link.wait_until_ready();
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("while it set up the GPU: exit code 1"));
  }
}

TEST(WorkerLinkSetUpTest, AReferenceThatFailsKeepsItsKindAndPositionAcrossTheProcesses) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::ScopedVariable broken("FAKE_REFERENCE_FAILS", "");
  GpuLink link(0, evaluation::EvaluationLimit{seconds(1)});
  link.prepare({});
  link.set_up({});
  link.begin({});
  try {
    link.wait_until_ready();
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.position().file, "fake.cu");
    EXPECT_EQ(error.message(), "the reference fails: a fake's");
  }
}

TEST(WorkerLinkSetUpTest, AWorkerOfAnotherVersionIsRefusedWithBothVersions) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::ScopedVariable other("FAKE_OTHER_VERSION", "1");
  GpuLink link(0, evaluation::EvaluationLimit{seconds(1)});
  link.prepare({});
  try {
    link.wait_until_ready();
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(fmt::format("speaks version {} of the protocol, this end speaks version {}",
                                      protocol::kVersion + 1, protocol::kVersion)));
  }
}

TEST(WorkerLinkSetUpTest, AWorkerOfAnotherReleaseIsRefusedInOneSentence) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::ScopedVariable other("WARPTUNE_FAKE_OTHER_RELEASE", "7.6.5");
  GpuLink link(0, evaluation::EvaluationLimit{seconds(1)});
  link.prepare({});
  try {
    link.wait_until_ready();
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("the worker program {} has another version: it is warptune 7.6.5, this end is "
                          "warptune {}; check with `which warptune` which program the PATH finds first",
                          WARPTUNE_FAKE_GPU_WORKER, base::kVersion));
  }
}

}  // namespace
}  // namespace warptune::tuner::workers
