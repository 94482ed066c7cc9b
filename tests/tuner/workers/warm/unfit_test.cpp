// Workers and pools that do not fit a session, and what the session does then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/tuner/workers/warm/warm_fixture.h"
#include "tuner/workers/compiling/compile_pool.h"
#include "tuner/workers/warm/lease.h"
#include "tuner/workers/warm/packets.h"
#include "tuner/workers/warm/place.h"

namespace warptune::tuner::workers::warm {
namespace {

namespace fs = std::filesystem;
using compiling::CompilePool;
using ::testing::SizeIs;

class WarmUnfit : public WarmWorkers {
 protected:
  // Removes a folder if it is there, and makes it with the same file.
  static void make_again(const fs::path& folder) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    std::ofstream(folder / "size.cuh") << "#define SIZE 1\n";
  }
};

TEST_F(WarmUnfit, AFolderThatWasRemovedAndMadeAgainIsReadByANewWorker) {
  const fs::path folder = folder_ / "own";
  auto request = program("x[0] = SIZE;", "#include \"size.cuh\"\n");
  request.program_name = (folder / "k.cu").string();
  make_again(folder);
  const std::string before = compile("a", request);
  EXPECT_EQ(before, compile("", request));
  make_again(folder);
  EXPECT_EQ(compile("a", request), before);
  EXPECT_THAT(workers(), SizeIs(2));
}

TEST_F(WarmUnfit, AnErrorOfABorrowedWorkerIsTriedAgainInAnOwnOne) {
  const fs::path folder = folder_ / "libraries";  // Workers may read it. It is not a folder of the program.
  const char* const others = std::getenv("LD_LIBRARY_PATH");
  const testing::ScopedVariable libraries("LD_LIBRARY_PATH",
                                          folder.string() + ":" + (others == nullptr ? "" : others));
  const auto request = program("x[0] = SIZE;", "#include \"" + (folder / "size.cuh").string() + "\"\n");
  make_again(folder);
  const std::string before = compile("a", request);
  EXPECT_EQ(before, compile("", request));
  make_again(folder);
  EXPECT_EQ(compile("a", request), before);
  EXPECT_THAT(workers(), SizeIs(1));  // It was lent again.
}

TEST_F(WarmUnfit, AProgramIsCompiledAgainIfItsBorrowedWorkerIsLate) {
  compile("a", program("x[0] = 1;"));
  ASSERT_THAT(workers(), SizeIs(1));
  ::kill(workers().front(), SIGSTOP);
  CompilePool sessions_pool(1, std::chrono::seconds(3), {}, 0, "a");
  const auto outcomes = sessions_pool.compile_all({program("x[0] = 2;")});
  EXPECT_EQ(text_of(outcomes.front()), compile("", program("x[0] = 2;")));
}

TEST_F(WarmUnfit, AWorkerWhoseScratchFolderWasRemovedIsNotUsed) {
  compile("a", program("x[0] = 1;"));
  const std::vector<pid_t> first = workers();
  ASSERT_THAT(first, SizeIs(1));
  for (const auto& entry : fs::directory_iterator(folder_ / "tmp")) fs::remove_all(entry.path());
  EXPECT_EQ(compile("a", program("x[0] = 2;")), compile("", program("x[0] = 2;")));
  EXPECT_TRUE(soon([&] { return workers().size() == 1 && workers() != first; }));
}

TEST_F(WarmUnfit, AForkedChildOfTheSessionDoesNotKeepItsConnection) {
  const testing::ScopedVariable keep("WARPTUNE_WARM_WORKERS", "1");
  pid_t child = -1;
  {
    CompilePool sessions_pool = session("a");
    sessions_pool.compile_all({program("x[0] = 1;")});
    child = ::fork();
    if (child == 0) {
      while (true) ::pause();
    }
  }
  EXPECT_TRUE(soon([] { return running_pools().empty(); }));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(WarmUnfit, EachSessionSaysHowLongItsWorkersWait) {
  compile("a", program("x[0] = 1;"));
  const std::vector<pid_t> first = workers();
  const testing::ScopedVariable keep("WARPTUNE_WARM_WORKERS", "1");
  {
    CompilePool sessions_pool = session("a");
    sessions_pool.compile_all({program("x[0] = 2;")});
    EXPECT_EQ(workers(), first);
  }
  EXPECT_TRUE(soon([] { return running_pools().empty(); }));  // Well before the 30 s of the first session.
}

TEST_F(WarmUnfit, ASessionKeepsItsWorkersIfThePoolIsTooSlowForAnotherOne) {
  const Place place = find_place().value();
  const protocol::FileDescriptor listener = listen_at(place);
  std::unique_ptr<Lease> lease = Lease::open(std::chrono::seconds(30));
  const protocol::FileDescriptor session(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(session);
  ASSERT_TRUE(send_packet(session, protocol::Lent{1, ::getpid(), true}, {0, 0, 0}));
  EXPECT_TRUE(lease->borrow("a", {}).has_value());
  EXPECT_FALSE(lease->borrow("a", {}).has_value());  // There is no answer.
  EXPECT_TRUE(lease->is_open());
}

}  // namespace
}  // namespace warptune::tuner::workers::warm
