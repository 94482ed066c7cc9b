#include "tuner/hot_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_templates/library.h"
#include "search/gpu_description.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedVariable;
using ::testing::SizeIs;

class SampleHotLinesTest : public ::testing::Test {
 protected:
  profiling::HotLines sample() const {
    return sample_hot_lines(instance_, instance_.default_configuration(), {});
  }

  ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  kernel_templates::KernelInstance instance_{
      kernel_templates::load_kernel("transpose"), {}, search::fictional_gpu()};
};

TEST_F(SampleHotLinesTest, LinesComeWithTheirText) {
  const profiling::HotLines lines = sample();
  EXPECT_EQ(lines.problem, "");
  ASSERT_THAT(lines.lines, SizeIs(2));
  EXPECT_EQ(lines.lines[0].text, "[kernel]");
  EXPECT_EQ(lines.lines[0].samples, 30U);
  EXPECT_EQ(lines.lines[1].text, "");
}

TEST_F(SampleHotLinesTest, AWorkerThatDiesIsTheReasonWhyThereAreNone) {
  const ScopedVariable dies("FAKE_SAMPLING_DIES", "1");
  const profiling::HotLines lines = sample();
  EXPECT_THAT(lines.lines, IsEmpty());
  EXPECT_THAT(lines.problem, HasSubstr("exit code 1"));
}

}  // namespace
}  // namespace warptune::tuner
