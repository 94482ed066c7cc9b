#include "tuner/workers/warm/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/shared_library.h"
#include "tests/tuner/workers/warm/warm_fixture.h"
#include "tuner/workers/compiling/compile_pool.h"
#include "tuner/workers/warm/lease.h"
#include "tuner/workers/warm/packets.h"
#include "tuner/workers/warm/place.h"

namespace warptune::tuner::workers::warm {
namespace {

namespace fs = std::filesystem;
using compiling::CompilePool;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Ends sooner than others, so that a test can see it.
const auto kAtMost = std::chrono::seconds(20);

class WarmPool : public WarmWorkers {};

TEST_F(WarmPool, AWorkerServesTheNextSessionOfItsDefinitionAndTheCodeIsTheSame) {
  const auto request = program("x[threadIdx.x] = 3;");
  const std::string own = compile("", request);
  EXPECT_EQ(pool(), -1);  // Without a definition nothing is borrowed.
  EXPECT_EQ(compile("a", request), own);
  const std::vector<pid_t> first = workers();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(compile("a", request), own);
  EXPECT_EQ(compile("a", program("x[0] = ;")), compile("", program("x[0] = ;")));
  EXPECT_EQ(workers(), first);
}

TEST_F(WarmPool, NoWorkerServesTwoDefinitions) {
  compile("a", program("x[0] = 1;"));
  const std::vector<pid_t> first = workers();
  ASSERT_THAT(first, SizeIs(1));
  compile("b", program("x[0] = 1;"));
  EXPECT_THAT(workers(), SizeIs(2));
  EXPECT_THAT(workers(), ::testing::Contains(first.front()));
}

TEST_F(WarmPool, AWorkerServesOnlyTheFoldersAndTheVariablesOfItsFirstSession) {
  auto request = program("x[0] = 1;");
  compile("a", request);
  request.readable_folders = {folder_.path()};
  compile("a", request);
  EXPECT_THAT(workers(), SizeIs(2));
  const testing::ScopedVariable other("CUDA_CACHE_DISABLE", "1");
  const testing::ScopedVariable more("LD_LIBRARY_PATH", "/nowhere");
  compile("a", request);
  EXPECT_EQ(running_pools().size(), 1U);
  EXPECT_THAT(workers(), SizeIs(3));
}

TEST_F(WarmPool, TwoSessionsAtOnceHaveDifferentWorkers) {
  CompilePool one = session("a");
  CompilePool two = session("a");
  EXPECT_EQ(text_of(one.compile_all({program("x[0] = 1;")}).front()),
            text_of(two.compile_all({program("x[0] = 1;")}).front()));
  EXPECT_THAT(workers(), SizeIs(2));
}

TEST_F(WarmPool, AfterAChangeOfAHeaderTheEarlierWorkerIsNotUsed) {
  const fs::path header = folder_ / "size.cuh";
  auto request =
      program("x[0] = SIZE;", "#include <cuda_fp16.h>\n#include \"size.cuh\"\n#pragma nv_hdrstop\n");
  request.program_name = (folder_ / "k.cu").string();
  request.options.emplace_back("-pch");
  for (const std::string& include : base::cuda_include_folders()) request.options.push_back("-I" + include);
  std::ofstream(header) << "#define SIZE 1\n";
  const std::string before = compile("a", request);
  std::ofstream(header) << "#define SIZE 2\n";
  EXPECT_TRUE(compile("a", request) != before);
  EXPECT_TRUE(compile("a", request) == compile("", request));
  EXPECT_THAT(workers(), SizeIs(2));  // That with the earlier header is of no use any more.
}

TEST_F(WarmPool, ThePoolEndsWhenItsWorkersHaveWaitedLongEnough) {
  const testing::ScopedVariable keep("WARPTUNE_WARM_WORKERS", "1");
  compile("a", program("x[0] = 1;"));
  ASSERT_GT(pool(), 0);
  EXPECT_TRUE(soon([] { return running_pools().empty(); }));
  EXPECT_TRUE(fs::is_empty(runtime() / "warptune"));
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
}

TEST_F(WarmPool, ThePoolEndsWhenItsFolderIsRemovedAsAtLogout) {
  compile("a", program("x[0] = 1;"));
  const pid_t process = pool();
  ASSERT_GT(process, 0);
  fs::remove_all(runtime() / "warptune");
  EXPECT_TRUE(soon([&] { return !fs::exists("/proc/" + std::to_string(process)); }));
}

TEST_F(WarmPool, ThePoolAndItsWorkersEndWithSigterm) {
  compile("a", program("x[0] = 1;"));
  const std::vector<pid_t> left = workers();
  ASSERT_THAT(left, SizeIs(1));
  ::kill(pool(), SIGTERM);
  EXPECT_TRUE(soon([&] { return !fs::exists("/proc/" + std::to_string(left.front())); }));
  EXPECT_TRUE(soon([&] { return fs::is_empty(runtime() / "warptune") && fs::is_empty(folder_ / "tmp"); }));
  EXPECT_EQ(compile("a", program("x[0] = 1;")), compile("", program("x[0] = 1;")));  // A new one is started.
  EXPECT_GT(pool(), 0);
}

TEST_F(WarmPool, AProgramIsCompiledAgainIfThePoolIsKilledMeanwhile) {
  CompilePool sessions_pool = session("a");
  sessions_pool.submit(1, program("x[0] = 1;"));
  ASSERT_TRUE(soon([] { return pool() > 0; }));
  ::kill(pool(), SIGKILL);
  const auto outcomes = sessions_pool.compile_all({program("x[0] = 2;")});
  EXPECT_EQ(text_of(outcomes.front()), compile("", program("x[0] = 2;")));
}

TEST_F(WarmPool, AProgramIsCompiledAgainIfItsBorrowedWorkerIsKilledMeanwhile) {
  CompilePool sessions_pool(1, std::chrono::seconds(3), {}, 0, "a");
  sessions_pool.submit(1, endless());
  ASSERT_TRUE(soon([] { return workers().size() == 1; }));
  ::kill(workers().front(), SIGKILL);
  const auto late = std::chrono::steady_clock::now() + kAtMost;
  std::vector<compiling::CompileResult> results;
  while (results.empty() && std::chrono::steady_clock::now() < late) results = sessions_pool.collect();
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_THAT(text_of(results.front().outcome), HasSubstr("more than 3 s"));  // Not that its worker died.
}

TEST_F(WarmPool, AStoppedPoolCostsASessionLittleTimeOnce) {
  compile("a", program("x[0] = 1;"));
  ::kill(pool(), SIGSTOP);
  std::unique_ptr<Lease> lease = Lease::open(std::chrono::seconds(30));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 16; ++i) EXPECT_FALSE(lease->borrow("a", {}).has_value());
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited.count(), 0.09);
  EXPECT_LT(waited.count(), 0.5);  // It waits 0.1 s. A busy machine needs longer to wake it up.
  EXPECT_EQ(compile("a", program("x[0] = 1;")), compile("", program("x[0] = 1;")));
}

