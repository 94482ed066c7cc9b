// Measures how long workers live after their coordinator was killed: bench/README.md.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/program.h"
#include "kernel_templates/compiler.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace po = boost::program_options;
using namespace warptune;
using Clock = std::chrono::steady_clock;

namespace {

constexpr const char* kProgram = "bench_worker_ends";

// A program that compiles for minutes, or at once with `depth` 1: every instance of a template needs two
// more.
kernel_templates::CompileRequest request(std::size_t number, int depth, bool by_nvcc) {
  kernel_templates::CompileRequest wanted{
      "endless.cu",
      fmt::format("template <int N, long I> struct V {{ static constexpr long value = "
                  "V<N - 1, 2 * I>::value + V<N - 1, 2 * I + 1>::value; }};"
                  "template <long I> struct V<0, I> {{ static constexpr long value = I; }};"
                  "extern \"C\" __global__ void f(long* x) {{ x[{}] = V<{}, 0>::value; }}",
                  number, depth),
      {"f"},
      {"-std=c++17"},
      "sm_90"};
  if (by_nvcc) wanted.compiler = kernel_templates::kNvcc;
  return wanted;
}

// The coordinator. It writes a byte to `ready` when its workers are idle or, without `idle`, at work.
[[noreturn]] void coordinate(std::size_t workers, bool idle, bool by_nvcc, int ready) {
  tuner::workers::compiling::CompilePool pool(workers, std::chrono::seconds(600));
  std::vector<kernel_templates::CompileRequest> requests;
  for (std::size_t i = 0; i < workers; ++i) requests.push_back(request(i, idle ? 1 : 30, by_nvcc));
  if (idle) {
    pool.compile_all(std::move(requests));
  } else {
    for (std::size_t i = 0; i < workers; ++i) pool.submit(i, std::move(requests[i]));
  }
  if (::write(ready, "r", 1) != 1) ::_exit(1);
  while (true) ::pause();
}

// A process from its file in /proc (proc(5)).
struct Process {
  pid_t id = 0;
  std::string name;
  std::string state;
  pid_t parent = 0;
  pid_t group = 0;
};

std::vector<Process> living_processes() {
  std::vector<Process> living;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    if (!std::getline(file, stat)) continue;  // No process, or one that has just gone.
    const std::size_t name_begin = stat.find('(');
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    Process process;
    process.id = static_cast<pid_t>(std::stoi(stat));
    process.name = stat.substr(name_begin + 1, name_end - name_begin - 1);
    std::istringstream(stat.substr(name_end + 1)) >> process.state >> process.parent >> process.group;
    if (process.state != "Z" && process.state != "X") living.push_back(std::move(process));
  }
  return living;
}

// The process groups of a coordinator and its workers. The workers of NVRTC are in the coordinator's group,
// and each of nvcc's leads a group.
std::set<pid_t> groups_of(pid_t coordinator) {
  std::set<pid_t> groups = {coordinator};
  for (const Process& process : living_processes()) {
    if (process.parent == coordinator) groups.insert(process.group);
  }
  return groups;
}

long count(const std::set<pid_t>& groups, const std::string& name = "") {
  const std::vector<Process> living = living_processes();
  return std::count_if(living.begin(), living.end(), [&](const Process& process) {
    return groups.count(process.group) != 0 && (name.empty() || process.name == name);
  });
}

struct Round {
  long processes = 0;  // Those that lived when the coordinator was killed, without it.
  double seconds = 0;  // From then until the last one had ended.
};

Round measure_round(std::size_t workers, bool idle, bool by_nvcc) {
  int ready[2];
  if (::pipe(ready) != 0) throw std::runtime_error("pipe failed");
  const pid_t coordinator = ::fork();
  if (coordinator == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);
    coordinate(workers, idle, by_nvcc, ready[1]);
  }
  ::close(ready[1]);
  char byte = 0;
  if (::read(ready[0], &byte, 1) != 1) throw std::runtime_error("the coordinator has failed");
  ::close(ready[0]);
  // The compilers get a second to begin. nvcc's workers are at work when all of them run its compiler.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::set<pid_t> groups = groups_of(coordinator);
  while (by_nvcc && !idle && count(groups, "cicc") < static_cast<long>(workers)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    groups = groups_of(coordinator);
  }
  Round round;
  round.processes = count(groups) - 1;
  const auto killed = Clock::now();
  ::kill(coordinator, SIGKILL);
  while (count(groups) > 0) {
    round.seconds = std::chrono::duration<double>(Clock::now() - killed).count();
    if (round.seconds > 60) throw std::runtime_error("processes live for more than 60 s");
  }
  round.seconds = std::chrono::duration<double>(Clock::now() - killed).count();
  ::waitpid(coordinator, nullptr, 0);
  return round;
}

void measure_rounds(const std::string& title, int rounds, std::size_t workers, bool idle, bool by_nvcc) {
  std::vector<double> seconds;
  long processes = 0;
  for (int i = 0; i < rounds; ++i) {
    const Round round = measure_round(workers, idle, by_nvcc);
    seconds.push_back(round.seconds);
    processes = std::max(processes, round.processes);
  }
  std::sort(seconds.begin(), seconds.end());
  fmt::print(
      "{}: at most {} processes; the last ended after {:.3f} s (median), {:.3f} s (largest) of {} rounds\n",
      title, processes, seconds[seconds.size() / 2], seconds.back(), rounds);
  std::fflush(stdout);
}

int measure(int argument_count, char** arguments) {
  po::options_description options("Options");
  options.add_options()("help", "show this")("workers", po::value<std::size_t>()->default_value(16),
                                             "compile workers")(
      "rounds", po::value<int>()->default_value(10), "coordinators that are killed, for each line");
  const auto parsed = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!parsed) return 0;
  const auto workers = (*parsed)["workers"].as<std::size_t>();
  const auto rounds = std::max(1, (*parsed)["rounds"].as<int>());
  measure_rounds(fmt::format("{} idle workers", workers), rounds, workers, true, false);
  measure_rounds(fmt::format("{} workers with NVRTC", workers), rounds, workers, false, false);
  if (!kernel_templates::find_nvcc().empty())
    measure_rounds(fmt::format("{} workers with nvcc", workers), rounds, workers, false, true);
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
