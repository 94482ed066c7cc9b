// Compiles the shipped kernels with NVRTC for every architecture that they support. No GPU is needed.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "library_cases.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::GpuDescription;
using model::NamedValues;

class LibraryCompile : public ::testing::TestWithParam<std::string> {
 protected:
  static bool nvrtc_missing() {
    try {
      nvrtc_version();
      return false;
    } catch (const base::MachineError&) {
      return true;
    }
  }
  static KernelDefinition definition() { return load_kernel(library_file(GetParam()).string()); }
};

TEST_P(LibraryCompile, ConfigurationsCompileForEveryArchitecture) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const KernelDefinition kernel = definition();
  const LibraryCases cases = load_library_cases(GetParam());
  const int samples = kernel.source == kernel.path ? 2 : 0;  // Extensions have the same code.
  base::Random random(4);
  std::size_t turn = 0;
  for (const GpuDescription& gpu : tested_gpus()) {
    for (int sample = -1; sample < samples; ++sample) {
      std::size_t at = turn++ % cases.types.size();
      while (cases.type_capabilities[at] > gpu.compute_major * 10 + gpu.compute_minor)
        at = turn++ % cases.types.size();
      const NamedValues& types = cases.types[at];
      const KernelInstance instance(kernel, types, gpu);
      NamedValues configuration = instance.default_configuration();
      if (sample >= 0 || configuration.empty())
        configuration = instance.space().values_of(instance.space().sample(random));
      const model::Outcome<CompileRequest> request = instance.compile_request(configuration);
      ASSERT_TRUE(request.has_value()) << request.error().reason;
      const model::Outcome<CompiledKernel> compiled = compile(*request);
      const std::string what =
          gpu.architecture() + " " + model::to_text(instance.problem()) + " " + model::to_text(configuration);
      ASSERT_TRUE(compiled.has_value()) << what << "\n" << compiled.error().reason;
      EXPECT_EQ(compiled->log.find("warning"), std::string::npos) << what << "\n" << compiled->log;
      const std::int64_t threads = instance.launch_plan(configuration)->steps.front().launch()->block[0];
      for (const EntryCode& entry : compiled->entries) {
        EXPECT_GT(entry.registers_per_thread, 0) << what;
        EXPECT_LE(entry.registers_per_thread * threads, gpu.registers_per_sm) << what << ": " << entry.entry;
      }
    }
  }
}

TEST_P(LibraryCompile, TheDefaultAndTheReferenceDoNotSpill) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const KernelInstance instance(definition(), load_library_cases(GetParam()).types.front(),
                                model::fictional_gpu());
  for (const auto& request :
       {instance.compile_request(instance.default_configuration()), instance.reference_request()}) {
    ASSERT_TRUE(request.has_value()) << request.error().reason;
    const model::Outcome<CompiledKernel> compiled = compile(*request);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().reason;
    for (const EntryCode& entry : compiled->entries) EXPECT_EQ(entry.spill_bytes, 0) << entry.entry;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, LibraryCompile, ::testing::ValuesIn(library_kernels()),
                         [](const auto& parameter) { return parameter.param; });

// Configurations that a tuned library would choose. They are fast because their tiles fit into registers.
TEST(LibraryCompileSgemm, TheLargeTilesFitIntoRegisters) {
  const KernelInstance instance(load_kernel(library_file("sgemm").string()), {}, model::fictional_gpu());
  struct Large {
    std::int64_t block_n, thread_m, min_blocks;
    std::string load;
    std::int64_t stages, fragments;
  };
  for (const Large& large : {Large{128, 8, 1, "registers", 2, 1}, Large{128, 8, 2, "async", 3, 2},
                             Large{256, 16, 1, "async", 3, 2}}) {
    const NamedValues configuration = {{"BLOCK_M", std::int64_t{128}},
                                       {"BLOCK_N", large.block_n},
                                       {"BLOCK_K", std::int64_t{8}},
                                       {"THREAD_M", large.thread_m},
                                       {"THREAD_N", std::int64_t{8}},
                                       {"LANES_M", std::int64_t{4}},
                                       {"LANE_ORDER", std::string("column_pairs")},
                                       {"LOAD", large.load},
                                       {"LAYOUT_A", std::string("transposed")},
                                       {"VECTOR", std::int64_t{4}},
                                       {"PAD_A", std::int64_t{4}},
                                       {"STAGES", large.stages},
                                       {"FRAGMENT_BUFFERS", large.fragments},
                                       {"FMA_ORDER", std::string("serpentine")},
                                       {"UNROLL_K", std::int64_t{8}},
                                       {"SPLIT_K", std::int64_t{1}},
                                       {"SPLIT_K_REDUCTION", std::string("second_kernel")},
                                       {"GROUP_SIZE_M", std::int64_t{1}},
                                       {"MIN_BLOCKS_PER_SM", large.min_blocks}};
    const base::Result<model::Configuration> found = instance.space().configuration_of(configuration);
    ASSERT_TRUE(found.has_value()) << found.error();
    EXPECT_TRUE(instance.space().contains(*found)) << model::to_text(configuration);
    try {
      const model::Outcome<CompiledKernel> compiled = compile(*instance.compile_request(configuration));
      ASSERT_TRUE(compiled.has_value()) << compiled.error().reason;
      EXPECT_EQ(compiled->entries.front().spill_bytes, 0) << model::to_text(configuration);
    } catch (const base::MachineError& error) {
      GTEST_SKIP() << error.what();
    }
  }
}

}  // namespace
}  // namespace warptune::kernel_templates
