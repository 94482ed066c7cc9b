// The program `captured_program` runs twice: recorded, and with a launch that is captured. The driver and
// CUPTI are fakes.
#include "survey/collecting/capturing/capture_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/captures/captured_launch.h"
#include "survey/analysis/named_kernel.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/collecting/raw_reader.h"
#include "survey/collecting/surveyed_run.h"
#include "tests/survey/device_image.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::collecting::capturing {

namespace {

using profiling::captures::CapturedLaunch;
using profiling::captures::CapturedParameter;
using profiling::captures::PointerPlace;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kWords = 2048;  // The size of the first buffer.

std::vector<float> numbers(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

class CaptureRunTest : public ::testing::Test {
 public:
  ~CaptureRunTest() override {
    for (const auto& [name, value] : before_) {
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }
  }

 protected:
  CaptureRunTest() {
    set("WARPTUNE_CUDA_PATH", WARPTUNE_FAKE_CUDA);
    set("TMPDIR", folder_.path().string());
    capture_.kernel = "add";
  }
  void set(const std::string& name, const std::string& value) {
    const char* old = ::getenv(name.c_str());
    before_.insert(before_.begin(), {name, old == nullptr ? std::nullopt : std::optional<std::string>(old)});
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  CaptureOutcome capture(const std::string& what) {
    SurveyRequest request;
    request.command = {WARPTUNE_CAPTURED_PROGRAM, what};
    const records::Survey survey = run_surveyed(request);
    EXPECT_EQ(survey.run.exit_code, 0);
    const records::Index name =
        analysis::kernel_named(survey, analysis::analyse(survey).kernels, capture_.kernel);
    return capture_launch(request, capture_, survey, name);
  }

  tests::TemporaryFolder folder_;
  CaptureRequest capture_;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(CaptureRunTest, StoresTheLaunchWithItsCodeAndParameters) {
  const CaptureOutcome outcome = capture("device");
  EXPECT_EQ(outcome.problem, "");
  ASSERT_TRUE(outcome.launch);
  const CapturedLaunch& launch = *outcome.launch;
  EXPECT_EQ(launch.kernel, "_Z3add6VectorPif");
  EXPECT_EQ(launch.image, survey::device_image({"_Z5otherv", "_Z3add6VectorPif"}, {"gain", "unknown"}));
  EXPECT_THAT(launch.grid, ElementsAre(4, 1, 1));
  EXPECT_THAT(launch.block, ElementsAre(256, 1, 1));
  EXPECT_EQ(launch.dynamic_shared_bytes, 512U);
  EXPECT_FALSE(launch.cooperative);
  EXPECT_EQ(launch.carveout, 50);
  EXPECT_THAT(launch.parameters,
              ElementsAre(CapturedParameter{0, 16}, CapturedParameter{16, 8}, CapturedParameter{24, 4}));
  EXPECT_EQ(launch.parameter_bytes.size(), 28U);
  EXPECT_EQ(launch.gpu_name, "Fictional GPU");
  EXPECT_EQ(launch.driver_version, 13000);
  EXPECT_EQ(launch.application_launches, 5);
  EXPECT_EQ(launch.application_ns, 3000.0);
  EXPECT_THAT(launch.command, ElementsAre(WARPTUNE_CAPTURED_PROGRAM, "device"));
  EXPECT_THAT(launch.notes, ElementsAre(HasSubstr("1 variable of the code could not be read")));
}

TEST_F(CaptureRunTest, StoresContentsBeforeAndAfterTheLaunch) {
  capture_.launch = 3;
  const CaptureOutcome outcome = capture("device");
  ASSERT_TRUE(outcome.launch) << outcome.problem;
  const CapturedLaunch& launch = *outcome.launch;
  EXPECT_EQ(launch.launch, 3U);
  ASSERT_EQ(launch.buffers.size(), 3U);
  // x becomes 2 x + 1, from 0 on.
  EXPECT_EQ(numbers(launch.buffers[0].before).size(), kWords);
  EXPECT_EQ(numbers(launch.buffers[0].before).back(), 3.0F);
  EXPECT_EQ(numbers(launch.buffers[0].before).front(), 0.0F);
  EXPECT_EQ(numbers(launch.buffers[0].after.value()).back(), 7.0F);
  EXPECT_EQ(launch.buffers[1].before, std::string("\2\0\0\0", 4));
  EXPECT_EQ(launch.buffers[1].after, std::string("\3\0\0\0", 4));
  EXPECT_EQ(launch.buffers[2].variable, "gain");
  EXPECT_EQ(numbers(launch.buffers[2].before), std::vector<float>{2.0F});
  EXPECT_FALSE(launch.buffers[2].after);
  // The pointer in the structure points into the middle of its buffer.
  EXPECT_THAT(launch.pointers(),
              ElementsAre(PointerPlace{8, 0, kWords / 2 * sizeof(float)}, PointerPlace{16, 1, 0}));
}

TEST_F(CaptureRunTest, SaysInOneSentenceWhatCannotBeCaptured) {
  EXPECT_EQ(capture("managed").problem,
            "A parameter points to managed memory, which a capture cannot hold, so nothing was captured.");
  EXPECT_EQ(capture("host").problem,
            "A parameter points to pinned memory of the host, which a capture cannot hold, so nothing was "
            "captured.");
  EXPECT_EQ(capture("graph").problem,
            "All launches of the kernel became nodes of CUDA graphs, or came while a graph was captured, so "
            "nothing was captured.");
  EXPECT_EQ(capture("no_image").problem,
            "CUPTI did not show the code of the kernel, so nothing was captured.");
  EXPECT_EQ(capture("no_parameters").problem,
            "The driver does not say what parameters the kernel has, so nothing was captured.");
  EXPECT_EQ(capture("graph_within").problem,
            "Another thread began to capture a CUDA graph during the launch, so nothing was captured.");
  capture_.launch = 6;
  EXPECT_EQ(capture("device").problem,
            "No process launched the kernel more than 5 times, so there is no launch 6 to capture.");
}

TEST_F(CaptureRunTest, FindsTheKernelInAnImageWithManyOthers) {
  const CaptureOutcome outcome = capture("many_kernels");
  EXPECT_TRUE(outcome.launch) << outcome.problem;
}

TEST_F(CaptureRunTest, SaysThatVariablesOfAnUnknownModuleAreUnread) {
  const CaptureOutcome outcome = capture("no_module");
  ASSERT_TRUE(outcome.launch) << outcome.problem;
  EXPECT_EQ(outcome.launch->buffers.size(), 2U);
  EXPECT_THAT(outcome.launch->notes, ElementsAre(HasSubstr("2 variables of the code could not be read")));
}

// The program stands for a shell that starts two others.
TEST_F(CaptureRunTest, OneProcessOfSeveralCaptures) {
  const std::string other = std::string(WARPTUNE_CAPTURED_PROGRAM) + " device";
  SurveyRequest request;
  request.command = {
      "/bin/sh", "-c",
      other + " && " + other + " && cp -r $WARPTUNE_SURVEY_FOLDER " + (folder_.path() / "kept").string()};
  records::Survey survey = run_surveyed(request);
  const records::Index name = analysis::kernel_named(survey, analysis::analyse(survey).kernels, "add");
  std::filesystem::remove_all(folder_.path() / "kept");
  const CaptureOutcome outcome = capture_launch(request, capture_, survey, name);
  EXPECT_TRUE(outcome.launch) << outcome.problem;
  std::vector<bool> captured;
  for (const RawProcess& process : read_raw_processes(folder_.path() / "kept"))
    captured.push_back(process.capture.launch.has_value());
  std::sort(captured.begin(), captured.end());
  EXPECT_THAT(captured, ElementsAre(false, true));
}

TEST_F(CaptureRunTest, AnImageThatIsLoadedTwiceIsOne) {
  const CaptureOutcome outcome = capture("twice");
  ASSERT_TRUE(outcome.launch) << outcome.problem;
  EXPECT_THAT(outcome.launch->notes, ElementsAre(HasSubstr("could not be read")));
}

TEST_F(CaptureRunTest, KeepsToTheLimitOfTheBuffers) {
  capture_.limit_mib = 0;
  const CaptureOutcome outcome = capture("device");
  EXPECT_FALSE(outcome.launch);
  EXPECT_THAT(outcome.problem, HasSubstr("more than the limit of 0 MiB (--capture-limit)"));
}

TEST_F(CaptureRunTest, HasTheLaunchAlthoughTheProgramEndsWithoutExitHandlers) {
  EXPECT_TRUE(capture("kill").launch);
}

}  // namespace

}  // namespace warptune::survey::collecting::capturing
