#include "kernel_templates/entry_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "definitions.h"
#include "kernel_templates/library.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The error about an entry, or "no error". `code` is the source, and `header` a file that it may include.
std::string failure_of(const std::string& toml, const std::string& code = kScaleCode,
                       const std::string& header = "") {
  const TemporaryFolder folder;
  folder.write("header.cuh", header);
  const KernelDefinition definition = load_kernel_definition(folder.write("scale.cu", embedded(toml, code)));
  try {
    require_entries(definition);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TEST(KernelsIn, AreTheNamesOfGlobalFunctions) {
  EXPECT_THAT(kernels_in(R"(
template <int N> __global__ void __launch_bounds__(N * (2 + 1)) first(float* x) {}
extern "C" __global__ void second(int a);
__global__ __cluster_dims__(2) void
third(void) {}
__global__ void first(double* x) {}
__device__ void none() {})"),
              ElementsAre("first", "second", "third"));
}

TEST(RequireEntries, NamesTheKernelsThatExistAtAMisspeltEntry) {
  const std::string failure = failure_of(with(kScaleToml, "entry = \"scale\"", "entry = \"scal\""));
  EXPECT_THAT(failure, HasSubstr("scale.cu:3:9"));
  EXPECT_THAT(failure, HasSubstr("the entry 'scal' is not in scale.cu (did you mean scale?)"));
  EXPECT_THAT(failure, HasSubstr("its kernels are scale"));
}

TEST(RequireEntries, ChecksFurtherLaunchesAndTheReference) {
  EXPECT_THAT(failure_of(kScaleToml + "[[launch.after]]\nentry = \"again\"\ngrid = 1\nblock = 32\n"),
              HasSubstr("the entry 'again'"));
  EXPECT_THAT(failure_of(kScaleToml + "[check]\nreference = \"entry\"\nentry = \"slow<{dtype}>\"\ngrid = 1\n"
                                      "block = 32\n"),
              HasSubstr("the entry 'slow'"));
}

TEST(RequireEntries, FindsEntriesInIncludedFilesAndMacros) {
  EXPECT_EQ(failure_of(kScaleToml), "no error");
  const std::string included = with(kScaleToml, "entry = \"scale\"", "entry = \"far<{BLOCK}>\"");
  EXPECT_EQ(failure_of(included, "#include \"header.cuh\"\n", "template <int N> __global__ void far() {}\n"),
            "no error");
  const std::string by_macro =
      with(kScaleToml, "entry = \"scale\"", "defines = { NAME = \"'far'\" }\nentry = \"far\"");
  EXPECT_EQ(failure_of(by_macro, "__global__ void NAME() {}\n"), "no error");
  const std::string pasted = with(kScaleToml, "entry = \"scale\"", "entry = \"scale_4\"");
  EXPECT_EQ(failure_of(pasted, "#define K(n) __global__ void scale_##n() {}\nK(4)\n"), "no error");
  EXPECT_EQ(failure_of(with(kScaleToml, "entry = \"scale\"", "entry = \"a::far\"")), "no error");
}

TEST(RequireEntries, PassesEveryShippedKernel) {
  for (const std::string& name : shipped_kernels())
    EXPECT_NO_THROW(require_entries(load_kernel(name))) << name;
}

}  // namespace
}  // namespace warptune::kernel_templates
