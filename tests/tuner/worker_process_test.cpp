#include "tuner/detail/worker_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tuner/program.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::detail {
namespace {

using protocol::MessageChannel;

class WorkerProcessTest : public ::testing::Test {
 protected:
  tuner::testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_BINARY};
};

kernel_templates::CompileRequest request(const std::string& body) {
  return {"small.cu", "extern \"C\" __global__ void f(float* x) { " + body + " }", {"f"}, {}, "sm_90"};
}

std::optional<protocol::Message> ask(WorkerProcess& worker, const kernel_templates::CompileRequest& wanted) {
  EXPECT_TRUE(worker.channel().send(protocol::Compile{wanted, {}, 0}));
  return worker.channel().receive(60000);
}

template <class T>
bool is(const std::optional<protocol::Message>& message) {
  return message && std::holds_alternative<T>(*message);
}

TEST_F(WorkerProcessTest, ACompileWorkerCompilesAKernel) {
  WorkerProcess worker("compile", "compile 0");
  const std::optional<protocol::Message> reply = ask(worker, request("x[0] = 1;"));
  ASSERT_TRUE(is<protocol::Compiled>(reply));
  const kernel_templates::CompiledKernel& compiled = std::get<protocol::Compiled>(*reply).compiled;
  EXPECT_EQ(compiled.cubin.substr(1, 3), "ELF");
  EXPECT_EQ(compiled.find_entry("f").lowered_name, "f");
}

TEST_F(WorkerProcessTest, AProgramThatDoesNotCompileComesBackWithItsLogAndTheWorkerGoesOn) {
  WorkerProcess worker("compile", "compile 0");
  const std::optional<protocol::Message> reply = ask(worker, request("x[0] = nonsense;"));
  ASSERT_TRUE(is<protocol::Rejected>(reply));
  const search::Rejection& rejection = std::get<protocol::Rejected>(*reply).rejection;
  EXPECT_EQ(rejection.status, search::Status::kCompileFailed);
  EXPECT_NE(rejection.reason.find("small.cu(1)"), std::string::npos);
  EXPECT_TRUE(is<protocol::Compiled>(ask(worker, request("x[0] = 1;"))));
}

TEST_F(WorkerProcessTest, AMessageForAnotherWorkerIsReportedAsAFailure) {
  WorkerProcess worker("compile", "compile 0");
  ASSERT_TRUE(worker.channel().send(protocol::ListGpus{}));
  EXPECT_TRUE(is<protocol::Failure>(worker.channel().receive(60000)));
}

TEST_F(WorkerProcessTest, AWorkerEndsWhereItIsSentWhatIsNoMessage) {
  WorkerProcess worker("compile", "compile 0");
  ASSERT_EQ(::send(worker.channel().descriptor(), "nonsense", 8, 0), 8);
  EXPECT_FALSE(worker.channel().receive(60000).has_value());
  EXPECT_EQ(worker.end(), "exit code 4");
}

TEST_F(WorkerProcessTest, AWorkerEndsByItselfWhenItsParentsEndCloses) {
  WorkerProcess worker("compile", "compile 0");
  ASSERT_TRUE(ask(worker, request("")).has_value());
  const pid_t child = tuner::testing::children_of(::getpid()).at(0);
  { const MessageChannel closed = std::move(worker.channel()); }
  siginfo_t how{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);  // Hangs if it does not.
  EXPECT_EQ(worker.end(), "exit code 0");
}

TEST_F(WorkerProcessTest, EndSaysWhichSignalKilledIt) {
  WorkerProcess worker("compile", "compile 0");
  ASSERT_TRUE(ask(worker, request("")).has_value());
  const pid_t child = tuner::testing::children_of(::getpid()).at(0);
  ::kill(child, SIGUSR1);  // One that no sanitizer catches.
  siginfo_t how{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(worker.end(), "signal 10 (User defined signal 1)");
  EXPECT_EQ(worker.end(), "ended");
}

TEST_F(WorkerProcessTest, AnInterruptOfTheWholeGroupLeavesWorkersAtWork) {
  WorkerProcess worker("compile", "compile 0");
  const pid_t child = tuner::testing::children_of(::getpid()).at(0);
  for (const int number : {SIGINT, SIGTERM}) ::kill(child, number);
  EXPECT_TRUE(ask(worker, request("")).has_value());
}

TEST_F(WorkerProcessTest, AProgramThatCannotBeStartedShowsAsExitCode127) {
  const tuner::testing::ScopedVariable nothing("WARPTUNE_WORKER", "/nonexistent/warptune");
  WorkerProcess worker("compile", "compile 0");
  EXPECT_FALSE(worker.channel().receive(10000).has_value());
  EXPECT_EQ(worker.end(), "exit code 127");
}

}  // namespace
}  // namespace warptune::tuner::detail
