// The texts of single values: bounds for a dropped measurement, and counters with their units.
#include "tuner/text_output/measurement_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace warptune::tuner::text_output {
namespace {

TEST(MeasurementTextTest, CountersAreScaledByTheirUnit) {
  EXPECT_EQ(format_counter("%", 87.34), "87.3 %");
  EXPECT_EQ(format_counter("byte", 1.07e9), "1.07 GB");
  EXPECT_EQ(format_counter("byte", 512), "512 B");
  EXPECT_EQ(format_counter("ns", 12300.0), "12.3 us");
  EXPECT_EQ(format_counter("ratio", 3.2), "3.2");
  EXPECT_EQ(format_counter("", 2.5e6), "2.5 M");
  EXPECT_EQ(format_counter("", 12.0), "12");
  EXPECT_EQ(format_counter("%", std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(MeasurementTextTest, LengthsOfTimeAreRounded) {
  EXPECT_EQ(time_span_text(0.0), "0 s");
  EXPECT_EQ(time_span_text(119.4), "119 s");
  EXPECT_EQ(time_span_text(125.0), "2 min");
  EXPECT_EQ(time_span_text(3900.0), "1 h 5 min");
}

TEST(MeasurementTextTest, OfADroppedOneOnlyItsBoundIsSaid) {
  model::Measurement dropped;
  dropped.status = model::Status::kDropped;
  dropped.time = model::TimeSummary{2000.0, 2000.0};
  EXPECT_EQ(time_text(dropped), "> 2.00 us");
  EXPECT_EQ(interval_text(dropped), "");
  EXPECT_EQ(roof_share_text(dropped, 1000.0), "< 50.0 %");
}

TEST(MeasurementTextTest, AnUnknownTimeIsADash) {
  model::Measurement untimed;
  EXPECT_EQ(time_text(untimed), "-");
  EXPECT_EQ(roof_share_text(untimed, 1000.0), "-");
  EXPECT_EQ(throughput_text(untimed, "B/s", 1e6), "-");
  EXPECT_EQ(time_with_interval(std::nullopt), "-");
  EXPECT_EQ(time_with_interval(model::TimeSummary{2000.0}), "2.00 us (- to -)");
  untimed.status = model::Status::kDropped;
  untimed.time = model::TimeSummary{2000.0};
  EXPECT_EQ(time_text(untimed), "> 2.00 us");
  EXPECT_EQ(roof_share_text(untimed, 1000.0), "-") << "the bound is unknown";
}

}  // namespace
}  // namespace warptune::tuner::text_output
