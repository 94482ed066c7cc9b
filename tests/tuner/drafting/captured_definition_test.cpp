// Definitions from captured launches: what they say, and that they are read again with the captured contents.
#include "tuner/drafting/captured_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/given_contents.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "tests/tuner/drafting/captured_definition_fixture.h"
#include "tests/tuner/drafting/launch_builder.h"

namespace warptune::tuner::drafting {
namespace {

using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using model::NamedValues;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using CapturedDefinitionTest = CapturedDefinitionFixture;

const std::vector<float> kX = {1.5F, 2, 3, 4, 5};
const std::vector<float> kY = {0, 0, 0, 0, 0};
const std::vector<float> kScaled = {3, 4, 6, 8, 10};

TEST_F(CapturedDefinitionTest, IsReadAgainWithTheLaunchAndItsContents) {
  LaunchBuilder builder("_Z5scalePKfPffi", "scale(float const*, float*, float, int)");
  builder.geometry({1, 1, 1}, {96, 1, 1}).buffer(bytes_of(kX)).buffer(bytes_of(kY), bytes_of(kScaled));
  builder.value(2.0F).value(5);
  const CapturedDefinition definition = made(
      "__global__ void scale(const float* x, float* y, float a, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = a * x[i];\n}\n",
      builder);
  EXPECT_THAT(definition.notes, IsEmpty());
  EXPECT_EQ(definition.contents_bytes(), 40U);  // y is zero before the launch.
  const KernelInstance instance(written(definition), {}, model::fictional_gpu());
  EXPECT_EQ(instance.problem(), (NamedValues{{"N", std::int64_t{5}}}));
  const NamedValues& usual = instance.default_configuration();
  EXPECT_EQ(usual, (NamedValues{{"BLOCK", std::int64_t{96}}}));
  EXPECT_EQ(instance.definition().parameters[0].values.size(), 5U);
  const auto plan = instance.launch_plan(usual);
  EXPECT_THAT(plan->main_launch()->grid, ElementsAre(1, 1, 1));
  EXPECT_THAT(plan->main_launch()->block, ElementsAre(96, 1, 1));
  const auto arguments = instance.arguments(usual);
  EXPECT_EQ(text_of(generate_argument(arguments->at(0), 0, 1)), bytes_of(kX));
  EXPECT_EQ(text_of(generate_argument(arguments->at(1), 1, 1)), bytes_of(kY));
  EXPECT_EQ(text_of(kernel_templates::scalar_bytes(arguments->at(2))), bytes_of(std::vector<float>{2}));
  EXPECT_EQ(text_of(kernel_templates::scalar_bytes(arguments->at(3))), bytes_of(std::vector<int>{5}));
  auto expected = arguments->at(1);
  expected.init.kind = kernel_templates::InitialiserKind::kFile;
  expected.init.path = kernel_templates::expected_files(instance.definition()).at(0).second;
  EXPECT_EQ(text_of(generate_argument(expected, 1, 1)), bytes_of(kScaled));
  kernel_templates::require_contents_fit(instance);
  EXPECT_THROW(kernel_templates::require_contents_fit(
                   {instance.definition(), {{"N", std::int64_t{4}}}, model::fictional_gpu()}),
               base::InputError);
}

TEST_F(CapturedDefinitionTest, TemplatesHaveTheCapturedTypesAndValues) {
  LaunchBuilder builder("_Z3addIdLi64ELb1EEvPT_PKS0_S3_i",
                        "void math::add<double, 64, (bool)1>(double*, double const*, double const*, int)");
  const std::string ones = bytes_of(std::vector<double>(640, 1.0));
  builder.geometry({10, 1, 1}, {64, 1, 1}).buffer(ones, bytes_of(std::vector<double>(640, 2.0)));
  builder.buffer(ones).buffer(ones).value(640);
  const CapturedDefinition definition = made(
      "namespace math {\ntemplate <typename T, int BLOCK, bool ROUND>\n"
      "__global__ void add(T* c, const T* a, const T* b, int n) {}\n}\n",
      builder);
  const KernelDefinition read = written(definition);
  EXPECT_EQ(read.entry, "math::add<{dtype}, {BLOCK_VALUE}, {ROUND_VALUE}>");
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{640}}, {"dtype", std::string("f64")}}));
  EXPECT_EQ(read.default_configuration,
            (NamedValues{{"ROUND_VALUE", true}, {"BLOCK_VALUE", std::int64_t{64}}}));
  EXPECT_EQ(read.arguments[0].type, "dtype");
  EXPECT_EQ(read.launch.grid[0].text(), "ceil_div(N, BLOCK_VALUE)");
}

