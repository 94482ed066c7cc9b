#include "tests/profiling/runner_fixture.h"
#include "tests/profiling/kept_context.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

namespace warptune::profiling {

namespace {

const GpuList& list() {
  static const GpuList found = enumerate_gpus();
  return found;
}

kernel_templates::CompiledKernel compile_or_throw(
    const model::Outcome<kernel_templates::CompileRequest>& request) {
  if (!request) throw std::runtime_error(request.error().reason);
  auto compiled = compile_for_test(*request);
  if (!compiled) throw std::runtime_error(compiled.error().reason);
  return *compiled;
}

// Keeps one context for all tests of the process. gtest destroys it after the last of them.
class ProcessContext : public ::testing::Environment {
 public:
  // A test may have ended the context with a fault. Then the next test gets another one.
  void keep() {
    if (context_ && !is_usable()) context_.reset();
    if (!context_) context_.emplace(0);
  }
  void release() { context_.reset(); }
  void TearDown() override { release(); }

 private:
  bool is_usable() const {
    const driver::CudaDriver& cuda = driver::cuda();
    return cuda.cuCtxSetCurrent(context_->get()) == CUDA_SUCCESS &&
           cuda.cuStreamSynchronize(nullptr) == CUDA_SUCCESS;
  }

  std::optional<driver::Context> context_;
};

// gtest owns it.
ProcessContext* const process_context = [] {
  auto* const context = new ProcessContext;
  ::testing::AddGlobalTestEnvironment(context);
  return context;
}();

}  // namespace

std::filesystem::path test_data_folder() {
  const char* moved = std::getenv("WARPTUNE_PROFILING_TEST_DATA");
  return moved != nullptr ? moved : WARPTUNE_PROFILING_TEST_DATA;
}

std::vector<std::string> test_kernels() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(test_data_folder())) {
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

kernel_templates::KernelDefinition load_test_kernel(const std::string& name) {
  return kernel_templates::load_kernel_definition(test_data_folder() / (name + ".cu"));
}

model::NamedValues with(const kernel_templates::KernelInstance& instance, const model::NamedValues& changes) {
  model::NamedValues configuration = instance.default_configuration();
  for (auto& [name, value] : configuration) {
    if (const model::Value* changed = model::find(changes, name)) value = *changed;
  }
  return configuration;
}

RunnerOptions without_counters() {
  RunnerOptions options;
  options.count = false;
  options.compile_cache = test_compile_cache();
  options.roofs = {{"copy", 4e12, 0.0, 0.0, 0, 0}};
  return options;
}

RunnerUnderTest::RunnerUnderTest(const std::string& kernel, const model::NamedValues& problem,
                                 const RunnerOptions& options)
    : RunnerUnderTest(load_test_kernel(kernel), problem, options) {}

RunnerUnderTest::RunnerUnderTest(kernel_templates::KernelDefinition definition,
                                 const model::NamedValues& problem, const RunnerOptions& options)
    : instance_(std::move(definition), problem, list().gpus.at(0)), runner_(instance_, options) {
  if (!instance_.has_reference()) return;
  runner_.prepare_reference(compile_or_throw(instance_.reference_request()));
  runner_.add_second_inputs();
}

kernel_templates::CompiledKernel RunnerUnderTest::compile(const model::NamedValues& configuration) const {
  return compile_or_throw(instance_.compile_request(configuration));
}

model::Measurement RunnerUnderTest::evaluate(const model::NamedValues& changes, std::uint64_t id,
                                             double incumbent_ns) {
  const model::NamedValues configuration = with(instance_, changes);
  return runner_.evaluate(id, configuration, compile(configuration), incumbent_ns);
}

timing::Confirmation RunnerUnderTest::confirm(const model::NamedValues& changes) {
  const model::NamedValues configuration = with(instance_, changes);
  const kernel_templates::CompiledKernel compiled = compile(configuration);
  return runner_.confirm({configuration, &compiled});
}

void GpuTest::SetUp() {
  if (list().gpus.empty()) GTEST_SKIP() << list().reason;
  process_context->keep();
}

void GpuTest::release_context() { process_context->release(); }

}  // namespace warptune::profiling
