#include "tuner/session/measurement_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using model::Status;
using testing::at;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MeasurementRecorderTest : public testing::SessionTest {
 protected:
  void begin() {
    db::Session session;
    session.workload = testing::line_plan(9).workload;
    recorder_.begin(session, evaluator_);
  }

  MeasurementRecorder recorder_{store_, listener_};
};

TEST_F(MeasurementRecorderTest, ASessionHasWhatTheEvaluatorKnows) {
  evaluator_.measured_roofs = {{"copy", 4.2e12, 0.001, 1980.0, 1, 13000}};
  begin();
  const std::optional<db::Session> stored = store_.session(*recorder_.session_id());
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->environment.driver_version, 13000);
  EXPECT_EQ(stored->roofs.copy_bytes_per_s, 4.2e12);
  EXPECT_EQ(store_.roofs(stored->workload.gpu).size(), 1U);
  EXPECT_THAT(listener_.began, ElementsAre(*recorder_.session_id()));
}

TEST_F(MeasurementRecorderTest, RoofsThatAreMeasuredLaterJoinTheSession) {
  begin();
  EXPECT_TRUE(store_.roofs(testing::line_plan(9).workload.gpu).empty());
  evaluator_.measured_roofs = {{"copy", 4.2e12, 0.001, 1980.0, 1, 13000}};
  evaluator_.set_roofs({4.4e12, 60e12});
  recorder_.note_roofs(evaluator_);
  EXPECT_EQ(store_.roofs(testing::line_plan(9).workload.gpu).size(), 1U);
  EXPECT_EQ(store_.session(*recorder_.session_id())->roofs.copy_bytes_per_s, 4.4e12);
  evaluator_.set_roofs({1.0, 1.0});
  recorder_.note_roofs(evaluator_);  // They are stored only once.
  EXPECT_EQ(store_.session(*recorder_.session_id())->roofs.copy_bytes_per_s, 4.4e12);
}

TEST_F(MeasurementRecorderTest, ATimeThatRanksNothingIsAFailureWhoeverMeasured) {
  begin();
  for (const double median_ns :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    model::Measurement row = testing::measured(testing::at(1), median_ns);
    const std::int64_t id = recorder_.add(row);
    EXPECT_EQ(row.status, Status::kLaunchFailed) << median_ns;
    EXPECT_NE(row.reason.find("it cannot be ranked"), std::string::npos);
    EXPECT_EQ(listener_.measured.back(), id);
  }
  model::Measurement good = testing::measured(testing::at(1), 1000.0);
  recorder_.add(good);
  EXPECT_EQ(good.status, Status::kMeasured);
  EXPECT_GT(good.time_stamp_ms, 0);
}

TEST_F(MeasurementRecorderTest, CountersJoinThoseOfTheRowAndDisturbedOnesGo) {
  begin();
  model::Measurement row = testing::measured(testing::at(1), 1000.0);
  row.counters = {{"first_launch_ns", 1100.0}};
  const std::int64_t id = recorder_.add(row);
  recorder_.add_counters(id, row, {{"dram__bytes.sum", 5.0}, {"gpu__time_duration.sum", 1e9}});
  EXPECT_EQ(store_.counters(id), (model::Counters{{"dram__bytes.sum", 5.0}, {"first_launch_ns", 1100.0}}));
  EXPECT_THAT(listener_.counted, ElementsAre(id));
}

TEST_F(MeasurementRecorderTest, NothingIsStoredBeforeTheSessionBegins) {
  model::Measurement row = testing::measured(testing::at(1), 1000.0);
  EXPECT_THROW(recorder_.add(row), base::InternalError);
  recorder_.finish(false);
  EXPECT_THAT(listener_.ended, IsEmpty());
  EXPECT_THAT(store_.sessions(), IsEmpty());
}

TEST_F(MeasurementRecorderTest, ACancelledSessionStaysOpen) {
  begin();
  recorder_.finish(true);
  EXPECT_EQ(store_.session(*recorder_.session_id())->finished_ms, 0);
  ASSERT_EQ(listener_.ended.size(), 1U);
  EXPECT_TRUE(listener_.ended[0].cancelled);
}

}  // namespace
}  // namespace warptune::tuner::session
