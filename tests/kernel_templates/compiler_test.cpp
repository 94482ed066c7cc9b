// Compiles programs whose outcome is known with NVRTC. No GPU is needed.

#include "kernel_templates/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "definitions.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Compiler : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  }
  static CompileRequest request(const std::string& source, std::vector<std::string> entries) {
    CompileRequest request{"folder/user.cu", source, std::move(entries), {"-std=c++17"}, "sm_90"};
    request.may_omit_declarations = source.find("cuda") == std::string::npos;
    return request;
  }
  static CompiledKernel compiled(const CompileRequest& request) {
    const model::Outcome<CompiledKernel> outcome = compile(request);
    if (!outcome) throw base::InternalError(outcome.error().reason);
    return *outcome;
  }
  static model::Rejection rejected(const CompileRequest& request) {
    const model::Outcome<CompiledKernel> outcome = compile(request);
    if (outcome) throw base::InternalError("it compiled");
    return outcome.error();
  }
};

const std::string kReverse = R"(extern "C" __global__ void reverse(float* a) {
  __shared__ float tile[64];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[63 - threadIdx.x];
}
template <int factor, class T> __global__ void scale(T* a) { a[threadIdx.x] *= factor; }
)";

TEST_F(Compiler, ReportsSymbolAndResourcesOfAPlainAndATemplatedEntry) {
  const CompiledKernel kernel = compiled(request(kReverse, {"reverse", "scale<3, double>"}));
  const EntryCode& plain = kernel.find_entry("reverse");
  EXPECT_EQ(plain.lowered_name, "reverse");
  EXPECT_GT(plain.registers_per_thread, 0);
  EXPECT_EQ(plain.static_shared_bytes, 256);
  EXPECT_EQ(plain.local_bytes, 0);
  EXPECT_EQ(plain.spill_bytes, 0);
  const EntryCode& templated = kernel.find_entry("scale<3, double>");
  EXPECT_THAT(templated.lowered_name, StartsWith("_Z5scaleILi3EdE"));
  EXPECT_GT(templated.registers_per_thread, 0);
  EXPECT_EQ(templated.static_shared_bytes, 0);
  EXPECT_GT(kernel.compile_ms, 0.0);
}

TEST_F(Compiler, MakesMachineCodeThatHoldsTheSymbols) {
  const CompiledKernel kernel = compiled(request(kReverse, {"reverse", "scale<3, double>"}));
  EXPECT_THAT(kernel.cubin, StartsWith("\x7F"
                                       "ELF"));
  for (const EntryCode& entry : kernel.entries) EXPECT_THAT(kernel.cubin, HasSubstr(entry.lowered_name));
}

// NVRTC omits what these programs need if it is told to read less before each program.
TEST_F(Compiler, KnowsTexturesInEveryProgramOfAFile) {
  const std::string of_texture =
      "extern \"C\" __global__ void get(unsigned long long from, float* a) {\n"
      "  a[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x);\n}\n";
  for (const std::string& source : {kReverse, of_texture, kReverse, of_texture}) {
    const CompiledKernel kernel = compiled(request(source, {source == kReverse ? "reverse" : "get"}));
    EXPECT_EQ(kernel.log, "");
  }
}

TEST_F(Compiler, GeneratesTheSameCodeWhetherOrNotDeclarationsAreOmitted) {
  CompileRequest program = request(kReverse, {"reverse", "scale<3, double>"});
  ASSERT_TRUE(program.may_omit_declarations);
  const CompiledKernel omitted = compiled(program);
  program.may_omit_declarations = false;
  EXPECT_EQ(compiled(program).cubin, omitted.cubin);
}

TEST_F(Compiler, SaysOnceWhatIsWrongWithAProgramAndNothingOfItsOwnOptions) {
  const model::Rejection rejection =
      rejected(request("__global__ void f(cudaTextureObject_t t) { missing(t); }\n", {"f"}));
  EXPECT_THAT(rejection.reason, HasSubstr("identifier \"missing\" is undefined"));
  EXPECT_THAT(rejection.reason, HasSubstr("1 error detected"));
  EXPECT_THAT(rejection.reason, Not(HasSubstr("identifier \"cudaTextureObject_t\"")));
}

TEST_F(Compiler, HasNothingToSayOfACleanProgram) {
  EXPECT_EQ(compiled(request(kReverse, {"reverse"})).log, "");
}

TEST_F(Compiler, KeepsAWarningInTheLogWithoutFailing) {
  const CompiledKernel kernel =
      compiled(request("extern \"C\" __global__ void k(int* a) {\n  int unused;\n  a[0] = 1;\n}\n", {"k"}));
  EXPECT_THAT(kernel.log, HasSubstr("folder/user.cu(2): warning"));
  EXPECT_THAT(kernel.log, HasSubstr("\"unused\""));
  EXPECT_THAT(kernel.log, ::testing::Not(HasSubstr("ptxas")));
}

TEST_F(Compiler, NamesTheUsersFileAndLineInAnError) {
  const model::Rejection rejection =
      rejected(request("\n\nextern \"C\" __global__ void k(int* a) { a[0] = missing; }\n", {"k"}));
  EXPECT_EQ(rejection.status, model::Status::kCompileFailed);
  EXPECT_THAT(rejection.reason, HasSubstr("folder/user.cu(3): error: identifier \"missing\""));
  EXPECT_EQ(rejection.cause, model::RejectionCause::kCandidate);
}

TEST_F(Compiler, SaysWhichEntryDoesNotExist) {
  const model::Rejection rejection = rejected(request(kReverse, {"revers"}));
  EXPECT_EQ(rejection.status, model::Status::kCompileFailed);
  EXPECT_THAT(rejection.reason, HasSubstr("\"revers\" is undefined"));
}

