#include "tuner/text_output/configuration_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "model/own_metrics.h"
#include "profiling/counters/metrics.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::text_output {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ReportColumn column(const std::string& title, std::int64_t block, double median_ns) {
  model::Measurement measurement;
  measurement.configuration = {{"BLOCK", block}, {"LOAD", std::string("plain")}};
  measurement.status = model::Status::kMeasured;
  measurement.time = {median_ns, median_ns - 100.0, median_ns + 100.0};
  measurement.resources = {40, 1024, 2048, 0, 256, 4096, 6, 0.75};
  return {title, measurement};
}

TEST(ConfigurationComparisonTest, TwoColumnsSideBySideAreTheGoldenText) {
  const model::Work work{2e9, 4e8};
  const model::Roofs roofs{4e12, 60e12};
  ReportColumn best = column("best", 256, 125000.0);
  best.measurement.counters["dram__throughput.avg.pct_of_peak_sustained_elapsed"] = 81.25;
  const std::string table = comparison_table({column("default", 64, 500000.0), best}, work, roofs);
  EXPECT_EQ(table,
            "                                 default              best\n"
            "----------------------  ----------------  ----------------\n"
            "BLOCK                                 64               256\n"
            "LOAD                               plain             plain\n"
            "time (median)                     500 us            125 us\n"
            "  95 % interval         500 us to 500 us  125 us to 125 us\n"
            "speed-up                           1.00x             4.00x\n"
            "arithmetic                     4 TFLOP/s        16 TFLOP/s\n"
            "useful bandwidth                800 GB/s          3.2 TB/s\n"
            "of the memory roof                20.0 %            80.0 %\n"
            "DRAM throughput                                     81.2 %\n"
            "registers per thread                  40                40\n"
            "threads per block                    256               256\n"
            "blocks                              4096              4096\n"
            "shared bytes per block              3072              3072\n"
            "occupancy limit                     75 %              75 %\n");
}

TEST(ConfigurationComparisonTest, OfTheFullSetTheCoreSetIsShownAndOfAFewNamedMetricsAll) {
  const std::string further = "smsp__warps_eligible.avg.per_cycle_active";
  ReportColumn best = column("best", 256, 125000.0);
  best.measurement.counters["dram__throughput.avg.pct_of_peak_sustained_elapsed"] = 81.25;
  best.measurement.counters[further] = 3.5;
  EXPECT_THAT(comparison_table({best}, {}, {}),
              AllOf(HasSubstr("DRAM throughput"), HasSubstr("Eligible warps")));
  for (const std::string& name : profiling::counters::full_metrics()) best.measurement.counters[name] = 1.0;
  EXPECT_THAT(comparison_table({best}, {}, {}),
              AllOf(HasSubstr("DRAM throughput"), Not(HasSubstr("Eligible warps"))));
}

TEST(ConfigurationComparisonTest, ADroppedDefaultIsSlowerThanItsBound) {
  ReportColumn dropped = column("default", 64, 500000.0);
  dropped.measurement.status = model::Status::kDropped;
  dropped.measurement.time->low_ns = 400000.0;
  const std::string table =
      comparison_table({dropped, column("best", 256, 125000.0)}, {2e9, 4e8}, {4e12, 60e12});
  EXPECT_THAT(table, HasSubstr("time (median)              > 400 us            125 us\n"));
  EXPECT_THAT(table, HasSubstr("  95 % interval                      125 us to 125 us\n"));
  EXPECT_THAT(table, HasSubstr("speed-up                      1.00x           > 3.20x\n"));
  EXPECT_THAT(table, HasSubstr("< 1 TB/s"));
}

TEST(ConfigurationComparisonTest, RowsThatSayNothingAreLeftOut) {
  ReportColumn only = column("best", 64, 1000.0);
  only.measurement.resources = {};
  const std::string table = comparison_table({only}, {}, {});
  for (const char* absent : {"speed-up", "arithmetic", "bandwidth", "roof", "registers", "occupancy"})
    EXPECT_THAT(table, Not(HasSubstr(absent)));
  EXPECT_THAT(table, HasSubstr("time (median)"));
}

TEST(ConfigurationComparisonTest, AColumnWithoutAParameterHasABlankThere) {
  ReportColumn other = column("best", 64, 1000.0);
  other.measurement.configuration.erase(other.measurement.configuration.begin());
  EXPECT_THAT(comparison_table({column("default", 32, 1000.0), other}, {}, {}), HasSubstr("BLOCK"));
}

TEST(ConfigurationComparisonTest, TheDefaultStandsBesideTheBestUnlessItIsTheBest) {
  const model::Measurement best = column("", 256, 1.0).measurement;
  const model::Measurement other = column("", 64, 2.0).measurement;
  const auto titles = [](const std::vector<ReportColumn>& columns) {
    std::vector<std::string> all;
    all.reserve(columns.size());
    for (const ReportColumn& each : columns) all.push_back(each.title);
    return all;
  };
  EXPECT_THAT(titles(default_and_best(other, best)), ::testing::ElementsAre("default", "best"));
  EXPECT_THAT(titles(default_and_best(best, best)), ::testing::ElementsAre("best (the default)"));
  EXPECT_THAT(titles(default_and_best(std::nullopt, best)), ::testing::ElementsAre("best"));
}

