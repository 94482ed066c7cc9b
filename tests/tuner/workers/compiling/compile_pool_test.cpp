#include "tuner/workers/compiling/compile_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "kernel_templates/compile_cache.h"
#include "tests/tuner/program.h"
#include "tuner/confinement/sandbox.h"

namespace warptune::tuner::workers::compiling {
namespace {

using model::Status;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CompilePoolTest : public ::testing::Test {
 protected:
  static kernel_templates::CompileRequest request(const std::string& body, const std::string& before = "") {
    return {"pool.cu",
            before + "extern \"C\" __global__ void f(float* x) { " + body + " }",
            {"f"},
            {"-std=c++17"},
            "sm_90"};
  }

  // Different programs.
  static kernel_templates::CompileRequest numbered(std::uint64_t number) {
    return request("x[" + std::to_string(number) + "] = 1;");
  }

  // A program that compiles for minutes and would take gigabytes: every instance of a template needs two
  // more.
  static kernel_templates::CompileRequest endless(int number = 0) {
    return request("x[" + std::to_string(number) + "] = V<30, 0>::value;",
                   "template <int N, long I> struct V { static constexpr long value = "
                   "V<N - 1, 2 * I>::value + V<N - 1, 2 * I + 1>::value; };"
                   "template <long I> struct V<0, I> { static constexpr long value = I; };");
  }

  // Collects until `count` results have arrived.
  static std::map<std::uint64_t, CompileResult> collect(CompilePool& pool, std::size_t count) {
    std::map<std::uint64_t, CompileResult> results;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (results.size() < count && std::chrono::steady_clock::now() < end) {
      std::vector<pollfd> polled;
      for (const int descriptor : pool.descriptors()) polled.push_back({descriptor, POLLIN, 0});
      ::poll(polled.data(), polled.size(), 50);
      for (CompileResult& result : pool.collect()) results.emplace(result.id, std::move(result));
    }
    return results;
  }

  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_BINARY};
  CompilePool pool_{2, std::chrono::seconds(60)};
};

TEST_F(CompilePoolTest, ManyProgramsComeBackUnderTheirNumbers) {
  for (std::uint64_t i = 0; i < 20; ++i)
    pool_.submit(100 + i,
                 request("__shared__ float s[" + std::to_string(i + 1) +
                         "]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[0];"));
  EXPECT_EQ(pool_.pending(), 20U);
  const auto results = collect(pool_, 20);
  ASSERT_THAT(results, SizeIs(20));
  EXPECT_EQ(pool_.pending(), 0U);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto& outcome = results.at(100 + i).outcome;
    ASSERT_TRUE(outcome.has_value()) << outcome.error().reason;
    EXPECT_EQ(outcome->find_entry("f").static_shared_bytes, static_cast<std::int64_t>(4 * (i + 1)));
  }
}

// nvcc runs in the sandbox of the workers, with the programs that it starts and the system's headers.
TEST_F(CompilePoolTest, NvccCompilesInTheSandboxBesideNvrtcAndItsOutcomesAreKept) {
  if (kernel_templates::find_nvcc().empty())
    GTEST_SKIP() << "there is no nvcc: the CUDA Toolkit is not installed";
  const testing::TemporaryFolder folder;
  for (const bool again : {false, true}) {
    CompilePool pool(2, std::chrono::seconds(60), folder / "cache");
    for (std::uint64_t i = 0; i < 4; ++i) {
      kernel_templates::CompileRequest one =
          request("x[0] = VALUE;", "#include <vector>\n#include <cstdio>\n");
      one.options.push_back("-DVALUE=" + std::to_string(i));
      one.compiler = kernel_templates::kNvcc;
      pool.submit(i, std::move(one));
      pool.submit(10 + i, numbered(i));
    }
    const auto results = collect(pool, 8);
    ASSERT_THAT(results, SizeIs(8));
    for (const auto& [id, result] : results) {
      ASSERT_TRUE(result.outcome.has_value()) << id << ": " << result.outcome.error().reason;
      EXPECT_EQ(result.outcome->from_cache, again) << id;
    }
  }
}

