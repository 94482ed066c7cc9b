// Runs the shipped kernels on the host: random configurations and the default, at sizes that no tile divides,
// against plain references in double.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "emulation/emulation_program.h"
#include "kernel_templates/library.h"
#include "search/gpu_description.h"

namespace warptune::emulation {
namespace {

using kernel_templates::KernelInstance;
using search::NamedValues;
using search::Value;

std::filesystem::path definition_file(const std::string& kernel) {
  const std::filesystem::path root = WARPTUNE_SOURCE_FOLDER;
  const std::filesystem::path file = kernel == "window_sum" ? "examples/window_sum/window.toml"
                                                            : "kernel_templates/library/" + kernel + ".cu";
  return root / file;
}

// Two SMs only, so that small problems make persistent blocks go round.
search::GpuDescription small_gpu() {
  search::GpuDescription gpu = search::fictional_gpu();
  gpu.sm_count = 2;
  return gpu;
}

Value size_value(std::int64_t size) { return Value(size); }

// What varies beside the configuration: types (compiled in) and sizes (not).
struct Kinds {
  std::vector<NamedValues> types;
  std::vector<NamedValues> sizes;
  std::vector<NamedValues> scalars = {{}};
};

void check(const std::string& kernel, const Kinds& kinds, int samples) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(definition_file(kernel).string());
  const auto instance_of = [&](const NamedValues& types, const NamedValues& sizes) {
    NamedValues overrides = types;
    overrides.insert(overrides.end(), sizes.begin(), sizes.end());
    return KernelInstance(definition, overrides, small_gpu());
  };

  EmulationProgram program(kernel);
  base::Random random(20);
  std::size_t turn = 0;
  for (int sample = -1; sample < samples; ++sample) {
    const NamedValues& types = kinds.types[static_cast<std::size_t>(sample + 1) % kinds.types.size()];
    NamedValues configuration = definition.default_configuration;
    for (const NamedValues& sizes : kinds.sizes) {
      const KernelInstance instance = instance_of(types, sizes);
      if (sample >= 0 && &sizes == &kinds.sizes.front()) {
        configuration = instance.space().values_of(instance.space().sample(random));
      }
      const std::size_t at = turn++;
      program.add(instance, configuration, kinds.scalars[at % kinds.scalars.size()], at % 5 == 4);
    }
  }
  if (definition.check.reference == kernel_templates::ReferenceKind::kEntry) {
    for (const NamedValues& types : kinds.types) {
      program.add_reference(instance_of(types, kinds.sizes.front()));
    }
  }

  const ProgramOutcome outcome = compile_and_run(program.text());
  ASSERT_TRUE(outcome.compiled) << outcome.output;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST(LibraryEmulation, VectorAddMatchesTheHostForAllTypesAndOddLengths) {
  Kinds kinds;
  for (const char* type : {"f32", "f64", "f16", "i8", "i16", "i32", "i64"})
    kinds.types.push_back({{"dtype", type}});
  for (const std::int64_t n : {20011, 1, 4096, 33}) kinds.sizes.push_back({{"N", size_value(n)}});
  check("vector_add", kinds, 13);
}

TEST(LibraryEmulation, TransposeMatchesTheHostForAllTypesAndRaggedShapes) {
  Kinds kinds;
  for (const char* type : {"f32", "f64", "f16", "u8", "i32"}) kinds.types.push_back({{"dtype", type}});
  const std::vector<std::pair<std::int64_t, std::int64_t>> shapes = {{67, 193}, {1, 1},  {256, 128},
                                                                     {132, 68}, {1, 75}, {130, 3}};
  for (const auto& [m, n] : shapes) kinds.sizes.push_back({{"M", size_value(m)}, {"N", size_value(n)}});
  check("transpose", kinds, 14);
}

TEST(LibraryEmulation, ReductionMatchesTheHostForSumAndDotHoweverItFinishes) {
  Kinds kinds;
  for (const char* operation : {"sum", "dot"}) {
    for (const auto& [type, accumulator] :
         {std::pair{"f32", "f32"}, {"f64", "f64"}, {"f16", "f32"}, {"i8", "f64"}}) {
      kinds.types.push_back({{"dtype", type}, {"accumulator", accumulator}, {"operation", operation}});
    }
  }
  for (const std::int64_t n : {30011, 1, 8192, 97}) kinds.sizes.push_back({{"N", size_value(n)}});
  check("reduction", kinds, 15);
}

TEST(LibraryEmulation, SgemmMatchesTheHostForShapesThatNoTileDivides) {
  Kinds kinds;
  kinds.types = {{}};
  const std::vector<std::array<std::int64_t, 3>> shapes = {
      {131, 67, 45}, {1, 1, 1}, {128, 256, 64}, {4, 100, 36}, {33, 5, 3}};
  for (const auto& [m, n, k] : shapes) {
    kinds.sizes.push_back({{"M", size_value(m)}, {"N", size_value(n)}, {"K", size_value(k)}});
  }
  kinds.scalars = {{}, {{"alpha", 0.75}, {"beta", -0.5}}};
  check("sgemm", kinds, 14);
}

TEST(LibraryEmulation, TheExampleMatchesTheHostForWindowsOfAnyWidth) {
  Kinds kinds;
  kinds.types = {{}};
  for (const auto& [count, width] : {std::pair{10007, 31}, {1, 1}, {4096, 5}, {37, 64}}) {
    kinds.sizes.push_back({{"COUNT", size_value(count)}, {"WIDTH", size_value(width)}});
  }
  check("window_sum", kinds, 8);
}

}  // namespace
}  // namespace warptune::emulation
