#include "kernel_templates/inspection/grid_findings.h"

#include <gtest/gtest.h>

#include <string>

#include "model/gpu_description.h"
#include "tests/kernel_templates/definitions.h"

namespace warptune::kernel_templates::inspection {
namespace {

// A definition whose grid drops the rest of N = 1000. `more` are further launches, defines and arguments.
std::string rounded_down(const std::string& more) {
  return R"([kernel]
entry = "scale"
)" + more +
         R"(
[problem]
N = 1000
[parameters]
BLOCK = [128]
[default]
BLOCK = 128
[launch]
grid = ["N / BLOCK"]
block = ["BLOCK"]
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"
)";
}

const std::string kAfter = "[[launch.after]]\nentry = \"rest\"\ngrid = [1]\nblock = [128]\n";
const std::string kScale =
    "__global__ void scale(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = 2.0f * x[i];\n}\n";

// The number of findings.
std::size_t found(const std::string& toml, const std::string& code) {
  const TemporaryFolder folder;
  const KernelDefinition definition = load_kernel_definition(folder.write("scale.cu", embedded(toml, code)));
  const KernelInstance instance(definition, {}, model::fictional_gpu());
  return uncovered_sizes(instance, source_facts(definition), {instance.default_configuration()}).size();
}

TEST(UncoveredSizesTest, AreToldForAKernelThatDoesNotReadItsGrid) {
  EXPECT_EQ(found(rounded_down(""), kScale), 1U);
  EXPECT_EQ(found(rounded_down(""), kScale + "__global__ void other(float* y) { y[gridDim.x] = 1.0f; }\n"),
            1U);
}

TEST(UncoveredSizesTest, AreToldForALaunchThatListsWhatItPasses) {
  const auto with = [](const std::string& last) {
    std::string toml = rounded_down("");
    const std::string launch = "[launch]\n";
    return toml.replace(toml.find(launch), launch.size(),
                        launch + "arguments = [\"x\", \"y\", " + last + "]\n");
  };
  EXPECT_EQ(found(with("\"n\""), kScale), 1U);
  EXPECT_EQ(found(with("{ value = \"N / BLOCK\", type = \"i32\" }"), kScale), 0U) << "it may loop";
  EXPECT_EQ(found(with("\"n\"") + kAfter, kScale + "__global__ void rest(float* y) { y[999] = 1.0f; }\n"),
            0U);
}

TEST(UncoveredSizesTest, AreNotToldForALoopOverTheGrid) {
  const std::string loop = "for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += ";
  const auto kernel = [&](const std::string& before, const std::string& stride) {
    return before + "__global__ void scale(const float* x, float* y, int n) {\n" + loop + stride +
           ") y[i] = 2.0f * x[i];\n}\n";
  };
  EXPECT_EQ(found(rounded_down(""), kernel("", "gridDim.x * BLOCK")), 0U);
  EXPECT_EQ(
      found(rounded_down(""), kernel("__device__ int stride() { return gridDim.x * BLOCK; }\n", "stride()")),
      0U);
  EXPECT_EQ(found(rounded_down(""), kernel("#define STRIDE (gridDim.x * BLOCK)\n", "STRIDE")), 0U);
  EXPECT_EQ(
      found(rounded_down(""),
            kernel("struct Range { int step = gridDim.x; __device__ int get() { return step * BLOCK; } };\n",
                   "Range().get()")),
      0U);
  EXPECT_EQ(found(rounded_down("defines = { BLOCKS = \"N / BLOCK\" }"), kernel("", "BLOCKS * BLOCK")), 0U);
}

TEST(UncoveredSizesTest, AreNotToldWhereAnotherLaunchMayProcessTheRest) {
  const std::string rest = "__global__ void rest(const float* x, float* y, int n) {\n";
  EXPECT_EQ(found(rounded_down("") + kAfter, kScale + rest + "const int i = n - 1; y[i] = 2.0f * x[i];\n}\n"),
            0U);
  EXPECT_EQ(found(rounded_down("") + kAfter, kScale + rest + "y[n - 1] = 0.0f;\n}\n"), 0U);
  EXPECT_EQ(found(rounded_down("") + kAfter, kScale + rest + "if (n > 0) return;\n}\n"), 1U);
}

}  // namespace
}  // namespace warptune::kernel_templates::inspection
