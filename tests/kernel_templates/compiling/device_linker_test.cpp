// Programs that are linked with a device library of the toolkit. No GPU is needed.

#include "kernel_templates/compiling/device_linker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "definitions.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates::compiling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A kernel that launches another kernel.
const std::string kParent = R"(
__global__ void child(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2.0f;
}
template <int block> __global__ void parent(float* a, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0 && tile[7] > 0.0f) child<<<(n + block - 1) / block, block, 0, cudaStreamTailLaunch>>>(a, n);
}
)";

class DeviceLinker : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
    const auto kernel = compile(request({"cudadevrt"}));
    if (!kernel && model::is_environment_failure(kernel.error())) GTEST_SKIP() << kernel.error().reason;
  }
  static CompileRequest request(std::vector<std::string> libraries) {
    return {"user.cu", kParent, {"parent<64>", "child"}, {"-std=c++17"}, "sm_90", std::move(libraries)};
  }
};

TEST_F(DeviceLinker, MakesMachineCodeOfAKernelThatLaunchesAnother) {
  const model::Outcome<CompiledKernel> kernel = compile(request({"cudadevrt"}));
  ASSERT_TRUE(kernel) << kernel.error().reason;
  EXPECT_THAT(kernel->cubin, StartsWith("\x7F"
                                        "ELF"));
  EXPECT_EQ(kernel->log, "");
  const EntryCode& parent = kernel->find_entry("parent<64>");
  EXPECT_THAT(parent.lowered_name, StartsWith("_Z6parentILi64E"));
  EXPECT_THAT(kernel->cubin, HasSubstr(parent.lowered_name));
  EXPECT_GT(parent.registers_per_thread, 0);
  EXPECT_EQ(parent.static_shared_bytes, 256);
  EXPECT_EQ(parent.spill_bytes, 0);
  EXPECT_EQ(kernel->find_entry("child").static_shared_bytes, 0);
  EXPECT_EQ(kernel->find_entry("child").local_bytes, 0);
}

TEST_F(DeviceLinker, IsNeededForALaunchFromAKernel) {
  const model::Outcome<CompiledKernel> kernel = compile(request({}));
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().reason, HasSubstr("cudaStreamTailLaunch"));
}

TEST_F(DeviceLinker, SaysWhichLibraryTheToolkitLacks) {
  const model::Outcome<CompiledKernel> kernel = compile(request({"cudadevrt", "no_such_thing"}));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().status, model::Status::kCompileFailed);
  EXPECT_EQ(kernel.error().reason, "cannot link: the toolkit has no device library libno_such_thing.a");
  EXPECT_EQ(kernel.error().cause, model::RejectionCause::kNoLinker);
  EXPECT_TRUE(model::is_environment_failure(kernel.error())) << "no cache keeps it";
}

TEST_F(DeviceLinker, GivesTheLinkersWordsWhereAFunctionIsMissing) {
  CompileRequest incomplete = request({"cudadevrt"});
  incomplete.source +=
      "__device__ float elsewhere(float x);\n__global__ void caller(float* a) { a[0] = elsewhere(a[1]); }\n";
  incomplete.entries = {"caller"};
  const model::Outcome<CompiledKernel> kernel = compile(incomplete);
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().reason, HasSubstr("elsewhere"));
  EXPECT_FALSE(model::is_environment_failure(kernel.error()));
}

TEST_F(DeviceLinker, GivesACacheAnotherKey) {
  EXPECT_NE(compile_key(request({"cudadevrt"})), compile_key(request({})));
  EXPECT_NE(compile_key(request({"cudadevrt"})), compile_key(request({"no_such_thing"})));
}

TEST(LinkedResources, DoNotCountWhatTheSystemTakesFromEightOn) {
  const std::string info =
      "info    : 16 bytes gmem\ninfo    : Function properties for 'f':\n"
      "info    : used 24 registers, used 1 barriers, 16 stack, 1280 bytes smem, 540 bytes cmem[0], 0 bytes "
      "lmem\n"
      "info    : Function properties for 'g':\n"
      "info    : used 9 registers, used 0 barriers, 0 stack, 0 bytes smem, 540 bytes cmem[0], 0 bytes lmem\n";
  std::vector<EntryCode> entries = {{"g", "g", 1, 1, 1, 4}, {"f", "f", 1, 1, 1, 4}};
  compiling::read_linked_resources(info, "sm_90a", entries);
  EXPECT_EQ(entries[0].registers_per_thread, 9);
  EXPECT_EQ(entries[0].static_shared_bytes, 0);
  EXPECT_EQ(entries[0].local_bytes, 0);
  EXPECT_EQ(entries[1].registers_per_thread, 24);
  EXPECT_EQ(entries[1].static_shared_bytes, 256);
  EXPECT_EQ(entries[1].local_bytes, 16);
  EXPECT_EQ(entries[1].spill_bytes, 4) << "the assembler's word";
  compiling::read_linked_resources(info, "sm_75", entries);
  EXPECT_EQ(entries[1].static_shared_bytes, 1280);
}

TEST(DefinitionLibraries, ReachTheCompilerAndTheKey) {
  const std::string toml = with(kScaleToml, "entry", "libraries = [\"cudadevrt\"]\nentry");
  const KernelDefinition definition = load_embedded(toml);
  EXPECT_THAT(definition.libraries, ElementsAre("cudadevrt"));
  EXPECT_NE(definition.hash, load_embedded(kScaleToml).hash);
  const TemporaryFolder folder;
  const KernelInstance instance(load_kernel_definition(folder.write("scale.cu", embedded(toml))), {},
                                model::fictional_gpu());
  EXPECT_THAT(instance.compile_request(instance.default_configuration())->libraries,
              ElementsAre("cudadevrt"));
}

TEST(DefinitionLibraries, AreNamesNotPaths) {
  try {
    load_embedded(with(kScaleToml, "entry", "libraries = [\"lib/x.a\"]\nentry"));
    FAIL() << "a path was taken";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(":3:"));
    EXPECT_THAT(error.what(), HasSubstr("names of device libraries"));
  }
}

}  // namespace
}  // namespace warptune::kernel_templates::compiling
