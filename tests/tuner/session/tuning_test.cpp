// A tuning session without a command line and with fake workers (fake_gpu_worker.cpp), used as a library or a
// server would use it.
#include "tuner/session/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <stop_token>
#include <thread>

#include "base/error.h"
#include "db/recording_file.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::session {
namespace {

using std::chrono::steady_clock;
using ::testing::HasSubstr;
using testing::ScopedVariable;
using ::testing::SizeIs;

class TuningTest : public ::testing::Test {
 protected:
  TuningTest() {
    request_.kernel = testing::write_toy_kernel(folder_, 50).string();
    request_.database = folder_ / "warptune.db";
    request_.compile_workers = 1;
    request_.search.budget = Budget::parse("all");
    request_.search.strategy = "exhaustive";
  }

  TuningOutcome run() { return Tuning(request_).run(0, listener_, cancellation_); }

  // Cancels from another thread as soon as the condition holds.
  template <class Condition>
  std::jthread cancel_when(Condition condition) {
    return std::jthread([this, condition](const std::stop_token& stop) {
      while (!condition() && !stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      cancellation_.cancel();
    });
  }

  ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  testing::TemporaryFolder folder_;
  TuningRequest request_;
  testing::RecordingListener listener_;
  base::Cancellation cancellation_;
  std::atomic<int> rows_seen_{0};
};

TEST_F(TuningTest, ARequestBecomesAStoredSessionAndTypedEventsAndNothingIsPrinted) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const TuningOutcome outcome = run();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(outcome.result.progress.evaluated, 100U);
  ASSERT_TRUE(outcome.result.best);
  EXPECT_THAT(outcome.ordinals, ::testing::ElementsAre(0));
  EXPECT_EQ(outcome.roofs.copy_bytes_per_s, 4.2e12);
  EXPECT_THAT(listener_.began, ::testing::ElementsAre(outcome.result.session_id));
  EXPECT_THAT(listener_.measured, SizeIs(100));
  EXPECT_FALSE(listener_.counted.empty());
  EXPECT_THAT(listener_.finals, SizeIs(::testing::Ge(1U)));
  ASSERT_THAT(listener_.ended, SizeIs(1));
  EXPECT_FALSE(listener_.ended[0].cancelled);
  const db::Store store = db::Store::open_existing(request_.database);
  EXPECT_THAT(store.session_measurements(outcome.result.session_id), SizeIs(100));
  EXPECT_THAT(recording_of(outcome, store).measurements, SizeIs(100));
}

TEST_F(TuningTest, ARecordingHasNoRowsThatTheSessionDoesNotRank) {
  request_.search.budget = Budget::parse("3");
  const TuningOutcome outcome = run();
  db::Store store(request_.database);
  for (const model::RowSource source : {model::RowSource::kReplayed, model::RowSource::kImported}) {
    db::Session session;
    session.workload = outcome.plan.workload;
    session.source = source;
    model::Measurement row = testing::measured(
        {{"A", std::int64_t{source == model::RowSource::kReplayed ? 40 : 41}}, {"B", true}}, 1.0);
    row.source = source;
    store.add_measurement(store.begin_session(session), row);
  }
  EXPECT_THAT(recording_of(outcome, store).measurements, SizeIs(3));
  TuningOutcome replay = outcome;
  replay.plan.replayed = true;
  EXPECT_THAT(recording_of(replay, store).measurements, SizeIs(4));
}

TEST_F(TuningTest, AnotherThreadCancelsItAndEverythingFinishedIsKept) {
  request_.kernel = testing::write_toy_kernel(folder_, 10000).string();
  std::jthread other = cancel_when([this] { return rows_seen_ > 5; });
  class Counter : public SessionListener {
   public:
    explicit Counter(std::atomic<int>& rows) : rows_(rows) {}
    void on_event(const SessionEvent& event) override {
      if (std::holds_alternative<MeasurementStored>(event)) ++rows_;
    }

   private:
    std::atomic<int>& rows_;
  } counter(rows_seen_);
  const TuningOutcome outcome = Tuning(request_).run(0, counter, cancellation_);
  other.join();
  EXPECT_TRUE(outcome.result.interrupted);
  const db::Store store = db::Store::open_existing(request_.database);
  EXPECT_EQ(static_cast<int>(store.session_measurements(outcome.result.session_id).size()), rows_seen_);
  EXPECT_EQ(store.session(outcome.result.session_id)->finished_ms, 0);
}

TEST_F(TuningTest, ACancellationEndsItEvenWhileTheGpuIsStillBeingSetUp) {
  const ScopedVariable hangs("FAKE_SET_UP_HANGS", "1");
  const auto start = steady_clock::now();
  std::jthread other =
      cancel_when([start] { return steady_clock::now() - start > std::chrono::milliseconds(300); });
  const TuningOutcome outcome = run();
  other.join();
  EXPECT_TRUE(outcome.result.interrupted);
  EXPECT_EQ(outcome.result.session_id, 0);
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_TRUE(db::Store::open_existing(request_.database).sessions().empty());
}

TEST_F(TuningTest, ProgramsThatDoNotCompileWhileTheGpuIsSetUpAreRows) {
  const ScopedVariable fails("WARPTUNE_FAKE_COMPILE_FAILS", "1");
  const TuningOutcome outcome = run();
  EXPECT_EQ(outcome.result.progress.evaluated, 100U);
  EXPECT_EQ(outcome.result.progress.by_status.at(model::Status::kCompileFailed), 100U);
}

TEST_F(TuningTest, ARecordingAnswersWithoutAnyWorker) {
  db::write_recording(folder_ / "toy.wtrec.zst", testing::toy_recording(testing::write_toy_kernel(folder_)));
  request_.recording = folder_ / "toy.wtrec.zst";
  const ScopedVariable none("WARPTUNE_WORKER", "/nonexistent");
  const TuningOutcome outcome = run();
  EXPECT_TRUE(outcome.plan.replayed);
  EXPECT_TRUE(outcome.ordinals.empty());
  ASSERT_TRUE(outcome.result.best);
  EXPECT_EQ(model::to_text(outcome.result.best->configuration), "A=2 B=true");
  request_.measuring.cache = model::CacheState::kWarm;
  EXPECT_NO_THROW(run());
  request_.cache_is_named = true;
  EXPECT_THROW(run(), base::InputError);
}

TEST_F(TuningTest, WhatIsWrongInTheRequestIsOneOfTheDocumentedTypes) {
  TuningRequest wrong = request_;
  wrong.kernel = "no_such_kernel";
  EXPECT_THROW(Tuning{wrong}, base::InputError);
  wrong = request_;
  wrong.devices = gpus::DeviceChoice::parse("3");
  EXPECT_THROW(Tuning{wrong}, base::MachineError);
  request_.search.strategy = "no_such_strategy";
  EXPECT_THROW(run(), base::InputError);
  EXPECT_TRUE(db::Store::open_existing(request_.database).sessions().empty());
}

}  // namespace
}  // namespace warptune::tuner::session
