// What a compile worker may and may not do. Each attempt is made in a child that has entered the sandbox.
#include "tuner/confinement/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "base/error.h"
#include "tests/tuner/session_data.h"
#include "tuner/confinement/sanitized.h"
#include "tuner/confinement/scratch_folder.h"

namespace warptune::tuner::confinement {
namespace {

namespace fs = std::filesystem;

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
    if (kSanitized) GTEST_SKIP() << "a sanitizer needs system calls of its own";
    for (const char* name : {"granted", "scratch", "private"}) {
      fs::create_directories(folder_ / name);
      std::ofstream(folder_ / name / "file") << "text";
    }
    sandbox_.readable = {folder_ / "granted"};
    sandbox_.scratch = folder_ / "scratch";
  }

  // The result of an attempt in the sandbox: 0, or the error number of a call that returned -1.
  int in_sandbox(const std::function<long()>& attempt) const {
    const pid_t child = ::fork();
    if (child == 0) {
      enter(sandbox_);
      errno = 0;
      const long result = attempt();
      ::_exit(result >= 0 ? 0 : errno != 0 ? errno : kFailed);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  // 0 if the program can be run in the sandbox and succeeds, otherwise an error number.
  int run_in_sandbox(const fs::path& program) const {
    return in_sandbox([program]() -> long {
      const pid_t child = ::fork();
      if (child == 0) {
        ::execl(program.c_str(), "program", nullptr);
        ::_exit(errno);
      }
      int status = 0;
      if (child < 0 || ::waitpid(child, &status, 0) < 0) return -1;
      errno = WEXITSTATUS(status);
      return errno == 0 ? 0 : -1;
    });
  }

  static constexpr int kFailed = 255;  // A call returned -1 without an error number.

  static int open_at(const fs::path& path, int flags) {
    return ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  }

  testing::TemporaryFolder folder_;
  Sandbox sandbox_;
};

TEST_F(SandboxTest, FilesAreReadInTheFoldersThatWereGrantedAlone) {
  EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / "granted/file", O_RDONLY); }), 0);
  EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / "private/file", O_RDONLY); }), EACCES);
  EXPECT_EQ(in_sandbox([&] { return open_at("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(in_sandbox([&] { return open_at("/proc/1/environ", O_RDONLY); }), EACCES);
  EXPECT_EQ(in_sandbox([&] { return open_at("/proc/self/environ", O_RDONLY); }), EACCES);
  fs::create_symlink(folder_ / "private/file", folder_ / "granted/link");
  EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / "granted/link", O_RDONLY); }), EACCES) << "by a link";
  EXPECT_EQ(in_sandbox([&] { return open_at("/dev/urandom", O_RDONLY); }), 0);
}

TEST_F(SandboxTest, FilesAreWrittenInTheScratchFolderAlone) {
  EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / "scratch/new", O_WRONLY | O_CREAT); }), 0);
  EXPECT_EQ(in_sandbox([&] { return ::unlink((folder_ / "scratch/new").c_str()); }), 0);
  for (const char* name : {"granted", "private"}) {
    EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / name / "file", O_WRONLY); }), EACCES) << name;
    EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / name / "new", O_WRONLY | O_CREAT); }), EACCES)
        << name;
    EXPECT_EQ(in_sandbox([&] { return ::unlink((folder_ / name / "file").c_str()); }), EACCES) << name;
    EXPECT_NE(in_sandbox([&] { return ::truncate((folder_ / name / "file").c_str(), 0); }), 0) << name;
    EXPECT_NE(in_sandbox([&] { return ::chmod((folder_ / name / "file").c_str(), 0777); }), 0) << name;
  }
  EXPECT_NE(in_sandbox([&] {
              return ::rename((folder_ / "private/file").c_str(), (folder_ / "scratch/x").c_str());
            }),
            0);
  EXPECT_TRUE(fs::exists(folder_ / "private/file"));
}

TEST_F(SandboxTest, AFileDoesNotGrowWithoutEnd) {
  EXPECT_EQ(in_sandbox([&]() -> long {
              const int file = open_at(folder_ / "scratch/long", O_WRONLY | O_CREAT);
              return ::ftruncate(file, 2L << 30);
            }),
            EFBIG);
}

