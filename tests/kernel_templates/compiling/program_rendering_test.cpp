// Programs that begin with expensive headers: how they are rendered, and that they still compile to the same
// code.

#include "kernel_templates/compiling/program_rendering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/shared_library.h"
#include "definitions.h"

namespace warptune::kernel_templates::compiling {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A substitute for the toolkit: one header that reaches the core libraries, and a cheap one.
class Rendering : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("cuda/cub/cub.cuh", "#include <cuda/std/limits>\nint UNROLL_OF_CUB;\n");
    folder_.write("cuda/cuda/std/limits", "#define A(x, y) x##y\n");
    folder_.write("cuda/cuda_fp16.h", "// cheap\n");
    folder_.write("own/own.cuh", "int of_own = OWN;\n");
  }
  compiling::ProgramText text(const std::string& code) const {
    return compiling::read_program_text(folder_.write("k.cu", code),
                                        {folder_.path() / "own", folder_.path() / "cuda"},
                                        {(folder_.path() / "cuda").string()});
  }
  CompileRequest rendered(const std::string& code, compiling::ProgramOptions options = {}) const {
    CompileRequest request;
    request.program_name = "folder/a \"k\".cu";
    request.entries = {"f"};
    compiling::render_program(request, text(code), options);
    return request;
  }
  TemporaryFolder folder_;
};

TEST_F(Rendering, SplitsBehindTheLastOfTheToolkitsHeadersAtTheTop) {
  const std::string top =
      "// a licence\n/* of two\n lines */\n#pragma once\n#include <cub/cub.cuh>  // block\n\n"
      "#include <cuda_fp16.h>\n";
  const compiling::ProgramText split = text(top + "\n#include \"own.cuh\"\nint code;\n");
  EXPECT_EQ(split.headers, top);
  EXPECT_EQ(split.code_line, 8);
  EXPECT_THAT(split.code, StartsWith("\n#include \"own.cuh\"\n"));
  EXPECT_TRUE(split.reaches_core_libraries);
}

TEST_F(Rendering, SplitsNothingWhereHeadersAreCheapConditionalQuotedOrTheUsers) {
  for (const std::string code :
       {"#include <cuda_fp16.h>\nint code;\n", "#if A\n#include <cub/cub.cuh>\n#endif\n",
        "#include \"cub/cub.cuh\"\n", "#include <own.cuh>\n#include <cub/cub.cuh>\n",
        "#define X 1\n#include <cub/cub.cuh>\n", "/* open\n#include <cub/cub.cuh>\n*/\nint code;\n",
        "int code;\n", "#include <cub/cub.cuh> /* open\n */ int code;\n"}) {
    EXPECT_EQ(text(code).headers, "") << code;
    EXPECT_EQ(text(code).code, code);
  }
}

TEST_F(Rendering, PutsMacrosBehindTheHeadersAndKeepsTheLines) {
  compiling::ProgramOptions options;
  options.fixed = {"-std=c++17"};
  options.macros = {{"BLOCK", "64"}, {"UNUSED", "1"}};
  options.flags = {"-lineinfo"};
  const CompileRequest request = rendered("#include <cub/cub.cuh>\nint block = BLOCK;\n", options);
  EXPECT_EQ(request.source,
            "#include <cub/cub.cuh>\n#pragma nv_hdrstop\n#define BLOCK 64\n"
            "#line 2 \"folder/a \\\"k\\\".cu\"\nint block = BLOCK;\n");
  EXPECT_THAT(request.options,
              ::testing::ElementsAre("-std=c++17", "-D_CCCL_META_UNROLL_LIMIT=8", "-pch", "-lineinfo"));
}

TEST_F(Rendering, MentionsWhatTheUsersHeadersMentionAndNotWhatPrecompiledOnesDo) {
  const compiling::ProgramText own = text("#include <cub/cub.cuh>\n#include <own.cuh>\n");
  EXPECT_TRUE(own.mentions("OWN"));
  EXPECT_FALSE(own.mentions("UNROLL_OF_CUB"));
  EXPECT_FALSE(own.may_form_any_name) << "the toolkit's token pasting does not count";
  EXPECT_TRUE(text("#include <own.cuh>\n#include <cub/cub.cuh>\n").mentions("UNROLL_OF_CUB"));
}

