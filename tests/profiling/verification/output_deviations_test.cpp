#include "profiling/verification/output_deviations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::verification {
namespace {

TEST(DeviationProgram, Compiles) {
  try {
    const auto compiled = kernel_templates::compile(deviation_program(model::fictional_gpu()));
    ASSERT_TRUE(compiled) << compiled.error().reason;
    EXPECT_EQ(compiled->log, "");
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
}

struct DeviationCase {
  const char* name;
  const char* type;
  std::int64_t pattern;
  // The element's value in about half of the launches.
  std::int64_t other;
  double of_tolerance;
};

class GpuDeviationTest : public GpuTest, public ::testing::WithParamInterface<DeviationCase> {
 protected:
  static timing::Confirmation confirm(const DeviationCase& one, const model::NamedValues& configuration) {
    RunnerUnderTest runner("deviations",
                           {{"dtype", std::string(one.type)}, {"PATTERN", one.pattern}, {"OTHER", one.other}},
                           without_counters());
    EXPECT_EQ(runner.evaluate(configuration).status, model::Status::kMeasured);
    return runner.confirm(configuration);
  }
};

TEST_P(GpuDeviationTest, IsThatOfTheOneElement) {
  const timing::Confirmation confirmation = confirm(GetParam(), {{"BY_CLOCK", std::int64_t{1}}});
  EXPECT_TRUE(confirmation.has_passed()) << confirmation.verdict.reason;
  EXPECT_GT(confirmation.deviating, 0U);
  EXPECT_DOUBLE_EQ(confirmation.deviation_of_tolerance.value(), GetParam().of_tolerance);
  EXPECT_FALSE(confirmation.is_nondeterministic);
}

// The values 64 and 65 in each type, with a tolerance of 4.
const DeviationCase kDeviationCases[] = {
    {"f16", "f16", 0x5400, 0x5410, 0.25},
    {"bf16", "bf16", 0x4280, 0x4282, 0.25},
    {"f32", "f32", 0x42800000, 0x42820000, 0.25},
    {"f64", "f64", 0x4050000000000000, 0x4050400000000000, 0.25},
    {"i8", "i8", 64, 65, 0.25},
    {"u8", "u8", 64, 65, 0.25},
    {"i16", "i16", 64, 65, 0.25},
    {"u16", "u16", 64, 65, 0.25},
    {"i32", "i32", -64, -65, 0.25},
    {"u32", "u32", 64, 65, 0.25},
    {"i64", "i64", -64, -65, 0.25},
    {"u64", "u64", 64, 65, 0.25},
    {"nans_of_other_bits", "f32", 0x7FC00000, 0x7FC12345, 0.0},
};

INSTANTIATE_TEST_SUITE_P(GpuDeviations, GpuDeviationTest, ::testing::ValuesIn(kDeviationCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_F(GpuDeviationTest, OfResultsThatAgreeIsNone) {
  const timing::Confirmation confirmation = confirm(kDeviationCases[2], {});
  EXPECT_GT(confirmation.launches, 2U);
  EXPECT_EQ(confirmation.deviating, 0U);
  EXPECT_EQ(confirmation.deviation_of_tolerance, std::nullopt);
}

TEST_F(GpuDeviationTest, MayBeDeclaredByTheDefinition) {
  EXPECT_TRUE(confirm(kDeviationCases[2], {{"BY_CLOCK", std::int64_t{1}}, {"DECLARED", std::int64_t{1}}})
                  .is_nondeterministic);
}

}  // namespace
}  // namespace warptune::profiling::verification
