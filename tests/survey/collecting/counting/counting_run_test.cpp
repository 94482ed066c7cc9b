// The program `surveyed_program` runs twice: recorded, and counted by the fake CUPTI. CUPTI's host interface
// is replaced, too: an image of the fake holds the number of blocks of the launch.
#include "survey/collecting/counting/counting_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/measurement.h"
#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/collecting/surveyed_run.h"
#include "survey/records/survey.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::collecting::counting {

namespace {

using profiling::counters::CountingConfig;
using records::Survey;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMetric = "dram__bytes.sum";

std::vector<model::Counters> evaluate(const CountingConfig& config, const std::vector<std::uint8_t>& image) {
  EXPECT_EQ(config.metrics, std::vector<std::string>{kMetric});
  EXPECT_EQ(image.size(), 20U);
  std::uint64_t numbers[2] = {};
  std::memcpy(numbers, image.data(), sizeof(numbers));
  return {
      {{kMetric, static_cast<double>(numbers[1])}, {"unknown", std::numeric_limits<double>::quiet_NaN()}}};
}

class CountingRunTest : public ::testing::Test {
 protected:
  CountingRunTest() {
    set("WARPTUNE_CUDA_PATH", WARPTUNE_FAKE_CUDA);
    set("TMPDIR", folder_.path().string());
    counting_.tools.chips = [] { return std::vector<std::string>{"AD102", "GH100"}; };
    counting_.tools.configure = [](const std::string& chip, const std::vector<std::string>&) {
      return CountingConfig{chip, {kMetric}, {1, 2, 3}, 1, {}};
    };
    counting_.tools.evaluate = evaluate;
  }
  ~CountingRunTest() override {
    for (const auto& [name, value] : before_) {
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }
  }
  void set(const std::string& name, const std::string& value) {
    const char* old = ::getenv(name.c_str());
    before_.insert(before_.begin(), {name, old == nullptr ? std::nullopt : std::optional<std::string>(old)});
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  // The configurations need so many, and the fake CUPTI has all after them.
  void need_passes(std::size_t passes) {
    set("FAKE_CUPTI_PASSES", std::to_string(passes));
    counting_.tools.configure = [passes](const std::string& chip, const std::vector<std::string>&) {
      return CountingConfig{chip, {kMetric}, {1, 2, 3}, passes, {}};
    };
  }
  Survey count(const std::vector<std::string>& arguments) {
    SurveyRequest request;
    request.command = {WARPTUNE_SURVEYED_PROGRAM};
    request.command.insert(request.command.end(), arguments.begin(), arguments.end());
    Survey survey = run_surveyed(request);
    const analysis::HotShapes hot =
        analysis::hot_shapes(survey, analysis::analyse(survey).kernels, kMaxCountedKernels);
    count_launches(request, counting_, hot.shapes, survey);
    return survey;
  }

  tests::TemporaryFolder folder_;
  CountingRequest counting_;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(CountingRunTest, CountsTheFirstLaunchesOfEachKernel) {
  const Survey survey = count({"exit", "100"});
  EXPECT_EQ(survey.run.counting_problem, "");
  EXPECT_EQ(survey.launches.size(), 100U);  // The second run adds none.
  ASSERT_EQ(survey.counted.size(), 2U);
  for (const records::CountedShape& counted : survey.counted) {
    EXPECT_EQ(counted.device, 0U);
    ASSERT_EQ(counted.launches.size(), 3U);
    for (const model::Counters& launch : counted.launches)
      EXPECT_EQ(launch, (model::Counters{{kMetric, survey.shapes[counted.shape].grid[0]}}));
  }
}

TEST_F(CountingRunTest, CountsAsManyLaunchesAsAskedForAndAsThereAre) {
  counting_.launches = 5;
  EXPECT_EQ(count({"exit", "100"}).counted.at(0).launches.size(), 5U);
  const Survey few = count({"exit", "4"});
  EXPECT_EQ(few.counted.at(0).launches.size(), 2U);
  EXPECT_EQ(few.run.counting_problem, "");
}

TEST_F(CountingRunTest, LeavesLaunchesAloneAfterTheLastCountedOne) {
  const Survey survey = count({"without_callbacks_after_counting"});
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_EQ(survey.run.counting_problem, "");  // It would name another exit code of the second run.
  EXPECT_EQ(survey.counted.size(), 2U);
}

TEST_F(CountingRunTest, SaysThatLaunchesAreCaptured) {
  const Survey survey = count({"captured", "10"});
  EXPECT_THAT(survey.counted, IsEmpty());
  EXPECT_EQ(survey.run.counting_problem,
            "2 of 2 hot kernels could not be counted: launches became nodes of CUDA graphs, or came while a "
            "graph was captured.");
}

TEST_F(CountingRunTest, CountsGraphsByTheirLaunches) {
  need_passes(4);
  const Survey survey = count({"graphs", "12"});
  EXPECT_EQ(survey.run.counting_problem, "");
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_THAT(survey.counted, IsEmpty());
  ASSERT_EQ(survey.counted_graphs.size(), 1U);
  const records::CountedGraph& graph = survey.counted_graphs[0];
  EXPECT_EQ(graph.kernel_nodes, 3);
  EXPECT_EQ(graph.other_nodes, 2);
  ASSERT_EQ(graph.parts.size(), 2U);
  EXPECT_EQ(survey.shapes[graph.parts[0].shape].grid[0], 100U);
  EXPECT_EQ(graph.parts[0].nodes, 2);
  EXPECT_EQ(survey.shapes[graph.parts[1].shape].grid[0], 101U);
  EXPECT_EQ(graph.parts[1].nodes, 1);
  ASSERT_EQ(graph.launches.size(), 3U);  // Each has four passes.
  for (const model::Counters& launch : graph.launches) EXPECT_EQ(launch, (model::Counters{{kMetric, 4.0}}));
}

// The profiler does not patch the code of their nodes, so these metrics would be 0.
TEST_F(CountingRunTest, LeavesOutWhatGraphsDoNotCount) {
  const std::string patched = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
  counting_.tools.evaluate = [&](const CountingConfig&, const std::vector<std::uint8_t>&) {
    return std::vector<model::Counters>{{{kMetric, 1.0}, {patched, 0.0}}};
  };
  const Survey survey = count({"graphs_and_launches", "10"});
  EXPECT_TRUE(survey.counted.at(0).launches.at(0).contains(patched));
  EXPECT_EQ(survey.counted_graphs.at(0).launches.at(0), (model::Counters{{kMetric, 1.0}}));
  EXPECT_EQ(survey.run.counting_problem,
            "For CUDA graphs, metrics that need patched code (smsp__sass_...) are missing.");
}

TEST_F(CountingRunTest, CountsGraphsThatAreMadeAgainAndAgain) {
  need_passes(2);
  const Survey survey = count({"new_graphs", "7"});
  EXPECT_EQ(survey.run.counting_problem, "");
  ASSERT_EQ(survey.counted_graphs.size(), 1U);
  EXPECT_EQ(survey.counted_graphs[0].launches.size(), 3U);
}

TEST_F(CountingRunTest, SaysThatGraphsAreLaunchedTooSeldom) {
  need_passes(4);
  const Survey survey = count({"graphs", "3"});
  EXPECT_THAT(survey.counted_graphs, IsEmpty());
  EXPECT_EQ(survey.run.counting_problem,
            "2 of 2 hot kernels could not be counted: the CUDA graphs whose nodes they are were not launched "
            "4 times, as their counters need.");
}

TEST_F(CountingRunTest, CountsGraphsAndLaunchesInTurn) {
  need_passes(4);
  const Survey survey = count({"graphs_and_launches", "40"});
  EXPECT_EQ(survey.run.counting_problem, "");
  ASSERT_EQ(survey.counted.size(), 1U);
  EXPECT_EQ(survey.counted[0].launches.size(), 3U);
  for (const model::Counters& launch : survey.counted[0].launches)
    EXPECT_EQ(launch, (model::Counters{{kMetric, 100.0}}));
  ASSERT_EQ(survey.counted_graphs.size(), 1U);
  EXPECT_EQ(survey.counted_graphs[0].launches.size(), 3U);
}

TEST_F(CountingRunTest, CountsAGraphBeforeAndAfterItIsUpdated) {
  need_passes(4);
  const Survey survey = count({"updated_graphs", "4"});
  ASSERT_EQ(survey.counted_graphs.size(), 2U);
  EXPECT_EQ(survey.counted_graphs[0].kernel_nodes, 3);
  EXPECT_EQ(survey.counted_graphs[1].kernel_nodes, 1);
}

TEST_F(CountingRunTest, LeavesOutGraphsThatWaitForOtherGpus) {
  const Survey survey = count({"collective_graphs", "12"});
  EXPECT_THAT(survey.counted_graphs, IsEmpty());
  EXPECT_EQ(
      survey.run.counting_problem,
      "2 of 2 hot kernels could not be counted: the CUDA graphs whose nodes they are have collectives, which "
      "wait for other GPUs.");
}

TEST_F(CountingRunTest, GivesUpAGraphThatIsNotLaunchedAgain) {
  need_passes(4);
  const Survey survey = count({"graph_before_launches", "1100"});
  ASSERT_EQ(survey.counted.size(), 1U);
  EXPECT_EQ(survey.counted[0].launches.size(), 3U);
  EXPECT_THAT(survey.counted_graphs, IsEmpty());
}

TEST_F(CountingRunTest, LosesTheCountersOfAPassBesideWhichOthersLaunch) {
  need_passes(4);
  EXPECT_EQ(count({"graphs", "12"}).counted_graphs.at(0).launches.size(), 3U);
  EXPECT_EQ(count({"disturbed_graph", "12"}).counted_graphs.at(0).launches.size(), 2U);
  const Survey survey = count({"disturbed_graph", "4"});
  EXPECT_THAT(survey.counted_graphs, IsEmpty());
  EXPECT_THAT(survey.run.counting_problem,
              HasSubstr("other work ran beside the CUDA graphs whose nodes they are"));
}

// Each pass takes so long that a graph of the other thread waits for its end. That one disturbs no pass.
TEST_F(CountingRunTest, CountsBesideGraphsThatWait) {
  need_passes(4);
  const Survey survey = count({"graphs_of_two_threads", "30"});
  EXPECT_EQ(survey.run.counting_problem, "");
  EXPECT_EQ(survey.counted_graphs.at(0).launches.size(), 3U);
}

TEST_F(CountingRunTest, LetsACaptureOfAnotherThreadWait) {
  const Survey survey = count({"capture_beside_graph"});
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_EQ(survey.run.counting_problem, "");  // It would name another exit code of the second run.
  EXPECT_EQ(survey.counted_graphs.size(), 1U);
}

TEST_F(CountingRunTest, CountsKernelsWithoutGraphsIfCuptiRefusesThose) {
  set("FAKE_CUPTI_REFUSES_RANGES", "1");
  const Survey survey = count({"graphs_and_launches", "40"});
  EXPECT_THAT(survey.counted_graphs, IsEmpty());
  ASSERT_EQ(survey.counted.size(), 1U);
  EXPECT_EQ(survey.counted[0].launches.size(), 3U);
  EXPECT_EQ(survey.run.counting_problem,
            "The counters could not be read (cuptiRangeProfilerSetConfig: CUPTI_ERROR_FAKE).");
}

// In the fake as in the real CUPTI, a graph does not run while a kernel is replayed.
TEST_F(CountingRunTest, LetsGraphsOfOtherThreadsWait) {
  const Survey survey = count({"graph_beside_launch"});
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_EQ(survey.run.counting_problem, "");  // It would name another exit code of the second run.
  ASSERT_FALSE(survey.counted.empty());
}

TEST_F(CountingRunTest, SaysThatTheSecondRunDiffers) {
  const Survey survey = count({"otherwise_when_counted"});
  EXPECT_THAT(survey.counted, IsEmpty());
  EXPECT_THAT(survey.run.counting_problem, HasSubstr("The second run had the exit code 3, the first one 0."));
  EXPECT_THAT(survey.run.counting_problem,
              HasSubstr("the second run launched them with other grids or blocks"));
}

TEST_F(CountingRunTest, KeepsNoCountersOfSeveralLaunchesTogether) {
  const Survey survey = count({"at_once", "200"});
  EXPECT_THAT(survey.counted, IsEmpty());
  EXPECT_THAT(survey.run.counting_problem, HasSubstr("launches of other threads ran beside theirs"));
}

TEST_F(CountingRunTest, KeepsTheSurveyIfCountersAreForbidden) {
  set("FAKE_CUPTI_FORBIDS_COUNTERS", "1");
  const Survey survey = count({"exit", "100"});
  EXPECT_EQ(survey.launches.size(), 100U);
  EXPECT_THAT(survey.counted, IsEmpty());
  EXPECT_EQ(
      survey.run.counting_problem,
      "The counters could not be read: this user may not read them; run as root, or load the driver with "
      "NVreg_RestrictProfilingToAdminUsers=0 (cuptiRangeProfilerEnable: CUPTI_ERROR_FAKE).");
}

TEST_F(CountingRunTest, SaysThatNoConfigurationFitsTheChip) {
  counting_.tools.chips = [] { return std::vector<std::string>{"GH101"}; };
  const Survey survey = count({"exit", "100"});
  EXPECT_THAT(survey.run.counting_problem, HasSubstr("whose chip is not that of the GPUs of the first run"));
  counting_.tools.chips = [] { return std::vector<std::string>{"AD102"}; };
  EXPECT_EQ(count({"exit", "100"}).run.counting_problem,
            "CUPTI has no counters for the GPUs of this survey.");
}

TEST_F(CountingRunTest, KeepsWhatWasCountedBeforeTheProgramWasKilled) {
  const Survey survey = count({"kill", "100"});
  ASSERT_EQ(survey.counted.size(), 2U);
  EXPECT_EQ(survey.counted[0].launches.size(), 3U);
  EXPECT_THAT(survey.run.counting_problem, HasSubstr("The second run was ended by signal 9."));
}

TEST_F(CountingRunTest, KeepsTheSurveyIfCuptiFails) {
  counting_.tools.configure = [](const std::string&, const std::vector<std::string>&) -> CountingConfig {
    throw base::MachineError("no libnvperf_host", "");
  };
  const Survey survey = count({"exit", "100"});
  EXPECT_EQ(survey.launches.size(), 100U);
  EXPECT_THAT(survey.run.counting_problem, HasSubstr("The counters could not be read: no libnvperf_host"));
}

TEST_F(CountingRunTest, KeepsTheSurveyWhateverIsThrown) {
  counting_.tools.evaluate = [](const CountingConfig&,
                                const std::vector<std::uint8_t>&) -> std::vector<model::Counters> {
    throw std::bad_alloc();
  };
  const Survey survey = count({"exit", "100"});
  EXPECT_EQ(survey.launches.size(), 100U);
  EXPECT_THAT(survey.counted, IsEmpty());
  EXPECT_EQ(survey.run.counting_problem, "The counters could not be read: std::bad_alloc.");
}

TEST_F(CountingRunTest, DoesNotHideAnErrorOfWarptuneItself) {
  counting_.tools.evaluate = [](const CountingConfig&,
                                const std::vector<std::uint8_t>&) -> std::vector<model::Counters> {
    throw base::InternalError("a fault");
  };
  EXPECT_THROW(count({"exit", "100"}), base::InternalError);
}

TEST_F(CountingRunTest, CountsInEachProcessThatIsNotForked) {
  const Survey survey = count({"fork", "100"});
  ASSERT_EQ(survey.counted.size(), 2U);
  EXPECT_EQ(survey.counted[0].launches.size(), 3U);
}

}  // namespace

}  // namespace warptune::survey::collecting::counting
