// Stored winners are measured again by fake workers (fake_gpu_worker.cpp).
#include "tuner/rechecking/recheck_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/tuner/stored_winners.h"
#include "tuner/gpus/local_gpus.h"

namespace warptune::tuner::rechecking {
namespace {

using testing::acting_row;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RecheckSessionTest : public ::testing::Test {
 protected:
  RecheckSessionTest() {
    request_.kernels = {kernel_};
    request_.database = folder_ / "warptune.db";
    request_.compile_workers = 1;
  }

  void store(const std::vector<model::Measurement>& rows) { store(workload_, rows); }
  void store(const model::Workload& workload, const std::vector<model::Measurement>& rows,
             model::RowSource source = model::RowSource::kMeasured) {
    db::Store database(request_.database);
    testing::store_session(database, workload, rows, source);
  }

  RecheckPlan plan() const { return plan_recheck(request_, gpus::list_local_gpus); }
  RecheckOutcome run() {
    return recheck(
        request_, plan(), listener_, [this](const RecheckResult&) { ++reported_; }, cancellation_);
  }
  // The result, if there is one workload.
  RecheckResult result() {
    const RecheckOutcome outcome = run();
    EXPECT_THAT(outcome.results, SizeIs(1));
    return outcome.results.at(0);
  }

  static std::vector<std::int64_t> as_of(const std::vector<RecheckedRow>& rows) {
    std::vector<std::int64_t> as;
    for (const RecheckedRow& row : rows) as.push_back(std::get<std::int64_t>(row.configuration.at(0).second));
    return as;
  }

  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  testing::TemporaryFolder folder_;
  std::string kernel_ = testing::write_acting_kernel(folder_);
  model::Workload workload_ = testing::acting_workload(kernel_);
  RecheckRequest request_;
  testing::RecordingListener listener_;
  base::Cancellation cancellation_;
  int reported_ = 0;
};

TEST_F(RecheckSessionTest, AWinnerThatIsAsFastAsBeforeHolds) {
  store({acting_row(2, 2.0), acting_row(3, 2.05), acting_row(4, 2.5)});
  const RecheckResult held = result();
  EXPECT_EQ(held.judgement.verdict, Verdict::kHolds);
  EXPECT_THAT(as_of(held.planned.rows), ElementsAre(2, 3, 1)) << "the winner, its rival, the default";
  for (const RecheckedRow& row : held.planned.rows) {
    ASSERT_TRUE(row.after);
    EXPECT_DOUBLE_EQ(row.after->time->median_ns, 2.0);
  }
  EXPECT_EQ(held.unproven, 0U);
  EXPECT_EQ(held.planned.winner.environment.driver_version, 12080);
  EXPECT_TRUE(held.environment);
  EXPECT_EQ(reported_, 1);
}

TEST_F(RecheckSessionTest, RowsAreAddedAndEarlierRowsStayAsTheyWere) {
  store({acting_row(2, 2.0), acting_row(3, 2.05)});
  run();
  const db::Store after(request_.database);
  const std::vector<db::Session> sessions = after.sessions();
  ASSERT_THAT(sessions, SizeIs(2));
  EXPECT_EQ(sessions[1].strategy, kPurpose);
  EXPECT_NE(sessions[1].finished_ms, 0);
  EXPECT_THAT(after.session_measurements(sessions[1].id), SizeIs(3));
  const std::vector<db::StoredMeasurement> rows = after.session_measurements(sessions[0].id);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_DOUBLE_EQ(rows[0].measurement.time->median_ns, 2.0);
  EXPECT_DOUBLE_EQ(rows[1].measurement.time->median_ns, 2.05);
  EXPECT_THAT(rows[0].measurement.samples_ns, SizeIs(3));
  EXPECT_THAT(after.damage(), IsEmpty());
}

TEST_F(RecheckSessionTest, AFasterWinnerIsFaster) {
  store({acting_row(2, 20.0), acting_row(3, 20.5)});
  const RecheckResult faster = result();
  EXPECT_EQ(faster.judgement.verdict, Verdict::kFaster);
  EXPECT_NEAR(*faster.judgement.change_share, -0.9, 1e-12);
}

TEST_F(RecheckSessionTest, IfTheWinnerIsSlowerOldRowsThatWouldBeAheadAreMeasuredToo) {
  store({acting_row(2, 0.5), acting_row(3, 0.52), acting_row(4, 0.6)});
  const RecheckResult slower = result();
  EXPECT_EQ(slower.judgement.verdict, Verdict::kSlower);
  EXPECT_THAT(slower.sessions, SizeIs(2));
  EXPECT_THAT(as_of(slower.planned.rows), ElementsAre(2, 3, 1, 4));
  EXPECT_TRUE(slower.planned.rows[3].after);
  EXPECT_EQ(slower.unproven, 0U);
}

TEST_F(RecheckSessionTest, AWinnerThatARivalOvertakesIsFlipped) {
  store({acting_row(2, 2.0, "slow_in_finals"), acting_row(3, 2.05)});
  const RecheckResult flipped = result();
  EXPECT_EQ(flipped.judgement.verdict, Verdict::kFlipped);
  ASSERT_TRUE(flipped.judgement.better);
  EXPECT_NEAR(flipped.judgement.gain_share, 5.0, 1e-12);
}

TEST_F(RecheckSessionTest, AWinnerThatNoLongerRunsFailsWithTheReason) {
  store({acting_row(2, 2.0, "die"), acting_row(3, 2.05)});
  const RecheckResult fails = result();
  EXPECT_EQ(fails.judgement.verdict, Verdict::kFails);
  EXPECT_THAT(fails.judgement.reason, HasSubstr("worker_died"));
}

TEST_F(RecheckSessionTest, WithADemandTheBestRowThatMeetsItIsMeasuredAgain) {
  const auto row = [](std::int64_t a, double median_ns, std::optional<double> differing) {
    model::Measurement measured = acting_row(a, median_ns);
    if (differing) measured.counters = {{"compared_launches", 14.0}, {"differing_launches", *differing}};
    return measured;
  };
  request_.reproducible = model::outputs::Reproducibility::parse("runs");
  store({row(2, 2.0, 3.0), row(3, 2.01, std::nullopt), row(4, 2.02, 0.0), row(5, 2.03, 0.0)});
  const RecheckPlan planned = plan();
  ASSERT_THAT(planned.workloads, SizeIs(1));
  EXPECT_THAT(as_of(planned.workloads[0].rows), ElementsAre(4, 3, 5, 1))
      << "A=2 is known to give other bits, and A=3 may meet the demand";
  const RecheckResult failed = result();
  EXPECT_EQ(failed.judgement.verdict, Verdict::kFails) << "the fake worker compares no outputs";
  EXPECT_THAT(failed.judgement.reason, HasSubstr("not compared"));
  EXPECT_FALSE(failed.has_other_bits);
}

TEST_F(RecheckSessionTest, OtherBitsThanBeforeAreSaidOnlyIfAllLaunchesAgreeBeforeAndNow) {
  const auto row = [](std::int64_t a, double median_ns, double differing) {
    model::Measurement measured = acting_row(a, median_ns);
    measured.counters = {{"compared_launches", 14.0},
                         {"differing_launches", differing},
                         {"input_digest", 1.0},
                         {"output_digest", 6.0}};
    return measured;
  };
  const testing::ScopedVariable other("FAKE_OUTPUT_DIGEST", "7");
  store(testing::acting_workload(kernel_, 128), {row(2, 2.0, 3.0)});
  request_.sizes = {{"N", std::int64_t{128}}};
  EXPECT_EQ(result().has_other_bits, std::nullopt) << "its launches differed before";
  store({row(2, 2.0, 0.0), row(1, 4.0, 0.0)});
  request_.sizes = {{"N", std::int64_t{64}}};
  request_.reproducible = model::outputs::Reproducibility::parse("bits");
  const RecheckResult changed = result();
  EXPECT_EQ(changed.has_other_bits, true);
  EXPECT_EQ(changed.judgement.verdict, Verdict::kFails);
  EXPECT_EQ(changed.judgement.reason, "it gives other bits than before");
  EXPECT_EQ(result().has_other_bits, false) << "the row before has the digest 7 now";
  request_.reproducible.reset();
  const testing::ScopedVariable differing("FAKE_DIFFERING_LAUNCHES", "3");
  EXPECT_EQ(result().has_other_bits, std::nullopt) << "its launches differ now";
}

TEST_F(RecheckSessionTest, AWinnerOutsideTheSpaceDoesNotHideARowThatMeetsTheDemand) {
  model::Measurement met = acting_row(4, 2.02);
  met.counters = {{"compared_launches", 14.0}, {"differing_launches", 0.0}};
  store({acting_row(9, 2.0), met});
  request_.reproducible = model::outputs::Reproducibility::parse("runs");
  ASSERT_THAT(plan().workloads, SizeIs(1));
  EXPECT_THAT(as_of(plan().workloads[0].rows), ElementsAre(4, 1));
}

TEST_F(RecheckSessionTest, AWorkloadWithoutARowThatMeetsTheDemandIsLeftOutAndFailsTheCheck) {
  store({acting_row(2, 2.0)});
  request_.reproducible = model::outputs::Reproducibility::parse("runs");
  const RecheckPlan planned = plan();
  EXPECT_THAT(planned.workloads, IsEmpty());
  ASSERT_THAT(planned.skipped, SizeIs(1));
  EXPECT_EQ(planned.skipped[0].reason, "without a row that gives the same bits in each launch");
  EXPECT_TRUE(planned.skipped[0].fails_ci);
}

TEST_F(RecheckSessionTest, TheNumberOfRivalsIsChosenAndThoseOutsideTheSpaceAreLeftOut) {
  store({acting_row(2, 2.0), acting_row(9, 2.01), acting_row(3, 2.02), acting_row(4, 2.03)});
  request_.rivals = 1;
  const RecheckPlan planned = plan();
  ASSERT_THAT(planned.workloads, SizeIs(1));
  EXPECT_THAT(as_of(planned.workloads[0].rows), ElementsAre(2, 3, 1));
  request_.rivals = 0;
  EXPECT_THAT(as_of(plan().workloads[0].rows), ElementsAre(2, 1));
}

TEST_F(RecheckSessionTest, SizesSelectWorkloads) {
  store({acting_row(2, 2.0)});
  store(testing::acting_workload(kernel_, 128), {acting_row(2, 2.0)});
  EXPECT_THAT(plan().workloads, SizeIs(2));
  request_.sizes = {{"N", std::int64_t{128}}};
  ASSERT_THAT(plan().workloads, SizeIs(1));
  EXPECT_EQ(model::to_text(plan().workloads[0].winner.workload.problem), "N=128");
}

TEST_F(RecheckSessionTest, WorkloadsThatCannotBeMeasuredAgainAreListedWithTheReason) {
  model::Workload other = workload_;
  other.kernel_hash = "another";
  store(other, {acting_row(2, 2.0)});
  other = workload_;
  other.gpu.sm_count += 1;
  store(other, {acting_row(2, 2.0)});
  store(testing::acting_workload(kernel_, 128), {acting_row(2, 2.0)}, model::RowSource::kReplayed);
  store(testing::acting_workload(kernel_, 256), {acting_row(9, 2.0)});
  const RecheckPlan planned = plan();
  EXPECT_THAT(planned.workloads, IsEmpty());
  const std::string text = skipped_text(planned.skipped);
  EXPECT_THAT(text, HasSubstr("1 of another version of the kernel's source"));
  EXPECT_THAT(text, HasSubstr("1 on another GPU"));
  EXPECT_THAT(text, HasSubstr("1 replayed, not measured"));
  EXPECT_THAT(text, HasSubstr("1 of a configuration that is not in the space"));
  EXPECT_THAT(planned.without_winner, ElementsAre(kernel_));
}

TEST_F(RecheckSessionTest, ACheckNeedsTheWinnersThatAProgramOnThisGpuWouldUse) {
  model::Workload earlier = workload_;
  earlier.kernel_hash = "another";
  store(earlier, {acting_row(2, 2.0)});
  EXPECT_THAT(unchecked_text(plan()), HasSubstr("1 winner of this GPU was not measured again: 1 of another "
                                                "version of the kernel's source\n"));
  store({acting_row(2, 2.0)});
  EXPECT_EQ(unchecked_text(plan()), "") << "the present version replaces it";
  model::Workload other = workload_;
  other.gpu.sm_count += 1;
  store(other, {acting_row(2, 2.0)});
  store(testing::acting_workload(kernel_, 128), {acting_row(2, 2.0)}, model::RowSource::kReplayed);
  EXPECT_EQ(unchecked_text(plan()), "") << "this machine cannot check these";
  EXPECT_THAT(plan().skipped, SizeIs(3));
  store(testing::acting_workload(kernel_, 256), {acting_row(9, 2.0)});
  EXPECT_THAT(unchecked_text(plan()), HasSubstr("1 of a configuration that is not in the space"));
}

TEST_F(RecheckSessionTest, WithoutNamesOnlyShippedKernelsAreMeasuredAgain) {
  store({acting_row(2, 2.0)});
  request_.kernels.clear();
  const RecheckPlan planned = plan();
  EXPECT_THAT(planned.workloads, IsEmpty());
  EXPECT_THAT(skipped_text(planned.skipped), HasSubstr("1 of a kernel that is not shipped"));
  EXPECT_THAT(unchecked_text(planned), HasSubstr("1 of a kernel that is not shipped"));
  EXPECT_THAT(planned.without_winner, IsEmpty());
}

TEST_F(RecheckSessionTest, ACancellationKeepsTheResultsBefore) {
  store({acting_row(2, 2.0)});
  store(testing::acting_workload(kernel_, 128), {acting_row(2, 2.0)});
  const RecheckOutcome outcome = recheck(
      request_, plan(), listener_, [this](const RecheckResult&) { cancellation_.cancel(); }, cancellation_);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_THAT(outcome.results, SizeIs(1));
}

TEST_F(RecheckSessionTest, ADefinitionWhoseReferenceFailsIsAFailureOfItsWinnersOnly) {
  store({acting_row(2, 2.0)});
  const testing::ScopedVariable fails("FAKE_REFERENCE_FAILS", "acting");
  const RecheckResult failed = result();
  EXPECT_EQ(failed.judgement.verdict, Verdict::kFails);
  EXPECT_FALSE(failed.judgement.reason.empty());
}

}  // namespace
}  // namespace warptune::tuner::rechecking
