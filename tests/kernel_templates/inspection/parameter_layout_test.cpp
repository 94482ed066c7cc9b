#include "kernel_templates/inspection/parameter_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/shared_library.h"
#include "definitions.h"
#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::inspection {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

const std::string kSource = R"(#include <cuda_fp16.h>
struct Size { float a; int b; char c; };
template <int B, class T> __global__ void scale(const T* a, T* b, Size s, long long n) { b[B] = a[n] + T(s.a); }
extern "C" __global__ void plain(const float* a, float b, char c, double d, __half e) { if (a[0] == b) *(char*)a = c; }
__global__ void nothing() {}
)";

class ParameterLayoutTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
    CompileRequest request{"user.cu", kSource, {"scale<4, float>", "plain", "nothing"}, {}, GetParam()};
    for (const std::string& folder : base::cuda_include_folders()) request.options.push_back("-I" + folder);
    const model::Outcome<CompiledKernel> outcome = compile(request);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().reason;
    kernel_ = *outcome;
  }
  const std::string& symbol(const std::string& entry) const { return kernel_.find_entry(entry).lowered_name; }
  std::vector<std::int64_t> sizes(const std::string& entry) const {
    std::vector<std::int64_t> sizes;
    const auto layout = parameter_layout(kernel_.cubin, symbol(entry));
    if (!layout) return {-1};
    for (const ParameterSlot& slot : *layout) sizes.push_back(slot.bytes);
    return sizes;
  }
  CompiledKernel kernel_;
};

TEST_P(ParameterLayoutTest, HasTheSizesInOrder) {
  EXPECT_THAT(sizes("plain"), ElementsAre(8, 4, 1, 8, 2));
  EXPECT_THAT(sizes("scale<4, float>"), ElementsAre(8, 8, 12, 8));
  EXPECT_THAT(sizes("nothing"), ElementsAre());
  EXPECT_EQ(parameter_layout(kernel_.cubin, symbol("plain"))->at(3).offset_bytes, 16);
}

TEST_P(ParameterLayoutTest, IsUnknownForOtherBytesAndOtherSymbols) {
  EXPECT_FALSE(parameter_layout(kernel_.cubin, "absent").has_value());
  EXPECT_FALSE(parameter_layout("", "plain").has_value());
  EXPECT_FALSE(parameter_layout(std::string(4096, 'x'), "plain").has_value());
  for (std::size_t size = 0; size < kernel_.cubin.size(); size += 97)  // It never reads past the end.
    static_cast<void>(parameter_layout(kernel_.cubin.substr(0, size), "plain"));
}

TEST_P(ParameterLayoutTest, TypesComeFromTheSymbol) {
  EXPECT_THAT(parameter_types(symbol("scale<4, float>")),
              Optional(ElementsAre("float const*", "float*", "Size", "long long")));
  EXPECT_THAT(parameter_types(symbol("nothing")), Optional(ElementsAre()));
  EXPECT_FALSE(parameter_types(symbol("plain")).has_value());
}

INSTANTIATE_TEST_SUITE_P(OfArchitectures, ParameterLayoutTest, ::testing::Values("sm_80", "sm_90", "sm_100"));

TEST(ParameterTypesTest, CommasWithinTypesDoNotDivide) {
  EXPECT_THAT(parameter_types("_Z1fP4pairIifEPFvicE"),
              Optional(ElementsAre("pair<int, float>*", "void (*)(int, char)")));
}

}  // namespace
}  // namespace warptune::kernel_templates::inspection
