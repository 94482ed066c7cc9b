// Nothing that a worker's programs have started outlives the worker or its coordinator, and there are never
// more of them than the limit. The programs are nvcc, and scripts in place of compilers.
#include "tuner/confinement/process_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/tuner/program.h"
#include "tuner/confinement/sandbox.h"
#include "tuner/confinement/sanitized.h"
#include "tuner/confinement/system_call_filter.h"
#include "tuner/workers/compiling/compile_pool.h"
#include "tuner/workers/emulating/emulation_pool.h"

namespace warptune::tuner::confinement {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using workers::compiling::CompilePool;

// The names of the processes of a process group that have not ended.
std::vector<std::string> living_in(pid_t group) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string stat = testing::slurp(entry.path() / "stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    std::istringstream rest(stat.substr(name_end + 1));
    std::string state;
    pid_t parent = 0;
    pid_t its_group = 0;
    if (rest >> state >> parent >> its_group && its_group == group && state != "Z" && state != "X")
      names.push_back(stat.substr(stat.find('(') + 1, name_end - stat.find('(') - 1));
  }
  return names;
}

bool wait_until(const std::function<bool()>& condition, milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  while (!condition()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

// An idle machine ends all processes within a fifth of a second. A busy one needs longer to run what was
// killed.
constexpr milliseconds kUntilAllHaveEnded{3000};

class ProcessWatcherTest : public ::testing::Test {
 protected:
  // Programs that are still there after a test has failed must not disturb others.
  void TearDown() override {
    if (coordinator_ > 0) {
      ::kill(coordinator_, SIGKILL);
      ::waitpid(coordinator_, nullptr, 0);
    }
    for (const pid_t group : groups_) {
      if (!living_in(group).empty()) ::kill(-group, SIGKILL);
    }
  }

  // A program that nvcc compiles for minutes: every instance of a template needs two more.
  static kernel_templates::CompileRequest endless(int number) {
    kernel_templates::CompileRequest request{
        "endless.cu",
        "template <int N, long I> struct V { static constexpr long value = "
        "V<N - 1, 2 * I>::value + V<N - 1, 2 * I + 1>::value; };"
        "template <long I> struct V<0, I> { static constexpr long value = I; };"
        "extern \"C\" __global__ void f(long* x) { x[" +
            std::to_string(number) + "] = V<30, 0>::value; }",
        {"f"},
        {"-std=c++17"},
        "sm_90"};
    request.compiler = kernel_templates::kNvcc;
    return request;
  }

  // A compiler that is a script for the shell.
  fs::path script(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << text;
    fs::permissions(folder_ / name, fs::perms::owner_all);
    return folder_ / name;
  }

  // Runs `work` in a child, the coordinator. Waits until it has `workers` workers, and each of them runs
  // `program`, which was started by a program that the worker has started.
  void start_coordinator(std::size_t workers, const std::string& program, const std::function<void()>& work) {
    coordinator_ = ::fork();
    if (coordinator_ == 0) {
      work();
      while (true) ::pause();
    }
    const auto all_run_it = [&] {
      groups_ = testing::children_of(coordinator_);
      return groups_.size() == workers && std::all_of(groups_.begin(), groups_.end(), [&](pid_t group) {
               const std::vector<std::string> names = living_in(group);
               return std::find(names.begin(), names.end(), program) != names.end();
             });
    };
    ASSERT_TRUE(wait_until(all_run_it, seconds(60))) << "no worker runs " << program;
  }

  void expect_that_all_end() const {
    const auto begin = steady_clock::now();
    const auto all_ended = [this] {
      return std::all_of(groups_.begin(), groups_.end(),
                         [](pid_t group) { return living_in(group).empty(); });
    };
    EXPECT_TRUE(wait_until(all_ended, kUntilAllHaveEnded));
    std::cout << "all processes ended within "
              << std::chrono::duration<double>(steady_clock::now() - begin).count() << " s\n";
  }

  static void compile_with_nvcc() {
    CompilePool pool(2, seconds(60));
    for (int i = 0; i < 2; ++i) pool.submit(static_cast<std::uint64_t>(i), endless(i));
    while (true) ::pause();
  }

  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_BINARY};
  testing::TemporaryFolder folder_;
  pid_t coordinator_ = -1;
  std::vector<pid_t> groups_;  // Each worker leads a group.
};

TEST_F(ProcessWatcherTest, WhatNvccHasStartedEndsWithACoordinatorThatIsKilled) {
  if (kernel_templates::find_nvcc().empty())
    GTEST_SKIP() << "there is no nvcc: the CUDA Toolkit is not installed";
  start_coordinator(2, "cicc", compile_with_nvcc);
  ::kill(coordinator_, SIGKILL);
  expect_that_all_end();
}

TEST_F(ProcessWatcherTest, WhatNvccHasStartedEndsWithAWorkerThatIsKilled) {
  if (kernel_templates::find_nvcc().empty())
    GTEST_SKIP() << "there is no nvcc: the CUDA Toolkit is not installed";
  start_coordinator(2, "cicc", compile_with_nvcc);
  for (const pid_t worker : groups_) ::kill(worker, SIGKILL);
  expect_that_all_end();
}

// The script's programs ignore the signals that can be ignored.
TEST_F(ProcessWatcherTest, WhatAHostCompilerHasStartedEndsWithACoordinatorThatIsKilled) {
  const fs::path compiler =
      script("compiler/bin/c++", "trap '' HUP INT TERM\n(sleep 60; true) &\n(sleep 60; true) &\nsleep 60\n");
  start_coordinator(1, "sleep", [&] { workers::emulating::emulate_all({{}}, compiler, 1, seconds(60)); });
  ::kill(coordinator_, SIGKILL);
  expect_that_all_end();
}

class ProcessLimitTest : public ProcessWatcherTest {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "workers with a sanitizer have no filter of system calls";
    if (!has_call_listeners()) GTEST_SKIP() << "the operating system is older than Linux 5.7";
  }

  // Each process starts two more. Without a limit there would be 255 of them after seven generations, each
  // with a program that sleeps.
  static constexpr const char* kForkBomb =
      "bomb() {\n"
      "  if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi\n"
      "  sleep 20\n"
      "}\n"
      "bomb 7\n";

  // Watches the workers of this process while `work` runs. Returns the largest number of processes in a
  // group.
  std::size_t max_processes_while(const std::function<void()>& work) {
    std::atomic<bool> done = false;
    std::thread thread([&] {
      EXPECT_NO_THROW(work());
      done = true;
    });
    std::size_t most = 0;
    while (!done) {
      for (const pid_t child : testing::children_of(::getpid())) {
        if (std::find(groups_.begin(), groups_.end(), child) == groups_.end()) groups_.push_back(child);
      }
      for (const pid_t group : groups_) most = std::max(most, living_in(group).size());
      std::this_thread::sleep_for(milliseconds(2));
    }
    thread.join();
    return most;
  }
};

