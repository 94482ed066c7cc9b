#include "tuner/drafting/matched_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "tests/temporary_folder.h"
#include "tests/tuner/drafting/launch_builder.h"

namespace warptune::tuner::drafting {
namespace {

using kernel_templates::DataType;
using kernel_templates::inspection::KernelSource;
using ::testing::HasSubstr;

class MatchedParametersTest : public ::testing::Test {
 protected:
  KernelSource source(const std::string& code) const {
    const std::filesystem::path path = folder_.path() / "scale.cu";
    base::write_file_atomically(path, code);
    return KernelSource(path, std::nullopt);
  }
  std::string refusal(const std::string& code, LaunchBuilder builder) const {
    try {
      matched_parameters(source(code), builder.launch());
      return "no error";
    } catch (const base::InputError& error) {
      return error.what();
    }
  }
  tests::TemporaryFolder folder_;
};

// scale(float const*, float*, int), or with another mangled name.
LaunchBuilder scale(const std::string& kernel = "_Z5scalePKfPfi") {
  LaunchBuilder builder(kernel, "scale(float const*, float*, int)");
  builder.buffer(std::string(40, 'x')).buffer(std::string(40, 'y'), std::string(40, 'z')).value(10);
  return builder;
}

TEST_F(MatchedParametersTest, HaveTypesRangesAndValues) {
  const auto matched = matched_parameters(source("__global__ void scale(const float* x, float* y, int n) {}"),
                                          scale().launch());
  ASSERT_EQ(matched.size(), 3U);
  EXPECT_EQ(matched[0].type, DataType::kF32);
  EXPECT_TRUE(matched[0].is_constant);
  EXPECT_EQ(matched[0].range->buffer, 0U);
  EXPECT_EQ(matched[1].range->buffer, 1U);
  EXPECT_EQ(matched[1].range->end, 40U);
  EXPECT_FALSE(matched[1].is_constant);
  EXPECT_EQ(matched[2].size, "N");
  EXPECT_EQ(matched[2].value, 10);
}

TEST_F(MatchedParametersTest, NumbersKeepTheirValues) {
  LaunchBuilder builder("f", "f");
  builder.value(-1.5F).value(0.1).value(std::int8_t{-7}).value(std::int64_t{-1}).value(0.1F);
  const auto matched =
      matched_parameters(source("__global__ void f(float a, double b, char c, long long d, real e) {}"), [&] {
        builder.launch().kernel = "_Z1ffdcxf";
        return builder.launch();
      }());
  EXPECT_EQ(matched[0].literal, "-1.5");
  EXPECT_EQ(matched[1].literal, "0.1");
  EXPECT_EQ(matched[2].literal, "-7");
  EXPECT_EQ(matched[3].literal, "-1");
  EXPECT_EQ(matched[4].literal, "0.1");  // The source's type is an alias; the mangled name has `float`.
  EXPECT_EQ(matched[4].type, DataType::kF32);
}

TEST_F(MatchedParametersTest, EachMismatchIsOneSentence) {
  const auto with = [&](const std::string& parameters) {
    return refusal("__global__ void scale(" + parameters + ") {}", scale());
  };
  EXPECT_EQ(with("const float* x, float* y, int n"), "no error");
  EXPECT_THAT(with("const float* x, float* y"),
              HasSubstr("scale has 2 parameters in scale.cu, but 3 in the capture"));
  EXPECT_THAT(with("const float* x, float* y, long n"),
              HasSubstr("'n' of scale is 'long' in scale.cu, but 'int' in the capture"));
  EXPECT_THAT(with("const double* x, float* y, int n"),
              HasSubstr("'x' of scale is 'const double*' in scale.cu, but 'float const*' in the capture"));
  EXPECT_THAT(with("const float* x, long y, int n"), HasSubstr("'y' of scale is 'long' in scale.cu, but "));
  EXPECT_THAT(with("const float* x, float* y, int* n"),
              HasSubstr("'n' of scale is 'int*' in scale.cu, but "));
  EXPECT_THAT(with("const float** x, float* y, int n"), HasSubstr("pointer to pointers"));
}

TEST_F(MatchedParametersTest, WithoutAMangledNameSizesAreCompared) {
  const std::string code = "extern \"C\" __global__ void scale(const float* x, float* y, long n) {}";
  EXPECT_THAT(refusal(code, scale("scale")),
              HasSubstr("'n' of scale is 'long' with 8 bytes in scale.cu, but has 4 in the capture"));
}

TEST_F(MatchedParametersTest, MemoryThatTheCaptureLacksIsRefused) {
  const std::string code = "__global__ void scale(const float* x, float* y, int n) {}";
  LaunchBuilder gone = scale();
  gone.launch().buffers.erase(gone.launch().buffers.begin());
  EXPECT_THAT(refusal(code, gone),
              HasSubstr("'x' of scale is a pointer, but the capture does not have the memory"));
  LaunchBuilder null("_Z5scalePKfPfi", "scale(float const*, float*, int)");
  null.value(std::uint64_t{0}).buffer("abcd").value(1);
  EXPECT_THAT(refusal(code, null), HasSubstr("'x' of scale is a null pointer in the capture"));
}

TEST_F(MatchedParametersTest, ValuesThatADefinitionCannotPassAreRefused) {
  LaunchBuilder builder("f", "f");
  builder.value(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(refusal("__global__ void f(double a) {}", builder),
              HasSubstr("'a' of f is nan in the capture"));
  LaunchBuilder large("f", "f");
  large.value(~std::uint64_t{0});
  EXPECT_THAT(refusal("__global__ void f(size_t a) {}", large), HasSubstr("is 18446744073709551615"));
  EXPECT_THAT(refusal("struct S {};\n__global__ void f(S a) {}", large), HasSubstr("has the type 'S'"));
}

TEST_F(MatchedParametersTest, BuffersOfOneAllocationEndWhereTheNextBegins) {
  LaunchBuilder builder("_Z5scalePKfPfi", "scale(float const*, float*, int)");
  const std::uint64_t address = builder.allocation(std::string(100, 'x'));
  builder.value(address + 16).value(address + 56).value(10);
  const auto matched = matched_parameters(source("__global__ void scale(const float* x, float* y, int n) {}"),
                                          builder.launch());
  EXPECT_EQ(matched[0].range->begin, 16U);
  EXPECT_EQ(matched[0].range->end, 56U);
  EXPECT_EQ(matched[0].ends_before, "y");
  EXPECT_EQ(matched[1].ends_before, "");
  EXPECT_EQ(matched[1].range->end, 100U);
}

TEST_F(MatchedParametersTest, OutputsInTheSameMemoryAreRefused) {
  LaunchBuilder builder("_Z4movePfS_", "move(float*, float*)");
  const std::uint64_t address = builder.allocation(std::string(40, 'x'));
  builder.value(address).value(address);
  EXPECT_THAT(refusal("__global__ void move(float* x, float* y) {}", builder),
              HasSubstr("'x' and 'y' of move point to the same memory in the capture"));
  builder.launch().kernel = "_Z4movePKfPf";
  EXPECT_EQ(refusal("__global__ void move(const float* x, float* y) {}", builder), "no error");
}

TEST_F(MatchedParametersTest, TypesOfTemplatesAreThoseOfTheInstance) {
  LaunchBuilder builder("_Z5scaleIdLi256EEvPKT_PS0_i",
                        "void scale<double, 256>(double const*, double*, int)");
  builder.buffer(std::string(80, 'x')).buffer(std::string(80, 'y')).value(10);
  const auto matched = matched_parameters(
      source("template <typename T, int B> __global__ void scale(const T* x, T* y, int n) {}"),
      builder.launch());
  EXPECT_EQ(matched[0].type, DataType::kF64);
  EXPECT_EQ(matched[0].template_type, "T");
  EXPECT_EQ(matched[2].template_type, "");
}

}  // namespace
}  // namespace warptune::tuner::drafting