TEST_F(CompilePoolTest, AFileOutsideOfTheSandboxIsNotReadByNvcc) {
  if (kernel_templates::find_nvcc().empty())
    GTEST_SKIP() << "there is no nvcc: the CUDA Toolkit is not installed";
  if (!confinement::sandbox_problem().empty()) GTEST_SKIP() << confinement::sandbox_problem();
  kernel_templates::CompileRequest secret = request("x[0] = 1;", "#include \"/etc/passwd\"\n");
  secret.compiler = kernel_templates::kNvcc;
  pool_.submit(1, std::move(secret));
  const auto results = collect(pool_, 1);
  ASSERT_THAT(results, SizeIs(1));
  ASSERT_FALSE(results.at(1).outcome.has_value());
  EXPECT_THAT(results.at(1).outcome.error().reason, HasSubstr("Permission denied"));
}

TEST_F(CompilePoolTest, AProgramThatDoesNotCompileIsAnOutcomeWithItsLog) {
  pool_.submit(1, request("x[0] = nonsense;"));
  pool_.submit(2, request("x[0] = 1;"));
  const auto results = collect(pool_, 2);
  ASSERT_FALSE(results.at(1).outcome.has_value());
  EXPECT_EQ(results.at(1).outcome.error().status, Status::kCompileFailed);
  EXPECT_THAT(results.at(1).outcome.error().reason, HasSubstr("\"nonsense\" is undefined"));
  EXPECT_TRUE(results.at(2).outcome.has_value());
}

TEST_F(CompilePoolTest, AWorkerKilledAtItsWorkEndsOnlyThatProgram) {
  pool_.submit(1, endless());
  const std::vector<pid_t> children = testing::children_of(::getpid());
  ASSERT_THAT(children, SizeIs(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(children[0], SIGKILL);
  for (std::uint64_t id = 2; id < 8; ++id) pool_.submit(id, numbered(id));
  const auto results = collect(pool_, 7);
  ASSERT_THAT(results, SizeIs(7));
  ASSERT_FALSE(results.at(1).outcome.has_value());
  EXPECT_EQ(results.at(1).outcome.error().status, Status::kWorkerDied);
  EXPECT_EQ(results.at(1).outcome.error().reason, "the compile worker ended: signal 9 (Killed)");
  for (std::uint64_t id = 2; id < 8; ++id) EXPECT_TRUE(results.at(id).outcome.has_value()) << id;
}

TEST_F(CompilePoolTest, AWorkerKilledWhileItWaitsCostsNoProgram) {
  pool_.submit(1, request("x[0] = 1;"));
  ASSERT_THAT(collect(pool_, 1), SizeIs(1));
  for (const pid_t child : testing::children_of(::getpid())) {
    ::kill(child, SIGKILL);
    siginfo_t ended;  // Waits for its end, and leaves it to the pool to reap.
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  }
  pool_.submit(2, request("x[0] = 2;"));
  EXPECT_TRUE(collect(pool_, 1).at(2).outcome.has_value());
}

TEST_F(CompilePoolTest, AProgramPastTheDeadlineTimesOutAndTheNextStillCompiles) {
  CompilePool pool(1, std::chrono::seconds(1));
  pool.submit(1, endless());
  pool.submit(2, request("x[0] = 1;"));
  const auto results = collect(pool, 2);
  ASSERT_THAT(results, SizeIs(2));
  ASSERT_FALSE(results.at(1).outcome.has_value());
  EXPECT_EQ(results.at(1).outcome.error().status, Status::kTimedOut);
  EXPECT_EQ(results.at(1).outcome.error().reason, "compiling took more than 1 s");
  EXPECT_TRUE(results.at(2).outcome.has_value());
}

TEST_F(CompilePoolTest, WhatIsDroppedNeverComesBack) {
  for (std::uint64_t id = 0; id < 20; ++id) pool_.submit(id, numbered(id));
  pool_.submit(20, numbered(0));
  pool_.drop_waiting();
  EXPECT_EQ(pool_.pending(), 2U);
  EXPECT_THAT(collect(pool_, 2), SizeIs(2));
  EXPECT_EQ(pool_.pending(), 0U);
}

TEST_F(CompilePoolTest, AllAtOnceComeInTheirOrderPastWhatWasDropped) {
  pool_.submit(7, request("x[0] = 7;"));
  const auto outcomes = pool_.compile_all({request("x[0] = 1;"), request("nonsense;"),
                                           request("__shared__ float s[8]; s[threadIdx.x] = x[threadIdx.x]; "
                                                   "__syncthreads(); x[threadIdx.x] = s[1];")});
  ASSERT_THAT(outcomes, SizeIs(3));
  EXPECT_EQ(outcomes[0]->find_entry("f").static_shared_bytes, 0);
  EXPECT_FALSE(outcomes[1].has_value());
  EXPECT_EQ(outcomes[2]->find_entry("f").static_shared_bytes, 32);
}

TEST_F(CompilePoolTest, AllAtOnceNeedsThatNothingWaits) {
  for (std::uint64_t id = 0; id < 3; ++id) pool_.submit(id, numbered(id));
  EXPECT_THROW(pool_.compile_all({request("x[0] = 1;")}), base::InternalError);
}

TEST_F(CompilePoolTest, AllAtOnceEndsSoonWhenItIsCancelled) {
  base::Cancellation cancellation;
  const auto start = std::chrono::steady_clock::now();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancellation.cancel();
  });
  EXPECT_THROW(pool_.compile_all({endless(), endless(1)}, cancellation), base::WorkError);
  later.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_THROW(CompilePool(1, std::chrono::seconds(60)).compile_all({numbered(1)}, cancellation),
               base::WorkError);
}

