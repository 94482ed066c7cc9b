// Kernels with planted faults. They compile for every architecture. On a GPU, diagnosis finds the fault of
// each.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "db/recording_file.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/diagnosis.h"
#include "profiling/gpu.h"
#include "profiling/kernel_runner.h"
#include "tests/profiling/kept_context.h"
#include "tests/tuner/planted_faults.h"
#include "tuner/checking/architectures.h"

namespace warptune::tuner::explaining {
namespace {

kernel_templates::KernelDefinition load(const PlantedFault& planted) {
  return kernel_templates::load_kernel_definition(planted_faults_folder() / (planted.kernel + ".cu"));
}

class PlantedFaultTest : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedFaultTest, CompilesWithAndWithoutTheFaultForEveryArchitecture) {
  try {
    kernel_templates::nvrtc_version();
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const int capability : checking::known_capabilities()) {
    const kernel_templates::KernelInstance instance(load(GetParam()), {}, *checking::typical_gpu(capability));
    // Warnings of the optimiser, for example about loops that cannot be unrolled, are the same everywhere.
    const bool is_optimised = capability == checking::known_capabilities().front();
    for (std::uint64_t i = 0; i < instance.space().size(); ++i) {
      const model::NamedValues configuration = instance.space().values_of(instance.space().at(i));
      const std::string what = instance.gpu().architecture() + " " + model::to_text(configuration);
      const auto plan = instance.screened_plan(configuration);
      EXPECT_TRUE(plan.has_value()) << what << "\n" << plan.error().reason;
      const auto request = instance.compile_request(configuration);
      ASSERT_TRUE(request.has_value()) << what << "\n" << request.error().reason;
      if (!is_optimised) {
        const auto problem = kernel_templates::compile_problem(*request);
        if (problem) ADD_FAILURE() << what << "\n" << problem->reason;
        continue;
      }
      const auto compiled = kernel_templates::compile(*request);
      ASSERT_TRUE(compiled.has_value()) << what << "\n" << compiled.error().reason;
      EXPECT_EQ(compiled->log.find("warning"), std::string::npos) << what << "\n" << compiled->log;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PlantedFaultTest, ::testing::ValuesIn(planted_faults()),
                         [](const auto& planted) { return planted.param.kernel; });

kernel_templates::CompiledKernel compile(const kernel_templates::KernelInstance& instance,
                                         const model::Outcome<kernel_templates::CompileRequest>& request) {
  if (!request) throw std::runtime_error(instance.definition().name + ": " + request.error().reason);
  auto compiled = profiling::compile_for_test(*request);
  if (!compiled) throw std::runtime_error(instance.definition().name + ": " + compiled.error().reason);
  return *std::move(compiled);
}

// The readings of the launches so far. A launch that other work disturbed is counted again.
void count_until_undisturbed(profiling::KernelRunner& runner,
                             const kernel_templates::KernelInstance& instance, model::Recording& recording) {
  constexpr int kTurns = 4;
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<std::uint64_t> disturbed;
    for (const profiling::CounterReading& reading : runner.take_counters(true)) {
      model::Counters& counters = recording.measurements.at(reading.id).counters;
      for (const auto& [name, value] : reading.counters) counters[name] = value;
      if (reading.disturbed) disturbed.push_back(reading.id);
    }
    if (disturbed.empty() || turn + 1 == kTurns) return;
    for (const std::uint64_t id : disturbed) {
      const model::NamedValues& configuration = recording.measurements.at(id).configuration;
      runner.count(id, configuration, compile(instance, instance.compile_request(configuration)));
    }
  }
}

// A recording of every configuration of a kernel, with complete timing and counters. The first recording of a
// process measures the GPU's roofs. The others reuse them.
model::Recording measure(const kernel_templates::KernelInstance& instance) {
  profiling::RunnerOptions options;
  options.metrics = profiling::counters::full_metrics();
  options.racing.drop = false;
  options.compile_cache = profiling::test_compile_cache();
  static std::vector<model::RoofReading> known_roofs;
  options.roofs = known_roofs;
  profiling::KernelRunner runner(instance, options);
  known_roofs = runner.roof_readings();
  if (instance.has_reference()) runner.prepare_reference(compile(instance, instance.reference_request()));
  model::Recording recording;
  recording.workload = {instance.definition().name, instance.definition().hash, instance.problem(),
                        instance.gpu()};
  recording.parameters = instance.definition().parameters;
  recording.constants = instance.constants();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
  recording.environment = profiling::read_environment(0);
  for (std::uint64_t i = 0; i < instance.space().size(); ++i) {
    const model::NamedValues configuration = instance.space().values_of(instance.space().at(i));
    const auto compiled = compile(instance, instance.compile_request(configuration));
    recording.measurements.push_back(runner.evaluate(i, configuration, compiled, 0.0));
    recording.measurements.back().counters["spill_bytes"] =
        static_cast<double>(compiled.entries.front().spill_bytes);
  }
  count_until_undisturbed(runner, instance, recording);
  for (const std::string& warning : runner.take_warnings()) std::printf("%s\n", warning.c_str());
  recording.roofs = runner.roofs();
  return recording;
}

TEST(PlantedFaults, CoverEveryRuleThatFindsFaults) {
  std::set<std::string> planted;
  for (const PlantedFault& one : planted_faults()) planted.insert(one.rule);
  // Only limits and hints, or findings that follow from others.
  const std::set<std::string> others = {"dram_bound",         "shared_memory_bound", "l2_bound",
                                        "compute_bound",      "occupancy_suffices",  "tensor_cores_idle",
                                        "excess_dram_traffic"};
  for (const profiling::diagnosis::RuleInfo& rule : profiling::diagnosis::diagnosis_rules()) {
    const std::string id(rule.id);
    EXPECT_NE(planted.contains(id), others.contains(id)) << id;
  }
}

class RecordedFaultTest : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(RecordedFaultTest, IsFoundAndItsSiblingIsClean) {
  const std::filesystem::path file =
      planted_faults_folder() / "recorded" / (GetParam().kernel + ".wtrec.zst");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "not recorded yet";
  const model::Recording recording = db::read_recording(file);
  EXPECT_EQ(recording.workload.kernel_hash, load(GetParam()).hash)
      << "the kernel has changed: record it anew";
  expect_found(GetParam(), recording);
}

INSTANTIATE_TEST_SUITE_P(Kernels, RecordedFaultTest, ::testing::ValuesIn(planted_faults()),
                         [](const auto& planted) { return planted.param.kernel; });

class GpuPlantedFaultTest : public ::testing::TestWithParam<PlantedFault> {
 protected:
  static void SetUpTestSuite() { context_ = std::make_unique<profiling::KeptContext>(); }
  static void TearDownTestSuite() { context_.reset(); }

