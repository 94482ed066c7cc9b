#include "kernel_templates/emulation/source_rewriting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptune::kernel_templates::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string in_kernel(const std::string& code) { return "__global__ void k() {\n" + code + "\n}\n"; }

// The text of a declaration in a kernel, or the reason why there is none.
std::string rewritten(const std::string& code) {
  const base::Result<RewrittenSource> result = rewritten_source(in_kernel(code));
  return result ? result->text : result.error();
}

TEST(SourceRewritingTest, SharedVariablesGetTheMemoryOfTheirBlock) {
  EXPECT_THAT(
      rewritten("__shared__ float x[4][N + 1];"),
      HasSubstr("auto& x = ::warptune::emulation::static_shared<float[4][N + 1]>(&warptune_site_x);"));
  EXPECT_THAT(rewritten("__shared__ __align__(16) std::pair<int, A<2>> x[3];"),
              HasSubstr("static_shared<std::pair<int, A<2>>[3]>"));
  EXPECT_THAT(rewritten("static __shared__ alignas(8) volatile unsigned int count;"),
              HasSubstr("auto& count = ::warptune::emulation::static_shared<volatile unsigned int>("));
  const std::string two = rewritten("__shared__ float a[2], b;");
  EXPECT_THAT(two, HasSubstr("static_shared<float[2]>(&warptune_site_a)"));
  EXPECT_THAT(two, HasSubstr("static_shared<float>(&warptune_site_b)"));
}

TEST(SourceRewritingTest, DynamicSharedMemoryIsAPointer) {
  EXPECT_THAT(rewritten("extern __shared__ float x[];"),
              HasSubstr("auto* x = ::warptune::emulation::dynamic_shared<float>();"));
  EXPECT_THAT(rewritten("extern __shared__ __align__(128) char x[][4];"),
              HasSubstr("dynamic_shared<char[4]>"));
  const auto outside = rewritten_source("namespace a {\nextern __shared__ int x[];\n}\n");
  ASSERT_TRUE(outside.has_value());
  EXPECT_THAT(outside->text, HasSubstr("static ::warptune::emulation::DynamicShared<int> x;"));
}

TEST(SourceRewritingTest, OtherFormsGiveTheReason) {
  EXPECT_THAT(rewritten("__shared__ union { int a; float b; } x;"), HasSubstr("without a named type"));
  EXPECT_THAT(rewritten("__shared__ int x = 3;"), HasSubstr("a form that is not known"));
  EXPECT_FALSE(rewritten_source("__shared__ float x[3];\n").has_value());
}

TEST(SourceRewritingTest, LinesStayAndLinkageAndIncludesAreLeftOut) {
  const std::string source =
      "#include <cmath>\n#include <cuda_runtime.h>\n#include \"a.h\"\n#define WIDTH(x) x\n"
      "extern \"C\" __global__ void k() {\n  __shared__\n  float x[2];\n}\nextern \"C\" {\nint a;\n}\n";
  const auto result = rewritten_source(source);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(std::count(result->text.begin(), result->text.end(), '\n'),
            std::count(source.begin(), source.end(), '\n'));
  EXPECT_THAT(result->text, Not(HasSubstr("\"C\"")));
  EXPECT_THAT(result->text, Not(HasSubstr("#include")));
  EXPECT_THAT(result->text, HasSubstr("inline namespace warptune_c_linkage {"));
  EXPECT_THAT(result->headers, ElementsAre("cmath"));
  EXPECT_THAT(result->macros, ElementsAre("WIDTH"));
}

TEST(SourceRewritingTest, WhatTheHostLacksIsNamed) {
  EXPECT_EQ(unsupported_words(in_kernel("asm volatile(\"bar.sync 0;\");")), "inline PTX");
  EXPECT_EQ(unsupported_words(in_kernel("nvcuda::wmma::fill_fragment(c, 0.0f);")), "tensor cores");
  EXPECT_EQ(unsupported_words(in_kernel("cooperative_groups::this_grid().sync();")), "cooperative groups");
  EXPECT_EQ(unsupported_words(in_kernel("y[0] = tex2D<float>(t, 0, 0);")), "textures");
  EXPECT_EQ(unsupported_words(in_kernel("y[0] = 1.0f;  // asm and tex2D")), "");
}

}  // namespace
}  // namespace warptune::kernel_templates::emulation
