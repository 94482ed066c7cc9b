#include "tuner/html_report/report_data.h"
#include "tuner/html_report/report_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tuner/session_data.h"
#include "tuner/html_report/report_csv.h"
#include "tuner/html_report/report_numbers.h"
#include "tuner/text_output/csv.h"

namespace warptune::tuner::html_report {
namespace {

using model::Measurement;
using model::Status;
using nlohmann::json;
using testing::at;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Measurement stamped(Measurement row, std::int64_t stamp_ms) {
  row.time_stamp_ms = stamp_ms;
  return row;
}

// The rows for X = 1 .. 4: 4 us; 2 us with a counter; dropped at 9 us; failed.
model::Recording recording() {
  model::Recording recording;
  recording.workload.kernel = "toy";
  recording.workload.gpu = model::fictional_gpu();
  recording.parameters = testing::line_space(4).parameters();
  recording.default_configuration = testing::at(1);
  Measurement counted = testing::measured(testing::at(2), 2000.1234567);
  counted.counters["dram__bytes.sum"] = 123456789.0;
  for (const char* name : {"input_digest", "output_digest", "compared_launches", "differing_launches"})
    counted.counters[name] = 14.0;
  counted.resources.registers_per_thread = 40;
  counted.resources.threads_per_block = 128;
  recording.measurements = {testing::measured(testing::at(1), 4000.0), counted,
                            testing::dropped(testing::at(3), 9000.0),
                            testing::failed(testing::at(4), Status::kWrongResult, "x[0] is 3")};
  return recording;
}

json data_of(model::Recording about) {
  return json::parse(report_json({workload_of(std::move(about), "a file")}, 1234));
}

json workload_json(model::Recording about) { return data_of(std::move(about)).at("workloads").at(0); }

TEST(ReportNumberTest, RoundsToDigitsAndWritesWholeNumbersWithoutAPoint) {
  EXPECT_EQ(report_number(123456789.0, 5).dump(), "123460000");
  EXPECT_EQ(report_number(0.123456, 3).dump(), "0.123");
  EXPECT_EQ(report_number(1e300, 3).dump(), "1e+300");
  EXPECT_TRUE(report_number(std::nan(""), 3).is_null());
  EXPECT_TRUE(report_number(std::numeric_limits<double>::infinity(), 3).is_null());
}

TEST(ReportDataTest, RowsAreColumnsWithTheFastestFirstAndFailuresLast) {
  const json form = workload_json(recording());
  const json& rows = form.at("rows");
  EXPECT_EQ(rows.at("count"), 4);
  EXPECT_EQ(rows.at("choices"), json::parse("[[1, 0, 2, 3]]"));
  EXPECT_EQ(rows.at("time_ns"), json::parse("[2000.12, 4000, 9000, null]"));
  EXPECT_EQ(rows.at("status"), json::parse("[0, 0, 1, 5]"));
  EXPECT_TRUE(rows.at("high_ns").at(2).is_null()) << "a dropped one is only known to be slower";
  EXPECT_EQ(form.at("best"), 0);
  EXPECT_EQ(form.at("default"), 1);
  EXPECT_EQ(form.at("reasons"), json::parse(R"(["x[0] is 3"])"));
  EXPECT_EQ(rows.at("reason"), json::parse("[-1, -1, -1, 0]"));
  EXPECT_EQ(form.at("counters").at("dram__bytes.sum"), json::parse("[123460000, null, null, null]"));
  EXPECT_EQ(form.at("counters").size(), 1U) << "the bits of outputs are no quantities";
  EXPECT_EQ(form.at("resources").at("registers_per_thread"), json::parse("[40, null, null, null]"));
  EXPECT_FALSE(form.at("resources").contains("theoretical_occupancy")) << "0 means unknown";
}

TEST(ReportDataTest, ImportedRowsFollowTheMeasuredOnesAndAreNotAnalysed) {
  model::Recording about = recording();
  about.measurements[1].source = model::RowSource::kImported;
  about.measurements.push_back(testing::measured(testing::at(4), 5000.0));
  about.measurements.erase(about.measurements.begin() + 3);
  const json form = workload_json(about);
  EXPECT_EQ(form.at("rows").at("time_ns"), json::parse("[4000, 5000, 2000.12, 9000]"));
  EXPECT_EQ(form.at("rows").at("imported"), json::parse("[false, false, true, false]"));
  EXPECT_EQ(form.at("best"), 0);
  EXPECT_EQ(form.at("default"), 0);
  about.default_configuration = at(2);
  EXPECT_TRUE(workload_json(about).at("default").is_null()) << "it is not compared with a measured best";
  for (const json& effect : form.at("analysis").at("effects")) {
    EXPECT_NE(effect.at("from"), 1);
    EXPECT_NE(effect.at("to"), 1);
  }
}

TEST(ReportDataTest, WithoutCountersOrTimesItsColumnsAreMissingAndNothingIsBest) {
  model::Recording failed = recording();
  failed.measurements = {testing::failed(testing::at(1), Status::kCompileFailed, "no")};
  const json form = workload_json(failed);
  EXPECT_FALSE(form.at("rows").contains("time_ns"));
  EXPECT_TRUE(form.at("counters").empty());
  EXPECT_TRUE(form.at("best").is_null());
  EXPECT_EQ(form.at("default"), 0);
  EXPECT_TRUE(form.at("analysis").at("importance").is_null());
}

TEST(ReportDataTest, EffectsAreThoseOfStepsBetweenValuesThatStandBesideEachOther) {
  const json form = workload_json(recording());
  const json effects = form.at("analysis").at("effects");
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects.at(0).at("from"), 0);
  EXPECT_EQ(effects.at(0).at("to"), 1);
  EXPECT_NEAR(effects.at(0).at("ratio").get<double>(), 0.5, 1e-3);
}

TEST(ReportDataTest, ThePathLeadsFromTheDefaultToTheBest) {
  const json analysis = workload_json(recording()).at("analysis");
  const json& steps = analysis.at("path").at("steps");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.at(0).at("changes").at(0).at("parameter"), "X");
  EXPECT_NEAR(steps.at(0).at("time_ratio").get<double>(), 0.5, 1e-3);
  EXPECT_EQ(analysis.at("path").at("arrived"), true);
  EXPECT_THAT(analysis.at("notes").dump(), HasSubstr("needs 30"));
}

