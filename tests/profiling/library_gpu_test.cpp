// Runs the shipped kernels on the GPU, with the sizes and types of their cases. The configurations are the
// default, random ones, and the best of the shipped recordings. `WARPTUNE_LIBRARY_SAMPLES` sets the number of
// random ones for each kernel.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "db/recording_file.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/library.h"
#include "profiling/gpu.h"
#include "profiling/kernel_runner.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/profiling/kept_context.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

using kernel_templates::CompiledKernel;
using kernel_templates::KernelInstance;
using kernel_templates::LibraryCases;
using model::Measurement;
using model::NamedValues;
using model::Status;

int samples_per_kernel() {
  const char* given = std::getenv("WARPTUNE_LIBRARY_SAMPLES");
  return given != nullptr ? std::atoi(given) : 24;
}

NamedValues joined(NamedValues first, const NamedValues& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Returns the problems of a kernel's cases. They combine types and sizes so that each occurs at least once.
std::vector<NamedValues> problems_of(const LibraryCases& cases, const std::vector<NamedValues>& sizes) {
  std::vector<NamedValues> problems;
  for (std::size_t i = 0; i < std::max(sizes.size(), cases.types.size()); ++i)
    problems.push_back(joined(cases.types[i % cases.types.size()], sizes[i % sizes.size()]));
  return problems;
}

// Makes an instance on the GPU, with a warm cache and without counters, because only results matter.
class Checker {
 public:
  explicit Checker(const KernelInstance& instance) : instance_(instance), runner_(instance_, options()) {
    if (!instance_.has_reference()) return;
    const auto request = instance_.reference_request();
    if (!request) throw std::runtime_error(request.error().reason);
    const auto reference = compile_for_test(*request);
    if (!reference) throw std::runtime_error(reference.error().reason);
    runner_.prepare_reference(*reference);
  }

  /// Compiles all configurations at once, and then runs one after the other.
  void check(const std::vector<NamedValues>& configurations) {
    std::vector<std::future<model::Outcome<CompiledKernel>>> compiled;
    for (const NamedValues& configuration : configurations) {
      auto request = instance_.compile_request(configuration);
      ASSERT_TRUE(request.has_value()) << described(configuration) << ": " << request.error().reason;
      compiled.push_back(std::async(std::launch::async, compile_for_test, *std::move(request)));
    }
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      const auto kernel = compiled[i].get();
      ASSERT_TRUE(kernel.has_value()) << described(configurations[i]) << ": " << kernel.error().reason;
      ASSERT_NO_FATAL_FAILURE(run(configurations[i], *kernel));
    }
  }

 private:
  std::string described(const NamedValues& configuration) const {
    return model::to_text(instance_.problem()) + ": " + model::to_text(configuration);
  }
  void run(const NamedValues& configuration, const CompiledKernel& kernel) {
    const Measurement measured = runner_.evaluate(0, configuration, kernel, 1.0);
    EXPECT_TRUE(measured.status == Status::kMeasured || measured.status == Status::kDropped)
        << described(configuration) << ": " << model::to_string(measured.status) << ": " << measured.reason;
    ASSERT_FALSE(runner_.context_lost()) << described(configuration);
  }
  static RunnerOptions options() {
    RunnerOptions options = without_counters();
    options.cache = model::CacheState::kWarm;
    options.seed = std::random_device{}();
    return options;
  }
  KernelInstance instance_;
  KernelRunner runner_;
};

class LibraryOnTheGpu : public GpuTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    const GpuList list = enumerate_gpus();
    if (list.gpus.empty()) return;
    gpu_ = list.gpus.front();
    cases_ = kernel_templates::load_library_cases(GetParam());
    definition_ = kernel_templates::load_kernel(kernel_templates::library_file(GetParam()).string());
  }
  model::GpuDescription gpu_;
  LibraryCases cases_;
  kernel_templates::KernelDefinition definition_;
};

TEST_P(LibraryOnTheGpu, ComputesTheRightAnswerInAnyConfiguration) {
  std::vector<NamedValues> sizes = cases_.sizes;
  sizes.insert(sizes.end(), cases_.gpu_sizes.begin(), cases_.gpu_sizes.end());
  const std::vector<NamedValues> problems = problems_of(cases_, sizes);
  base::Random random(std::random_device{}());
  int left = samples_per_kernel();
  for (std::size_t i = 0; i < problems.size() && !HasFatalFailure(); ++i) {
    const KernelInstance instance(definition_, problems[i], gpu_);
    Checker checker(instance);
    std::vector<NamedValues> configurations;
    if (!instance.default_configuration().empty()) configurations.push_back(instance.default_configuration());
    const int now = left / static_cast<int>(problems.size() - i);
    left -= now;
    for (int sample = 0; sample < now; ++sample)
      configurations.push_back(instance.space().values_of(instance.space().sample(random)));
    checker.check(configurations);
  }
  for (const kernel_templates::DemandingCase& demanding : cases_.demanding) {
    const KernelInstance instance(definition_, demanding.problem, gpu_);
    Checker(instance).check({kernel_templates::draw_configuration(instance, demanding.where, random)});
  }
}

// A few small problems. scripts/test --gpu runs this test under compute-sanitizer.
TEST_P(LibraryOnTheGpu, RunsItsDefaultAndItsBestConfiguration) {
  std::vector<NamedValues> configurations = {definition_.default_configuration};
  const std::filesystem::path folder = kernel_templates::tested_sources() / "recordings";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with(GetParam() + "-")) continue;
    const model::Recording recording = db::read_recording(entry.path());
    const Measurement* best = nullptr;
    for (const Measurement& row : recording.measurements) {
      if (row.status == Status::kMeasured && (best == nullptr || row.time->median_ns < best->time->median_ns))
        best = &row;
    }
    if (best != nullptr) configurations.push_back(best->configuration);
  }
  for (const NamedValues& problem : problems_of(cases_, cases_.sizes)) {
    const KernelInstance instance(definition_, problem, gpu_);
    std::vector<NamedValues> valid;
    for (const NamedValues& configuration : configurations) {
      const auto found = instance.space().configuration_of(configuration);
      if (found && instance.space().contains(*found)) valid.push_back(configuration);
    }
    ASSERT_NO_FATAL_FAILURE(Checker(instance).check(valid));
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, LibraryOnTheGpu, ::testing::ValuesIn(kernel_templates::library_kernels()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace warptune::profiling
