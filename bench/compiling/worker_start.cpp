// Measures what a new compile worker costs before it compiles as fast as one that has compiled before:
// bench/README.md.

#include <poll.h>

#include <boost/program_options.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench/compile_rate.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"
#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"

namespace po = boost::program_options;
using namespace warptune;
using kernel_templates::CompileRequest;
using tuner::processes::WorkerProcess;

namespace {

constexpr const char* kProgram = "bench_worker_start";

// The milliseconds of one worker, from its start on. Each value is one of many, for medians.
struct Times {
  std::vector<double> process;  // The process runs and is confined: it answers a message.
  std::vector<double> nvrtc;    // NVRTC is loaded: it refuses an unknown option.
  std::vector<double> first;    // The first program.
  std::vector<double> again;    // The same program once more.
  std::vector<double> saved;    // What a worker that had compiled before would not need.
};

double ms_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

tuner::protocol::Message answer_to(WorkerProcess& worker, const tuner::protocol::Message& question) {
  if (!worker.channel().send(question)) throw base::InternalError("the worker does not listen");
  std::optional<tuner::protocol::Message> answer = worker.channel().receive();
  if (!answer) throw base::InternalError("the worker ended: " + worker.end());
  return std::move(*answer);
}

void compile_in(WorkerProcess& worker, const CompileRequest& request) {
  const tuner::protocol::Message answer = answer_to(worker, tuner::protocol::Compile{request});
  if (!std::holds_alternative<tuner::protocol::Compiled>(answer))
    throw base::InputError("a program does not compile");
}

void measure_worker(const CompileRequest& request, const std::filesystem::path& scratch, Times& times) {
  const tuner::confinement::Sandbox sandbox{kernel_templates::folders_read_by(request), scratch};
  std::optional<WorkerProcess> worker;
  CompileRequest refused = request;
  refused.options.emplace_back("--no-option-of-nvrtc");
  times.process.push_back(ms_of([&] {
    worker.emplace("bench", sandbox);
    answer_to(*worker, tuner::protocol::ListGpus{});  // It answers that it lists none.
  }));
  times.nvrtc.push_back(ms_of([&] { answer_to(*worker, tuner::protocol::Compile{refused}); }));
  times.first.push_back(ms_of([&] { compile_in(*worker, request); }));
  times.again.push_back(ms_of([&] { compile_in(*worker, request); }));
  times.saved.push_back(times.process.back() + times.nvrtc.back() + times.first.back() - times.again.back());
}

void append(std::vector<double>& all, const std::vector<double>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

// `jobs` workers start at the same time, each for a program of its own.
void measure_kernel(const std::string& kernel, std::size_t jobs, int rounds, std::uint64_t seed) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(kernel), {},
                                                  model::fictional_gpu());
  const tuner::confinement::ScratchFolder scratch;
  const std::size_t count = jobs * static_cast<std::size_t>(rounds);
  const std::vector<CompileRequest> requests = bench::sampled_requests(instance, count, seed);
  Times all;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Times> of_workers(jobs);
    std::vector<std::thread> threads;
    for (std::size_t job = 0; job < jobs; ++job)
      threads.emplace_back([&, job] {
        const CompileRequest& request = requests[static_cast<std::size_t>(round) * jobs + job];
        measure_worker(request, scratch.path(), of_workers[job]);
      });
    for (std::thread& thread : threads) thread.join();
    for (const Times& times : of_workers) {
      append(all.process, times.process);
      append(all.nvrtc, times.nvrtc);
      append(all.first, times.first);
      append(all.again, times.again);
      append(all.saved, times.saved);
    }
  }
  fmt::print("{:<12} {:>22} {:>22} {:>24} {:>24} {:>24}\n", kernel, bench::spread_text(all.process, 1),
             bench::spread_text(all.nvrtc, 1), bench::spread_text(all.first, 0),
             bench::spread_text(all.again, 0), bench::spread_text(all.saved, 0));
  std::fflush(stdout);
}

