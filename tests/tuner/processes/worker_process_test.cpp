#include "tuner/processes/worker_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/tuner/program.h"
#include "tuner/processes/worker_program.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::processes {
namespace {

using protocol::MessageChannel;

class WorkerProcessTest : public ::testing::Test {
 protected:
  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_BINARY};
};

kernel_templates::CompileRequest request(const std::string& body) {
  return {"small.cu", "extern \"C\" __global__ void f(float* x) { " + body + " }", {"f"}, {}, "sm_90"};
}

std::optional<protocol::Message> ask(WorkerProcess& worker, const kernel_templates::CompileRequest& wanted) {
  EXPECT_TRUE(worker.channel().send(protocol::Compile{wanted}));
  return worker.channel().receive(60000);
}

template <class T>
bool is(const std::optional<protocol::Message>& message) {
  return message && std::holds_alternative<T>(*message);
}

TEST_F(WorkerProcessTest, ACompileWorkerCompilesAKernel) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  const std::optional<protocol::Message> reply = ask(worker, request("x[0] = 1;"));
  ASSERT_TRUE(is<protocol::Compiled>(reply));
  const kernel_templates::CompiledKernel& compiled = std::get<protocol::Compiled>(*reply).compiled;
  EXPECT_EQ(compiled.cubin.substr(1, 3), "ELF");
  EXPECT_EQ(compiled.find_entry("f").lowered_name, "f");
}

TEST_F(WorkerProcessTest, AProgramThatDoesNotCompileComesBackWithItsLogAndTheWorkerGoesOn) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  const std::optional<protocol::Message> reply = ask(worker, request("x[0] = nonsense;"));
  ASSERT_TRUE(is<protocol::Rejected>(reply));
  const model::Rejection& rejection = std::get<protocol::Rejected>(*reply).rejection;
  EXPECT_EQ(rejection.status, model::Status::kCompileFailed);
  EXPECT_NE(rejection.reason.find("small.cu(1)"), std::string::npos);
  EXPECT_TRUE(is<protocol::Compiled>(ask(worker, request("x[0] = 1;"))));
}

TEST_F(WorkerProcessTest, AMessageForAnotherWorkerIsReportedAsAFailure) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  ASSERT_TRUE(worker.channel().send(protocol::ListGpus{}));
  EXPECT_TRUE(is<protocol::Failure>(worker.channel().receive(60000)));
}

TEST_F(WorkerProcessTest, AWorkerEndsWhereItIsSentWhatIsNoMessage) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  ASSERT_EQ(::send(worker.channel().descriptor(), "nonsense", 8, 0), 8);
  EXPECT_FALSE(worker.channel().receive(60000).has_value());
  // `end` kills a worker that takes long, and with the sanitizers it may on a busy machine.
  siginfo_t ended{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(worker.id()), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(worker.end(), "exit code 4");
}

TEST_F(WorkerProcessTest, AWorkerEndsByItselfWhenItsParentsEndCloses) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  ASSERT_TRUE(ask(worker, request("")).has_value());
  const pid_t child = testing::children_of(::getpid()).at(0);
  { const MessageChannel closed = std::move(worker.channel()); }
  siginfo_t how{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT),
            0);  // Hangs if it does not end.
  EXPECT_EQ(worker.end(), "exit code 0");
}

TEST_F(WorkerProcessTest, EndSaysWhichSignalKilledIt) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  ASSERT_TRUE(ask(worker, request("")).has_value());
  const pid_t child = testing::children_of(::getpid()).at(0);
  ::kill(child, SIGUSR1);  // No sanitizer catches this signal.
  siginfo_t how{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(worker.end(), "signal 10 (User defined signal 1)");
  EXPECT_EQ(worker.end(), "ended");
}

TEST_F(WorkerProcessTest, AnInterruptOfTheWholeGroupLeavesWorkersAtWork) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  const pid_t child = testing::children_of(::getpid()).at(0);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::kill(child, number);
  EXPECT_TRUE(ask(worker, request("")).has_value());
}

// The environment and the descriptors of the worker, read from /proc.
TEST_F(WorkerProcessTest, ACompileWorkerInheritsNoEnvironmentAndNoDescriptor) {
  const testing::ScopedVariable secret("SECRET_TOKEN", "hunter2");
  const testing::ScopedVariable flags("NVRTC_APPEND_FLAGS", "");
  const int kept = ::open("/etc/passwd", O_RDONLY);  // Opened without O_CLOEXEC.
  WorkerProcess worker("compile 0", confinement::Sandbox());
  ASSERT_TRUE(ask(worker, request("")).has_value());
  const std::filesystem::path process = "/proc/" + std::to_string(testing::children_of(::getpid()).at(0));
  const std::string environment = testing::slurp(process / "environ");
  EXPECT_EQ(environment.find("hunter2"), std::string::npos);
  EXPECT_EQ(environment.find("PATH=/usr"), std::string::npos);
  EXPECT_NE(environment.find("NVRTC_APPEND_FLAGS="), std::string::npos);
  for (const auto& entry : std::filesystem::directory_iterator(process / "fd"))
    EXPECT_LE(std::stoi(entry.path().filename().string()), kLogDescriptor) << entry.path();
  ::close(kept);
}

