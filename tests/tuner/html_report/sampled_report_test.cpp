// A workload has more rows than a report shows. The report has a sample, says so, and shows the course of
// every session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/tuner/session_data.h"
#include "tuner/html_report/report_data.h"
#include "tuner/html_report/report_workloads.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::html_report {
namespace {

using ::testing::HasSubstr;

class SampledReportTest : public ::testing::Test {
 protected:
  // Stores a session of `rows` different configurations of a kernel that is not shipped. Until the middle
  // each is 1 ns faster than the one before.
  void store_session(std::int64_t rows) {
    db::Store store(database_);
    db::Session session;
    session.workload.kernel = "made_up";
    session.workload.kernel_hash = "hash";
    session.workload.gpu = model::fictional_gpu();
    session.started_ms = 1'000'000;
    session.default_configuration = {{"BLOCK", std::int64_t{7}}};
    const std::int64_t id = store.begin_session(session);
    db::Store::Batch batch(store);
    for (std::int64_t i = 0; i < rows; ++i) {
      model::Measurement row;
      row.configuration = {{"BLOCK", i}};
      row.status = model::Status::kMeasured;
      const double time_ns = 1e6 + std::abs(static_cast<double>(rows / 2 - i));
      row.time = {time_ns, time_ns - 1, time_ns + 1};
      row.time_stamp_ms = 1'000'000 + 10 * (i + 1);
      store.add_measurement(id, row);
    }
    batch.commit();
  }

  nlohmann::json workload(std::uint64_t shown_rows = knowledge::kMaxShownRows) const {
    ReportQuestion question;
    question.database = database_;
    question.shown_rows = shown_rows;
    return nlohmann::json::parse(report_json(report_workloads(question), 0)).at("workloads").at(0);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path database_ = folder_ / "many.db";
};

TEST_F(SampledReportTest, ShowsAsManyRowsAsItCanAndSaysOfHowMany) {
  constexpr std::int64_t rows = 2000;
  constexpr std::uint64_t kShown = 1000;
  store_session(rows);
  const nlohmann::json sampled = workload(kShown);
  const auto count = sampled.at("rows").at("count").get<std::uint64_t>();
  EXPECT_GT(count, kShown * 8 / 10);
  EXPECT_LT(count, kShown * 12 / 10);
  EXPECT_THAT(sampled.at("sample").get<std::string>(), HasSubstr("of 2000 configurations"));
  EXPECT_FALSE(sampled.at("default").is_null());
  const std::size_t best = sampled.at("best").get<std::size_t>();
  EXPECT_EQ(sampled.at("rows").at("time_ns").at(best), 1e6);
  // The course of the session comes from all of its rows.
  const nlohmann::json whole = workload(UINT64_MAX);
  EXPECT_EQ(whole.at("rows").at("count"), rows);
  EXPECT_TRUE(whole.at("sample").is_null());
  EXPECT_EQ(sampled.at("sessions"), whole.at("sessions"));
  // Rows of both reports have the same position.
  EXPECT_EQ(sampled.at("rows").at("evaluation").at(best), rows / 2 + 1);
}

TEST_F(SampledReportTest, ShowsAllRowsOfAnySmallerWorkload) {
  store_session(500);
  const nlohmann::json form = workload();
  EXPECT_EQ(form.at("rows").at("count"), 500);
  EXPECT_TRUE(form.at("sample").is_null());
}

}  // namespace
}  // namespace warptune::tuner::html_report
