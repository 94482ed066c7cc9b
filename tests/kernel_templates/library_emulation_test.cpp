// Runs the shipped kernels on the host: random configurations and the default, at sizes that no tile divides,
// against plain references in double.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/random.h"
#include "emulation/emulation_program.h"
#include "kernel_templates/library.h"
#include "library_cases.h"
#include "search/gpu_description.h"

namespace warptune::emulation {
namespace {

using kernel_templates::draw_configuration;
using kernel_templates::KernelInstance;
using search::NamedValues;

// Two SMs only, so that small problems make persistent blocks go round.
search::GpuDescription small_gpu() {
  search::GpuDescription gpu = search::fictional_gpu();
  gpu.sm_count = 2;
  return gpu;
}

void check(const kernel_templates::KernelDefinition& definition,
           const kernel_templates::LibraryCases& cases) {
  const auto instance_of = [&](const NamedValues& types, const NamedValues& sizes) {
    NamedValues overrides = types;
    overrides.insert(overrides.end(), sizes.begin(), sizes.end());
    return KernelInstance(definition, overrides, small_gpu());
  };

  EmulationProgram program(cases.kernel);
  base::Random random(20);
  std::size_t turn = 0;
  for (int sample = -1; sample < cases.samples; ++sample) {
    const NamedValues& types = cases.types[static_cast<std::size_t>(sample + 1) % cases.types.size()];
    for (const NamedValues& sizes : cases.sizes) {
      const KernelInstance instance = instance_of(types, sizes);
      const NamedValues configuration = sample < 0
                                            ? definition.default_configuration
                                            : draw_configuration(instance, cases.emulated_where, random);
      const std::size_t at = turn++;
      program.add(instance, configuration, cases.scalars[at % cases.scalars.size()], at % 5 == 4);
    }
  }
  for (const kernel_templates::DemandingCase& demanding : cases.demanding) {
    const KernelInstance instance = instance_of(demanding.problem, {});
    program.add(instance, draw_configuration(instance, demanding.where, random), cases.scalars.front(),
                false);
  }
  if (definition.check.reference == kernel_templates::ReferenceKind::kEntry) {
    for (const NamedValues& types : cases.types) {
      program.add_reference(instance_of(types, cases.sizes.front()));
    }
  }

  const ProgramOutcome outcome = compile_and_run(program.text());
  ASSERT_TRUE(outcome.compiled) << outcome.output;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

class LibraryEmulation : public ::testing::TestWithParam<std::string> {};

TEST_P(LibraryEmulation, MatchesTheHostForAllTypesAndRaggedSizes) {
  const kernel_templates::LibraryCases cases = kernel_templates::load_library_cases(GetParam());
  if (!cases.emulated) GTEST_SKIP() << "the emulation lacks what " << GetParam() << " needs";
  check(kernel_templates::load_kernel(kernel_templates::library_file(GetParam()).string()), cases);
}

INSTANTIATE_TEST_SUITE_P(Shipped, LibraryEmulation, ::testing::ValuesIn(kernel_templates::library_kernels()),
                         [](const auto& parameter) { return parameter.param; });

TEST(ExampleEmulation, MatchesTheHostForWindowsOfAnyWidth) {
  kernel_templates::LibraryCases cases;
  cases.kernel = "window_example";
  cases.types = {{}};
  cases.scalars = {{}};
  cases.samples = 8;
  for (const auto& [count, width] : {std::pair{10007, 31}, {1, 1}, {4096, 5}, {37, 64}}) {
    cases.sizes.push_back({{"COUNT", std::int64_t{count}}, {"WIDTH", std::int64_t{width}}});
  }
  const std::filesystem::path root = kernel_templates::tested_sources();
  check(kernel_templates::load_kernel((root / "examples/window_sum/window.toml").string()), cases);
}

}  // namespace
}  // namespace warptune::emulation