TEST_F(CompilePoolTest, NoWorkerOutlivesThePool) {
  {
    CompilePool pool(2, std::chrono::seconds(60));
    pool.submit(1, endless(1));
    pool.submit(2, endless(2));
    EXPECT_THAT(testing::children_of(::getpid()), SizeIs(2));
  }
  EXPECT_THAT(testing::children_of(::getpid()), SizeIs(0));
}

// True if the process is gone, or is dead and waits to be reaped.
bool has_ended(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  return stat.empty() || stat[stat.rfind(')') + 2] == 'Z';
}

// The coordinator is a child of this test. It is killed by SIGKILL, which it cannot catch. An idle machine
// ends the workers within a fifth of a second, but a busy one needs longer to run what was killed.
TEST_F(CompilePoolTest, WorkersEndWithACoordinatorThatIsKilled) {
  const pid_t coordinator = ::fork();
  if (coordinator == 0) {
    CompilePool pool(4, std::chrono::seconds(60));
    for (int i = 0; i < 4; ++i) pool.submit(static_cast<std::uint64_t>(i), endless(i));
    while (true) ::pause();
  }
  std::vector<pid_t> workers;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (workers.size() < 4 && std::chrono::steady_clock::now() < end)
    workers = testing::children_of(coordinator);
  ASSERT_THAT(workers, SizeIs(4));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // All workers compile now.
  const auto killed = std::chrono::steady_clock::now();
  ::kill(coordinator, SIGKILL);
  const auto late = killed + std::chrono::seconds(5);
  while (!std::all_of(workers.begin(), workers.end(), has_ended) && std::chrono::steady_clock::now() < late)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::cout << "all workers ended "
            << std::chrono::duration<double>(std::chrono::steady_clock::now() - killed).count()
            << " s after their coordinator\n";
  for (const pid_t worker : workers) EXPECT_TRUE(has_ended(worker)) << worker;
  ::waitpid(coordinator, nullptr, 0);
}

TEST_F(CompilePoolTest, AProgramReadsItsOwnFoldersAndNothingElseOfTheMachine) {
  if (!confinement::sandbox_problem().empty()) GTEST_SKIP() << confinement::sandbox_problem();
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "own");
  std::filesystem::create_directories(folder / "named");
  std::ofstream(folder / "own" / "a.cuh") << "#define A 1\n";
  std::ofstream(folder / "named" / "b.cuh") << "#define B 2\n";
  std::ofstream(folder / "secret") << "#error the secret is out\n";
  const auto including = [&](const std::string& name) {
    kernel_templates::CompileRequest program = request("x[0] = 1;", "#include " + name + "\n");
    program.program_name = (folder / "own" / "k.cu").string();
    program.options.push_back("-I" + (folder / "named").string());
    return program;
  };
  const auto outcomes = pool_.compile_all(
      {including("\"a.cuh\""), including("<b.cuh>"), including("\"" + (folder / "secret").string() + "\""),
       including("\"../secret\""), including("\"/etc/passwd\""), including("\"/proc/self/environ\"")});
  EXPECT_TRUE(outcomes[0].has_value()) << outcomes[0].error().reason;
  EXPECT_TRUE(outcomes[1].has_value()) << outcomes[1].error().reason;
  for (std::size_t i = 2; i < outcomes.size(); ++i) {
    ASSERT_FALSE(outcomes[i].has_value()) << i;
    EXPECT_THAT(outcomes[i].error().reason, ::testing::Not(HasSubstr("the secret is out"))) << i;
    EXPECT_THAT(outcomes[i].error().reason, ::testing::Not(HasSubstr("root:"))) << i;
    // A sanitizer reads the folder of its own process in /proc. The environment has only what NVRTC needs.
    EXPECT_THAT(outcomes[i].error().reason, ::testing::Not(::testing::ContainsRegex("[^A-Z_]HOME="))) << i;
  }
}

