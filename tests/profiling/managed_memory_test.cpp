// Tests on a GPU for buffers in managed memory. On a system whose pages cannot move while the GPU works, they
// are skipped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

using model::Measurement;
using model::NamedValues;
using model::Status;

class GpuManagedMemoryTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    program_.emplace("managed", NamedValues{}, without_counters());
    const Measurement first = program_->evaluate({});
    if (first.status == Status::kLaunchInvalid && first.reason.find("at the same time") != std::string::npos)
      GTEST_SKIP() << first.reason;
    ASSERT_EQ(first.status, Status::kMeasured) << first.reason;
  }
  double median_ns(const NamedValues& changes) {
    const Measurement measurement = program_->evaluate(changes);
    EXPECT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
    return measurement.time ? measurement.time->median_ns : 0.0;
  }

  std::optional<RunnerUnderTest> program_;
};

TEST_F(GpuManagedMemoryTest, IsRightWithAnyAdvice) {
  for (const std::string residency : {"device", "host"}) {
    for (const bool read_mostly : {false, true}) {
      for (const std::string place : {"none", "device", "host"}) {
        const Measurement measurement = program_->evaluate({{"RESIDENCY", residency},
                                                            {"READ_MOSTLY", read_mostly},
                                                            {"PREFERRED", place},
                                                            {"ACCESSED_BY", place}});
        EXPECT_EQ(measurement.status, Status::kMeasured)
            << residency << ", " << read_mostly << ", " << place << ": " << measurement.reason;
      }
    }
  }
}

// 16 MiB pass the link to the host if the pages must move. Without the restored residency, only the first
// launch would need that time.
TEST_F(GpuManagedMemoryTest, IsWhereTheDefinitionSaysBeforeEveryLaunch) {
  const double on_device = median_ns({});
  for (const bool read_mostly : {false, true}) {
    const double on_host = median_ns({{"RESIDENCY", std::string("host")}, {"READ_MOSTLY", read_mostly}});
    EXPECT_GT(on_host, 3.0 * on_device) << "read mostly: " << read_mostly;
  }
  EXPECT_LT(median_ns({}), 2.0 * on_device) << "the advice and the residency are those of the configuration";
}

TEST_F(GpuManagedMemoryTest, IsPrefetchedByAProgram) {
  for (const std::string residency : {"device", "host"}) {
    for (const bool read_mostly : {false, true})
      median_ns({{"RESIDENCY", residency}, {"READ_MOSTLY", read_mostly}, {"PREFETCH", true}});
  }
}

TEST_F(GpuManagedMemoryTest, ThatChangesFromLaunchToLaunchIsVerifiedOnNewInputs) {
  median_ns({{"RESIDENCY", std::string("host")}});
  const timing::Confirmation confirmation = program_->confirm({{"RESIDENCY", std::string("host")}});
  EXPECT_EQ(confirmation.verdict.status, Status::kMeasured) << confirmation.verdict.reason;
}

}  // namespace
}  // namespace warptune::profiling