TEST(ConfigurationComparisonTest, AParetoFrontIsATableOfItsParts) {
  const model::Objective objective = model::Objective::parse("time,energy");
  std::vector<model::Measurement> rows;
  for (const auto& [block, median_ns, energy_j] :
       {std::tuple(64, 1000.0, 0.5), std::tuple(128, 2000.0, 0.25), std::tuple(256, 2500.0, 0.3)}) {
    rows.push_back(column("", block, median_ns).measurement);
    rows.back().counters["energy_j"] = energy_j;
  }
  rows.push_back(rows[0]);
  rows.back().status = model::Status::kDropped;
  rows.back().counters["energy_j"] = 0.1;
  EXPECT_EQ(pareto_table(pareto_points(rows, objective), objective),
            "   time  95 % interval       energy  confirmed  configuration\n"
            "-------  ------------------  ------  ---------  --------------------\n"
            "1.00 us  900 ns to 1.10 us    0.5 J  no         BLOCK=64 LOAD=plain\n"
            "2.00 us  1.90 us to 2.10 us  0.25 J  no         BLOCK=128 LOAD=plain\n");
}

TEST(ConfigurationComparisonTest, AParetoFrontMarksTheRowsThatAreNotConfirmed) {
  const model::Objective objective = model::Objective::parse("time,energy");
  std::vector<model::Measurement> rows = {column("", 64, 1000.0).measurement,
                                          column("", 128, 2000.0).measurement};
  rows[0].counters["energy_j"] = 0.5;
  rows[0].counters[std::string(model::own_metric::kVerifiedLaunches)] = 300;
  rows[1].counters["energy_j"] = 0.25;
  const auto text_of = [&] { return pareto_text(pareto_points(rows, objective), objective, {}, {}, 5e-7); };
  EXPECT_THAT(text_of(), HasSubstr("0.5 J  yes        BLOCK=64"));
  EXPECT_THAT(text_of(), HasSubstr("0.25 J  no         BLOCK=128"));
  EXPECT_THAT(text_of(), HasSubstr("\nnot confirmed: "));
  for (model::Measurement& row : rows) row.source = model::RowSource::kReplayed;
  EXPECT_THAT(text_of(), HasSubstr("0.25 J  replayed   BLOCK=128"));
  EXPECT_THAT(text_of(), Not(HasSubstr("\nnot confirmed: ")));
}

TEST(ConfigurationComparisonTest, AParetoFrontHasOnlyRowsOfTheBestSource) {
  const model::Objective objective = model::Objective::parse("time,energy");
  const testing::TemporaryFolder folder;
  db::Store store(folder / "w.db");
  std::vector<model::Measurement> rows = {column("", 64, 1000.0).measurement,
                                          column("", 128, 2000.0).measurement,
                                          column("", 256, 500.0).measurement};
  rows[2].source = model::RowSource::kImported;
  db::Session session;
  session.workload = testing::line_plan(3).workload;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].counters["energy_j"] = 0.5 - 0.1 * static_cast<double>(i);
    session.source = rows[i].source;
    store.add_measurement(store.begin_session(session), rows[i]);
  }
  const auto times_of = [](const std::vector<ParetoPoint>& points) {
    std::vector<double> times;
    for (const ParetoPoint& point : points) times.push_back(point.measurement.time->median_ns);
    return times;
  };
  EXPECT_THAT(times_of(pareto_points(rows, objective)), ElementsAre(1000.0, 2000.0));
  EXPECT_THAT(times_of(pareto_points(store, session.workload, objective)), ElementsAre(1000.0, 2000.0));
  // Rows that the objective cannot rate do not count.
  for (std::size_t i : {0U, 1U}) rows[i].counters.clear();
  EXPECT_THAT(times_of(pareto_points(rows, objective)), ElementsAre(500.0));
}

TEST(ConfigurationComparisonTest, ATimeInAParetoFrontHasItsShareOfTheRoof) {
  const model::Objective objective = model::Objective::parse("time,energy");
  std::vector<model::Measurement> rows = {column("", 64, 1000.0).measurement};
  rows.back().counters["energy_j"] = 0.5;
  const std::string table =
      pareto_table(pareto_points(rows, objective), objective, {0.0, 2e6}, {4e12, 60e12});
  EXPECT_THAT(table, HasSubstr("of the memory roof"));
  EXPECT_THAT(table, HasSubstr("50.0 %   0.5 J"));
}

TEST(ConfigurationComparisonTest, WhatWarptuneMeasuresItselfIsShown) {
  ReportColumn only = column("best", 64, 1000.0);
  only.measurement.counters = {{"energy_j", 0.25}, {"power_w", 412.0}};
  const std::string table = comparison_table({only}, {}, {});
  EXPECT_THAT(table, HasSubstr("0.25 J"));
  EXPECT_THAT(table, HasSubstr("412 W"));
}

}  // namespace
}  // namespace warptune::tuner::text_output
