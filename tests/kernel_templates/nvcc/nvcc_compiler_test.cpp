// Programs that nvcc compiles. Where no nvcc is, only what surrounds it is tested.

#include "kernel_templates/nvcc/nvcc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "definitions.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::nvcc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kNvccToml =
    with(kScaleToml, "entry = \"scale\"\n", "entry = \"scale\"\ncompiler = \"nvcc\"\n");

class NvccDefinition : public ::testing::Test {
 protected:
  static Permissions trusted() {
    return {{}, std::make_shared<Trust>([](const TrustDemand&) { return true; })};
  }
  static model::Outcome<CompileRequest> request_of(const std::string& toml,
                                                   const std::string& code = kScaleCode,
                                                   const Permissions& permissions = trusted()) {
    const TemporaryFolder folder;
    const KernelInstance instance(
        load_kernel_definition(folder.write("scale.cu", embedded(toml, code)), permissions), {},
        model::fictional_gpu());
    return instance.compile_request(instance.default_configuration());
  }
};

class Nvcc : public NvccDefinition {
 protected:
  void SetUp() override {
    if (find_nvcc().empty()) GTEST_SKIP() << "there is no nvcc: the CUDA Toolkit is not installed";
  }
  static CompileRequest request(const std::string& source, std::vector<std::string> entries) {
    CompileRequest request{"folder/user.cu", source, std::move(entries), {"-std=c++17"}, "sm_90"};
    request.compiler = kNvcc;
    return request;
  }
};

const std::string kWithHost = R"(#include <cstdio>
#include <map>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
template <int factor, class T> __global__ void scale(T* a, const T* b, const T* c) { a[threadIdx.x] *= factor; }
extern "C" __global__ void plain(float* a) {
  __shared__ float s[64];
  s[threadIdx.x] = a[0];
  __syncthreads();
  a[0] = s[63 - threadIdx.x];
}
namespace outer { __global__ void inner(const float* a, float* b, const float* c) { b[0] = a[0] + c[0]; } }
__constant__ float weights[4];
__global__ void over(int* a) { a[0] = 1; }
int main() {
  std::map<int, float> m;
  thrust::device_vector<float> v(m.size());
  thrust::sort(v.begin(), v.end());
  plain<<<1, 64>>>(thrust::raw_pointer_cast(v.data()));
  printf("%zu\n", v.size());
}
)";

TEST_F(Nvcc, CompilesEntriesOfEveryKindAndFindsTheirSymbols) {
  CompileRequest all = request(kWithHost, {"scale<3, double>", "plain", "outer::inner", "over"});
  all.variables = {"&weights"};
  const model::Outcome<CompiledKernel> outcome = kernel_templates::compile(all);
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_EQ(outcome->find_entry("scale<3, double>").lowered_name, "_Z5scaleILi3EdEvPT0_PKS0_S3_");
  EXPECT_EQ(outcome->find_entry("outer::inner").lowered_name, "_ZN5outer5innerEPKfPfS1_");
  EXPECT_EQ(outcome->find_entry("over").lowered_name, "_Z4overPi");
  const EntryCode& plain = outcome->find_entry("plain");
  EXPECT_EQ(plain.lowered_name, "plain");
  EXPECT_EQ(plain.static_shared_bytes, 256);
  EXPECT_GT(plain.registers_per_thread, 0);
  EXPECT_EQ(outcome->find_variable("&weights"), "weights");
  EXPECT_THAT(outcome->cubin, HasSubstr("_ZN5outer5innerEPKfPfS1_"));
  EXPECT_THAT(outcome->log, Not(HasSubstr("ptxas info")));
}

TEST_F(Nvcc, NamesTheUsersFileAndLine) {
  const model::Outcome<CompiledKernel> outcome =
      kernel_templates::compile(request("\n\n__global__ void k(int* a) { a[0] = missing; }\n", {"k"}));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().reason, HasSubstr("folder/user.cu(3): error: identifier \"missing\""));
  EXPECT_EQ(outcome.error().cause, model::RejectionCause::kCandidate);
}

TEST_F(Nvcc, SaysWhichEntryDoesNotExist) {
  const model::Outcome<CompiledKernel> outcome = kernel_templates::compile(request(kWithHost, {"plian"}));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().reason, HasSubstr("identifier \"plian\" is undefined"));
}

TEST_F(Nvcc, CompilesADefinitionWithItsMacros) {
  const model::Outcome<CompileRequest> request =
      request_of(kNvccToml, "#include <vector>\n" + kScaleCode + "int main() { std::vector<int> v; }\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->compiler, kNvcc);
  const model::Outcome<CompiledKernel> outcome = kernel_templates::compile(*request);
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_EQ(outcome->find_entry("scale").lowered_name, "scale");
}

TEST_F(Nvcc, RunsNoCommandOfAShell) {
  const TemporaryFolder folder;
  CompileRequest hostile = request("__global__ void k(const char* a) { a = TEXT; }\n", {"k"});
  hostile.options.push_back("-DTEXT=\"$(touch " + (folder.path() / "touched").string() + ")\"");
  EXPECT_TRUE(kernel_templates::compile(hostile));
  hostile.options.push_back("-I$(touch " + (folder.path() / "touched").string() + ")");
  EXPECT_FALSE(kernel_templates::compile(hostile));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "touched"));
}

TEST_F(Nvcc, HasKeysOfItsOwnInTheCompileCache) {
  CompileRequest both = request("__global__ void k(int* a) {}\n", {"k"});
  const std::string of_nvcc = compile_key(both);
  EXPECT_EQ(compile_key(both), of_nvcc);
  both.compiler.clear();
  EXPECT_NE(compile_key(both), of_nvcc);
}

TEST_F(NvccDefinition, IsCompiledOnlyWhereTheUserTrustsIt) {
  try {
    request_of(kNvccToml, kScaleCode, {});
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("scale.cu:4:12"));
    EXPECT_THAT(error.what(), HasSubstr("--trust"));
  }
  EXPECT_TRUE(request_of(kNvccToml));
}

TEST_F(NvccDefinition, NamesOneOfTwoCompilers) {
  const TemporaryFolder folder;
  const std::string wrong = with(kNvccToml, "\"nvcc\"", "\"clang\"");
  EXPECT_THAT(load_failure(folder.write("scale.cu", embedded(wrong))), HasSubstr("nvrtc or nvcc"));
  EXPECT_NE(load_embedded(kNvccToml).hash, load_embedded(kScaleToml).hash);
  EXPECT_EQ(load_embedded(with(kNvccToml, "\"nvcc\"", "\"nvrtc\"")).hash, load_embedded(kScaleToml).hash);
}

TEST_F(NvccDefinition, FindsEntriesInTheAssemblersReport) {
  CompileRequest two{"k.cu", "", {"plain", "f"}, {}, "sm_90"};
  const std::string report =
      "ptxas info    : Compiling entry function '_Z14warptune_entryIXadL_Z5plainPfEELi0EEvv' for 'sm_90'\n"
      "ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
      "ptxas info    : Compiling entry function '_Z1fPfS_' for 'sm_90'\n";
  EXPECT_FALSE(find_entries(two, report));
  two.entries.pop_back();
  const base::Result<std::vector<EntryCode>> entries = find_entries(two, report);
  ASSERT_TRUE(entries) << entries.error();
  EXPECT_EQ(entries->front().lowered_name, "plain");
}

}  // namespace
}  // namespace warptune::kernel_templates::nvcc
