#include "survey/injected/nested_launches.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace warptune::survey::injected {

namespace {

// What the records of a program have in common with those of others.
struct Program {
  std::uint32_t driver_offset = 0;      // Of the driver's correlation from the runtime's.
  bool kernel_refers_to_driver = true;  // Else to the runtime.
  bool driver_is_recorded = true;
  bool driver_comes_first = true;
  std::uint32_t thread = 1;
};

class NestedLaunchesTest : public ::testing::Test {
 protected:
  void launch(const Program& program, LaunchEvidence& evidence) {
    ++number_;
    const std::uint64_t start = std::uint64_t{1000} * number_;
    const NestedLaunches::Call runtime{program.thread, number_, start, start + 900};
    const NestedLaunches::Call driver{program.thread, number_ + program.driver_offset, start + 100,
                                      start + 800};
    launches_.add_kernel(program.kernel_refers_to_driver ? driver.correlation : runtime.correlation);
    if (program.driver_is_recorded && program.driver_comes_first) launches_.add_driver_call(driver);
    launches_.add_runtime_call(runtime, evidence);
    if (program.driver_is_recorded && !program.driver_comes_first) launches_.add_driver_call(driver);
  }
  bool is_superfluous_after(int launches, const Program& program) {
    for (int i = 0; i < launches; ++i) launch(program, evidence_);
    return launches_.is_superfluous(evidence_);
  }

  NestedLaunches launches_;
  LaunchEvidence evidence_;
  std::uint32_t number_ = 0;
};

TEST_F(NestedLaunchesTest, TheOuterRecordIsSuperfluousIfTheInnerOneIsThere) {
  EXPECT_FALSE(is_superfluous_after(63, {}));
  EXPECT_TRUE(is_superfluous_after(1, {}));
}

TEST_F(NestedLaunchesTest, TheOrderOfTheTwoRecordsDoesNotMatter) {
  Program program;
  program.driver_comes_first = false;
  EXPECT_TRUE(is_superfluous_after(100, program));
}

TEST_F(NestedLaunchesTest, TheOuterRecordIsNeededIfTheDriverHasNone) {
  Program program;
  program.driver_is_recorded = false;
  EXPECT_FALSE(is_superfluous_after(1000, program));
}

TEST_F(NestedLaunchesTest, TheOuterRecordIsNeededIfKernelsReferToIt) {
  Program program;
  program.driver_offset = 500'000;
  program.kernel_refers_to_driver = false;
  EXPECT_FALSE(is_superfluous_after(1000, program));
}

TEST_F(NestedLaunchesTest, CorrelationsMayDifferIfKernelsReferToTheDriver) {
  Program program;
  program.driver_offset = 500'000;
  EXPECT_TRUE(is_superfluous_after(100, program));
}

TEST_F(NestedLaunchesTest, EachFunctionHasItsOwnEvidence) {
  Program alone;
  alone.driver_is_recorded = false;
  LaunchEvidence other;
  EXPECT_TRUE(is_superfluous_after(100, {}));
  for (int i = 0; i < 100; ++i) launch(alone, other);
  EXPECT_FALSE(launches_.is_superfluous(other));
  EXPECT_TRUE(launches_.is_superfluous(evidence_));
}

TEST_F(NestedLaunchesTest, ACallOfAnotherThreadIsNotWithin) {
  LaunchEvidence& evidence = evidence_;
  for (std::uint32_t i = 1; i <= 200; ++i) {
    const std::uint64_t start = std::uint64_t{1000} * i;
    launches_.add_kernel(i);
    launches_.add_driver_call({2, i, start + 100, start + 800});
    launches_.add_runtime_call({1, i, start, start + 900}, evidence);
  }
  EXPECT_FALSE(launches_.is_superfluous(evidence));
}

}  // namespace

}  // namespace warptune::survey::injected
