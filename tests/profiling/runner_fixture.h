#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/gpu.h"
#include "profiling/kernel_runner.h"

namespace warptune::profiling {

/// Returns the folder tests/profiling/data, or the one that the variable `WARPTUNE_PROFILING_TEST_DATA`
/// names.
std::filesystem::path test_data_folder();
/// Returns the names of the definitions in that folder, without `.cu`.
std::vector<std::string> test_kernels();
kernel_templates::KernelDefinition load_test_kernel(const std::string& name);

/// Returns the default configuration with the parameters in `changes` replaced.
model::NamedValues with(const kernel_templates::KernelInstance& instance, const model::NamedValues& changes);

/// Returns options without counters and with an invented roof, so that a test starts quickly.
RunnerOptions without_counters();

/// A test kernel on the first GPU, with its reference prepared.
class RunnerUnderTest {
 public:
  RunnerUnderTest(const std::string& kernel, const model::NamedValues& problem, const RunnerOptions& options);
  RunnerUnderTest(kernel_templates::KernelDefinition definition, const model::NamedValues& problem,
                  const RunnerOptions& options);

  model::Measurement evaluate(const model::NamedValues& changes, std::uint64_t id = 0,
                              double incumbent_ns = 0.0);
  /// Confirms a configuration as the finals do. To be called after `evaluate`.
  timing::Confirmation confirm(const model::NamedValues& changes);
  kernel_templates::CompiledKernel compile(const model::NamedValues& configuration) const;
  const kernel_templates::KernelInstance& instance() const { return instance_; }
  KernelRunner& runner() { return runner_; }

 private:
  kernel_templates::KernelInstance instance_;
  KernelRunner runner_;
};

/// Skips its tests when there is no GPU. All tests of a process share the context of the first GPU, because
/// making one takes 0.3 s, which processes cannot do side by side.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override;
  /// For a test that needs a context of its own. It makes one after this call.
  static void release_context();
};

}  // namespace warptune::profiling
