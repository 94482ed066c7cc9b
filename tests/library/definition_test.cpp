// Definitions that a program builds: `warptune_define` and warptune_definition.hpp.
#include "library/include/warptune_definition.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "kernel_templates/kernel_definition.h"
#include "library/include/warptune_tuning.hpp"
#include "tests/library/tuning_fixture.h"

namespace warptune::library {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using DefinitionTest = TuningTest;

const char* const kSource = R"(
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";

Definition saxpy() {
  Definition definition("saxpy", kSource);
  definition.problem("N", 1 << 20)
      .problem("mode", "fast\t\"one\"")
      .parameter("BLOCK", {64, 128, 256}, 128)
      .parameter("SCALE", {0.5, 1.0, 1e300}, 1.0)
      .parameter("CHECKED", {false, true}, true)
      .recommended("N < 4096 && mode == \"slow\"", {{"BLOCK", 64}, {"SCALE", 0.5}})
      .recommended("true", {{"BLOCK", 256}, {"CHECKED", false}}, "N / 2.5")
      .constraint("BLOCK <= N")
      .launch({"ceil_div(N, BLOCK)"}, {"BLOCK"})
      .in("x", "f32", "N")
      .inout("y", "f32", "N")
      .rows("N / 4", "round_up(N / 4, 32)")
      .scalar("a", "f32", "2.0")
      .scalar("n", "i32", "N")
      .check("y[i] + 2 * x[i]")
      .text("absolute = 1e-6");
  return definition;
}

// The same, as a person writes it.
const char* const kWritten = R"toml([kernel]
name = "saxpy"
entry = "saxpy"
source = "source.cu"
[problem]
N = 1048576
mode = "fast\t\"one\""
[parameters]
BLOCK = [64, 128, 256]
SCALE = [0.5, 1.0, 1e300]
CHECKED = [false, true]
[default]
BLOCK = 128
SCALE = 1.0
CHECKED = true
[[recommended]]
when = "N < 4096 && mode == \"slow\""
[recommended.values]
BLOCK = 64
SCALE = 0.5
[[recommended]]
when = "true"
cost = "N / 2.5"
[recommended.values]
BLOCK = 256
CHECKED = false
[constraints]
list = ["BLOCK <= N"]
[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
[[argument]]
name = "y"
kind = "inout"
type = "f32"
count = "N"
width = "N / 4"
pitch = "round_up(N / 4, 32)"
[[argument]]
name = "a"
kind = "scalar"
type = "f32"
value = "2.0"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"
[check]
reference = "expression"
expression = "y[i] + 2 * x[i]"
absolute = 1e-6
)toml";

TEST_F(DefinitionTest, ABuiltDefinitionIsTheSameKernelAsOneInAFile) {
  std::ofstream(toy_ / "source.cu") << kSource;
  std::ofstream(toy_ / "written.toml") << kWritten;
  const auto written = kernel_templates::load_kernel_definition(toy_ / "written.toml");
  const Definition definition = saxpy();
  const char* path = nullptr;
  ASSERT_EQ(warptune_define(library_, definition.toml().c_str(), definition.source().c_str(), &path),
            WARPTUNE_OK)
      << warptune_last_error();
  const auto built = kernel_templates::load_kernel_definition(path);
  EXPECT_EQ(built.hash, written.hash);
  EXPECT_EQ(built.name, "saxpy");
  EXPECT_EQ(built.problem, written.problem);
  EXPECT_EQ(built.default_configuration, written.default_configuration);
  ASSERT_EQ(written.recommendations.size(), 2U);
  ASSERT_EQ(built.recommendations.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(built.recommendations[i].when.text(), written.recommendations[i].when.text());
    EXPECT_EQ(built.recommendations[i].values, written.recommendations[i].values);
    EXPECT_EQ(built.recommendations[i].cost.has_value(), i == 1);
    EXPECT_EQ(written.recommendations[i].cost.has_value(), i == 1);
  }
  EXPECT_EQ(built.check.expressions, written.check.expressions);
}

TEST_F(DefinitionTest, TheSameTextsGiveTheSamePathAndAChangedFileIsMended) {
  const Definition definition = saxpy();
  const char* path = nullptr;
  const auto defined = [&] {
    EXPECT_EQ(warptune_define(library_, definition.toml().c_str(), definition.source().c_str(), &path),
              WARPTUNE_OK)
        << warptune_last_error();
    return std::string(path);
  };
  const std::string first = defined();
  EXPECT_THAT(first, StartsWith(folder_ / "definitions"));
  const std::string text = base::read_file(first);
  std::ofstream(first) << "something else";
  EXPECT_EQ(defined(), first);
  EXPECT_EQ(base::read_file(first), text);
  EXPECT_EQ(std::filesystem::status(first).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(DefinitionTest, AWholeFileMayBeGivenAsText) {
  const std::string text = base::read_file(toy_kernel_);
  const char* path = nullptr;
  ASSERT_EQ(warptune_define(library_, nullptr, text.c_str(), &path), WARPTUNE_OK) << warptune_last_error();
  EXPECT_EQ(kernel_templates::load_kernel_definition(path).hash,
            kernel_templates::load_kernel_definition(toy_kernel_).hash);
}

TEST_F(DefinitionTest, AWrongDefinitionIsRefusedWithItsPlace) {
  const char* path = nullptr;
  const auto failure = [&](const char* description, const char* source) {
    EXPECT_EQ(warptune_define(library_, description, source, &path), WARPTUNE_ERROR_INPUT);
    EXPECT_EQ(path, nullptr);
    return std::string(warptune_last_error());
  };
  EXPECT_THAT(failure("[kernel]\nnme = \"x\"\n", kSource), HasSubstr("kernel.cu:3:"));
  EXPECT_THAT(failure("# a */ b", kSource), HasSubstr("cannot contain */"));
  EXPECT_THAT(failure("[kernel]", nullptr), HasSubstr("the source of a kernel"));
  EXPECT_THAT(failure(nullptr, kSource), HasSubstr("there is no tuning description"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "definitions")) << "a refused definition is not kept";
}

TEST_F(DefinitionTest, ABuiltKernelIsTunedFoundAgainAndSelected) {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_TUNE;
  options.database = database_.c_str();
  const std::string gpu = model::fictional_gpu().name;
  options.gpu = gpu.c_str();
  std::string kernel;
  {
    const Library library(options);
    kernel = define(library, saxpy());
    TuningRequest request(kernel);
    request.problem(4096).budget("5").program(WARPTUNE_FAKE_GPU_WORKER).compile_workers(1);
    EXPECT_EQ(tune(library, request).evaluated, 5U);
  }
  const Library later(options);
  EXPECT_EQ(define(later, saxpy()), kernel);
  const Selection selection = later.kernel(kernel).select(4096);
  EXPECT_EQ(selection.info().match, WARPTUNE_MATCH_EXACT);
}

}  // namespace
}  // namespace warptune::library
