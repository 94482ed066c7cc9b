#include "tuner/text_output/roof_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::text_output {
namespace {

std::vector<model::RoofReading> readings() {
  return {{"tensor", 700e12, 0.01, 1500.0, 5, 13000},
          {"fp32", 60e12, 0.001, 1980.0, 4, 13000},
          {"read", 4.34e12, 0.002, 1980.0, 3, 13000},
          {"abacus", 1.0, 0.0, 0.0, 2, 0}};
}

TEST(RoofTextTest, ALineHasWhatIsKnown) {
  EXPECT_EQ(roofs_line({}), "unknown");
  EXPECT_EQ(roofs_line({4.2e12, 66.9e12}), "copy 4.20 TB/s, fp32 66.9 TFLOP/s in theory");
  model::Roofs roofs = model::roofs_of(readings(), model::fictional_gpu());
  roofs.fp32_theory_flops_per_s = 66.9e12;
  EXPECT_EQ(roofs_line(roofs), "read 4.34 TB/s, fp32 60.0 TFLOP/s (theory 66.9), tensor 700.0 TFLOP/s");
}

TEST(RoofTextTest, RowsAreInOneOrderWithTheoryAndRidge) {
  const std::vector<RoofRow> rows = roof_rows(readings(), model::fictional_gpu());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].reading.name, "read");
  EXPECT_EQ(rows[0].theory, static_cast<double>(model::fictional_gpu().memory_bandwidth_bytes_per_s));
  EXPECT_EQ(rows[0].ridge_flops_per_byte, std::nullopt);
  EXPECT_EQ(rows[1].theory, model::fictional_gpu().peak_fp32_flops());
  EXPECT_DOUBLE_EQ(rows[1].ridge_flops_per_byte.value(), 60.0 / 4.34);
  EXPECT_EQ(rows[2].theory, std::nullopt);
  EXPECT_EQ(rows[2].note, "");
  const nlohmann::ordered_json report = json_output::roof_readings_json(rows);
  EXPECT_EQ(report[0]["unit"], "byte/s");
  EXPECT_TRUE(report[0]["ridge_flops_per_byte"].is_null());
  EXPECT_EQ(report[2]["unit"], "FLOP/s");
  EXPECT_EQ(report[2]["sm_clock_mhz"], 1500.0);
}

TEST(RoofTextTest, WhereTheFastestInstructionIsNotMeasuredTheTensorRoofIsALowerBound) {
  model::GpuDescription blackwell = model::fictional_gpu();
  blackwell.compute_major = 10;
  const std::vector<RoofRow> rows = roof_rows(readings(), blackwell);
  EXPECT_EQ(rows[1].note, "");
  EXPECT_EQ(rows[2].note, "by mma.sync, a lower bound");
}

}  // namespace
}  // namespace warptune::tuner::text_output
