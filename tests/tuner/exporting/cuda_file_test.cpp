// Exported CUDA files of the shipped kernels, compiled by NVRTC, and by nvcc in the long tests.
#include "tuner/exporting/cuda_file.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"
#include "tests/tuner/exporting/recorded_export.h"
#include "tests/tuner/program.h"
#include "tuner/exporting/exported_programs.h"

namespace warptune::tuner::exporting {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// The options that the file's second line names, and the macro that says so.
struct CompilerOptions {
  std::vector<std::string> words;
  std::string architecture;
};

// The letters, digits and `_` after the first `beginning`; empty if it does not occur. A regular expression
// takes a third of these tests' time with the sanitizers.
std::string word_after(const std::string& text, const std::string& beginning) {
  const std::size_t at = text.find(beginning);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + beginning.size();
  std::size_t end = begin;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  return text.substr(begin, end - begin);
}

// `usual` is the architecture of a file that names none.
CompilerOptions options_of(const std::string& file, const std::string& usual = "sm_90") {
  CompilerOptions options;
  const std::string named = word_after(file, "code=sm_");
  options.architecture = named.empty() ? usual : "sm_" + named;
  if (file.find(" -use_fast_math\n") != std::string::npos) options.words.emplace_back("-use_fast_math");
  const std::string macro = word_after(file, "!defined(WARPTUNE_OPTIONS");
  if (!macro.empty()) options.words.push_back("-DWARPTUNE_OPTIONS" + macro);
  return options;
}

// The name expressions of all kernels of the only kernel of a file.
std::vector<std::string> entries_of(const std::string& file, const std::string& name_space) {
  const std::string beginning = "return (const void*)(";
  std::vector<std::string> entries;
  std::string program;
  for (const std::string& line : base::split(file, '\n')) {
    if (line.find("namespace program_") != std::string::npos && line.ends_with("{"))
      program = "program_" + word_after(line, "namespace program_");
    const std::size_t at = line.find(beginning);
    const std::size_t end = line.rfind("); }");
    if (at == std::string::npos || end == std::string::npos) continue;
    const std::size_t begin = at + beginning.size();
    entries.push_back(name_space + "::" + program + "::" + line.substr(begin, end - begin));
  }
  return entries;
}

// Compiles all kernels of a file with NVRTC.
void expect_nvrtc_compiles(const std::string& file, const std::string& kernel,
                           const std::string& architecture = "sm_90") {
  const CompilerOptions options = options_of(file, architecture);
  kernel_templates::CompileRequest request;
  request.program_name = kernel + ".cuh";
  request.source = file;
  request.architecture = options.architecture;
  request.options = options.words;
  request.options.emplace_back("-std=c++17");
  for (const std::string& folder : base::cuda_include_folders()) request.options.push_back("-I" + folder);
  request.entries = entries_of(file, "warptune_" + kernel);
  ASSERT_FALSE(request.entries.empty());
  const auto compiled = kernel_templates::compile(request);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().reason;
  EXPECT_EQ(compiled->log.find("error"), std::string::npos) << compiled->log;
}

// The export of the default configuration of a kernel, on an A100.
KernelExport export_for_a100(const std::string& kernel, const model::NamedValues& problem = {}) {
  model::GpuDescription gpu = *model::gpu_of_capability(8, 0);
  gpu.sm_count = 108;
  return default_export(kernel, gpu, problem);
}
std::string default_file(const std::string& kernel) { return cuda_file({export_for_a100(kernel)}); }

// How many programs each recommended configuration has.
std::vector<std::size_t> recommended_programs(const KernelExport& exported) {
  std::vector<const db::Winner*> rows;
  for (const db::Winner& winner : exported.input.winners) rows.push_back(&winner);
  std::vector<const db::ExportedRecommendation*> recommended;
  for (const db::ExportedRecommendation& one : exported.input.recommendations) recommended.push_back(&one);
  std::vector<std::size_t> counts;
  for (const auto& programs : exported_programs(exported.definition, rows, recommended).recommended)
    counts.push_back(programs.size());
  return counts;
}

class ShippedExportTest : public ::testing::TestWithParam<std::string> {};

// Instrumented builds only write the files. What NVRTC says of them does not depend on the build.
TEST_P(ShippedExportTest, HasTheEntriesOfItsKernels) {
  for (const std::string& file : {cuda_file({recorded_export(GetParam())}), default_file(GetParam())})
    EXPECT_FALSE(entries_of(file, "warptune_" + GetParam()).empty()) << file;
}

TEST_P(ShippedExportTest, IsCompiledByNvrtc) {
  expect_nvrtc_compiles(cuda_file({recorded_export(GetParam())}), GetParam());
}

TEST_P(ShippedExportTest, OfTheDefaultOnAnEarlierGpuIsCompiledByNvrtc) {
  expect_nvrtc_compiles(default_file(GetParam()), GetParam(), "sm_80");
}

INSTANTIATE_TEST_SUITE_P(All, ShippedExportTest, ::testing::ValuesIn(kernel_templates::shipped_kernels()),
                         [](const auto& kernel) { return kernel.param; });

class NvccExportTest : public ::testing::TestWithParam<std::string> {};

TEST_P(NvccExportTest, IsCompiledWithTheOptionsThatItNames) {
  testing::Warptune machine;
  if (machine.shell("command -v nvcc").exit_code != 0) GTEST_SKIP() << "no nvcc";
  const std::string file = cuda_file({recorded_export(GetParam())});
  const std::string name = machine.file(GetParam() + ".cuh", file);
  const std::string source =
      machine.file("program.cu", "#include \"" + GetParam() + ".cuh\"\nint main() {}\n");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(file, found, std::regex("// Compile with nvcc (.*)\n")));
  std::string options = found[1];
  if (options.find("-gencode") == std::string::npos) options += " -arch=sm_90";
  for (const std::string& word : options_of(file).words) options += " " + word;
  const testing::ProgramRun run =
      machine.shell("nvcc " + options + " -Werror all-warnings -c " + source + " -o /dev/null");
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
}