TEST_F(Compiler, RejectsAnArchitectureItDoesNotKnow) {
  CompileRequest old = request(kReverse, {"reverse"});
  old.architecture = "sm_12";
  const model::Rejection rejection = rejected(old);
  EXPECT_EQ(rejection.status, model::Status::kCompileFailed);
  EXPECT_THAT(rejection.reason, HasSubstr("--gpu-architecture"));
}

TEST_F(Compiler, RejectsAnOptionThatDoesNotExist) {
  CompileRequest wrong = request(kReverse, {"reverse"});
  wrong.options.emplace_back("--no-such-option");
  const model::Rejection rejection = rejected(wrong);
  EXPECT_THAT(rejection.reason, HasSubstr("no-such-option"));
  EXPECT_EQ(rejection.cause, model::RejectionCause::kCandidate);
}

// The program prints warptune's own message for too little memory.
TEST_F(Compiler, SaysWhyAProgramDoesNotCompileAndNothingOfOneThatDoes) {
  EXPECT_FALSE(compile_problem(request(kReverse, {"reverse"})).has_value());
  const std::optional<model::Rejection> problem =
      compile_problem(request("extern \"C\" __global__ void k(int* a) { a[0] = missing; }\n", {"k"}));
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(problem->reason, HasSubstr("identifier \"missing\""));
}

TEST_F(Compiler, FindsNoProblemInAProgramThatCompilesOnlyWhenItIsOptimised) {
  CompileRequest program = request(R"(__device__ void absent();
extern "C" __global__ void k(int* a) {
  int one = 1;
  if (one > 2) absent();
  a[0] = one;
})",
                                   {"k"});
  EXPECT_FALSE(compile_problem(program).has_value());
  program.options.emplace_back("--device-debug");
  EXPECT_THAT(rejected(program).reason, HasSubstr("absent")) << "without optimisation it does not compile";
}

TEST_F(Compiler, BlamesTheProgramForWhatItSaysItself) {
  const model::Rejection rejection =
      rejected(request("#error the compiler needs more than 1024 MiB\n", {"k"}));
  EXPECT_THAT(rejection.reason, HasSubstr("the compiler needs more than 1024 MiB"));
  EXPECT_EQ(rejection.cause, model::RejectionCause::kCandidate);
  EXPECT_EQ(out_of_memory(1ULL << 30).reason, "the compiler needs more than 1024 MiB");
  EXPECT_EQ(out_of_memory(1ULL << 30).cause, model::RejectionCause::kOutOfMemory);
}

// 64 values that are live across a loop need spills if there are only 24 registers.
TEST_F(Compiler, SaysThatAKernelHasTooMuchStaticSharedMemory) {
  const std::string source = R"(__global__ void big(float* a) {
  __shared__ float tile[12289];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[63 - threadIdx.x];
})";
  const model::Rejection rejection = rejected(request(source, {"big"}));
  EXPECT_THAT(rejection.reason, HasSubstr("has 49156 bytes of static shared memory"));
  EXPECT_FALSE(model::is_environment_failure(rejection));
}

TEST_F(Compiler, CountsTheSpillsOfAKernelHeldToFewRegisters) {
  const std::string source = R"(extern "C" __global__ void k(float* a, int n) {
  float x[64];
  #pragma unroll
  for (int j = 0; j < 64; ++j) x[j] = a[j * 32 + threadIdx.x];
  for (int i = 0; i < n; ++i) {
    #pragma unroll
    for (int j = 0; j < 64; ++j) x[j] = x[j] * x[(j + 1) % 64] + a[i];
  }
  #pragma unroll
  for (int j = 0; j < 64; ++j) a[j * 32 + threadIdx.x] = x[j];
}
)";
  CompileRequest tight = request(source, {"k"});
  EXPECT_EQ(compiled(tight).find_entry("k").spill_bytes, 0);
  tight.options.emplace_back("-maxrregcount=24");
  const CompiledKernel spilling = compiled(tight);
  EXPECT_GT(spilling.find_entry("k").spill_bytes, 0);
  EXPECT_GT(spilling.find_entry("k").local_bytes, 0);
  EXPECT_LE(spilling.find_entry("k").registers_per_thread, 24);
}

// The assembler lists functions that are not inlined after the entry that calls them.
TEST_F(Compiler, KeepsTheStackOfAnEntryApartFromThatOfItsFunctions) {
  const std::string source = R"(
__noinline__ __device__ float sum(const float* x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
extern "C" __global__ void k(float* a, int n) {
  float x[40];
  for (int i = 0; i < 40; ++i) x[i] = a[i * n];
  a[threadIdx.x] = sum(x, n);
}
extern "C" __global__ void plain(float* a, int n) { a[threadIdx.x] = sum(a, n); }
)";
  const CompiledKernel kernel = compiled(request(source, {"plain", "k"}));
  EXPECT_GE(kernel.find_entry("k").local_bytes, 160);
  EXPECT_EQ(kernel.find_entry("plain").local_bytes, 0);
}

TEST_F(Compiler, RefusesToFindAnEntryThatWasNotAskedFor) {
  EXPECT_THROW(compiled(request(kReverse, {"reverse"})).find_entry("scale<3, double>"), base::InternalError);
}

TEST_F(Compiler, KnowsItsVersionAndArchitectures) {
  EXPECT_GE(nvrtc_version(), 12000);
  EXPECT_LT(nvrtc_version(), 99000);
  const std::vector<int> architectures = nvrtc_architectures();
  EXPECT_TRUE(std::is_sorted(architectures.begin(), architectures.end()));
  EXPECT_NE(std::find(architectures.begin(), architectures.end(), 90), architectures.end());
}

}  // namespace
}  // namespace warptune::kernel_templates