TEST_F(ProcessLimitTest, AForkBombInPlaceOfNvccIsStoppedAndReported) {
  script("toolkit/bin/nvcc", kForkBomb);
  fs::create_directories(folder_ / "toolkit/include");
  const testing::ScopedVariable toolkit("WARPTUNE_CUDA_PATH", (folder_ / "toolkit").string());
  std::string reason;
  const auto begin = steady_clock::now();
  const std::size_t most = max_processes_while([&] {
    CompilePool pool(1, seconds(60));
    reason = pool.compile_all({endless(0)}).front().error().reason;
  });
  EXPECT_LT(steady_clock::now() - begin, seconds(15));  // The programs sleep for 20 s.
  EXPECT_EQ(reason, "the compile worker ended: more than 64 of its processes ran at once");
  EXPECT_LT(most, static_cast<std::size_t>(2 * kMaxProcesses));
  expect_that_all_end();
}

TEST_F(ProcessLimitTest, AForkBombInPlaceOfAHostCompilerIsStoppedAndReported) {
  const fs::path compiler = script("compiler/bin/c++", kForkBomb);
  std::string reason;
  const auto begin = steady_clock::now();
  const std::size_t most = max_processes_while(
      [&] { reason = workers::emulating::emulate_all({{}}, compiler, 1, seconds(60)).front().error(); });
  EXPECT_LT(steady_clock::now() - begin, seconds(15));  // The programs sleep for 20 s.
  EXPECT_EQ(reason, "its worker ended: more than 64 of its processes ran at once");
  EXPECT_LT(most, static_cast<std::size_t>(2 * kMaxProcesses));
  expect_that_all_end();
}

TEST_F(ProcessLimitTest, ManyProgramsMayRunOneAfterTheOther) {
  const fs::path compiler = script("compiler/bin/c++",
                                   "for i in 0 1 2 3 4 5 6 7 8 9; do for j in 0 1 2 3 4 5 6 7 8 9; do "
                                   "/bin/true; (true); done; done\nexit 7\n");
  const auto outcomes = workers::emulating::emulate_all({{}}, compiler, 1, seconds(60));
  ASSERT_TRUE(outcomes.front().has_value()) << outcomes.front().error();
  EXPECT_EQ(outcomes.front()->exit_code, 7);
}

}  // namespace
}  // namespace warptune::tuner::confinement