INSTANTIATE_TEST_SUITE_P(Long, NvccExportTest, ::testing::ValuesIn(kernel_templates::shipped_kernels()),
                         [](const auto& kernel) { return kernel.param; });

TEST(CudaFileTest, IsTheSameEachTime) {
  const std::vector<KernelExport> kernels = {recorded_export("reduction"), recorded_export("transpose")};
  EXPECT_EQ(cuda_file(kernels), cuda_file(kernels));
}

TEST(CudaFileTest, RefusesKernelsThatNeedDifferentOptions) {
  KernelExport fast = recorded_export("coulomb");
  for (auto& [name, value] : fast.input.winners.front().best.configuration) {
    if (name == "FLAGS") value = "-use_fast_math";
  }
  try {
    cuda_file({fast, recorded_export("transpose")});
    FAIL() << "accepted";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("only the first needs the compiler options '-use_fast_math'"));
  }
}

TEST(CudaFileTest, OfTheExampleIsCompiledByNvrtc) {
  const std::filesystem::path path =
      std::filesystem::path(WARPTUNE_SOURCE_FOLDER) / "examples/window_sum/window.toml";
  const KernelExport exported = default_export(path.string(), model::fictional_gpu());
  expect_nvrtc_compiles(cuda_file({exported}), exported.input.kernel);
}

// `reduction` recommends vectors of four f32. Four f64 are too wide for a load.
TEST(CudaFileTest, WhatIsRecommendedForF32IsLeftOutForF64) {
  const KernelExport exported = export_for_a100("reduction", {{"dtype", "f64"}, {"accumulator", "f64"}});
  EXPECT_THAT(recommended_programs(exported), ::testing::AllOf(Not(IsEmpty()), Each(0U)));
  expect_nvrtc_compiles(cuda_file({exported}), "reduction", "sm_80");
}

// The third recommendation of `scan` has bulk copies, which an A100 lacks. All depend on the size.
TEST(CudaFileTest, WhatTheGpuOfARowLacksIsLeftOut) {
  EXPECT_THAT(recommended_programs(export_for_a100("scan")), ElementsAre(1U, 1U, 0U, 1U));
  EXPECT_THAT(recommended_programs(recorded_export("scan")), ::testing::AllOf(SizeIs(4), Each(1U)));
  // All have the instructions of compute capability 9.0.
  EXPECT_THAT(recommended_programs(export_for_a100("gemm_tc")), ::testing::AllOf(Not(IsEmpty()), Each(0U)));
}

TEST(CudaFileTest, RefusesAProgramOfSeveralSteps) {
  const std::filesystem::path path =
      std::filesystem::path(WARPTUNE_SOURCE_FOLDER) / "examples/host_program/rows.cu";
  const auto definition = kernel_templates::load_kernel(path.string());
  EXPECT_THROW(cuda_file({export_of(definition, {})}), base::InputError);
}

TEST(CudaFileTest, RefusesAPitchThatDependsOnAParameter) {
  const std::filesystem::path path =
      std::filesystem::path(WARPTUNE_SOURCE_FOLDER) / "tests/profiling/data/padded_rows.cu";
  try {
    cuda_file({export_of(kernel_templates::load_kernel(path.string()), {})});
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the pitch of its argument \"x\" depends on a parameter"));
  }
}

TEST(CudaFileTest, DemandsTheValuesOfDefinesButNotOfHints) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel("gemm_tc"),
                                                  {{"K", std::int64_t{1111}}}, model::fictional_gpu());
  const ExportedProgram program = exported_program(instance, instance.default_configuration());
  for (const auto& [name, expression] : instance.definition().defines) {
    const bool is_hint = name == "PADDED_TILES" || name == "ODD_ROWS";
    if (!is_hint && name != "PADDED_MAPS") continue;
    EXPECT_TRUE(program.defines(name)) << name;
    const auto demanded = ::testing::Contains(HasSubstr("(" + expression.text() + ") =="));
    if (is_hint) {
      EXPECT_THAT(program.demands, Not(demanded)) << name;
    } else {
      EXPECT_THAT(program.demands, demanded) << name;
    }
  }
}

TEST(CudaFileTest, NamesNoPathOfThisMachine) {
  const std::string file = cuda_file({recorded_export("gemm_tc")});
  EXPECT_THAT(file, Not(HasSubstr(std::filesystem::current_path().string())));
  EXPECT_THAT(file, Not(HasSubstr("/gemm_tc")));
}

}  // namespace
}  // namespace warptune::tuner::exporting
