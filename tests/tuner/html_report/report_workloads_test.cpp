// A report of a workload whose rows have several sources.
#include "tuner/html_report/report_workloads.h"

#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::html_report {
namespace {

class ReportWorkloadsTest : public ::testing::Test {
 protected:
  // Adds a session with one row, X = `x`.
  void store_row(model::RowSource source, std::int64_t x, double time_ns, std::int64_t started_ms) {
    db::Store store(database_);
    db::Session session;
    session.workload = testing::line_plan(5).workload;
    session.source = source;
    session.started_ms = started_ms;
    session.default_configuration = testing::at(x);
    session.work.flops = static_cast<double>(x);
    session.environment.warptune_version = std::string(model::to_string(source));
    model::Measurement row = testing::measured(testing::at(x), time_ns);
    row.source = source;
    store.add_measurement(store.begin_session(session), row);
  }

  ReportWorkload workload() const {
    ReportQuestion question;
    question.database = database_;
    return report_workloads(question).at(0);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path database_ = folder_ / "w.db";
};

TEST_F(ReportWorkloadsTest, TheBestAndWhatTheSessionsSayAreOfTheBestSource) {
  store_row(model::RowSource::kMeasured, 1, 2000.0, 1000);
  store_row(model::RowSource::kMeasured, 2, 1900.0, 2000);
  store_row(model::RowSource::kImported, 3, 1000.0, 3000);
  const ReportWorkload reported = workload();
  EXPECT_EQ(testing::x_of(reported.best_configuration), 2);
  EXPECT_EQ(testing::x_of(reported.recording.default_configuration), 2);
  EXPECT_EQ(reported.recording.work.flops, 2.0);
  EXPECT_EQ(reported.recording.environment.warptune_version, "measured");
  EXPECT_EQ(reported.recording.measurements.size(), 3U);
  EXPECT_EQ(reported.sessions.size(), 3U);
}

}  // namespace
}  // namespace warptune::tuner::html_report
