#include "model/roof_reading.h"

#include <gtest/gtest.h>

namespace warptune::model {
namespace {

TEST(RoofReading, OfEachKindLandsInItsRoofBesideTheTheory) {
  std::vector<RoofReading> readings;
  readings.reserve(measured_roofs().size());
  for (const RoofKind& kind : measured_roofs()) {
    const double value = 1.0 + static_cast<double>(readings.size());
    readings.push_back({std::string(kind.name), value, 0.01, 1980.0, 1, 13000});
  }
  Roofs expected;
  expected.copy_bytes_per_s = 1.0;
  expected.read_bytes_per_s = 2.0;
  expected.fp32_measured_flops_per_s = 3.0;
  expected.fp64_flops_per_s = 4.0;
  expected.tensor_flops_per_s = 5.0;
  expected.fp32_theory_flops_per_s = fictional_gpu().peak_fp32_flops();
  EXPECT_EQ(roofs_of(readings, fictional_gpu()), expected);
}

TEST(RoofReading, OfANameThatIsNotKnownIsPassedOver) {
  EXPECT_EQ(find_roof("fp8"), nullptr);
  Roofs theory;
  theory.fp32_theory_flops_per_s = fictional_gpu().peak_fp32_flops();
  EXPECT_EQ(roofs_of({{"fp8", 1e15, 0.0, 0.0, 0, 0}}, fictional_gpu()), theory);
}

TEST(RoofReading, TellsBytesFromOperations) {
  ASSERT_NE(find_roof("read"), nullptr);
  EXPECT_TRUE(find_roof("read")->is_memory);
  EXPECT_FALSE(find_roof("tensor")->is_memory);
}

}  // namespace
}  // namespace warptune::model
