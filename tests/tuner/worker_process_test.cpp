#include "tuner/detail/worker_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tuner/program.h"
#include "tuner/detail/json_forms.h"

namespace warptune::tuner::detail {
namespace {

using nlohmann::json;

class WorkerProcessTest : public ::testing::Test {
 protected:
  tuner::testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_BINARY};
};

kernel_templates::CompileRequest request(const std::string& body) {
  return {"small.cu", "extern \"C\" __global__ void f(float* x) { " + body + " }", {"f"}, {}, "sm_90"};
}

std::optional<json> ask(WorkerProcess& worker, const kernel_templates::CompileRequest& wanted) {
  EXPECT_TRUE(worker.channel().send({{"type", "compile"}, {"id", 42}, {"request", to_json(wanted)}}));
  return worker.channel().receive(60000);
}

TEST_F(WorkerProcessTest, ACompileWorkerCompilesAKernel) {
  WorkerProcess worker("compile", "compile 0");
  const std::optional<json> reply = ask(worker, request("x[0] = 1;"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->at("id"), 42);
  ASSERT_EQ(reply->at("type"), "compiled") << reply->dump();
  const kernel_templates::CompiledKernel compiled = compiled_of(reply->at("compiled"));
  EXPECT_EQ(compiled.cubin.substr(1, 3), "ELF");
  EXPECT_EQ(compiled.find_entry("f").lowered_name, "f");
}

TEST_F(WorkerProcessTest, AProgramThatDoesNotCompileComesBackWithItsLogAndTheWorkerGoesOn) {
  WorkerProcess worker("compile", "compile 0");
  const std::optional<json> reply = ask(worker, request("x[0] = nonsense;"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->at("status"), "compile_failed");
  EXPECT_NE(reply->at("reason").get<std::string>().find("small.cu(1)"), std::string::npos);
  EXPECT_EQ(ask(worker, request("x[0] = 1;"))->at("type"), "compiled");
}

TEST_F(WorkerProcessTest, AMessageThatMakesNoSenseIsReportedAsAnError) {
  WorkerProcess worker("compile", "compile 0");
  ASSERT_TRUE(worker.channel().send({{"type", "compile"}}));
  EXPECT_EQ(worker.channel().receive(60000).value().at("type"), "error");
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
