// Runs the shipped kernels on the host and compares the results with plain references in double. It runs the
// default and random configurations, at sizes that no tile divides.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/random.h"
#include "kernel_templates/emulation/emulation_program.h"
#include "kernel_templates/library.h"
#include "library_cases.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::NamedValues;

// Only two SMs, so that persistent blocks process several tiles even for small problems.
model::GpuDescription small_gpu() {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.sm_count = 2;
  return gpu;
}

void check(const KernelDefinition& definition, const LibraryCases& cases) {
  const auto instance_of = [&](const NamedValues& types, const NamedValues& sizes) {
    NamedValues overrides = types;
    overrides.insert(overrides.end(), sizes.begin(), sizes.end());
    return KernelInstance(definition, overrides, small_gpu());
  };

  emulation::EmulationProgram program(cases.kernel);
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
      const auto added =
          program.add(instance, configuration, cases.scalars[at % cases.scalars.size()], at % 5 == 4);
      ASSERT_TRUE(added.has_value()) << added.error();
    }
  }
  for (const DemandingCase& demanding : cases.demanding) {
    const KernelInstance instance = instance_of(demanding.problem, {});
    const auto added = program.add(instance, draw_configuration(instance, demanding.where, random),
                                   cases.scalars.front(), false);
    ASSERT_TRUE(added.has_value()) << added.error();
  }
  if (definition.check.reference == ReferenceKind::kEntry) {
    for (const NamedValues& types : cases.types) {
      const auto added = program.add_reference(instance_of(types, cases.sizes.front()));
      ASSERT_TRUE(added.has_value()) << added.error();
    }
  }

  const emulation::ProgramOutcome outcome = compile_and_run(program);
  ASSERT_TRUE(outcome.compiled) << outcome.output;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

class LibraryEmulation : public ::testing::TestWithParam<std::string> {};

TEST_P(LibraryEmulation, MatchesTheHostForAllTypesAndRaggedSizes) {
  const LibraryCases cases = load_library_cases(GetParam());
  if (!cases.emulated) GTEST_SKIP() << "the emulation lacks what " << GetParam() << " needs";
  check(load_kernel(library_file(GetParam()).string()), cases);
}

INSTANTIATE_TEST_SUITE_P(Shipped, LibraryEmulation, ::testing::ValuesIn(library_kernels()),
                         [](const auto& parameter) { return parameter.param; });

TEST(ExampleEmulation, MatchesTheHostForWindowsOfAnyWidth) {
  LibraryCases cases;
  cases.kernel = "window_example";
  cases.types = {{}};
  cases.scalars = {{}};
  cases.samples = 8;
  for (const auto& [count, width] : {std::pair{10007, 31}, {1, 1}, {4096, 5}, {37, 64}}) {
    cases.sizes.push_back({{"COUNT", std::int64_t{count}}, {"WIDTH", std::int64_t{width}}});
  }
  const std::filesystem::path root = tested_sources();
  check(load_kernel((root / "examples/window_sum/window.toml").string()), cases);
}

}  // namespace
}  // namespace warptune::kernel_templates
