// What a definition guesses of a captured launch: it must not replace what the capture has, and it must be
// said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/tuner/drafting/captured_definition_fixture.h"
#include "tests/tuner/drafting/launch_builder.h"

namespace warptune::tuner::drafting {
namespace {

using kernel_templates::KernelDefinition;
using model::NamedValues;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CapturedDefinitionGuessTest : public CapturedDefinitionFixture {
 protected:
  // The definition of a kernel `f` with an output of `elements` floats that the launch changed.
  KernelDefinition of_output(const std::string& code, const std::string& name, int elements) {
    LaunchBuilder builder(name.substr(0, name.find('|')), name.substr(name.find('|') + 1));
    const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(elements);
    builder.geometry({(static_cast<std::uint32_t>(elements) + 255) / 256, 1, 1}, {256, 1, 1});
    builder.buffer(std::string(bytes, 'x'), std::string(bytes, 'y')).value(elements);
    text_ = made(code, builder).text;
    return written(made(code, builder));
  }
  std::string text_;
};

TEST_F(CapturedDefinitionGuessTest, IntegersThatExplainNothingKeepTheirValues) {
  const std::string x(4 * 4096, 'x');
  const std::string y(4 * 4096, 'y');
  LaunchBuilder last("_Z5scalePKfPfi", "scale(float const*, float*, int)");
  last.geometry({7, 1, 1}, {128, 1, 1}).buffer(x).buffer(x, y).value(3000);
  KernelDefinition read = written(made("__global__ void scale(const float* x, float* y, int n) {}", last));
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{4096}}}));
  EXPECT_EQ(read.arguments[2].value->text(), "3000");
  LaunchBuilder first("_Z5scaleiPKfPf", "scale(int, float const*, float*)");
  first.geometry({7, 1, 1}, {128, 1, 1}).value(3000).buffer(x).buffer(x, y);
  read = written(made("__global__ void scale(int n, const float* x, float* y) {}", first));
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{4096}}}));
  EXPECT_EQ(read.arguments[0].value->text(), "3000");
}

TEST_F(CapturedDefinitionGuessTest, SmallIntegersTakeNoNameOfASize) {
  LaunchBuilder builder("_Z1kPfii", "k(float*, int, int)");
  builder.geometry({8, 1, 1}, {128, 1, 1}).buffer(std::string(4096, 'x'), std::string(4096, 'y'));
  builder.value(1).value(1024);
  KernelDefinition read = written(made("__global__ void k(float* y, int n, int N) {}", builder));
  EXPECT_EQ(read.arguments[1].value->text(), "1");
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{1024}}}));
  LaunchBuilder rows("_Z4rowsPKfPfii", "rows(float const*, float*, int, int)");
  rows.geometry({30, 1, 1}, {128, 1, 1}).buffer(std::string(30 * 257 * 4, 'x'));
  rows.buffer(std::string(30 * 4, '\0'), std::string(30 * 4, 'y')).value(257).value(1);
  read = written(made("__global__ void rows(const float* x, float* y, int n, int blocks) {}", rows));
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{257}}, {"BLOCKS", std::int64_t{30}}}));
  EXPECT_EQ(read.arguments[3].value->text(), "1");
}

TEST_F(CapturedDefinitionGuessTest, StructsOfOneTypeAreTheirElements) {
  LaunchBuilder builder("_Z1fP4Pair", "f(Pair*)");
  builder.buffer(std::string(40, 'x'), std::string(40, 'y'));
  const CapturedDefinition definition =
      made("struct Pair { float a, b; };\n__global__ void f(Pair* x) {}", builder);
  EXPECT_THAT(definition.notes, IsEmpty());
  const KernelDefinition read = written(definition);
  EXPECT_EQ(read.arguments[0].type, "f32");
  EXPECT_EQ(read.problem, (NamedValues{{"N", std::int64_t{10}}}));
}

TEST_F(CapturedDefinitionGuessTest, AddressesWithinBuffersAreSaid) {
  LaunchBuilder builder("_Z1fP4NodePf", "f(Node*, float*)");
  const std::uint64_t data = builder.allocation(std::string(40, 'x'), std::string(40, 'y'));
  builder.buffer(std::string(8, '\0') + bytes_of(std::vector<std::uint64_t>{data + 4}));
  builder.value(data);
  EXPECT_THAT(made("__global__ void f(const Node* n, float* x) {}", builder).notes,
              ElementsAre(HasSubstr("'n' has addresses of captured memory, the first at byte 8.")));
}

TEST_F(CapturedDefinitionGuessTest, VectorTypesOfTemplatesAreTheirElements) {
  const KernelDefinition read = of_output("template <typename T> __global__ void f(T* x, int n) {}",
                                          "_Z1fI6float4EvPT_i|void f<float4>(float4*, int)", 1024);
  EXPECT_EQ(read.entry, "f<float4>");
  EXPECT_EQ(read.arguments[0].type, "f32");
}