// The milliseconds of a session of `requests`, from its start to its first program and to its last.
std::pair<double, double> session_ms(const std::vector<CompileRequest>& requests, std::size_t jobs,
                                     const std::string& definition) {
  const auto start = std::chrono::steady_clock::now();
  const auto now_ms = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  tuner::workers::compiling::CompilePool pool(jobs, std::chrono::seconds(600), {}, 0, definition);
  for (std::size_t i = 0; i < requests.size(); ++i) pool.submit(i, requests[i]);
  double first = 0.0;
  for (std::size_t done = 0; done < requests.size();) {
    std::vector<pollfd> polled;
    for (const int descriptor : pool.descriptors()) polled.push_back({descriptor, POLLIN, 0});
    ::poll(polled.data(), polled.size(), 100);
    done += pool.collect().size();
    if (first == 0.0 && done > 0) first = now_ms();
  }
  return {first, now_ms()};
}

// Alternates sessions without and with the pool of warm workers. The first session with the pool, whose
// workers are new, does not count.
void compare_sessions(const std::string& kernel, std::size_t jobs, int rounds, std::uint64_t seed) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(kernel), {},
                                                  model::fictional_gpu());
  const std::string definition = tuner::workers::compiling::identity_of(instance.definition());
  std::vector<std::vector<double>> firsts(2);
  std::vector<std::vector<double>> lasts(2);
  std::vector<double> first_ratios;
  std::vector<double> last_ratios;
  for (int round = -1; round < rounds; ++round) {
    const auto requests =
        bench::sampled_requests(instance, jobs, seed + static_cast<std::uint64_t>(round + 1));
    for (const std::size_t warm : {0U, 1U}) {
      ::setenv("WARPTUNE_WARM_WORKERS", warm != 0 ? "60" : "0", 1);
      const auto [first, last] = session_ms(requests, jobs, definition);
      if (round < 0) continue;
      firsts[warm].push_back(first);
      lasts[warm].push_back(last);
    }
    if (round < 0) continue;
    first_ratios.push_back(firsts[1].back() / firsts[0].back());
    last_ratios.push_back(lasts[1].back() / lasts[0].back());
  }
  const auto show = [&](const char* what, const auto& all, const std::vector<double>& ratios) {
    fmt::print("{:<22} {:<14} {:>24} {:>24} {:>22}\n", kernel, what, bench::spread_text(all[0], 0),
               bench::spread_text(all[1], 0), bench::spread_text(ratios, 2));
  };
  show("first program", firsts, first_ratios);
  show("all programs", lasts, last_ratios);
  std::fflush(stdout);
}

int measure(int argument_count, char** arguments) {
  po::options_description options("Options");
  options.add_options()("help", "show this")(
      "kernel",
      po::value<std::vector<std::string>>()->multitoken()->default_value(
          {"sgemm", "gemm_tc", "softmax", "transpose", "reduction"}, "five shipped kernels"),
      "names or paths")("jobs", po::value<std::size_t>()->default_value(1),
                        "workers that start at the same time")("rounds", po::value<int>()->default_value(11),
                                                               "how often")(
      "seed", po::value<std::uint64_t>()->default_value(1), "seed of the draw of configurations")(
      "warm", "compare whole sessions without and with the pool of warm workers");
  const auto parsed = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const auto& kernels = given["kernel"].as<std::vector<std::string>>();
  const auto jobs = given["jobs"].as<std::size_t>();
  const int rounds = given["rounds"].as<int>();
  const auto seed = given["seed"].as<std::uint64_t>();
  if (given.count("warm") != 0) {
    fmt::print(
        "ms, median (lowest to highest) of {} sessions of {} programs, each in a worker of its own\n"
        "{:<22} {:<14} {:>24} {:>24} {:>22}\n",
        rounds, jobs, "", "to its", "own workers", "warm workers", "ratio");
    for (const std::string& kernel : kernels) compare_sessions(kernel, jobs, rounds, seed);
    return 0;
  }
  fmt::print(
      "ms, median (lowest to highest) of {} rounds of {} workers\n{:<12} {:>22} {:>22} {:>24} {:>24} "
      "{:>24}\n",
      rounds, jobs, "", "process", "NVRTC", "first program", "the same again", "saved when warm");
  for (const std::string& kernel : kernels) measure_kernel(kernel, jobs, rounds, seed);
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
