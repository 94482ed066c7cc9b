#include "kernel_templates/inspection/kernel_signatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warptune::kernel_templates::inspection {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> forms(const std::vector<WrittenParameter>& parameters) {
  std::vector<std::string> forms;
  for (const WrittenParameter& parameter : parameters) forms.push_back(parameter.type + "|" + parameter.name);
  return forms;
}

TEST(KernelSignaturesTest, HasNamesTypesAndLines) {
  const auto found = kernel_signatures(
      "// __global__ void commented(int a);\n"
      "#define MACRO __global__ void defined(int a)\n"
      "__global__ void scale(const float* __restrict__ x, float *y, const unsigned int n,\n"
      "                      float factor = 2.0f) {}\n"
      "__device__ void helper(int a) {}\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "scale");
  EXPECT_EQ(found[0].line, 3);
  EXPECT_FALSE(found[0].is_template);
  EXPECT_THAT(forms(found[0].parameters),
              ElementsAre("const float*|x", "float*|y", "unsigned int|n", "float|factor"));
}

TEST(KernelSignaturesTest, HasTheNamespacesAround) {
  const auto found = kernel_signatures(
      "namespace alias = other::inner;\n"
      "using namespace std;\n"
      "extern \"C\" { __global__ void plain(int* x) {} }\n"
      "namespace a {\n"
      "struct S { int y; };\n"
      "inline namespace v2 { namespace {\n"
      "template <class T> __global__ void add(T* x) { if (x) { x[0] = 1; } }\n"
      "}  // namespace\n"
      "}\n"
      "}\n"
      "namespace b::c { __global__ void add(int* x); }\n"
      "__global__ void add(int* x) {}\n");
  std::vector<std::string> names;
  for (const KernelSignature& one : found) names.push_back(one.full_name());
  EXPECT_THAT(names, ElementsAre("plain", "a::v2::add", "b::c::add", "add"));
}

TEST(KernelSignaturesTest, LeavesOutConstOfThePointerItself) {
  const auto found = kernel_signatures(
      "__global__ void f(const float* const x, float* const __restrict__ y, float* const* z, int const n) "
      "{}");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(forms(found[0].parameters),
              ElementsAre("const float*|x", "float*|y", "float*const*|z", "int|n"));
}

TEST(KernelSignaturesTest, ReadsTemplatesAttributesAndArrays) {
  const auto found = kernel_signatures(
      "template <int BLOCK, typename T = float>\n"
      "__global__ void __launch_bounds__(BLOCK, 2) first(T out[], std::pair<int, T> p, void (*f)(int, int)) "
      "{}\n"
      "extern \"C\" __global__ void second(void);\n"
      "template <int N> static __launch_bounds__(32) __global__ void third(int) {}\n"
      "__global__ void first(int) {}\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].is_template);
  EXPECT_THAT(forms(found[0].template_parameters), ElementsAre("int|BLOCK", "typename|T"));
  ASSERT_EQ(found[0].parameters.size(), 3U);
  EXPECT_EQ(found[0].parameters[0].type + "|" + found[0].parameters[0].name, "T*|out");
  EXPECT_EQ(found[0].parameters[1].name, "p");
  EXPECT_EQ(found[1].name, "second");
  EXPECT_TRUE(found[1].parameters.empty());
  EXPECT_TRUE(found[2].is_template);
  EXPECT_THAT(forms(found[2].parameters), ElementsAre("int|"));
}

TEST(KernelSignaturesTest, TextThatEndsWithinAFunctionIsNone) {
  for (const char* text : {"__global__", "__global__ void", "__global__ void f", "__global__ void f(",
                           "__global__ void f(int a", "__global__ \"", "template <", "__global__ void f(/*"})
    EXPECT_TRUE(kernel_signatures(text).empty()) << text;
}

}  // namespace
}  // namespace warptune::kernel_templates::inspection
