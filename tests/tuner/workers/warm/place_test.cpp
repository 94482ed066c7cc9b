#include "tuner/workers/warm/place.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "tests/tuner/workers/warm/warm_fixture.h"

namespace warptune::tuner::workers::warm {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WarmPlace : public WarmWorkers {};

TEST_F(WarmPlace, ARebuiltProgramHasAPoolOfItsOwn) {
  fs::copy_file(WARPTUNE_BINARY, folder_ / "rebuilt");
  const std::string name = find_place().value().name;
  EXPECT_EQ(find_place().value().name, name);
  const testing::ScopedVariable rebuilt("WARPTUNE_WORKER", (folder_ / "rebuilt").string());
  EXPECT_NE(find_place().value().name, name);
}

TEST_F(WarmPlace, AnotherNvrtcHasAPoolOfItsOwn) {
  const std::string name = find_place().value().name;
  fs::create_directories(folder_ / "toolkit" / "lib64");
  std::ofstream(folder_ / "toolkit" / "lib64" / "libnvrtc.so.13") << "another";
  const testing::ScopedVariable toolkit("WARPTUNE_CUDA_PATH", (folder_ / "toolkit").string());
  EXPECT_NE(find_place().value().name, name);
}

TEST_F(WarmPlace, SessionsOnOtherCpusHaveAPoolOfTheirOwn) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "needs two CPUs";
  const std::string name = find_place().value().name;
  cpu_set_t one = before;
  for (std::size_t cpu = 0; CPU_COUNT(&one) > 1; ++cpu) CPU_CLR(cpu, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_NE(find_place().value().name, name);
  ::sched_setaffinity(0, sizeof(before), &before);
}

TEST_F(WarmPlace, SessionsWithAnotherFolderOfTemporaryFilesOrUmaskHaveAPoolOfTheirOwn) {
  const std::string name = find_place().value().name;
  {
    const testing::ScopedVariable other("TMPDIR", runtime().string());
    EXPECT_NE(find_place().value().name, name);
  }
  {
    const testing::ScopedVariable none("TMPDIR", "/proc/no/such");
    EXPECT_FALSE(find_place().has_value());
  }
  const mode_t before = ::umask(0);
  ::umask(before ^ 022);
  EXPECT_NE(find_place().value().name, name);
  ::umask(before);
  EXPECT_EQ(find_place().value().name, name);
}

TEST_F(WarmPlace, ALockFileOfAnotherContainerNamesNoProcessHere) {
  const Place place = find_place().value();
  const fs::path file = place.path / place.lock();
  const base::Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  std::ofstream(file) << lock_text(1);
  EXPECT_THAT(running_pools(), ::testing::ElementsAre(1));
  std::ofstream(file) << "1 pid:[1] " << lock_text(1).substr(2);
  EXPECT_THAT(running_pools(), ::testing::IsEmpty());
}

TEST_F(WarmPlace, TheFolderBelongsToThisUserAlone) {
  EXPECT_EQ(find_place().value().path, runtime() / "warptune");
  struct stat status {};
  ASSERT_EQ(::stat((runtime() / "warptune").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(WarmPlace, ARuntimeFolderThatOthersCanOpenIsNotUsed) {
  ::chmod(runtime().c_str(), 0755);
  EXPECT_EQ(find_place().value().path, folder_ / "cache" / "warptune" / "warm-workers");
  ::chmod((folder_ / "cache" / "warptune" / "warm-workers").c_str(), 0777);
  EXPECT_FALSE(find_place().has_value());
}

TEST_F(WarmPlace, ALinkInPlaceOfTheFolderIsNotFollowed) {
  fs::create_directory_symlink(folder_ / "cache", runtime() / "warptune");
  EXPECT_EQ(find_place().value().path, folder_ / "cache" / "warptune" / "warm-workers");
}

TEST_F(WarmPlace, ABadTimeIsRefusedInOneSentence) {
  EXPECT_EQ(kept_time(), std::chrono::seconds(30));
  for (const char* text : {"yes", "-1", "3601", "10s", "1.5"}) {
    const testing::ScopedVariable bad("WARPTUNE_WARM_WORKERS", text);
    try {
      kept_time();
      ADD_FAILURE() << text;
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.message(), HasSubstr("expected a whole number of seconds from 0 to 3600"));
    }
  }
}

}  // namespace
}  // namespace warptune::tuner::workers::warm