TEST_F(CapturedDefinitionTest, WhatNothingExplainsIsLiteral) {
  LaunchBuilder builder("_Z3sumPKfPfii", "sum(float const*, float*, int, int)");
  builder.geometry({7, 3, 1}, {16, 8, 1}).buffer(std::string(4 * 1000, 'x'));
  builder.buffer(std::string(4 * 37, '\0'), std::string(4 * 37, 'y')).value(1000).value(-3);
  builder.launch().dynamic_shared_bytes = 600;
  builder.launch().cluster = {7, 1, 1};
  builder.launch().cooperative = true;
  builder.launch().carveout = 25;
  const KernelDefinition read =
      written(made("__global__ void sum(const float* x, float* y, int n, int k) {}", builder));
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{1000}}}));
  EXPECT_EQ(read.arguments[0].count->text(), "N");
  EXPECT_EQ(read.arguments[1].count->text(), "37");
  EXPECT_EQ(read.arguments[3].value->text(), "-3");
  EXPECT_EQ(read.default_configuration,
            (NamedValues{{"BLOCK_X", std::int64_t{16}}, {"BLOCK_Y", std::int64_t{8}}}));
  EXPECT_EQ(read.launch.grid[0].text(), "7");
  EXPECT_EQ(read.launch.grid[1].text(), "3");
  EXPECT_EQ(read.launch.shared_bytes->text(), "600");
  EXPECT_EQ(read.launch.cluster[0].text(), "7");
  EXPECT_EQ(read.launch.cooperative->text(), "true");
  EXPECT_EQ(read.launch.carveout->text(), "25");
}

TEST_F(CapturedDefinitionTest, SharedMemoryFollowsABlockThatVaries) {
  LaunchBuilder builder("_Z3sumPfi", "sum(float*, int)");
  builder.geometry({4, 1, 1}, {256, 1, 1}).buffer(std::string(4000, 'x'), std::string(4000, 'y')).value(1000);
  builder.launch().dynamic_shared_bytes = 1024;
  const KernelDefinition read =
      written(made("__global__ void sum(float* x, int n) { x[blockDim.x] = n; }", builder));
  EXPECT_EQ(read.launch.shared_bytes->text(), "BLOCK * 4");
  EXPECT_EQ(read.parameters[0].values.size(), 4U);
}

TEST_F(CapturedDefinitionTest, ABlockThatTheCodeDoesNotAskForKeepsItsSize) {
  LaunchBuilder builder("_Z3sumPfi", "sum(float*, int)");
  builder.geometry({4, 1, 1}, {256, 1, 1}).buffer(std::string(4000, 'x'), std::string(4000, 'y')).value(1000);
  const KernelDefinition read =
      written(made("__global__ void sum(float* x, int n) { x[255] = n; }", builder));
  EXPECT_EQ(read.parameters[0].values.size(), 1U);
}

TEST_F(CapturedDefinitionTest, WithoutSizesTheLargestBufferGivesOne) {
  LaunchBuilder builder("_Z4fillP6ColourPKf", "fill(Colour*, float const*)");
  builder.geometry({2, 1, 1}, {32, 1, 1}).buffer(std::string(60, 'x'), std::string(60, 'y'));
  builder.buffer(std::string(20, 'z'));
  const CapturedDefinition definition =
      made("struct Colour { char rgb[3]; Other more; };\n__global__ void fill(Colour* c, const float* g) {}",
           builder);
  EXPECT_THAT(definition.text, HasSubstr("type = \"u8\"  # bytes of 'Colour'\ncount = \"N\""));
  EXPECT_EQ(written(definition).problem, (NamedValues{{"N", std::int64_t{60}}}));
}

TEST_F(CapturedDefinitionTest, BlocksMayBeRowsOfTheBuffers) {
  LaunchBuilder builder("_Z4rowsPKfPfi", "rows(float const*, float*, int)");
  builder.geometry({30, 1, 1}, {128, 1, 1}).buffer(std::string(30 * 257 * 4, 'x'));
  builder.buffer(std::string(30 * 4, '\0'), std::string(30 * 4, 'y')).value(257);
  const KernelDefinition read =
      written(made("__global__ void rows(const float* x, float* y, int n) {}", builder));
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{257}}, {"BLOCKS", std::int64_t{30}}}));
  EXPECT_EQ(read.arguments[0].count->text(), "N * BLOCKS");
  EXPECT_EQ(read.arguments[1].count->text(), "BLOCKS");
  EXPECT_EQ(read.launch.grid[0].text(), "BLOCKS");
}

