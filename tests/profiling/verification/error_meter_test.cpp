#include "profiling/verification/error_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::verification {
namespace {

using model::Counters;
using ::testing::Contains;
using ::testing::DoubleEq;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(ErrorSums, GiveTheMeanOverWhatHasARelativeError) {
  Counters counters{{"first_launch_ns", 1.0}};
  ErrorSums{0.5, 0.25, 0.75, 6, 9, 100}.add_to(counters);
  EXPECT_EQ(counters, (Counters{{"first_launch_ns", 1.0},
                                {"error_max_absolute", 0.5},
                                {"error_max_relative", 0.25},
                                {"error_mean_relative", 0.125},
                                {"error_max_ulp", 9.0}}));
}

TEST(ErrorSums, AreFiniteWithoutAnyElementAndWhereARatioOverflows) {
  Counters counters;
  ErrorSums{0.0, INFINITY, INFINITY, 1, 0, 1}.add_to(counters);
  EXPECT_TRUE(std::isfinite(counters.at("error_max_relative")));
  EXPECT_TRUE(std::isfinite(counters.at("error_mean_relative")));
  ErrorSums{}.add_to(counters);
  EXPECT_EQ(counters.at("error_mean_relative"), 0.0);
}

TEST(ErrorMeterProgram, Compiles) {
  try {
    const auto compiled = kernel_templates::compile(error_meter_program(model::fictional_gpu()));
    ASSERT_TRUE(compiled) << compiled.error().reason;
    EXPECT_EQ(compiled->log, "");
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
}

struct ErrorCase {
  const char* name;
  const char* type;
  std::int64_t pattern;  // 4098 elements of both buffers, and all elements of the reference.
  std::int64_t odd_one;  // The other element of the found buffer.
  double absolute;
  double relative;
  double ulp;
};

class GpuErrorTest : public GpuTest, public ::testing::WithParamInterface<ErrorCase> {
 protected:
  static Counters counters_of(const ErrorCase& one, bool measure_error = true) {
    RunnerOptions options = without_counters();
    options.measure_error = measure_error;
    RunnerUnderTest types(
        "element_types",
        {{"dtype", std::string(one.type)}, {"PATTERN", one.pattern}, {"ODD_ONE", one.odd_one}}, options);
    const model::Measurement measurement = types.evaluate({});
    EXPECT_EQ(measurement.status, model::Status::kMeasured) << measurement.reason;
    return measurement.counters;
  }
};

TEST_P(GpuErrorTest, IsThatOfTheOneElement) {
  const ErrorCase& one = GetParam();
  const Counters counters = counters_of(one);
  EXPECT_THAT(counters, Contains(Pair("error_max_absolute", DoubleEq(one.absolute))));
  EXPECT_THAT(counters, Contains(Pair("error_max_relative", DoubleEq(one.relative))));
  EXPECT_THAT(counters, Contains(Pair("error_mean_relative", DoubleEq(one.relative / 4099))));
  EXPECT_THAT(counters, Contains(Pair("error_max_ulp", DoubleEq(one.ulp))));
}

// Bit patterns as in output_check_test.cpp. All of them are within the tolerances of their types.
const ErrorCase kErrorCases[] = {
    {"f32_next_to_one", "f32", 0x3F800000, 0x3F800001, 0x1p-23, 0x1p-23, 1},
    {"f32_below_two", "f32", 0x40000000, 0x3FFFFFFD, 3 * 0x1p-23, 3 * 0x1p-24, 3},
    {"f32_zeros_of_two_signs", "f32", 0x00000000, 0x80000000, 0.0, 0.0, 0},
    {"f32_across_zero", "f32", 0x00000002, 0x80000003, 5 * 0x1p-149, 2.5, 5},
    {"f32_near_a_reference_of_zero", "f32", 0x00000000, 0x00000005, 5 * 0x1p-149, 0.0, 5},
    {"f32_nans", "f32", 0x7FC00000, 0x7FC12345, 0.0, 0.0, 0},
    {"f32_infinities", "f32", 0x7F800000, 0x7F800000, 0.0, 0.0, 0},
    {"f64_next_to_one", "f64", 0x3FF0000000000000, 0x3FF0000000000001, 0x1p-52, 0x1p-52, 1},
    {"f16_next_to_one", "f16", 0x3C00, 0x3C01, 0x1p-10, 0x1p-10, 1},
    {"f16_subnormals", "f16", 0x0001, 0x8001, 0x1p-23, 2.0, 2},
    {"bf16_next_to_one", "bf16", 0x3F80, 0x3F81, 0x1p-7, 0x1p-7, 1},
};

INSTANTIATE_TEST_SUITE_P(GpuErrors, GpuErrorTest, ::testing::ValuesIn(kErrorCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_F(GpuErrorTest, IsOfOutputsOfFloatingTypeAloneAndOnlyWhenAskedFor) {
  const ErrorCase integer{"", "i32", -7, -7, 0, 0, 0};
  EXPECT_THAT(counters_of(integer), Not(Contains(Key(StartsWith("error_")))));
  EXPECT_THAT(counters_of(kErrorCases[0], false), Not(Contains(Key(StartsWith("error_")))));
}

}  // namespace
}  // namespace warptune::profiling::verification