TEST_F(WorkerProcessTest, AWorkerIsKilledOnceItsShareOfTheProcessorIsUsed) {
  WorkerProcess worker("compile 0", confinement::Sandbox());
  worker.allow_cpu(std::chrono::seconds(0));
  kernel_templates::CompileRequest endless = request("x[0] = V<30, 0>::value;");
  endless.source =
      "template <int N, long I> struct V { static constexpr long value = "
      "V<N - 1, 2 * I>::value + V<N - 1, 2 * I + 1>::value; };"
      "template <long I> struct V<0, I> { static constexpr long value = I; };" +
      endless.source;
  EXPECT_FALSE(ask(worker, endless).has_value());
  EXPECT_EQ(worker.end(), "signal 24 (CPU time limit exceeded)");
}

TEST_F(WorkerProcessTest, WhatAWorkerPrintsReachesNeitherOutputOfTheTool) {
  const testing::ScopedVariable fake("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  WorkerProcess worker("gpu 0");
  protocol::Evaluate evaluate;
  evaluate.configuration = {{"DO", std::string("print")}};
  ASSERT_TRUE(worker.channel().send(evaluate));
  EXPECT_TRUE(is<protocol::Begun>(worker.channel().receive(10000)));
  EXPECT_TRUE(is<protocol::Evaluated>(worker.channel().receive(10000)));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(worker.printed(), "x = ?[31m7");
}

TEST_F(WorkerProcessTest, AProgramThatCannotBeStartedShowsAsExitCode127) {
  const testing::ScopedVariable nothing("WARPTUNE_WORKER", "/nonexistent/warptune");
  WorkerProcess worker("compile 0", confinement::Sandbox());
  EXPECT_FALSE(worker.channel().receive(10000).has_value());
  EXPECT_EQ(worker.end(), "exit code 127");
}

TEST_F(WorkerProcessTest, WorkersOfAnotherProgramRunWarptuneAndLogNothingThere) {
  const testing::ScopedVariable nothing("WARPTUNE_WORKER", "/nonexistent/warptune");
  {
    const ForeignWorkers foreign(WARPTUNE_BINARY, copy_of_environment());
    EXPECT_EQ(worker_program(), WARPTUNE_BINARY);
    WorkerProcess worker("compile 0", confinement::Sandbox());
    EXPECT_TRUE(is<protocol::Compiled>(ask(worker, request(""))));
    const pid_t child = testing::children_of(::getpid()).at(0);
    EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(child) + "/fd/4"));  // The log.
  }
  EXPECT_EQ(worker_program(), "/nonexistent/warptune");
}

TEST_F(WorkerProcessTest, WorkersOfAnotherProgramHaveTheEnvironmentThatWasGivenAndNoLaterOne) {
  const ForeignWorkers foreign(WARPTUNE_FAKE_GPU_WORKER, {"WARPTUNE_FAKE_OTHER_RELEASE=7.6.5"});
  const testing::ScopedVariable later("WARPTUNE_FAKE_OTHER_RELEASE", "8.0.0");
  WorkerProcess gpu("gpu 0");
  EXPECT_FALSE(gpu.channel().receive(10000).has_value());
  EXPECT_NE(gpu.channel().problem().find("it is warptune 7.6.5"), std::string::npos);
  WorkerProcess compiler("compile 0", confinement::Sandbox());
  EXPECT_FALSE(compiler.channel().receive(10000).has_value());
  EXPECT_NE(compiler.channel().problem().find("it is warptune 7.6.5"), std::string::npos);
}

TEST_F(WorkerProcessTest, AGpuWorkerIsAThreadOfTheProgramIfThatAsksForIt) {
  const ForeignWorkers foreign(
      WARPTUNE_BINARY, copy_of_environment(), [](protocol::FileDescriptor descriptor) {
        MessageChannel channel(std::move(descriptor));
        while (channel.receive())
          channel.send(protocol::Warning{"from process " + std::to_string(::getpid())});
      });
  WorkerProcess first("gpu 0");
  EXPECT_TRUE(testing::children_of(::getpid()).empty());
  ASSERT_TRUE(first.channel().send(protocol::ListGpus{}));
  const std::optional<protocol::Message> reply = first.channel().receive(10000);
  ASSERT_TRUE(is<protocol::Warning>(reply));
  EXPECT_EQ(std::get<protocol::Warning>(*reply).text, "from process " + std::to_string(::getpid()));
  WorkerProcess moved = std::move(first);
  EXPECT_TRUE(first.has_ended());  // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(moved.has_ended());
  moved.kill();  // It cannot be killed.
  EXPECT_EQ(moved.end(), "ended");
  EXPECT_TRUE(moved.has_ended());
  WorkerProcess compiler("compile 0", confinement::Sandbox());
  EXPECT_EQ(testing::children_of(::getpid()).size(), 1U);
}

TEST_F(WorkerProcessTest, AProgramMayIgnoreTheEndsOfItsChildrenAndBlockSignals) {
  ::signal(SIGCHLD, SIG_IGN);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  {
    WorkerProcess worker("compile 0", confinement::Sandbox());
    EXPECT_TRUE(is<protocol::Compiled>(ask(worker, request(""))));
    EXPECT_EQ(worker.end(), "ended");
    EXPECT_TRUE(worker.has_ended());
    WorkerProcess limited("compile 1", confinement::Sandbox());
    EXPECT_TRUE(is<protocol::Compiled>(ask(limited, request(""))));
    limited.kill();
    EXPECT_FALSE(limited.channel().receive(10000).has_value());
    limited.kill();  // Its number may belong to another process now.
    EXPECT_EQ(limited.end(), "ended");
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGCHLD, SIG_DFL);
}

}  // namespace
}  // namespace warptune::tuner::processes
