// Measures in which phases NVRTC spends its time for random configurations of shipped kernels, and how much
// of it the option `--Ofast-compile=mid` saves: bench/README.md.

#include <unistd.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench/compile_rate.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"

namespace po = boost::program_options;
namespace fs = std::filesystem;
using namespace warptune;

namespace {

constexpr const char* kProgram = "bench_compile_phases";

double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Compiles a program with an additional option. Returns the CPU time in ms.
double compile_with(kernel_templates::CompileRequest request, const std::string& option) {
  if (!option.empty()) request.options.push_back(option);
  const double start = cpu_ms();
  const auto compiled = kernel_templates::compile(request);
  if (!compiled) throw base::InputError(compiled.error().reason);
  return cpu_ms() - start;
}

// The milliseconds of each phase, from a table that NVRTC writes: `file, phase, time, ms` a line.
std::map<std::string, double> read_phases(const fs::path& file) {
  std::map<std::string, double> phases;
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);  // The names of the columns.
  while (std::getline(stream, line)) {
    std::istringstream cells(line);
    std::string name;
    std::string phase;
    std::string time;
    std::getline(cells, name, ',');
    std::getline(cells, phase, ',');
    std::getline(cells, time, ',');
    phases[phase.substr(phase.find_first_not_of(' '))] += std::stod(time);
  }
  return phases;
}

void measure_kernel(const std::string& kernel, std::size_t count, std::uint64_t seed) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(kernel), {},
                                                  model::fictional_gpu());
  const fs::path table = fs::temp_directory_path() / fmt::format("warptune_phases_{}.csv", ::getpid());
  std::map<std::string, double> phases;
  double all_ms = 0.0;
  std::vector<double> programs;
  std::vector<double> ratios;
  for (const kernel_templates::CompileRequest& request : bench::sampled_requests(instance, count, seed)) {
    compile_with(request, fmt::format("--time={}", table.string()));
    for (const auto& [phase, ms] : read_phases(table)) {
      phases[phase] += ms;
      all_ms += ms;
    }
    fs::remove(table);
    programs.push_back(compile_with(request, ""));
    ratios.push_back(compile_with(request, "--Ofast-compile=mid") / programs.back());
  }
  std::string shares;
  for (const auto& [phase, ms] : phases) shares += fmt::format("; {} {:.0f} %", phase, 100.0 * ms / all_ms);
  fmt::print("{:<14} CPU ms of a program {}; with --Ofast-compile=mid {} of it{}\n", kernel,
             bench::spread_text(programs, 0), bench::spread_text(ratios, 2), shares);
  std::fflush(stdout);
}

int measure(int argument_count, char** arguments) {
  po::options_description options("Options");
  options.add_options()("help", "show this")("kernel", po::value<std::vector<std::string>>()->multitoken(),
                                             "names or paths; default: all shipped kernels")(
      "count", po::value<std::size_t>()->default_value(12), "configurations of each, drawn uniformly")(
      "seed", po::value<std::uint64_t>()->default_value(1), "seed of the draw");
  const auto parsed = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const std::vector<std::string> kernels = given.count("kernel") != 0
                                               ? given["kernel"].as<std::vector<std::string>>()
                                               : kernel_templates::shipped_kernels();
  fmt::print("{} configurations of each kernel; medians (lowest to highest); shares of the phases' time\n",
             given["count"].as<std::size_t>());
  for (const std::string& kernel : kernels)
    measure_kernel(kernel, given["count"].as<std::size_t>(), given["seed"].as<std::uint64_t>());
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
