// What libwarptune costs a program: selecting, opening, launching, and the first launch of a process.
//
// The bare launch is cuLaunchKernelEx with the same code, launch configuration and arguments. Both are timed
// in alternating batches, which have fewer launches than fit into the driver's queue. The first launch is
// timed in new processes, which alternate, too. Launches need a GPU; without one they are left out.
//
//   lookup [--db FILE] [--snapshot FILE] [--kernel vector_add] [--size N] [--gpu NAME] [--processes 20]
#include <cuda.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "bench/lookup/bare_code.h"
#include "bench/lookup/counted_allocations.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "library/include/warptune.hpp"

namespace {

using namespace warptune;
namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr const char* kProgram = "bench_lookup";
constexpr int kRounds = 31;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

struct Asked {
  std::string database, snapshot, gpu, kernel;
  std::int64_t size = 1024;
  int processes = 20;
};

warptune_open_options options_of(const Asked& asked) {
  warptune_open_options options{};
  if (!asked.database.empty()) options.database = asked.database.c_str();
  if (!asked.snapshot.empty()) options.snapshot = asked.snapshot.c_str();
  if (!asked.gpu.empty()) options.gpu = asked.gpu.c_str();
  return options;
}

// The time of one call, of several rounds of many calls.
template <class Call>
std::vector<double> call_ns(int calls, const Call& call) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < calls; ++i) call(i);
    rounds.push_back(nanoseconds_since(start) / calls);
  }
  return rounds;
}

// The time of one call when several threads call at the same time.
template <class Call>
std::vector<double> threads_ns(int threads, int calls, const Call& call) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> ready = 0;
    std::vector<double> times(static_cast<std::size_t>(threads));
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&, t] {
        ++ready;
        while (ready.load() < threads) std::this_thread::yield();
        const Clock::time_point start = Clock::now();
        for (int i = 0; i < calls; ++i) call(i);
        times[static_cast<std::size_t>(t)] = nanoseconds_since(start) / calls;
      });
    }
    for (std::thread& thread : all) thread.join();
    double sum = 0.0;
    for (const double time : times) sum += time;
    rounds.push_back(sum / threads);
  }
  return rounds;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void report(const std::string& what, const std::vector<double>& values, const char* unit, int digits) {
  std::fputs(fmt::format("{:<52} {} {}\n", what, warptune::bench::spread_text(values, digits), unit).c_str(),
             stdout);
  std::fflush(stdout);
}

void report_select(const Asked& asked) {
  constexpr int kCalls = 2'000'000;
  const Library library(options_of(asked));
  const Kernel kernel = library.kernel(asked.kernel);
  std::atomic<std::uintptr_t> seen = 0;  // Keeps the compiler from removing the calls.
  const auto note = [&](const warptune::Selection& selection) {
    if (selection.get() == nullptr) seen.store(1, std::memory_order_relaxed);
  };
  std::array<std::int64_t, 8> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = asked.size + static_cast<std::int64_t>(i) * 32;
    kernel.select(sizes[i], "f32");
  }
  CallSite<1> site(kernel, {"f32"});
  const auto cached = [&](int i) { note(site.select(sizes[static_cast<std::size_t>(i) % 2])); };
  const auto hashed = [&](int i) { note(kernel.select(sizes[static_cast<std::size_t>(i) % 8], "f32")); };
  report("select, cached call site", call_ns(kCalls, cached), "ns", 2);
  report("select, hashed (an integer and a type)", call_ns(kCalls, hashed), "ns", 2);
  const int threads = static_cast<int>(std::min(16U, std::thread::hardware_concurrency()));
  for (const int count : {1, threads}) {
    report(fmt::format("select, cached, {} threads", count), threads_ns(count, kCalls, cached), "ns", 2);
    report(fmt::format("select, hashed, {} threads", count), threads_ns(count, kCalls, hashed), "ns", 2);
  }
}