TEST_F(CompilePoolTest, AProgramOfOtherFoldersGetsAWorkerThatMayReadThose) {
  const testing::TemporaryFolder folder;
  CompilePool pool(1, std::chrono::seconds(60));
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directories(folder / name);
    std::ofstream(folder / name / "a.cuh") << "#define A 1\n";
    kernel_templates::CompileRequest program = request("x[0] = A;", "#include \"a.cuh\"\n");
    program.program_name = (folder / name / "k.cu").string();
    EXPECT_TRUE(pool.compile_all({program}).front().has_value()) << name;
  }
}

TEST_F(CompilePoolTest, HeadersArePrecompiledInTheScratchFolderWhichIsEmptyAfterwards) {
  const testing::TemporaryFolder folder;
  const testing::ScopedVariable temporary("TMPDIR", folder.path().c_str());
  {
    CompilePool pool(1, std::chrono::seconds(60));
    kernel_templates::CompileRequest program =
        request("x[0] = 1;", "#include <cuda_fp16.h>\n#pragma nv_hdrstop\n");
    for (const std::string& include : base::cuda_include_folders()) program.options.push_back("-I" + include);
    program.options.emplace_back("-pch");
    const auto first = pool.compile_all({program});
    ASSERT_TRUE(first.front().has_value()) << first.front().error().reason;
    bool found = false;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))
      found = found || file.path().extension() == ".pch";
    EXPECT_TRUE(found);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(CompilePoolTest, AWorkerThatAnswersWithoutWhatWasAskedForHasDied) {
  const testing::ScopedVariable fake("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::ScopedVariable lies("WARPTUNE_FAKE_COMPILE_LIES", "1");
  CompilePool pool(1, std::chrono::seconds(60));
  const auto outcomes = pool.compile_all({request("x[0] = 1;")});
  ASSERT_FALSE(outcomes.front().has_value());
  EXPECT_EQ(outcomes.front().error().status, Status::kWorkerDied);
  EXPECT_THAT(outcomes.front().error().reason,
              HasSubstr("it sent a program without the entries that were asked for"));
}

TEST_F(CompilePoolTest, AWorkerProgramOfAnotherReleaseEndsTheSessionAndNotTheProgram) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::ScopedVariable other("WARPTUNE_FAKE_OTHER_RELEASE", "7.6.5");
  CompilePool pool(1, std::chrono::seconds(60));
  pool.submit(1, numbered(1));
  EXPECT_THROW(collect(pool, 1), base::MachineError);
}

TEST_F(CompilePoolTest, NoWorkerIsStartedForWhatTheCacheHolds) {
  const testing::TemporaryFolder folder;
  CompilePool(1, std::chrono::seconds(60), folder / "cache").compile_all({numbered(1)});
  CompilePool pool(1, std::chrono::seconds(60), folder / "cache");
  pool.submit(1, numbered(1));
  EXPECT_TRUE(pool.has_results());
  EXPECT_THAT(testing::children_of(::getpid()), SizeIs(0));
  EXPECT_TRUE(collect(pool, 1).at(1).outcome->from_cache);
}

