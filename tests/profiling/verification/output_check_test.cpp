#include "profiling/verification/output_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::verification {
namespace {

using model::Measurement;
using model::Status;
using ::testing::HasSubstr;

class GpuFaultTest : public GpuTest {
 protected:
  static Measurement run(const std::string& behaviour) {
    RunnerUnderTest faults("faults", {}, without_counters());
    Measurement measurement = faults.evaluate({{"BEHAVIOUR", behaviour}});
    EXPECT_FALSE(faults.runner().context_lost());
    // The next candidate is judged correctly after any error of this one.
    EXPECT_EQ(faults.evaluate({{"BEHAVIOUR", std::string("correct")}}).status, Status::kMeasured);
    return measurement;
  }
  static void expect_wrong(const std::string& behaviour, const std::string& reason) {
    const Measurement measurement = run(behaviour);
    EXPECT_EQ(measurement.status, Status::kWrongResult);
    EXPECT_THAT(measurement.reason, HasSubstr(reason));
    EXPECT_TRUE(measurement.samples_ns.empty());
  }
};

TEST_F(GpuFaultTest, RightResultsWithNanInTheReferenceAreMeasured) {
  const Measurement measurement = run("correct");
  EXPECT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
  EXPECT_GT(measurement.time->median_ns, 0.0);
}

TEST_F(GpuFaultTest, OneWrongElementIsNamed) {
  expect_wrong("wrong_element", "argument \"c\", element 4711: found 2, expected");
}

TEST_F(GpuFaultTest, AnElementLeftUnwrittenHoldsPoison) { expect_wrong("lazy", "element 100002"); }

TEST_F(GpuFaultTest, ANumberWhereNanIsExpectedIsWrong) { expect_wrong("nan_hidden", "expected nan"); }

TEST_F(GpuFaultTest, AWritePastTheEndIsFound) {
  expect_wrong(
      "overrun",
      "wrote past the end of argument \"c\" (4 guard bytes changed, the first of them 0 bytes past it)");
}

TEST_F(GpuFaultTest, AWriteBeforeTheStartIsFound) {
  expect_wrong("underrun",
               "wrote before the start of argument \"c\" (4 guard bytes changed, the first of them 8 bytes");
}

TEST_F(GpuFaultTest, AWriteToAnInputIsFound) { expect_wrong("input_writer", "changed its input \"a\""); }

TEST_F(GpuFaultTest, AResultThatChangesWhenRepeatedIsWrong) {
  expect_wrong("drifting", "wrong when repeated");
}

/// Ends the process with exit code 0 if an illegal address is reported correctly.
[[noreturn]] void fault_and_exit() {
  RunnerUnderTest faults("faults", {}, without_counters());
  const Measurement measurement = faults.evaluate({{"BEHAVIOUR", std::string("illegal_address")}});
  const bool reported = measurement.status == Status::kLaunchFailed && faults.runner().context_lost() &&
                        measurement.reason.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos;
  std::fputs(measurement.reason.c_str(), stderr);
  std::_Exit(reported ? 0 : 1);
}

using GpuDeathTest = GpuTest;

TEST_F(GpuDeathTest, AnIllegalAddressLosesTheContext) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fault_and_exit(), ::testing::ExitedWithCode(0), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

using GpuRestoreTest = GpuTest;

TEST_F(GpuRestoreTest, InoutAndZeroedScratchAreRestoredBeforeEveryLaunch) {
  RunnerUnderTest accumulate("accumulate", {}, without_counters());
  for (const std::int64_t block : {128, 256, 128}) {
    const Measurement measurement = accumulate.evaluate({{"BLOCK", block}});
    EXPECT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
    EXPECT_GE(measurement.samples_ns.size(), 5U);
  }
}

struct ElementCase {
  const char* name;
  const char* type;
  std::int64_t pattern;
  std::int64_t odd_one;
  bool equal;
};

class GpuElementTest : public GpuTest, public ::testing::WithParamInterface<ElementCase> {};

TEST_P(GpuElementTest, ComparesAsTheToleranceSays) {
  const ElementCase& element = GetParam();
  RunnerUnderTest types(
      "element_types",
      {{"dtype", std::string(element.type)}, {"PATTERN", element.pattern}, {"ODD_ONE", element.odd_one}},
      without_counters());
  const Measurement measurement = types.evaluate({});
  EXPECT_EQ(measurement.status, element.equal ? Status::kMeasured : Status::kWrongResult)
      << measurement.reason;
  if (!element.equal) {
    EXPECT_THAT(measurement.reason, HasSubstr("element 1234"));
    EXPECT_THAT(measurement.reason, HasSubstr("1 of 4099 elements differ"));
  }
}

// Bit patterns of IEEE 754 binary16, binary32 and binary64, and of bfloat16.
constexpr ElementCase kElementCases[] = {
    {"u64_equal_above_2_to_53", "u64", (1LL << 53) + 1, (1LL << 53) + 1, true},
    {"u64_differs_where_a_double_would_not", "u64", (1LL << 53) + 1, 1LL << 53, false},
    {"i64_minimum_and_maximum_differ", "i64", std::numeric_limits<std::int64_t>::min(),
     std::numeric_limits<std::int64_t>::max(), false},
    {"i8_differs", "i8", -1, 1, false},
    {"u16_differs", "u16", 65535, 65534, false},
    {"i32_equal", "i32", -7, -7, true},
    {"f64_within_tolerance", "f64", 0x3FF0000000000000, 0x3FF0000000000001, true},
    {"f64_outside_tolerance", "f64", 0x3FF0000000000000, 0x3FF0000000100000, false},
    {"f32_within_tolerance", "f32", 0x3F800000, 0x3F800001, true},
    {"f32_outside_tolerance", "f32", 0x3F800000, 0x3F810000, false},
    {"f32_nan_equals_another_nan", "f32", 0x7FC00000, 0x7FC12345, true},
    {"f32_nan_is_no_number", "f32", 0x3F800000, 0x7FC00000, false},
    {"f32_infinities_of_one_sign_are_equal", "f32", 0x7F800000, 0x7F800000, true},
    {"f32_infinities_of_two_signs_differ", "f32", 0x7F800000, 0xFF800000, false},
    {"f32_infinity_is_not_the_largest_number", "f32", 0x7F800000, 0x7F7FFFFF, false},
    {"f32_zeros_of_two_signs_are_equal", "f32", 0x00000000, 0x80000000, true},
    {"f16_within_tolerance", "f16", 0x3C00, 0x3C01, true},
    {"f16_outside_tolerance", "f16", 0x3C00, 0x3D00, false},
    {"f16_subnormals_are_near_zero", "f16", 0x0000, 0x03FF, true},
    {"f16_infinity_is_not_the_largest_number", "f16", 0x7C00, 0x7BFF, false},
    {"f16_nans_are_equal", "f16", 0x7E00, 0x7FFF, true},
    {"bf16_within_tolerance", "bf16", 0x3F80, 0x3F81, true},
    {"bf16_outside_tolerance", "bf16", 0x3F80, 0x3F90, false},
    {"bf16_infinities_of_two_signs_differ", "bf16", 0x7F80, 0xFF80, false},
};

INSTANTIATE_TEST_SUITE_P(GpuElements, GpuElementTest, ::testing::ValuesIn(kElementCases),
                         [](const auto& element) { return std::string(element.param.name); });

}  // namespace
}  // namespace warptune::profiling::verification
