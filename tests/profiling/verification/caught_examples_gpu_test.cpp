// What examples/caught/README.md says that a GPU shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernel_templates/library.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::verification {
namespace {

using model::Measurement;
using model::Status;

class GpuCaughtExampleTest : public GpuTest {
 protected:
  static kernel_templates::KernelDefinition load(const std::string& example) {
    const auto file = kernel_templates::tested_sources() / "examples/caught" / (example + ".cu");
    return kernel_templates::load_kernel(file.string());
  }
  static Measurement evaluate(RunnerUnderTest& kernel, bool textbook) {
    return kernel.evaluate({{"TEXTBOOK", textbook}}, textbook ? 1 : 0);
  }
};

TEST_F(GpuCaughtExampleTest, WrongResultsAreFound) {
  for (const char* example : {"warp_tail", "early_return", "shared_input"}) {
    RunnerUnderTest kernel(load(example), {}, without_counters());
    const Measurement wrong = evaluate(kernel, true);
    EXPECT_EQ(wrong.status, Status::kWrongResult) << example << ": " << wrong.reason;
    const Measurement right = evaluate(kernel, false);
    EXPECT_EQ(right.status, Status::kMeasured) << example << ": " << right.reason;
  }
}

// Both are right. Only the counter shows that each load of a warp touches eight times as many sectors.
TEST_F(GpuCaughtExampleTest, CountersShowThatNeighboursReadDistantElements) {
  constexpr const char* kSectors = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio";
  RunnerOptions options;
  options.metrics = {kSectors};
  RunnerUnderTest kernel(load("rows"), {}, options);
  if (!kernel.runner().counter_problem().empty()) GTEST_SKIP() << kernel.runner().counter_problem();
  const Measurement textbook = evaluate(kernel, true);
  ASSERT_EQ(textbook.status, Status::kMeasured) << textbook.reason;
  ASSERT_EQ(evaluate(kernel, false).status, Status::kMeasured);
  int read = 0;
  for (const CounterReading& reading : kernel.runner().take_counters(true)) {
    ++read;
    EXPECT_NEAR(reading.counters.at(kSectors), reading.id == 1 ? 32.0 : 4.0, 0.5);
  }
  EXPECT_EQ(read, 2);
}

}  // namespace
}  // namespace warptune::profiling::verification