void report_open(const Asked& asked) {
  std::vector<double> opened;
  std::vector<double> kernel;
  std::vector<double> first;
  for (int round = 0; round < kRounds; ++round) {
    Clock::time_point start = Clock::now();
    const Library library(options_of(asked));
    opened.push_back(nanoseconds_since(start) / 1e6);
    start = Clock::now();
    const Kernel one = library.kernel(asked.kernel);
    kernel.push_back(nanoseconds_since(start) / 1e6);
    start = Clock::now();
    one.select(asked.size);
    first.push_back(nanoseconds_since(start) / 1e6);
  }
  const std::string what = asked.snapshot.empty() ? "database" : "snapshot";
  report("open a " + what, opened, "ms", 3);
  report("then: open a kernel", kernel, "ms", 3);
  report("then: select the first time", first, "ms", 3);
}

void report_launch(const Asked& asked) {
  constexpr int kBatch = 200;  // The driver's queue has room for more.
  const warptune::bench::BareContext context;
  const Library library(options_of(asked));
  const warptune::Selection selection = library.kernel(asked.kernel).select(asked.size);
  const Code code = selection.load();
  const warptune::bench::LaunchBuffers buffers(code);
  const warptune::bench::BareCode bare(asked.kernel, asked.size, selection.info().configuration, buffers);
  const auto launch = [&] { buffers.launch(code, context.stream()); };
  std::vector<double> by_library;
  std::vector<double> by_driver;
  std::vector<double> extra;
  std::size_t allocated = 0;
  for (int round = 0; round < 10 * kRounds; ++round) {
    Clock::time_point start = Clock::now();
    for (int i = 0; i < kBatch; ++i) bare.launch(context.stream());
    by_driver.push_back(nanoseconds_since(start) / kBatch);
    context.synchronise();
    const std::size_t before = warptune::bench::allocation_count();
    start = Clock::now();
    for (int i = 0; i < kBatch; ++i) launch();
    const double taken = nanoseconds_since(start) / kBatch;
    allocated += warptune::bench::allocation_count() - before;
    by_library.push_back(taken);
    context.synchronise();
    extra.push_back(by_library.back() - by_driver.back());
  }
  report("bare cuLaunchKernelEx", by_driver, "ns", 0);
  report("warptune_launch", by_library, "ns", 0);
  report("warptune_launch over the bare launch before it", extra, "ns", 0);
  std::fputs(fmt::format("difference of the medians: {:.0f} ns; allocations in {} launches: {}\n",
                         median_of(by_library) - median_of(by_driver), 10 * kRounds * kBatch, allocated)
                 .c_str(),
             stdout);
}

// The stages of a first launch with libwarptune.
constexpr std::array<const char*, 5> kStages = {"open", "kernel", "select", "load", "launch"};

// The child's part: the first launch of a process. Prints the milliseconds since the context exists, and
// those of each stage.
int first_launch(const Asked& asked, const std::string& cubin) {
  const warptune::bench::BareContext context;
  const Clock::time_point start = Clock::now();
  std::string stages;
  if (cubin.empty()) {
    Clock::time_point last = start;
    const auto end_stage = [&] {
      stages += fmt::format(" {}", nanoseconds_since(last) / 1e6);
      last = Clock::now();
    };
    const Library library(options_of(asked));
    end_stage();
    const Kernel kernel = library.kernel(asked.kernel);
    end_stage();
    const warptune::Selection selection = kernel.select(asked.size);
    end_stage();
    const Code code = selection.load();
    end_stage();
    const warptune::bench::LaunchBuffers buffers(code);
    buffers.launch(code, context.stream());
    context.synchronise();
    end_stage();
    std::fputs(fmt::format("{}{}\n", nanoseconds_since(start) / 1e6, stages).c_str(), stdout);
    return 0;
  }
  const warptune::bench::BareFile bare(cubin);
  bare.launch(context.stream());
  context.synchronise();
  std::fputs(fmt::format("{}\n", nanoseconds_since(start) / 1e6).c_str(), stdout);
  return 0;
}

struct ChildTimes {
  std::vector<double> process_ms;
  std::vector<double> launch_ms;
  std::array<std::vector<double>, kStages.size()> stages_ms;
};