TEST_F(SandboxTest, ThereIsNoNetworkAndNoOtherProcess) {
  EXPECT_EQ(in_sandbox([] { return ::socket(AF_INET, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::fork(); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::kill(::getppid(), 0); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::fcntl(STDIN_FILENO, F_SETOWN, ::getppid()); }), EPERM);
}

TEST_F(SandboxTest, ThatOfNvccRunsTheSystemsProgramsAndReadsItsHeaders) {
  sandbox_.runs_nvcc = true;
  EXPECT_EQ(sandbox_of(arguments_of(sandbox_)).runs_nvcc, true);
  fs::copy_file("/bin/true", folder_ / "scratch/program");
  EXPECT_EQ(run_in_sandbox("/bin/true"), 0);
  EXPECT_EQ(run_in_sandbox(folder_ / "scratch/program"), EACCES);
  EXPECT_EQ(in_sandbox([] { return open_at("/usr/include/stdio.h", O_RDONLY); }), 0);
  EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / "private/file", O_RDONLY); }), EACCES);
  EXPECT_EQ(in_sandbox([] { return open_at("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(in_sandbox([] { return open_at("/usr/include/new_file", O_WRONLY | O_CREAT); }), EACCES);
  EXPECT_EQ(in_sandbox([] { return ::socket(AF_INET, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::kill(::getppid(), 0); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::unshare(CLONE_NEWUSER); }), EPERM);
}

TEST_F(SandboxTest, ThatOfAnEmulationRunsWhatItsCompilerWrote) {
  sandbox_.host_compiler = "/usr/bin/c++";
  EXPECT_EQ(sandbox_of(arguments_of(sandbox_)).host_compiler, sandbox_.host_compiler);
  fs::copy_file("/bin/true", folder_ / "scratch/program");
  fs::copy_file("/bin/true", folder_ / "granted/program");
  EXPECT_EQ(run_in_sandbox("/bin/true"), 0);
  EXPECT_EQ(run_in_sandbox(folder_ / "scratch/program"), 0);
  EXPECT_EQ(run_in_sandbox(folder_ / "granted/program"), EACCES);
  EXPECT_EQ(in_sandbox([&] { return open_at(folder_ / "private/file", O_RDONLY); }), EACCES);
  EXPECT_EQ(in_sandbox([] { return open_at("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(in_sandbox([] { return ::socket(AF_INET, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(in_sandbox([] { return ::kill(::getppid(), 0); }), EPERM);
}

TEST_F(SandboxTest, LimitsAreNotRaisedAgain) {
  EXPECT_EQ(in_sandbox([] {
              const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
              return ::setrlimit(RLIMIT_CPU, &none);
            }),
            EPERM);
}

// The limits of a process whose own limits are higher, as far as the machine allows that.
TEST_F(SandboxTest, ThereIsNoCoreFileAndDescriptorsAreFew) {
  const auto maximum = [&](__rlimit_resource_t resource, rlim_t expected) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(resource, &before), 0);
    const rlimit higher{before.rlim_cur, 4096};
    ::setrlimit(resource, &higher);  // Root may raise them.
    EXPECT_EQ(in_sandbox([&] {
                rlimit now{};
                return ::getrlimit(resource, &now) == 0 && now.rlim_max <= expected ? 0 : -1;
              }),
              0)
        << static_cast<int>(resource);
    ::setrlimit(resource, &before);
  };
  maximum(RLIMIT_CORE, 0);
  maximum(RLIMIT_NOFILE, 256);
}

TEST_F(SandboxTest, MemoryEndsAtItsLimit) {
  sandbox_.memory_bytes = 256ULL << 20;
  EXPECT_EQ(in_sandbox([] { return std::malloc(512 << 20) == nullptr ? 0 : -1; }), 0);
}

TEST_F(SandboxTest, AnAdjustableLimitOfMemoryHoldsAndTheProcessItselfCannotChangeIt) {
  sandbox_.memory_bytes = 256ULL << 20;
  sandbox_.adjustable_memory = true;
  EXPECT_EQ(in_sandbox([] { return std::malloc(512 << 20) == nullptr ? 0 : -1; }), 0);
  EXPECT_EQ(in_sandbox([]() -> long {
              rlimit limit{};
              if (::getrlimit(RLIMIT_DATA, &limit) != 0) return -2;
              limit.rlim_cur = limit.rlim_max;
              return ::setrlimit(RLIMIT_DATA, &limit) == 0 ? -1 : 0;
            }),
            0);
}

TEST_F(SandboxTest, WhatACompilerNeedsGoesOn) {
  EXPECT_EQ(in_sandbox([]() -> long {
              int answer = 0;
              std::thread([&] { answer = 42; }).join();
              return answer == 42 ? 0 : -1;
            }),
            0)
      << "threads";
  EXPECT_EQ(in_sandbox([]() -> long { ::abort(); }), -SIGABRT)
      << "a compiler that aborts shows as what it is";
}

TEST(SandboxArguments, ComeBackAsTheyWere) {
  Sandbox sandbox{{"/a b", "/c"}, "/scratch", 12345};
  EXPECT_FALSE(sandbox_of(arguments_of(sandbox)).adjustable_memory);
  sandbox.adjustable_memory = true;
  const Sandbox back = sandbox_of(arguments_of(sandbox));
  EXPECT_TRUE(back.adjustable_memory);
  EXPECT_EQ(back.readable, sandbox.readable);
  EXPECT_EQ(back.scratch, sandbox.scratch);
  EXPECT_EQ(back.memory_bytes, sandbox.memory_bytes);
  EXPECT_THROW(sandbox_of({"--writable", "/"}), base::InputError);
}

TEST(ScratchFolder, GoesWithItsObjectAndThatOfAProcessThatWasKilledWithTheNext) {
  fs::path abandoned;
  {
    const ScratchFolder used;
    ASSERT_TRUE(fs::is_directory(used.path()));
    abandoned = used.path().parent_path() / "warptune-scratch-abandoned";
    fs::create_directories(abandoned / "deep");
    const timespec times[2] = {{0, UTIME_NOW}, {1000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, abandoned.c_str(), times, 0), 0);
    ASSERT_EQ(::utimensat(AT_FDCWD, used.path().c_str(), times, 0), 0);
    const ScratchFolder next;
    EXPECT_FALSE(fs::exists(abandoned));
    EXPECT_TRUE(fs::exists(used.path())) << "in use, however old";
    abandoned = used.path();
  }
  EXPECT_FALSE(fs::exists(abandoned));
}

}  // namespace
}  // namespace warptune::tuner::confinement
