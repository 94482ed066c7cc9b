#include "kernel_templates/inspection/entry_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernel_templates/library.h"
#include "tests/kernel_templates/definitions.h"

namespace warptune::kernel_templates::inspection {
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

TEST(RequireEntries, NamesTheKernelsThatExistAtAMisspeltEntry) {
  const std::string failure = failure_of(with(kScaleToml, "entry = \"scale\"", "entry = \"scal\""));
  EXPECT_THAT(failure, HasSubstr("scale.cu:3:9"));
  EXPECT_THAT(failure, HasSubstr("there is no kernel 'scal' (did you mean scale?)"));
  EXPECT_THAT(failure, HasSubstr("the kernels of scale.cu are scale"));
}

TEST(RequireEntries, ChecksFurtherLaunchesAndTheReference) {
  EXPECT_THAT(failure_of(kScaleToml + "[[launch.after]]\nentry = \"again\"\ngrid = 1\nblock = 32\n"),
              HasSubstr("there is no kernel 'again'"));
  EXPECT_THAT(failure_of(kScaleToml + "[check]\nreference = \"entry\"\nentry = \"slow<{dtype}>\"\ngrid = 1\n"
                                      "block = 32\n"),
              HasSubstr("there is no kernel 'slow'"));
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
  const std::string qualified = with(kScaleToml, "entry = \"scale\"", "entry = \"a::scale\"");
  EXPECT_EQ(failure_of(qualified, "namespace a {\n__global__ void scale() {}\n}\n"), "no error");
}

TEST(RequireEntries, PassesEveryShippedKernel) {
  for (const std::string& name : shipped_kernels())
    EXPECT_NO_THROW(require_entries(load_kernel(name))) << name;
}

}  // namespace
}  // namespace warptune::kernel_templates::inspection
