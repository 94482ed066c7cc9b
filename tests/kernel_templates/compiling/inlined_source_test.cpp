#include "kernel_templates/compiling/inlined_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "definitions.h"

namespace warptune::kernel_templates::compiling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class InlinedSourceTest : public ::testing::Test {
 protected:
  InlinedSource inlined(const std::string& code) const {
    return inlined_source(code, folder_.path() / "k.cu", {folder_.path() / "own", folder_.path() / "cuda"},
                          {(folder_.path() / "cuda").string()});
  }
  TemporaryFolder folder_;
};

TEST_F(InlinedSourceTest, ReplacesOwnIncludesAndKeepsTheToolkits) {
  folder_.write("own/deep.cuh", "#include <cuda_fp16.h>\nint deep;\n");
  folder_.write("beside.cuh", "#include \"deep.cuh\"\n#define WIDTH 4\n");
  folder_.write("cuda/cuda_fp16.h", "");
  const InlinedSource source = inlined("\n\n#include \"beside.cuh\"\n#include <mma.h>\nint code;\n");
  EXPECT_THAT(source.text, HasSubstr("int deep;\n"));
  EXPECT_THAT(source.text, Not(HasSubstr("#include")));
  EXPECT_THAT(source.headers, ElementsAre("#include <cuda_fp16.h>", "#include <mma.h>"));
  EXPECT_THAT(source.macros, ElementsAre("WIDTH"));
}

TEST_F(InlinedSourceTest, ReadsAFileWithPragmaOnceOnce) {
  folder_.write("once.cuh", "#pragma once\nint once;\n");
  const InlinedSource source = inlined("#include \"once.cuh\"\n#include \"once.cuh\"\n");
  EXPECT_THAT(source.text, HasSubstr("#ifndef WARPTUNE_ONCE_0\n#define WARPTUNE_ONCE_0\n"));
  EXPECT_THAT(source.text, Not(HasSubstr("pragma")));
  EXPECT_THAT(source.macros, ElementsAre("WARPTUNE_ONCE_0"));
}

TEST_F(InlinedSourceTest, PutsAnIncludeWithinAConditionIntoACondition) {
  const InlinedSource source = inlined("#if A\n#include <a.h>\n#endif\n#include <b.h>\n");
  EXPECT_THAT(source.headers,
              ElementsAre("#if __has_include(<a.h>)\n#include <a.h>\n#endif", "#include <b.h>"));
}

TEST_F(InlinedSourceTest, LeavesOutWhatANamespaceCannotHave) {
  const InlinedSource source = inlined(
      "#line 3 \"k.cu\"\n#pragma nv_hdrstop\nextern \"C\" __global__ void f();\nextern \"C\" { int g; }\n"
      "// extern \"C\"\n");
  EXPECT_THAT(source.text, HasSubstr("__global__ void f();\ninline namespace c_linkage { int g; }"));
  EXPECT_THAT(source.text, HasSubstr("// extern \"C\"")) << "a comment stays";
  EXPECT_THAT(source.text, Not(HasSubstr("#")));
}

TEST_F(InlinedSourceTest, RefusesFilesThatMacrosNameAndEndlessIncludes) {
  EXPECT_THROW(inlined("#include FILE\n"), base::InputError);
  folder_.write("endless.cuh", "#include \"endless.cuh\"\n");
  EXPECT_THROW(inlined("#include \"endless.cuh\"\n"), base::InputError);
}

}  // namespace
}  // namespace warptune::kernel_templates::compiling