TEST_F(Rendering, LeavesTheUnrollLimitToADefinitionThatNamesIt) {
  const std::string code = "#include <cub/cub.cuh>\nint code;\n";
  EXPECT_THAT(rendered(code).options, Contains("-D_CCCL_META_UNROLL_LIMIT=8"));
  compiling::ProgramOptions options;
  options.flags = {"-D_CCCL_META_UNROLL_LIMIT=64"};
  EXPECT_THAT(rendered(code, options).options, Not(Contains("-D_CCCL_META_UNROLL_LIMIT=8")));
  EXPECT_THAT(rendered("int code;\n").options, Not(Contains("-D_CCCL_META_UNROLL_LIMIT=8")));
}

TEST_F(Rendering, AllowsNvrtcToOmitTheRuntimeApiWhereNoTextCanAskForIt) {
  EXPECT_TRUE(rendered("#include <cuda_fp16.h>\n#include \"own.cuh\"\nint code;\n").may_omit_declarations);
  for (const std::string code :
       {"#ifdef cudaMemAttachGlobal\nint code;\n#endif\n", "typedef int cudaError_t;\n",
        "#if CUDA_IPC_HANDLE_SIZE\nint code;\n#endif\n", "#define A(x) cuda##x\n",
        "#ifdef __CUDACC_RTC_MINIMAL__\nint code;\n#endif\n"})
    EXPECT_FALSE(rendered(code).may_omit_declarations) << code;
  folder_.write("own/own.cuh", "#ifdef cudaStreamLegacy\nint of_own;\n#endif\n");
  EXPECT_FALSE(rendered("#include \"own.cuh\"\nint code;\n").may_omit_declarations);
}

// These tests use the real toolkit.
class PrecompiledHeaders : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
    std::vector<std::filesystem::path> folders;
    for (const std::string& folder : base::cuda_include_folders()) folders.emplace_back(folder);
    text_ = compiling::read_program_text(folder_.write("k.cu", "#include <cooperative_groups.h>\n" + kBody),
                                         folders, base::cuda_include_folders());
    if (text_.headers.empty()) GTEST_SKIP() << "the toolkit has no cooperative_groups.h";
  }
  CompileRequest request(int tile, const std::string& more = "") const {
    CompileRequest request;
    request.program_name = (folder_.path() / "k.cu").string();
    request.entries = {"f"};
    request.architecture = "sm_90";
    compiling::ProgramOptions options;
    options.fixed = {"-std=c++17"};
    for (const std::string& folder : base::cuda_include_folders()) options.fixed.push_back("-I" + folder);
    options.macros = {{"TILE", std::to_string(tile)}};
    compiling::ProgramText text = text_;
    text.code += more;
    compiling::render_program(request, text, options);
    return request;
  }
  const std::string kBody =
      "namespace cg = cooperative_groups;\n"
      "extern \"C\" __global__ void f(float* x) {\n"
      "  auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());\n"
      "  float v = x[threadIdx.x];\n"
      "  for (unsigned i = tile.size() / 2; i > 0; i /= 2) v += tile.shfl_down(v, i);\n"
      "  if (tile.thread_rank() == 0) x[blockIdx.x] = v;\n"
      "}\n";
  TemporaryFolder folder_;
  compiling::ProgramText text_;
};

TEST_F(PrecompiledHeaders, MakeTheNextProgramCheaperAndNoDifferent) {
  const auto first = compile(request(8));
  ASSERT_TRUE(first.has_value()) << first.error().reason;
  EXPECT_EQ(first->log, "");
  const auto second = compile(request(16));
  ASSERT_TRUE(second.has_value()) << second.error().reason;
  EXPECT_EQ(second->log, "");
  CompileRequest plain = request(16);
  std::erase(plain.options, "-pch");
  const auto without = compile(plain);
  ASSERT_TRUE(without.has_value()) << without.error().reason;
  EXPECT_EQ(second->cubin, without->cubin);
  EXPECT_LT(second->compile_ms, without->compile_ms) << "first " << first->compile_ms;
}

TEST_F(PrecompiledHeaders, KeepErrorsAtTheUsersFileAndLine) {
  for (int turn = 0; turn < 2; ++turn) {
    const auto outcome = compile(request(8, "int code = missing;\n"));
    ASSERT_FALSE(outcome.has_value());
    EXPECT_THAT(outcome.error().reason, HasSubstr((folder_.path() / "k.cu").string() + "(9): error"));
    EXPECT_THAT(outcome.error().reason, Not(HasSubstr("PCH")));
    EXPECT_THAT(outcome.error().reason, Not(HasSubstr("precompiled")));
  }
}

}  // namespace
}  // namespace warptune::kernel_templates::compiling