TEST_F(WarmPool, AKilledSessionLeavesNoWorkerThatCompiles) {
  const pid_t child = ::fork();
  if (child == 0) {
    CompilePool sessions_pool = session("a", 2);
    sessions_pool.submit(1, endless());
    sessions_pool.submit(2, program("x[0] = 1;"));
    while (true) ::pause();
  }
  ASSERT_TRUE(soon([] { return workers().size() == 2; }));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(soon([] { return running_pools().empty(); }));  // Nothing was given back, so nothing is kept.
}

TEST_F(WarmPool, ASessionThatEndsWhileItCompilesGivesOnlyIdleWorkersBack) {
  {
    CompilePool sessions_pool = session("a", 2);
    sessions_pool.compile_all({program("x[0] = 1;")});
    sessions_pool.submit(1, program("x[0] = 2;"));
    sessions_pool.submit(2, endless());
    while (sessions_pool.collect().empty()) {
    }
  }
  EXPECT_TRUE(soon([] { return workers().size() == 1; }));
}

TEST_F(WarmPool, AWorkerHasTheMemoryLimitOfEachOfItsSessions) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_TRUE(session_outcome("a", program("x[0] = 1;"), 2048 * kMiB).has_value());
  const Outcome own = session_outcome("", endless(), 300 * kMiB);
  const Outcome borrowed = session_outcome("a", endless(), 300 * kMiB);
  EXPECT_EQ(text_of(borrowed), text_of(own));
  EXPECT_THAT(text_of(own), HasSubstr("needs more than 300 MiB"));
}

TEST_F(WarmPool, ABorrowedWorkerReadsNoFilesOfOthers) {
  std::ofstream(folder_ / "secret") << "#error the secret is out\n";
  auto request = program("x[0] = 1;", "#include \"" + (folder_ / "secret").string() + "\"\n");
  fs::create_directory(folder_ / "own");
  request.program_name = (folder_ / "own" / "k.cu").string();
  EXPECT_THAT(compile("a", request), ::testing::Not(HasSubstr("the secret is out")));
  EXPECT_EQ(compile("a", request), compile("", request));
}

TEST_F(WarmPool, AFullTableOfDescriptorsCostsOnlyTheWarmWorkers) {
  std::unique_ptr<Lease> lease = Lease::open(std::chrono::seconds(30));
  ASSERT_TRUE(lease->is_open());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{256, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<base::Descriptor> fill;
  for (int copy = ::dup(0); copy >= 0; copy = ::dup(0)) fill.emplace_back(copy);
  fill.pop_back();  // One of three arrives.
  EXPECT_FALSE(lease->borrow("a", {}).has_value());
  fill.clear();
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(lease->is_open());
}

TEST_F(WarmPool, WithoutAUsableFolderThereIsNoPoolAndNoError) {
  const testing::ScopedVariable runtime_folder("XDG_RUNTIME_DIR", "/proc/no/such");
  const testing::ScopedVariable cache("XDG_CACHE_HOME", "/proc/no/such");
  EXPECT_EQ(compile("a", program("x[0] = 1;")), compile("", program("x[0] = 1;")));
  EXPECT_THAT(running_pools(), IsEmpty());
}

TEST_F(WarmPool, ItIsOffUnlessTheUserWantsIt) {
  const testing::ScopedVariable keep("WARPTUNE_WARM_WORKERS", "0");
  compile("a", program("x[0] = 1;"));
  EXPECT_THAT(running_pools(), IsEmpty());
}

TEST_F(WarmPool, AConnectionWithAnotherUserIsNotTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs to become another user";
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const protocol::FileDescriptor one(ends[0]);
  const protocol::FileDescriptor other(ends[1]);
  EXPECT_TRUE(is_of_this_user(one));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setuid(65534) == 0 && !is_of_this_user(one) ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace warptune::tuner::workers::warm
