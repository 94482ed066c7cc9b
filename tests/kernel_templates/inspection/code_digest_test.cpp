#include "kernel_templates/inspection/code_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace warptune::kernel_templates::inspection {
namespace {

constexpr const char* kDigested = R"cuda(
__constant__ float table[16];
__device__ float total;
__device__ __noinline__ float twice(float x) { return x * 2.0f + table[3]; }
template <int N> __global__ void sum_rows(float* out, const float* in) {
  __shared__ float tile[N];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < N; ++k) sum += twice(tile[k]);
  out[i] = sum;
  if (i == 0) atomicAdd(&total, sum);
}
extern "C" __global__ void clear(float* out) { out[threadIdx.x] = 1.0f; }
)cuda";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class CodeDigest : public ::testing::Test {
 protected:
  static std::string changed(const std::string& from, const std::string& to) {
    EXPECT_THAT(kDigested, ::testing::HasSubstr(from));
    return replaced(kDigested, from, to);
  }
  static CompiledKernel compiled(const CompileRequest& request) {
    const model::Outcome<CompiledKernel> outcome = compile(request);
    if (!outcome) throw std::runtime_error(outcome.error().reason);
    return *outcome;
  }
  static CompileRequest request(const std::string& source, const std::string& kernel = "sum_rows<64>",
                                const std::string& second = "clear") {
    return {"digest.cu", source, {kernel, second}, {"-std=c++17"}, "sm_90", {}, {variable_of("total")}};
  }
  static LaunchPlan launching(const std::vector<std::string>& entries) {
    LaunchPlan plan;
    for (const std::string& entry : entries) {
      LaunchStep launch;
      launch.entry = entry;
      plan.steps.push_back({launch});
    }
    return plan;
  }
  static std::string digest(const CompileRequest& request) {
    return code_digest(compiled(request), launching(request.entries));
  }
  static std::string digest(const std::string& source) { return digest(request(source)); }
};

TEST_F(CodeDigest, CommentsFormattingLinesAndNamesDoNotMatter) {
  const std::string before = digest(kDigested);
  const std::vector<std::string> same = {
      kDigested,
      std::string("// A comment.\n/* Another one. */\n\n") + kDigested,
      std::string("#line 400 \"elsewhere.cuh\"\n") + kDigested,
      changed("; ", ";\n      "),
      changed("tile", "staged"),
      changed("sum +=", "sum+="),
      changed("in[i]", "/* of global memory */ in[i]"),
      changed("int i ", "int index_of_thread = blockIdx.x * blockDim.x + threadIdx.x, i "),
      changed("template <int N>", "template <int N /* columns */>"),
      changed("table", "z_table"),
  };
  for (const std::string& source : same) EXPECT_EQ(digest(source), before) << source;
  CompileRequest named = request(kDigested);
  named.program_name = "another_name.cu";
  EXPECT_EQ(digest(named), before);
  EXPECT_EQ(digest(request(changed("sum_rows", "add"), "add<64>")), before);
  EXPECT_EQ(digest(request(changed("sum_rows", "zz"), "zz<64>")), before);
  EXPECT_EQ(digest(request(changed("clear", "zero_all"), "sum_rows<64>", "zero_all")), before);
  EXPECT_EQ(digest(request(changed("clear", "a"), "sum_rows<64>", "a")), before);
}

