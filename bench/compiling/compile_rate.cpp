// Measures how many configurations of a kernel NVRTC alone compiles per second, in a number of processes:
// bench/README.md.

#include "bench/compile_rate.h"

#include <boost/program_options.hpp>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include "base/hash.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"

namespace po = boost::program_options;
using namespace warptune;

namespace {

constexpr const char* kProgram = "bench_compile_rate";

// Counts the programs of a space. Configurations that differ only in launch parameters share a program.
int count_programs(const kernel_templates::KernelInstance& instance) {
  const model::Space& space = instance.space();
  std::unordered_set<std::string> programs;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const auto request = instance.compile_request(space.values_of(space.at(i)));
    if (request)
      programs.insert(base::hash_hex(request->source + fmt::format("{}", fmt::join(request->options, " "))));
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} configurations, {} programs, {:.0f} us per configuration\n", instance.definition().name,
             space.size(), programs.size(), time.count() / static_cast<double>(space.size()));
  return 0;
}

int measure(int argument_count, char** arguments) {
  po::options_description options("Options");
  options.add_options()("help", "show this")("kernel", po::value<std::string>()->default_value("sgemm"),
                                             "name or path")(
      "count", po::value<std::size_t>()->default_value(500), "configurations, drawn uniformly")(
      "seed", po::value<std::uint64_t>()->default_value(1), "seed of the draw")(
      "jobs", po::value<std::size_t>()->default_value(tuner::workers::compiling::default_compile_workers()),
      "compile processes")("count-programs", "compile nothing: count the programs of the whole space")(
      "repeat", po::value<int>()->default_value(1), "runs over the same configurations");
  const auto parsed = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const kernel_templates::KernelInstance instance(
      kernel_templates::load_kernel(given["kernel"].as<std::string>()), {}, model::fictional_gpu());
  if (given.count("count-programs") != 0) return count_programs(instance);
  const auto requests =
      bench::sampled_requests(instance, given["count"].as<std::size_t>(), given["seed"].as<std::uint64_t>());
  std::vector<double> rates;
  for (int run = 0; run < given["repeat"].as<int>(); ++run) {
    const bench::CompileRate rate = bench::compile_rate(requests, given["jobs"].as<std::size_t>());
    rates.push_back(static_cast<double>(requests.size()) / rate.seconds);
    fmt::print(
        "{}: {} configurations, {} programs, {} failed, {} processes: {:.2f} s, {:.1f} configurations/s, "
        "{:.0f} ms per program in NVRTC\n",
        instance.definition().name, requests.size(), rate.programs, rate.failed,
        given["jobs"].as<std::size_t>(), rate.seconds, rates.back(),
        1e3 * rate.compile_s / static_cast<double>(rate.programs));
    std::fflush(stdout);
  }
  if (rates.size() > 1)
    fmt::print("median (lowest to highest) of {}: {} configurations/s\n", rates.size(),
               bench::spread_text(rates, 1));
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
