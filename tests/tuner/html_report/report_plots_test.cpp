// What the plots of a report show. svg_chart_test.cpp tests how a chart is drawn.
#include "tuner/html_report/report_plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::html_report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// X = 1 .. 4 in 1 to 4 us, 4e6 operations on 1e6 bytes. The counted bytes of X=1 are twice that.
ReportWorkload workload() {
  model::Recording recording;
  recording.workload.kernel = "toy";
  recording.workload.gpu = model::fictional_gpu();
  recording.parameters = testing::line_space(4).parameters();
  recording.default_configuration = testing::at(4);
  recording.work = {4e6, 1e6};
  recording.roofs = {4e12, 60e12};
  for (std::int64_t x = 1; x <= 4; ++x)
    recording.measurements.push_back(testing::measured(testing::at(x), 1000.0 * static_cast<double>(x)));
  recording.measurements[0].counters["dram__bytes.sum"] = 2e6;
  return workload_of(std::move(recording), "a file");
}

TEST(ReportPlotsTest, TheRooflineIsOfArithmeticWhereTheOperationsAreKnown) {
  EXPECT_THAT(report_plot(workload(), "roofline"),
              AllOf(HasSubstr("flop per byte of device memory"), HasSubstr("TFLOP/s"),
                    HasSubstr("roofs: 4 TB/s, 60 TFLOP/s"), Not(HasSubstr("useful bandwidth"))));
}

TEST(ReportPlotsTest, TheRooflineIsOfTrafficWhereOnlyTheBytesAreKnown) {
  ReportWorkload copy = workload();
  copy.recording.work.flops = 0.0;
  EXPECT_THAT(
      report_plot(copy, "roofline"),
      AllOf(HasSubstr("device-memory traffic over the minimum that must move"),
            HasSubstr("useful bandwidth, GB/s"), HasSubstr("roofs: 4 TB/s<"), Not(HasSubstr("TFLOP/s"))));
  copy.recording.work.bytes = 0.0;
  EXPECT_THROW(report_plot(copy, "roofline"), base::WorkError);
}

TEST(ReportPlotsTest, ACountersNameIsAPlotOfTheCounterAgainstTheTime) {
  EXPECT_THAT(report_plot(workload(), "dram__bytes.sum"), HasSubstr("dram__bytes.sum against the time"));
  try {
    report_plot(workload(), "dram__bytes.sun");
    FAIL() << "there is no such counter";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("roofline, effects or one of 1 counters"),
                                    HasSubstr("did you mean dram__bytes.sum")));
  }
}

TEST(ReportPlotsTest, EffectsNeedAParameterWithTwoValues) {
  EXPECT_THAT(report_plot(workload(), "effects"), HasSubstr("times by value"));
  ReportWorkload one = workload();
  one.recording.measurements.resize(1);
  EXPECT_THROW(report_plot(one, "effects"), base::WorkError);
}

}  // namespace
}  // namespace warptune::tuner::html_report