void run_child(const std::string& command, ChildTimes& times) {
  const Clock::time_point start = Clock::now();
  FILE* child = ::popen(command.c_str(), "r");
  double launch_ms = 0.0;
  const bool answered = child != nullptr && std::fscanf(child, "%lf", &launch_ms) == 1;
  for (std::vector<double>& stage : times.stages_ms) {
    double ms = 0.0;
    if (answered && std::fscanf(child, "%lf", &ms) == 1) stage.push_back(ms);
  }
  if (child == nullptr || ::pclose(child) != 0 || !answered)
    throw std::runtime_error("a process of the first launch failed");
  times.process_ms.push_back(nanoseconds_since(start) / 1e6);
  times.launch_ms.push_back(launch_ms);
}

void report_first_launch(const Asked& asked, const std::string& self) {
  const std::string cubin = fmt::format("/tmp/bench_lookup.{}", ::getpid());
  {
    const warptune::bench::BareContext context;
    const Library library(options_of(asked));
    const warptune::Selection selection = library.kernel(asked.kernel).select(asked.size);
    const Code code = selection.load();  // From now on it is in the compile cache.
    const warptune::bench::LaunchBuffers buffers(code);
    warptune::bench::BareCode(asked.kernel, asked.size, selection.info().configuration, buffers).write(cubin);
  }
  const std::string common = fmt::format("{} --first --kernel {} --size {}{}{}", self, asked.kernel,
                                         asked.size, asked.database.empty() ? "" : " --db " + asked.database,
                                         asked.snapshot.empty() ? "" : " --snapshot " + asked.snapshot);
  ChildTimes bare;
  ChildTimes by_library;
  for (int i = 0; i < asked.processes; ++i) {
    run_child(common + " --cubin " + cubin, bare);
    run_child(common, by_library);
  }
  ::unlink(cubin.c_str());
  report("process with cuModuleLoad and a launch", bare.process_ms, "ms", 1);
  report("process with libwarptune and a launch", by_library.process_ms, "ms", 1);
  report("cuModuleLoad and a launch, after the context", bare.launch_ms, "ms", 2);
  report("libwarptune's open to launch, after the context", by_library.launch_ms, "ms", 2);
  for (std::size_t i = 0; i < kStages.size(); ++i)
    report(fmt::format("  of these: {}", kStages[i]), by_library.stages_ms[i], "ms", 2);
  std::fputs(fmt::format("first launch over the bare one: {:.2f} of the process, {:.2f} after the context\n",
                         median_of(by_library.process_ms) / median_of(bare.process_ms),
                         median_of(by_library.launch_ms) / median_of(bare.launch_ms))
                 .c_str(),
             stdout);
}

int measure(int argument_count, char** arguments) {
  po::options_description options("Options");
  Asked asked;
  std::string cubin;
  options.add_options()("help", "print this help and exit")                                    //
      ("db", po::value(&asked.database), "database; default: the usual one")                   //
      ("snapshot", po::value(&asked.snapshot), "snapshot, instead of a database")              //
      ("gpu", po::value(&asked.gpu), "a known GPU; nothing is launched then")                  //
      ("kernel", po::value(&asked.kernel)->default_value("vector_add"), "kernel")              //
      ("size", po::value(&asked.size)->default_value(1024), "first entry of the problem")      //
      ("processes", po::value(&asked.processes)->default_value(20), "processes of each kind")  //
      ("first", "only the first launch of a process")("cubin", po::value(&cubin), "with --first: bare");
  const auto given = warptune::bench::parse_options(kProgram, options, argument_count, arguments);
  if (!given) return 0;
  if (given->count("first") != 0) return first_launch(asked, cubin);
  report_open(asked);
  report_select(asked);
  if (!asked.gpu.empty()) return 0;
  report_launch(asked);
  report_first_launch(asked, base::program_folder() / "bench_lookup");
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return warptune::bench::run_program(kProgram, argument_count, arguments, measure);
}
