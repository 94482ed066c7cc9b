#include "tuner/drafting/matched_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
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

TEST_F(MatchedParametersTest, HaveTypesPlacesAndValues) {
  const auto matched = matched_parameters(source("__global__ void scale(const float* x, float* y, int n) {}"),
                                          scale().launch());
  ASSERT_EQ(matched.size(), 3U);
  EXPECT_EQ(matched[0].type, DataType::kF32);
  EXPECT_TRUE(matched[0].is_constant);
  EXPECT_EQ(matched[0].place->buffer, 0U);
  EXPECT_EQ(matched[1].place->buffer, 1U);
  EXPECT_EQ(matched[1].place->within, 0U);
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

TEST_F(MatchedParametersTest, PointersToNoCapturedMemoryAreNumbers) {
  const std::string code = "__global__ void scale(const float* x, float* y, int n) {}";
  LaunchBuilder builder("_Z5scalePKfPfi", "scale(float const*, float*, int)");
  builder.value(std::uint64_t{0}).value(std::uint64_t{0x123400000}).value(1);
  const auto matched = matched_parameters(source(code), builder.launch());
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_FALSE(matched[i].place);
    EXPECT_TRUE(matched[i].is_pointer && matched[i].is_bits);
    EXPECT_EQ(matched[i].type, DataType::kI64);
  }
  EXPECT_EQ(matched[0].literal, "0");
  EXPECT_EQ(matched[1].literal, "4886364160");
}

TEST_F(MatchedParametersTest, NumbersThatExpressionsLackKeepTheirBits) {
  LaunchBuilder builder("f", "f");
  builder.value(std::numeric_limits<double>::quiet_NaN()).value(~std::uint64_t{0}).value(-0.0F).value(7);
  const auto matched = matched_parameters(
      source("enum E { A };\n__global__ void f(double a, size_t b, float c, E d) {}"), builder.launch());
  EXPECT_EQ(matched[0].literal, "9221120237041090560");
  EXPECT_EQ(matched[1].literal, "-1");
  EXPECT_EQ(matched[2].literal, "-2147483648");
  EXPECT_EQ(matched[3].literal, "7");
  EXPECT_EQ(matched[2].type, DataType::kI32);
  for (const MatchedParameter& one : matched) EXPECT_TRUE(one.is_bits) << one.name;
}

struct Vectors {
  int count;
  float factor;
  std::uint64_t from;
  std::uint64_t none;
};

TEST_F(MatchedParametersTest, StructsHaveTheMembersOfTheSource) {
  LaunchBuilder builder("_Z1f7Vectors", "f(Vectors)");
  const std::uint64_t address = builder.allocation(std::string(40, 'x'));
  builder.value(Vectors{10, 1.5F, address + 8, 0});
  const auto matched =
      matched_parameters(source("struct Vectors { int count; float factor; const float* from; int* none; };\n"
                                "__global__ void f(Vectors p) {}"),
                         builder.launch());
  ASSERT_EQ(matched.size(), 1U);
  EXPECT_EQ(matched[0].struct_bytes, 24U);
  const auto& members = matched[0].members;
  ASSERT_EQ(members.size(), 3U) << "all other bytes are zeros";
  EXPECT_EQ(members[0].name, "p_count");
  EXPECT_EQ(members[0].size, "COUNT");
  EXPECT_EQ(members[1].literal, "1.5");
  EXPECT_EQ(members[1].at, 4U);
  EXPECT_TRUE(members[2].is_constant);
  EXPECT_EQ(members[2].place->within, 8U);
  EXPECT_EQ(members[2].type, DataType::kF32);
}