TEST_F(CapturedDefinitionTest, VariablesOfTheSourceGetTheirContents) {
  LaunchBuilder builder("_Z1fPfi", "f(float*, int)");
  builder.geometry({1, 1, 1}, {32, 1, 1}).buffer(std::string(40, 'x'), std::string(40, 'y')).value(10);
  builder.variable("_ZL7weights", "12345678").variable("_ZN1a1bE", "1").variable("other", "2");
  const KernelDefinition read = written(
      made("static __constant__ float weights[2];\n__global__ void f(float* x, int n) { x[n] = weights[0]; }",
           builder));
  ASSERT_EQ(read.arguments.size(), 3U);
  EXPECT_EQ(read.arguments[2].symbol, "weights");
  EXPECT_EQ(read.arguments[2].init.path.filename(), "weights.npy");
}

TEST_F(CapturedDefinitionTest, NotesSayWhatTheCheckDoesNotCompare) {
  LaunchBuilder builder("_Z1fPKfPfi", "f(float const*, float*, int)");
  const std::string zeros(40, '\0');
  builder.geometry({1, 1, 1}, {32, 1, 1}).buffer(zeros, std::string(40, 'c')).buffer(zeros).value(10);
  builder.launch().notes = {"A note of the capture."};
  const CapturedDefinition definition =
      made("__global__ void f(const float* x, float* y, int n) {}", builder);
  EXPECT_THAT(definition.notes, ElementsAre(HasSubstr("The launch did not change 'y'."),
                                            HasSubstr("changed memory outside of the elements of outputs"),
                                            "A note of the capture."));
  LaunchBuilder constant("_Z1gPKf", "g(float const*)");
  constant.geometry({1, 1, 1}, {32, 1, 1}).buffer(std::string(40, 'x'));
  const CapturedDefinition without = made("__global__ void g(const float* x) {}", constant);
  EXPECT_THAT(without.notes, ElementsAre(HasSubstr("so the definition has no [check]")));
  EXPECT_THAT(without.text, Not(HasSubstr("[check]")));
}

// Captures are files of others. What they say must not become other lines of the definition.
TEST_F(CapturedDefinitionTest, NamesOfACaptureAddNoLines) {
  const std::string line = "\"\n[injected]\nx = \"\x7F\xFF";
  LaunchBuilder builder("_Z1fIiEvPT_", "void f<" + line + ">(int*)");
  builder.geometry({1, 1, 1}, {32, 1, 1}).buffer("1234", "5678");
  builder.launch().gpu_name = "GPU" + line;
  base::write_file_atomically(folder_.path() / "a \"b\".cu",
                              "template <typename T> __global__ void f(T* x) {}");
  const CapturedDefinition definition =
      captured_definition(folder_.path() / "a \"b\".cu", std::nullopt, builder.launch(), "a \"b\".data");
  EXPECT_THAT(definition.text, Not(HasSubstr("\n[injected]")));
  EXPECT_THAT(definition.text, HasSubstr(R"(source = "a \"b\".cu")"));
  EXPECT_THAT(definition.text, HasSubstr(R"(path = "a \"b\".data/x.npy")"));
}

TEST_F(CapturedDefinitionTest, AnotherKernelIsRefused) {
  LaunchBuilder builder("_Z1fPf", "f(float*)");
  builder.buffer("1234");
  const auto refusal = [&](const std::string& code, const std::optional<std::string>& entry) {
    base::write_file_atomically(source_, code);
    try {
      captured_definition(source_, entry, builder.launch(), "kernel.data");
      return std::string("no error");
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refusal("__global__ void g(float* x) {}", std::nullopt),
              HasSubstr("the capture has a launch of 'f': there is no kernel 'f'; the kernels are g"));
  EXPECT_THAT(refusal("__global__ void g(float* x) {}", "g"), HasSubstr("a launch of 'f', not of 'g'"));
  // The capture has no part in other faults.
  EXPECT_THAT(refusal("__global__ void f() {}", std::nullopt),
              AllOf(HasSubstr("f has no parameters"), Not(HasSubstr("the capture has"))));
  EXPECT_EQ(refusal("__global__ void f(float* x) {}\n__global__ void g(float* x) {}", std::nullopt),
            "no error");
}

}  // namespace
}  // namespace warptune::tuner::drafting