 private:
  static inline std::unique_ptr<profiling::KeptContext> context_;
};

// scripts/gpu-tests runs this test while the GPU is busy. The next one then finds the programs compiled.
class GpuPlantedFaultCompileTest : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(GpuPlantedFaultCompileTest, CompilesForThisGpu) {
  const profiling::GpuList list = profiling::enumerate_gpus();
  if (list.gpus.empty()) GTEST_SKIP() << list.reason;
  const kernel_templates::KernelInstance instance(load(GetParam()), {}, list.gpus.front());
  if (instance.has_reference()) {
    EXPECT_NO_THROW(compile(instance, instance.reference_request()));
  }
  for (std::uint64_t i = 0; i < instance.space().size(); ++i) {
    const model::NamedValues configuration = instance.space().values_of(instance.space().at(i));
    EXPECT_NO_THROW(compile(instance, instance.compile_request(configuration)))
        << model::to_text(configuration);
  }
}

INSTANTIATE_TEST_SUITE_P(GpuKernels, GpuPlantedFaultCompileTest, ::testing::ValuesIn(planted_faults()),
                         [](const auto& planted) { return planted.param.kernel; });

TEST_P(GpuPlantedFaultTest, IsFoundAndItsSiblingIsClean) {
  const profiling::GpuList list = profiling::enumerate_gpus();
  if (list.gpus.empty()) GTEST_SKIP() << list.reason;
  const kernel_templates::KernelInstance instance(load(GetParam()), {}, list.gpus.front());
  const model::Recording recording = measure(instance);
  if (const char* folder = std::getenv("WARPTUNE_RECORD_DIAGNOSIS")) {
    std::filesystem::create_directories(folder);
    db::write_recording(std::filesystem::path(folder) / (GetParam().kernel + ".wtrec.zst"), recording);
  }
  expect_found(GetParam(), recording);
}

INSTANTIATE_TEST_SUITE_P(GpuKernels, GpuPlantedFaultTest, ::testing::ValuesIn(planted_faults()),
                         [](const auto& planted) { return planted.param.kernel; });

}  // namespace
}  // namespace warptune::tuner::explaining