TEST_F(CompilePoolTest, EqualProgramsAreCompiledOnceAndAllGetTheOutcome) {
  CompilePool pool(2, std::chrono::seconds(60));
  for (std::uint64_t id = 0; id < 10; ++id) pool.submit(id, numbered(1));
  EXPECT_EQ(pool.pending(), 10U);
  EXPECT_THAT(testing::children_of(::getpid()), SizeIs(1)) << "one program needs one worker";
  const auto results = collect(pool, 10);
  ASSERT_THAT(results, SizeIs(10));
  EXPECT_EQ(pool.pending(), 0U);
  for (const auto& [id, result] : results) {
    ASSERT_TRUE(result.outcome.has_value());
    EXPECT_EQ(result.outcome->cubin, results.at(0).outcome->cubin);
    EXPECT_EQ(result.outcome->compile_ms, results.at(0).outcome->compile_ms) << "compiled again";
  }
}

TEST_F(CompilePoolTest, ALaterPoolFindsProgramsAndErrorsInTheCache) {
  const testing::TemporaryFolder folder;
  const auto compile_both = [&] {
    CompilePool pool(2, std::chrono::seconds(60), folder / "cache");
    return pool.compile_all({numbered(1), request("x[0] = nonsense;")});
  };
  const auto first = compile_both();
  const auto second = compile_both();
  ASSERT_TRUE(first[0].has_value() && second[0].has_value());
  EXPECT_FALSE(first[0]->from_cache);
  EXPECT_TRUE(second[0]->from_cache);
  EXPECT_EQ(second[0]->cubin, first[0]->cubin);
  EXPECT_EQ(second[0]->compile_ms, first[0]->compile_ms) << "that of the compile";
  ASSERT_FALSE(second[1].has_value());
  EXPECT_EQ(second[1].error().reason, first[1].error().reason);
  EXPECT_EQ(kernel_templates::CompileCache(folder / "cache").statistics().entries, 2U);
}

TEST_F(CompilePoolTest, WithoutAFolderThatCanBeWrittenItCompilesAndSaysSoOnce) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "file") << "no folder";
  CompilePool pool(2, std::chrono::seconds(60), folder / "file" / "cache");
  for (const auto& outcome : pool.compile_all({numbered(1), numbered(2), numbered(3)}))
    EXPECT_TRUE(outcome.has_value());
  EXPECT_THAT(pool.take_warnings(),
              ::testing::ElementsAre(HasSubstr("compiled programs are not stored in the cache: ")));
  EXPECT_TRUE(pool.take_warnings().empty());
}

// The front end reports that memory ran out. The optimiser ends the process.
TEST_F(CompilePoolTest, AProgramThatNeedsTooMuchMemoryFailsWithTheLimitAndTheNextStillCompiles) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's memory would count";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a sanitizer's memory would count";
#endif
#endif
  const std::string eight = "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(x)))))\n";
  CompilePool pool(1, std::chrono::seconds(60), {}, 256ULL << 20);
  const testing::TemporaryFolder folder;
  CompilePool cached(1, std::chrono::seconds(60), folder / "cache", 256ULL << 20);
  for (CompilePool* each : {&pool, &cached}) {
    const auto outcomes = each->compile_all(
        {endless(), request("B(x[threadIdx.x] = x[threadIdx.x * 3] * x[5 + threadIdx.x] + x[1];)", eight),
         numbered(1)});
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_FALSE(outcomes[i].has_value()) << i;
      EXPECT_EQ(outcomes[i].error().status, Status::kCompileFailed) << i;
      EXPECT_EQ(outcomes[i].error().reason, "the compiler needs more than 256 MiB") << i;
    }
    EXPECT_TRUE(outcomes[2].has_value());
  }
  EXPECT_EQ(kernel_templates::CompileCache(folder / "cache").statistics().entries, 1U)
      << "lack of memory is the machine's, and not kept";
}

TEST(CompileLimits, FollowCoresAndMemory) {
  const std::uint64_t available = available_memory_bytes();
  ASSERT_GT(available, 0U);
  EXPECT_GE(default_compile_workers(), 1U);
  EXPECT_LE(default_compile_workers(), std::max<std::uint64_t>(1, available >> 30));
  EXPECT_LE(compile_memory_limit(1), available);
  EXPECT_GE(compile_memory_limit(1), compile_memory_limit(16));
  EXPECT_GE(compile_memory_limit(1000), std::min<std::uint64_t>(3ULL << 30, available / 4));
}

}  // namespace
}  // namespace warptune::tuner::workers::compiling