TEST_F(CodeDigest, EveryChangeOfTheCodeMatters) {
  const std::string before = digest(kDigested);
  const std::vector<std::string> different = {
      changed("* 2.0f", "* 2.5f"),
      changed("= 1.0f", "= 1.0000001f"),  // In the second kernel.
      changed("for (int k", "\n#pragma unroll 2\nfor (int k"),
      changed("tile[N]", "tile[N + 1]"),
      changed("table[16]", "table[17]"),
      changed("table[3]", "table[4]"),
      changed("float total;", "float total = 1.0f;"),
      changed("__global__ void sum", "__global__ void __launch_bounds__(128) sum"),
      changed("const float* in", "const float* __restrict__ in"),
      changed("float* out) { out", "float* out, int unused) { out"),
      changed("const float* in)", "volatile const float* in)"),
      changed("__syncthreads();", ""),
      changed("k < N", "k < N - 1"),
  };
  for (const std::string& source : different) EXPECT_NE(digest(source), before) << source;
  EXPECT_NE(digest(request(kDigested, "sum_rows<32>")), before);
  for (const char* option : {"--fmad=false", "--maxrregcount=24", "-use_fast_math"}) {
    CompileRequest flagged = request(replaced(changed("out[i] = sum", "out[i] = x / sum"), "float sum",
                                              "float x = in[0] * in[1] + in[2], sum"));
    const std::string without = digest(flagged);
    flagged.options.emplace_back(option);
    EXPECT_NE(digest(flagged), without) << option;
  }
  CompileRequest elsewhere = request(kDigested);
  elsewhere.architecture = "sm_80";
  EXPECT_NE(digest(elsewhere), before);
}

// The names of a kernel's sections have the kernel's name.
TEST_F(CodeDigest, EveryChangeOfAKernelWithDebugInItsNameMatters) {
  const auto named = [](const std::string& source) {
    return digest(request(replaced(source, "sum_rows", "debug_sum"), "debug_sum<64>"));
  };
  const std::string before = named(kDigested);
  EXPECT_EQ(before, digest(kDigested));
  for (const std::string& source :
       {changed("tile[N]", "tile[2 * N]"),
        changed("__global__ void sum", "__global__ void __launch_bounds__(128) sum"),
        changed("float* out) { out", "float* out, int unused) { out"), changed("table[16]", "table[17]")})
    EXPECT_NE(named(source), before) << source;
}

TEST_F(CodeDigest, ItMattersWhichKernelIsLaunchedInWhichOrder) {
  const CompiledKernel both = compiled(request(kDigested));
  const std::string in_order = code_digest(both, launching({"sum_rows<64>", "clear"}));
  EXPECT_NE(code_digest(both, launching({"clear", "sum_rows<64>"})), in_order);
  EXPECT_NE(code_digest(both, launching({"clear"})), in_order);
  // Two kernels exchange their names.
  const std::string exchanged = R"(extern "C" __global__ void first(float* x) { x[0] = 1; }
      extern "C" __global__ void second(float* x) { x[0] = 2; })";
  const auto launched = [](const std::string& source) {
    return code_digest(compiled({"digest.cu", source, {"first", "second"}, {}, "sm_90"}),
                       launching({"first"}));
  };
  EXPECT_NE(launched(exchanged), launched(replaced(replaced(exchanged, "= 1", "= 3"), "= 2", "= 1")));
}

TEST_F(CodeDigest, NamesDoNotMatterForOtherArchitecturesEither) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90a", "sm_100", "sm_120"}) {
    CompileRequest before = request(kDigested);
    CompileRequest after = request(changed("sum_rows", "add"), "add<64>");
    before.architecture = after.architecture = architecture;
    EXPECT_EQ(digest(before), digest(after)) << architecture;
  }
}

TEST_F(CodeDigest, WhatIsNoMachineCodeIsRefused) {
  CompiledKernel whole = compiled(request(kDigested));
  const LaunchPlan plan = launching({"clear"});
  for (const std::size_t size : {0UL, 10UL, 63UL, 64UL, 200UL, whole.cubin.size() / 2}) {
    CompiledKernel cut = whole;
    cut.cubin.resize(size);
    EXPECT_THROW(code_digest(cut, plan), base::InputError) << size;
  }
  CompiledKernel ptx = whole;
  ptx.cubin = ".version 9.0\n.target sm_90\n" + std::string(200, ' ');
  EXPECT_THROW(code_digest(ptx, plan), base::InputError);
  whole.entries.back().lowered_name = "missing";
  EXPECT_THROW(code_digest(whole, plan), base::InputError);
}

}  // namespace
}  // namespace warptune::kernel_templates::inspection
