#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::bench {

/// Draws `count` configurations uniformly and with replacement.
inline std::vector<model::NamedValues> sampled_configurations(const model::Space& space, std::size_t count,
                                                              std::uint64_t seed) {
  base::Random random(seed);
  std::vector<model::NamedValues> configurations;
  configurations.reserve(count);
  while (configurations.size() < count) configurations.push_back(space.values_of(space.sample(random)));
  return configurations;
}

/// The compile requests of `count` random configurations of a kernel's space.
inline std::vector<kernel_templates::CompileRequest> sampled_requests(
    const kernel_templates::KernelInstance& instance, std::size_t count, std::uint64_t seed) {
  std::vector<kernel_templates::CompileRequest> requests;
  requests.reserve(count);
  for (const model::NamedValues& configuration : sampled_configurations(instance.space(), count, seed)) {
    auto request = instance.compile_request(configuration);
    if (!request) throw base::InputError(request.error().reason);
    requests.push_back(std::move(*request));
  }
  return requests;
}

struct CompileRate {
  std::size_t programs = 0;  ///< The number of distinct programs. Equal programs are compiled once.
  std::size_t failed = 0;
  double seconds = 0.0;    ///< From the start of the first worker to the last outcome.
  double compile_s = 0.0;  ///< The sum of the compile times of all programs that compiled.
};

/// Measures NVRTC alone: compiles all `requests` in `jobs` new worker processes without a cache. The
/// program's `main` must be `run_program`, or WARPTUNE_WORKER must name a worker program.
inline CompileRate compile_rate(std::vector<kernel_templates::CompileRequest> requests, std::size_t jobs) {
  std::set<std::pair<std::string, std::vector<std::string>>> distinct;
  for (const auto& request : requests) distinct.emplace(request.source, request.options);
  CompileRate rate;
  rate.programs = distinct.size();
  const auto start = std::chrono::steady_clock::now();
  tuner::workers::compiling::CompilePool pool(jobs, std::chrono::seconds(600));
  std::set<std::string> counted;
  for (const auto& outcome : pool.compile_all(std::move(requests))) {
    if (!outcome) {
      ++rate.failed;
    } else if (counted.insert(outcome->cubin).second) {
      rate.compile_s += outcome->compile_ms / 1e3;
    }
  }
  rate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return rate;
}

}  // namespace warptune::bench
