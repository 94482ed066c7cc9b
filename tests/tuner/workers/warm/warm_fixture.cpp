#include "tests/tuner/workers/warm/warm_fixture.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <thread>
#include <utility>

#include "tests/tuner/program.h"
#include "tuner/confinement/sandbox.h"
#include "tuner/confinement/sanitized.h"
#include "tuner/workers/warm/place.h"

namespace warptune::tuner::workers::warm {

namespace fs = std::filesystem;

WarmWorkers::WarmWorkers() : program_("WARPTUNE_WORKER", WARPTUNE_BINARY) {}

void WarmWorkers::SetUp() {
  if (confinement::kSanitized) GTEST_SKIP() << "workers of a sanitized program are confined less";
  if (!confinement::sandbox_problem().empty()) GTEST_SKIP() << confinement::sandbox_problem();
  for (const char* name : {"run", "cache", "tmp"}) {
    fs::create_directory(folder_ / name);
    ::chmod((folder_ / name).c_str(), 0700);
  }
}

void WarmWorkers::TearDown() {
  for (const pid_t pid : running_pools()) {
    ::kill(pid, SIGCONT);
    ::kill(pid, SIGTERM);
  }
  EXPECT_TRUE(soon([] { return running_pools().empty(); }));
}

pid_t WarmWorkers::pool() {
  const std::vector<pid_t> pools = running_pools();
  return pools.size() == 1 ? pools.front() : -1;
}

std::vector<pid_t> WarmWorkers::workers() { return testing::children_of(pool()); }

bool WarmWorkers::soon(const std::function<bool()>& holds) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds() && std::chrono::steady_clock::now() < late)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return holds();
}

std::string WarmWorkers::text_of(const Outcome& outcome) {
  if (!outcome) return outcome.error().reason;
  std::string text = outcome->cubin + outcome->log;
  for (const auto& entry : outcome->entries)
    text += fmt::format("{} {} {}\n", entry.entry, entry.lowered_name, entry.registers_per_thread);
  return text;
}

WarmWorkers::Outcome WarmWorkers::session_outcome(const std::string& definition,
                                                  const kernel_templates::CompileRequest& request,
                                                  std::uint64_t memory_bytes) {
  return std::move(session(definition, 1, memory_bytes).compile_all({request}).front());
}

kernel_templates::CompileRequest WarmWorkers::program(const std::string& body, const std::string& before) {
  return {"warm.cu",
          before + "extern \"C\" __global__ void f(float* x) { " + body + " }",
          {"f"},
          {"-std=c++17"},
          "sm_90"};
}

kernel_templates::CompileRequest WarmWorkers::endless() {
  return program("x[0] = V<30, 0>::value;",
                 "template <int N, long I> struct V { static constexpr long value = "
                 "V<N - 1, 2 * I>::value + V<N - 1, 2 * I + 1>::value; };"
                 "template <long I> struct V<0, I> { static constexpr long value = I; };");
}

}  // namespace warptune::tuner::workers::warm
