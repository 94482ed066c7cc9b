// The injected library is loaded into a real program, `surveyed_program`, which calls it as the driver would.
// In place of CUPTI it finds `fake_cupti`.
#include "survey/collecting/surveyed_run.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "survey/records/survey.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::collecting {

namespace {

namespace fs = std::filesystem;
using records::ProcessEnd;
using records::Survey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class SurveyedRunTest : public ::testing::Test {
 protected:
  SurveyedRunTest() {
    set("WARPTUNE_CUDA_PATH", WARPTUNE_FAKE_CUDA);
    set("WARPTUNE_SURVEY_PERIOD_MS", "20");
    set("TMPDIR", folder_.path().string());
  }
  ~SurveyedRunTest() override {
    for (const auto& [name, value] : before_) {
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }
  }
  void set(const std::string& name, const std::string& value) {
    const char* old = ::getenv(name.c_str());
    before_.insert(before_.begin(), {name, old == nullptr ? std::nullopt : std::optional<std::string>(old)});
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  static SurveyRequest request(const std::vector<std::string>& arguments) {
    SurveyRequest request;
    request.command = {WARPTUNE_SURVEYED_PROGRAM};
    request.command.insert(request.command.end(), arguments.begin(), arguments.end());
    return request;
  }
  static Survey run(const std::vector<std::string>& arguments) { return run_surveyed(request(arguments)); }

  tests::TemporaryFolder folder_;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

// In a container, nobody may reap a process whose parent has ended.
bool is_zombie(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return text.find(") Z ") != std::string::npos;
}

// What a process with N launches leaves behind, whatever its end.
void expect_launches(const Survey& survey, std::size_t launches) {
  EXPECT_EQ(survey.launches.size(), launches);
  EXPECT_EQ(survey.calls.size(), launches);  // The driver's calls within them are left out.
  for (const records::Launch& launch : survey.launches) {
    ASSERT_NE(launch.call, records::kNone);
    EXPECT_EQ(survey.names[survey.calls[launch.call].name], "cudaLaunchKernel");
    EXPECT_EQ(launch.time.start - survey.calls[launch.call].time.start, 500);
    EXPECT_EQ(launch.time.duration(), 1000);
  }
}

TEST_F(SurveyedRunTest, RecordsAProgramThatExits) {
  const Survey survey = run({"exit", "1000"});
  expect_launches(survey, 1000);
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_EQ(survey.run.problem, "");
  ASSERT_EQ(survey.processes.size(), 1U);
  EXPECT_EQ(survey.processes[0].problem, "");
  EXPECT_EQ(survey.processes[0].end, ProcessEnd::kExited);
  EXPECT_THAT(survey.processes[0].command, HasSubstr("surveyed_program exit 1000"));
  EXPECT_EQ(survey.shapes.size(), 2U);
  EXPECT_EQ(survey.names[survey.shapes[survey.launches[0].shape].name], "addup(float*, int)");
  EXPECT_GT(survey.run.duration, 0);
  EXPECT_GT(survey.run.started_ms, 0);
  EXPECT_THAT(survey.run.host_system, HasSubstr("Linux"));
}

TEST_F(SurveyedRunTest, RecordsEveryKind) {
  const Survey survey = run({"everything"});
  EXPECT_EQ(survey.launches.size(), 1U);
  ASSERT_EQ(survey.copies.size(), 1U);
  EXPECT_EQ(survey.copies[0].bytes, 4096U);
  EXPECT_TRUE(survey.copies[0].asynchronous);
  EXPECT_EQ(survey.names[survey.calls[survey.copies[0].call].name], "cudaMemcpyAsync");
  ASSERT_EQ(survey.fills.size(), 1U);
  EXPECT_EQ(survey.fills[0].bytes, 64U);
  std::vector<std::string> names;
  for (const records::Call& call : survey.calls) names.push_back(survey.names[call.name]);
  EXPECT_THAT(names, ::testing::ElementsAre("cudaLaunchKernel", "cudaMemcpyAsync", "cuMemAlloc",
                                            "cudaDeviceSynchronize", "cudaLaunchKernel"));
  EXPECT_EQ(survey.calls[3].kind, records::CallKind::kWait);
  ASSERT_EQ(survey.ranges.size(), 1U);
  EXPECT_EQ(survey.names[survey.ranges[0].name], "a step");
  EXPECT_EQ(survey.devices.at(0).gpu.name, "Fictional GPU");
  EXPECT_EQ(survey.processes.at(0).dropped, 6);  // One kernel without times, and five that CUPTI lost.
  EXPECT_TRUE(survey.streams[survey.launches[0].stream].is_default);
}

TEST_F(SurveyedRunTest, RecordsProgramsThatEndOtherwise) {
  const Survey underscore = run({"_exit"});
  expect_launches(underscore, 2);
  EXPECT_EQ(underscore.run.exit_code, 5);
  EXPECT_THAT(underscore.processes.at(0).problem, HasSubstr("_exit"));

  const Survey aborted = run({"abort"});
  expect_launches(aborted, 2);
  EXPECT_EQ(aborted.run.signal, SIGABRT);
  EXPECT_FALSE(aborted.run.exit_code);
  EXPECT_EQ(aborted.processes.at(0).end, ProcessEnd::kKilled);

  const Survey killed = run({"kill"});
  expect_launches(killed, 2);
  EXPECT_EQ(killed.run.signal, SIGKILL);
  EXPECT_THAT(killed.processes.at(0).problem, HasSubstr("signal"));

  const Survey quick = run({"quick_exit"});
  expect_launches(quick, 2);
  EXPECT_EQ(quick.run.exit_code, 6);
  EXPECT_EQ(quick.processes.at(0).problem, "");
}

TEST_F(SurveyedRunTest, AForkedChildDisturbsNothing) {
  const Survey survey = run({"fork", "2"});
  expect_launches(survey, 3);
  EXPECT_EQ(survey.processes.size(), 1U);
  EXPECT_EQ(survey.processes[0].problem, "");
}

TEST_F(SurveyedRunTest, AForkedChildTakesNoLock) {
  EXPECT_EQ(run({"fork_without_buffers"}).run.exit_code, 0);
}

TEST_F(SurveyedRunTest, AProgramEndsThoughAWriteDoesNot) {
  const Survey survey = run({"fill_pipe"});
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_EQ(survey.run.signal, std::nullopt);
}

TEST_F(SurveyedRunTest, ChildrenAreProcessesOfTheirOwn) {
  const Survey survey = run({"with_child", "2"});
  ASSERT_EQ(survey.processes.size(), 2U);
  EXPECT_NE(survey.processes[0].pid, survey.processes[1].pid);
  EXPECT_EQ(survey.devices.size(), 1U);
  EXPECT_EQ(survey.streams.size(), 2U);
  expect_launches(survey, 5);
}

TEST_F(SurveyedRunTest, ExecIsTheBeginningOfAnotherProcess) {
  const Survey survey = run({"exec", "2"});
  ASSERT_EQ(survey.processes.size(), 2U);
  EXPECT_EQ(survey.processes[0].pid, survey.processes[1].pid);
  EXPECT_THAT(survey.processes[0].problem, HasSubstr("exec"));
  EXPECT_EQ(survey.processes[1].problem, "");
  expect_launches(survey, 5);
}

TEST_F(SurveyedRunTest, AProgramMayCloseAllDescriptorsAndChangeItsFolder) {
  expect_launches(run({"close_all", "500"}), 500);
}

TEST_F(SurveyedRunTest, AProgramMayRemoveTheFolderOfTheSurvey) {
  const Survey survey = run({"remove_folder", "5"});
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_THAT(survey.launches, IsEmpty());
}

TEST_F(SurveyedRunTest, AProcessThatOutlivesTheProgramStillRuns) {
  const std::string end = (folder_ / "end").string();
  const Survey survey = run({"leave_daemon", "2", end});
  std::ofstream(end) << "now";
  const std::int64_t pid = survey.processes.at(0).pid;
  while (::kill(static_cast<pid_t>(pid), 0) == 0 && !is_zombie(pid)) ::usleep(1000);
  ASSERT_EQ(survey.processes.size(), 1U);
  EXPECT_EQ(survey.processes[0].end, ProcessEnd::kStillRunning);
  EXPECT_EQ(survey.run.exit_code, 0);
  expect_launches(survey, 2);
}

TEST_F(SurveyedRunTest, ListsAtMostTheLimit) {
  SurveyRequest limited = request({"exit", "1000"});
  limited.record_limit = 100;
  const Survey survey = run_surveyed(limited);
  ASSERT_EQ(survey.processes.size(), 1U);
  // A launch is three records here, because the driver's call is one, too.
  EXPECT_EQ(survey.launches.size(), 33U);
  EXPECT_EQ(survey.calls.size(), 34U);
  EXPECT_GT(survey.processes[0].left_out, 0);
  std::int64_t unlisted = 0;
  for (const records::UnlistedLaunches& launches : survey.unlisted) {
    unlisted += launches.count;
    EXPECT_EQ(launches.duration, 1000 * launches.count);
  }
  EXPECT_EQ(unlisted + static_cast<std::int64_t>(survey.launches.size()), 1000);
}

std::vector<std::string> kernels_of(const Survey& survey) {
  std::vector<std::string> names;
  for (const records::Launch& launch : survey.launches)
    names.push_back(survey.names[survey.shapes[launch.shape].name]);
  return names;
}

TEST_F(SurveyedRunTest, RecordsBeginAfterADelay) {
  SurveyRequest later = request({"across_begin"});
  later.after = 0.5;
  const Survey survey = run_surveyed(later);
  EXPECT_THAT(kernels_of(survey), ElementsAre("within"));
  EXPECT_EQ(survey.run.window.start, 500'000'000);
  ASSERT_FALSE(survey.launches.empty());
  EXPECT_GE(survey.launches[0].time.end, survey.run.window.start);
  EXPECT_EQ(survey.run.problem, "");
}

// Their records were emitted before records began.
TEST_F(SurveyedRunTest, KnowsTheGpuAndItsDefaultStreamAfterADelay) {
  SurveyRequest later = request({"across_begin"});
  later.after = 0.3;
  Survey survey = run_surveyed(later);
  ASSERT_EQ(survey.devices.size(), 1U);
  EXPECT_EQ(survey.devices[0].gpu.name, "Fictional GPU");
  EXPECT_TRUE(survey.streams.at(0).is_default);
  set("FAKE_CUPTI_CANNOT_DUMP", "1");
  survey = run_surveyed(later);
  EXPECT_THAT(kernels_of(survey), ElementsAre("within"));
  EXPECT_EQ(survey.devices.at(0).gpu.name, "GPU 0");
  EXPECT_EQ(survey.processes.at(0).problem, "");
}

TEST_F(SurveyedRunTest, RecordsEndAndTheProgramGoesOn) {
  SurveyRequest shorter = request({"across_end"});
  shorter.duration = 2.0;
  const Survey survey = run_surveyed(shorter);
  EXPECT_THAT(kernels_of(survey), ElementsAre("within"));
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_EQ(survey.run.window, (records::Interval{0, 2'000'000'000}));
  EXPECT_GE(survey.run.duration, survey.run.window.end);
}

TEST_F(SurveyedRunTest, SaysThatTheProgramEndedBeforeItsRecordsBegan) {
  SurveyRequest later = request({"exit"});
  later.after = 60.0;
  const Survey survey = run_surveyed(later);
  EXPECT_THAT(survey.run.problem, HasSubstr("before the time to record began"));
  EXPECT_EQ(survey.run.window, (records::Interval{60'000'000'000, 60'000'000'000}));
}

TEST_F(SurveyedRunTest, SaysThatTheProgramUsedCudaTooLate) {
  SurveyRequest shorter = request({"exit"});
  shorter.duration = 1e-6;
  const Survey survey = run_surveyed(shorter);
  EXPECT_THAT(survey.launches, IsEmpty());
  EXPECT_THAT(survey.run.problem, HasSubstr("when the time to record was over"));
}

TEST_F(SurveyedRunTest, SaysThatARangeIsMissing) {
  SurveyRequest ranged = request({"everything"});
  ranged.range = "a stop";
  EXPECT_THAT(run_surveyed(ranged).run.problem, HasSubstr("no NVTX range with the name a stop"));
}

TEST_F(SurveyedRunTest, TracingEndsWhenNothingCanBeWritten) {
  const Survey survey = run({"full_disk"});
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_THAT(survey.launches, IsEmpty());
}

TEST_F(SurveyedRunTest, ARangeLimitsTheRecords) {
  SurveyRequest ranged = request({"everything"});
  ranged.range = "a step";
  const Survey survey = run_surveyed(ranged);
  EXPECT_THAT(survey.launches, IsEmpty());  // It was before the range.
  EXPECT_EQ(survey.copies.size(), 1U);
  EXPECT_EQ(survey.run.range, "a step");
}

TEST_F(SurveyedRunTest, SaysWhyCuptiCouldNotBeUsed) {
  set("FAKE_CUPTI_IS_USED", "1");
  const Survey survey = run({"exit", "5"});
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_THAT(survey.processes.at(0).problem, HasSubstr("another profiler"));
}

TEST_F(SurveyedRunTest, SaysThatCuptiIsTooOld) {
  set("FAKE_CUPTI_IS_OLD", "1");
  EXPECT_THAT(run({"exit", "5"}).processes.at(0).problem, HasSubstr("older than CUDA 13"));
}

TEST_F(SurveyedRunTest, SaysThatTheDriverIsTooOld) {
  const SurveyRequest with_driver = {{WARPTUNE_CAPTURED_PROGRAM, "device"}, {}, {}, "", 100};
  EXPECT_EQ(run_surveyed(with_driver).processes.at(0).problem, "");
  set("FAKE_DRIVER_VERSION", "12090");
  const Survey survey = run_surveyed(with_driver);
  EXPECT_EQ(survey.run.exit_code, 0);
  EXPECT_EQ(survey.processes.at(0).problem,
            "The driver is older than CUDA 13 (580), so nothing was recorded.");
  EXPECT_THAT(survey.launches, IsEmpty());
}

TEST_F(SurveyedRunTest, SaysThatSomeActivityIsRefused) {
  set("FAKE_CUPTI_REFUSES_KERNELS", "1");
  const Survey survey = run({"everything"});
  EXPECT_THAT(survey.processes.at(0).problem, HasSubstr("CUPTI_ERROR_FAKE"));
  EXPECT_EQ(survey.copies.size(), 1U);
}

TEST_F(SurveyedRunTest, AProgramWithoutCudaIsNoError) {
  const Survey survey = run_surveyed({{"sh", "-c", "exit 3"}, {}, {}, "", 100});
  EXPECT_EQ(survey.run.exit_code, 3);
  EXPECT_THAT(survey.run.problem, HasSubstr("No process of the program initialised CUDA"));
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT_EQ(survey.run.problem.find("This machine has no CUDA driver") == std::string::npos,
            driver != nullptr);
  SurveyRequest later{{"true"}, 60.0, {}, "", 100};
  EXPECT_THAT(run_surveyed(later).run.problem, HasSubstr("before the time to record began"));
}

TEST_F(SurveyedRunTest, WrongRequestsAreInputErrors) {
  EXPECT_THROW(run_surveyed({}), base::InputError);
  EXPECT_THROW(run_surveyed({{"/nowhere/program"}, {}, {}, "", 1}), base::InputError);
  set("CUDA_INJECTION64_PATH", "/opt/other/profiler.so");
  EXPECT_THAT(
      [] {
        run_surveyed({{"true"}, {}, {}, "", 1});
      },
      ThrowsMessage<base::InputError>(HasSubstr("/opt/other/profiler.so")));
}

TEST_F(SurveyedRunTest, LeavesNoFilesBehind) {
  run({"exit", "5"});
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(SurveyedRunTest, WhatIsTracedCanBeChosen) {
  set("WARPTUNE_SURVEY_TRACE", "kernels,ranges");
  const Survey survey = run({"everything"});
  EXPECT_EQ(survey.launches.size(), 1U);
  EXPECT_EQ(survey.launches[0].call, records::kNone);
  EXPECT_EQ(survey.ranges.size(), 1U);
  EXPECT_THAT(survey.calls, IsEmpty());
  EXPECT_THAT(survey.copies, IsEmpty());
}

}  // namespace

}  // namespace warptune::survey::collecting