TEST_F(CapturedDefinitionGuessTest, TheEntryIsTheCapturedInstance) {
  const auto entry_with = [&](const std::string& mangled, const std::string& argument) {
    return of_output("template <typename T> __global__ void f(T* x, int n) {}",
                     "_Z1fI" + mangled + "EvPT_i|void f<" + argument + ">(" + argument + "*, int)", 1024)
        .entry;
  };
  EXPECT_EQ(entry_with("b", "bool"), "f<bool>");
  EXPECT_EQ(entry_with("c", "char"), "f<char>");
  EXPECT_EQ(entry_with("l", "long"), "f<long>");
  EXPECT_EQ(entry_with("m", "unsigned long"), "f<unsigned long>");
  EXPECT_EQ(entry_with("x", "long long"), "f<{dtype}>");
  EXPECT_EQ(of_output("enum Op { A, B };\ntemplate <Op OP> __global__ void f(float* x, int n) {}",
                      "_Z1fIL2Op1EEvPfi|void f<(Op)1>(float*, int)", 1024)
                .entry,
            "f<(Op)1>");
  EXPECT_EQ(of_output("template <short S> __global__ void f(float* x, int n) {}",
                      "_Z1fILs3EEvPfi|void f<(short)3>(float*, int)", 1024)
                .entry,
            "f<{S_VALUE}>");
}

TEST_F(CapturedDefinitionGuessTest, LambdasOfTemplatesAreRefused) {
  try {
    of_output("template <typename F> __global__ void f(float* x, int n) {}",
              "_Z1fIZ4mainEUliE_EvPfi|void f<main::{lambda(int)#1}>(float*, int)", 1024);
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'main::{lambda(int)#1}' of f has no name in the source"));
  }
}

TEST_F(CapturedDefinitionGuessTest, VariablesOfNamespacesAreSaidToBeMissing) {
  LaunchBuilder builder("_Z1fPfi", "f(float*, int)");
  builder.geometry({1, 1, 1}, {32, 1, 1}).buffer(std::string(40, 'x'), std::string(40, 'y')).value(10);
  builder.variable("_ZN2nsL1wE", "1234").variable("_ZN2ns5otherE", "1234").variable("_ZN1", "1");
  const CapturedDefinition definition = made(
      "namespace ns { static __constant__ float w[1]; }\n"
      "__global__ void f(float* x, int n) { x[n] = ns::w[0]; }",
      builder);
  EXPECT_THAT(definition.notes, ElementsAre(HasSubstr("The variable 'w' is in a namespace or class"),
                                            HasSubstr("The variable '_ZN1' is in")));
}

TEST_F(CapturedDefinitionGuessTest, ChangesAfterTheLastElementAreSaid) {
  LaunchBuilder builder("_Z1fPd", "f(double*)");
  builder.geometry({1, 1, 1}, {32, 1, 1}).buffer(std::string(20, 'x'), std::string(16, 'y') + "zzzz");
  EXPECT_THAT(made("__global__ void f(double* x) {}", builder).notes,
              ElementsAre(HasSubstr("changed memory outside of the elements of outputs")));
}

TEST_F(CapturedDefinitionGuessTest, BlocksVaryOnlyWithoutASignOfAFixedOne) {
  const std::string name = "_Z1fPfi|f(float*, int)";
  const auto blocks = [&](const std::string& code) {
    return of_output(code, name, 1024).parameters[0].values.size();
  };
  EXPECT_EQ(blocks("__global__ void f(float* x, int n) { x[blockDim.x] = n; }"), 4U);
  EXPECT_THAT(text_, HasSubstr("  # 256 in the capture; remove those that the kernel does not allow"));
  EXPECT_EQ(blocks("__global__ void f(float* x, int n) { __shared__ float s[256]; s[blockDim.x] = n; }"), 1U);
  EXPECT_EQ(blocks("__global__ void __launch_bounds__(256) f(float* x, int n) { x[blockDim.x] = n; }"), 1U);
  EXPECT_EQ(blocks("__global__ void __launch_bounds__(BLOCK) f(float* x, int n) { x[BLOCK] = n; }"), 4U);
}

TEST_F(CapturedDefinitionGuessTest, CountsThatAreNoSizeAreMarked) {
  LaunchBuilder builder("_Z1fPKfPfi", "f(float const*, float*, int)");
  builder.buffer(std::string(1600, 'x')).buffer(std::string(400, 'x'), std::string(400, 'y')).value(100);
  EXPECT_THAT(made("__global__ void f(const float* x, float* y, int n) {}", builder).text,
              AllOf(HasSubstr("count = \"4 * N\"  # 400 in the capture\n"), HasSubstr("count = \"N\"\n")));
}

TEST_F(CapturedDefinitionGuessTest, PairsAreTheirElementsAndBytesAreSaid) {
  const KernelDefinition read =
      of_output("__global__ void f(__half2* x, int n) {}", "_Z1fP7__half2i|f(__half2*, int)", 1024);
  EXPECT_EQ(read.arguments[0].type, "f16");
  EXPECT_EQ(read.arguments[0].count->text(), "2 * N");
  LaunchBuilder builder("_Z1fP4Pair", "f(Pair*)");
  builder.buffer(std::string(40, 'x'), std::string(40, 'y'));
  EXPECT_THAT(made("struct Pair { float a; int b; };\n__global__ void f(Pair* x) {}", builder).notes,
              ElementsAre(HasSubstr("The elements of 'x' are compared as bytes")));
}

TEST_F(CapturedDefinitionGuessTest, PointersMayBeConstantThemselves) {
  LaunchBuilder builder("f", "f");
  builder.buffer(std::string(40, 'x')).buffer(std::string(40, 'x'), std::string(40, 'y'));
  const KernelDefinition read = written(
      made("extern \"C\" __global__ void f(const float* const x, float* const __restrict__ y) {}", builder));
  EXPECT_EQ(read.arguments[0].kind, kernel_templates::ArgumentKind::kIn);
  EXPECT_EQ(read.arguments[1].kind, kernel_templates::ArgumentKind::kInOut);
}

}  // namespace
}  // namespace warptune::tuner::drafting