TEST_F(MatchedParametersTest, StructsAreFoundByOtherSpellingsOfTheirNames) {
  const std::string vectors = "struct Vectors { int count; float factor; const float* from; int* none; };\n";
  const auto count_of = [&](const std::string& code, const std::string& kernel, const std::string& name) {
    LaunchBuilder builder(kernel, name);
    builder.value(Vectors{10, 1.5F, builder.allocation("12345678"), 0});
    const auto members = matched_parameters(source(code), builder.launch()).at(0).members;
    return members.empty() ? "" : members[0].name + "=" + members[0].literal;
  };
  const std::string kernel = "__global__ void f(";
  EXPECT_EQ(count_of(vectors + kernel + "struct Vectors p) {}", "_Z1f7Vectors", "f(Vectors)"), "p_count=10");
  EXPECT_EQ(count_of(vectors + kernel + "const Vectors p) {}", "_Z1f7Vectors", "f(Vectors)"), "p_count=10");
  EXPECT_EQ(count_of("namespace ns { " + vectors + "}\n" + kernel + "ns::Vectors p) {}", "_Z1fN2ns7VectorsE",
                     "f(ns::Vectors)"),
            "p_count=10");
  EXPECT_EQ(count_of(vectors + "template <typename T> " + kernel + "T p) {}", "_Z1fI7VectorsEvT_",
                     "void f<Vectors>(Vectors)"),
            "p_count=10");
  // Another struct of the same name does not refuse the launch.
  EXPECT_EQ(count_of("struct Vectors { int x; };\n" + kernel + "ns::Vectors p) {}", "_Z1fN2ns7VectorsE",
                     "f(ns::Vectors)"),
            "p_0=" + std::to_string(0x3FC000000000000A));
}

TEST_F(MatchedParametersTest, StructsWithPreprocessorLinesAreWords) {
  LaunchBuilder builder("_Z1f7Vectors", "f(Vectors)");
  builder.value(Vectors{10, 1.5F, 0, 0});
  const auto matched = matched_parameters(
      source("struct Vectors {\n  int count;\n  float factor;\n#ifdef LONG\n  double more;\n#endif\n"
             "  const float* from; int* none; };\n__global__ void f(Vectors p) {}"),
      builder.launch());
  ASSERT_EQ(matched[0].members.size(), 1U);
  EXPECT_EQ(matched[0].members[0].name, "p_0");
  EXPECT_EQ(matched[0].unknown_type, "Vectors");
}

TEST_F(MatchedParametersTest, ElementsMayHavePointers) {
  LaunchBuilder builder("f", "f");
  builder.buffer("12345678").buffer("12345678");
  builder.value(builder.allocation("12345678"));
  const auto matched =
      matched_parameters(source("struct Node { Node* next; };\nstruct List { float** rows; };\n"
                                "extern \"C\" __global__ void f(const Node* a, float* b, List c) {}"),
                         builder.launch());
  EXPECT_TRUE(matched[0].has_pointers);
  EXPECT_FALSE(matched[1].has_pointers);
  EXPECT_TRUE(matched[2].members.at(0).has_pointers);
}

TEST_F(MatchedParametersTest, StructsThatTheSourceDoesNotDefineAreWords) {
  LaunchBuilder builder("_Z1f7Vectors", "f(Vectors)");
  const std::uint64_t address = builder.allocation(std::string(40, 'x'));
  builder.value(Vectors{10, 1.5F, address + 8, 0});
  const auto matched =
      matched_parameters(source("#include \"vectors.h\"\n__global__ void f(Vectors p) {}"), builder.launch());
  const auto& members = matched[0].members;
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].literal, std::to_string(0x3FC000000000000A)) << "10 and 1.5";
  EXPECT_EQ(members[1].name, "p_8");
  EXPECT_EQ(members[1].place->within, 8U);
  EXPECT_EQ(members[1].unknown_type, kUnknownElements);
}

TEST_F(MatchedParametersTest, StructsOfAnotherSizeAndTensorMapsAreRefused) {
  LaunchBuilder builder("_Z1f7Vectors", "f(Vectors)");
  builder.value(Vectors{});
  EXPECT_THAT(refusal("struct Vectors { int count; };\n__global__ void f(Vectors p) {}", builder),
              HasSubstr("'p' of f is 'Vectors' with 4 bytes in scale.cu, but has 24 in the capture"));
  EXPECT_THAT(refusal("__global__ void f(const __grid_constant__ CUtensorMap p) {}", builder),
              HasSubstr("'p' of f is a tensor map, of whose buffer and box a capture knows nothing"));
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
