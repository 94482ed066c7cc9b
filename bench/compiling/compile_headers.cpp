// Measures the compile time of headers, and what warm processes, precompiled headers and the cache save:
// bench/README.md.

#include <unistd.h>

#include <boost/program_options.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace fs = std::filesystem;
namespace po = boost::program_options;
using namespace warptune;
using kernel_templates::CompileRequest;
using tuner::workers::compiling::CompilePool;

namespace {

constexpr const char* kProgram = "bench_compile_headers";

struct Workload {
  const char* name;
  const char* includes;
  const char* body;
};

const Workload kWorkloads[] = {
    {"no header", "", R"(extern "C" __global__ void kernel(float* x) {
  __shared__ float sums[BLOCK];
  sums[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) x[blockIdx.x] = sums[0];
}
)"},
    {"CUB block reduce", "#include <cub/block/block_reduce.cuh>\n",
     R"(extern "C" __global__ void kernel(float* x) {
  using Reduce = cub::BlockReduce<float, BLOCK>;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(x[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x == 0) x[blockIdx.x] = sum;
}
)"},
    {"cooperative groups", "#include <cooperative_groups.h>\n", R"(namespace cg = cooperative_groups;
extern "C" __global__ void kernel(float* x) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = x[blockIdx.x * BLOCK + threadIdx.x];
  for (unsigned i = tile.size() / 2; i > 0; i /= 2) sum += tile.shfl_down(sum, i);
  if (tile.thread_rank() == 0) x[blockIdx.x * (BLOCK / 32) + threadIdx.x / 32] = sum;
}
)"}};

double seconds_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The requests of a definition with `count` configurations, made by kernel_templates as in a session.
std::vector<CompileRequest> requests_of(const Workload& workload, const fs::path& folder, int count) {
  const fs::path file = folder / "kernel.cu";
  std::string blocks;
  for (int i = 1; i <= count; ++i) blocks += fmt::format("{}{}", i > 1 ? ", " : "", 32 * i);
  std::ofstream(file)
      << "/* warptune\n[kernel]\nentry = \"kernel\"\n[parameters]\nBLOCK = [" << blocks
      << "]\n[launch]\ngrid = 1\nblock = [\"BLOCK\"]\n[[argument]]\nname = \"x\"\nkind = \"inout\"\n"
         "type = \"f32\"\ncount = 1024\n*/\n"
      << workload.includes << workload.body;
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel_definition(file), {},
                                                  model::fictional_gpu());
  std::vector<CompileRequest> requests;
  for (std::uint64_t i = 0; i < instance.space().size(); ++i)
    requests.push_back(instance.compile_request(instance.space().values_of(instance.space().at(i))).value());
  return requests;
}

// The milliseconds of each request, one after another, without the first `skipped` requests.
std::vector<double> each_ms(CompilePool& pool, const std::vector<CompileRequest>& requests,
                            std::size_t skipped) {
  std::vector<double> times;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const double seconds = seconds_of([&] {
      const auto outcomes = pool.compile_all({requests[i]});
      if (!outcomes.front()) throw base::InputError(outcomes.front().error().reason);
    });
    if (i >= skipped) times.push_back(1e3 * seconds);
  }
  return times;
}

std::vector<CompileRequest> without(std::vector<CompileRequest> requests,
                                    std::initializer_list<const char*> options) {
  for (CompileRequest& request : requests) {
    for (const char* option : options) std::erase(request.options, option);
  }
  return requests;
}

void measure_workload(const Workload& workload, const fs::path& folder, int count) {
  constexpr const char* kLimit = "-D_CCCL_META_UNROLL_LIMIT=8";
  constexpr std::chrono::seconds kDeadline(600);
  const std::vector<CompileRequest> requests = requests_of(workload, folder, count);
  const auto show = [&](const std::string& how, const std::vector<double>& times, int digits) {
    fmt::print("{:<20} {:<56} {:>28} ms\n", workload.name, how, bench::spread_text(times, digits));
    std::fflush(stdout);
  };
  std::vector<double> alone;
  for (const CompileRequest& request : without(requests, {"-pch", kLimit})) {
    CompilePool pool(1, kDeadline);
    alone.push_back(each_ms(pool, {request}, 0).front());
  }
  show("a new process for each compile", alone, 1);
  const auto warm = [&](const std::string& how, const std::vector<CompileRequest>& programs) {
    CompilePool pool(1, kDeadline);
    std::vector<double> times = each_ms(pool, programs, 0);
    show(how + ", its first", {times.front()}, 1);
    times.erase(times.begin());
    show(how, times, 1);
  };
  warm("one warm process", without(requests, {"-pch", kLimit}));
  if (requests.front().options != without(requests, {"-pch"}).front().options) {
    warm("one warm process, unroll limit of the core libraries", without(requests, {"-pch"}));
    warm("one warm process, limit and precompiled headers", requests);
  }
  const fs::path kept = folder / "cache";
  {
    CompilePool filling(1, kDeadline, kept);
    each_ms(filling, requests, 0);
  }
  CompilePool pool(1, kDeadline, kept);
  show("from the cache, through a worker", each_ms(pool, requests, 1), 2);
  kernel_templates::CompileCache cache(kept);
  std::vector<double> times;
  for (const CompileRequest& request : requests) {
    times.push_back(1e3 * seconds_of([&] {
                      if (!cache.find(kernel_templates::compile_key(request)))
                        throw base::InternalError("not in the cache");
                    }));
  }
  times.erase(times.begin());
  show("from the cache, key and look-up alone", times, 3);
  cache.clear();
}

int measure(int argument_count, char** arguments) {
  po::options_description options("Options");
  options.add_options()("help", "show this")("count", po::value<int>()->default_value(15),
                                             "configurations, 3 to 32");
  const auto parsed = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const fs::path folder = fs::temp_directory_path() / fmt::format("warptune-bench-{}", ::getpid());
  fs::create_directories(folder);
  fmt::print("median (lowest to highest) of {} configurations, wall time in the coordinator\n",
             given["count"].as<int>());
  for (const Workload& workload : kWorkloads) measure_workload(workload, folder, given["count"].as<int>());
  fs::remove_all(folder);
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