TEST(ReportDataTest, TheSourceIsThereOnlyWhereItIsKnown) {
  ReportWorkload workload = workload_of(recording(), "a file");
  const auto source = [&] {
    return json::parse(report_json({workload}, 0)).at("workloads").at(0).at("source");
  };
  EXPECT_TRUE(source().is_null());
  workload.source = ReportSource{"toy.cu", "int main() {}"};
  EXPECT_EQ(source().at("text"), "int main() {}");
  EXPECT_TRUE(source().at("profiles").empty());
  workload.source.reset();
  workload.hot_lines.push_back({testing::at(2), {}});
  EXPECT_TRUE(source().at("text").is_null());
  EXPECT_EQ(source().at("profiles").at(0).at("configuration").dump(), R"({"X":2})");
}

TEST(ReportDataTest, ASessionWithTimeStampsIsInTheirOrder) {
  ReportSession session;
  session.started_ms = 1000;
  session.measurements = {stamped(testing::measured(testing::at(1), 100.0), 9000),
                          stamped(testing::measured(testing::at(2), 300.0), 2000),
                          stamped(testing::dropped(testing::at(3), 50.0), 3000),
                          stamped(testing::measured(testing::at(4), 200.0), 4000)};
  const SessionOrder order = order_of(session);
  EXPECT_TRUE(order.by_time_stamps);
  std::vector<std::int64_t> xs;
  for (const NumberedEvaluation& evaluation : order.evaluations)
    xs.push_back(testing::x_of(evaluation.measurement->configuration));
  EXPECT_THAT(xs, ElementsAre(2, 3, 4, 1));
  EXPECT_DOUBLE_EQ(order.evaluations.front().elapsed_s, 1.0);
  EXPECT_DOUBLE_EQ(order.evaluations.back().elapsed_s, 8.0);
  const std::vector<BestSoFar> steps = best_so_far(order);
  ASSERT_EQ(steps.size(), 3U) << "what was dropped is never the best";
  EXPECT_EQ(steps[1].evaluation.number, 3U);
  EXPECT_DOUBLE_EQ(steps[2].time_ns, 100.0);
}

TEST(ReportDataTest, WithoutTimeStampsTheOrderIsTheFilesAndTimeIsWhatWasSpent) {
  const SessionOrder order = order_of(workload_of(recording(), "a file").sessions.at(0));
  EXPECT_FALSE(order.by_time_stamps);
  ASSERT_EQ(order.evaluations.size(), 4U);
  EXPECT_DOUBLE_EQ(order.evaluations[1].elapsed_s, 0.1) << "two of 30 ms of compiling and 20 ms of measuring";
}

TEST(ReportDataTest, ASessionOfNothingHasNoSteps) {
  const SessionOrder order = order_of(ReportSession());
  EXPECT_TRUE(order.evaluations.empty());
  EXPECT_TRUE(best_so_far(order).empty());
}

TEST(ReportCsvTest, HasAColumnForEachParameterAndCounterOfAllWorkloads) {
  model::Recording other = recording();
  other.parameters[0].name = "Y, quoted";
  for (Measurement& row : other.measurements) row.configuration[0].first = "Y, quoted";
  const std::string text = report_csv({workload_of(recording(), "a"), workload_of(other, "b")});
  std::vector<std::vector<std::string>> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text_output::csv_cells(text.substr(begin, end - begin)).value());
    begin = end + 1;
  }
  ASSERT_EQ(lines.size(), 9U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto cell = [&](std::size_t line, const std::string& name) {
    const auto place = std::find(lines[0].begin(), lines[0].end(), name);
    return lines[line].at(static_cast<std::size_t>(place - lines[0].begin()));
  };
  EXPECT_EQ(cell(1, "X"), "1");
  EXPECT_EQ(cell(1, "Y, quoted"), "");
  EXPECT_EQ(cell(5, "Y, quoted"), "1");
  EXPECT_EQ(cell(2, "dram__bytes.sum"), "123456789");
  EXPECT_EQ(cell(2, "time_ns"), "2000.1234567");
  EXPECT_EQ(cell(4, "time_ns"), "");
  EXPECT_EQ(cell(4, "status"), "wrong_result");
}

}  // namespace
}  // namespace warptune::tuner::html_report
