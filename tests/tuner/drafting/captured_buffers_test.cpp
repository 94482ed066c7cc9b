// Pointers into shared allocations: what the definition passes, and that it is read again.
#include "tuner/drafting/captured_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "tests/tuner/drafting/captured_definition_fixture.h"
#include "tests/tuner/drafting/launch_builder.h"

namespace warptune::tuner::drafting {
namespace {

using kernel_templates::ArgumentKind;
using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using kernel_templates::PassedArgument;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CapturedBuffersTest : public CapturedDefinitionFixture {
 protected:
  // What the main launch of the definition passes.
  std::vector<PassedArgument> passed(const CapturedDefinition& definition) {
    const KernelInstance instance(written(definition), {}, model::fictional_gpu());
    const auto plan = instance.launch_plan(instance.default_configuration());
    EXPECT_TRUE(plan.has_value()) << plan.error().reason;
    return plan->main_launch()->arguments.value_or(std::vector<PassedArgument>{});
  }
};

TEST_F(CapturedBuffersTest, ViewsOfOneAllocationAreOneBuffer) {
  LaunchBuilder builder("_Z1fPKfS0_Pfi", "f(float const*, float const*, float*, int)");
  const std::uint64_t packed = builder.allocation(std::string(6144 * 4, 'x'));
  builder.value(packed).value(packed + 128).buffer(std::string(128, 'x'), std::string(128, 'y')).value(32);
  const CapturedDefinition definition =
      made("__global__ void f(const float* q, const float* k, float* o, int d) {}", builder);
  EXPECT_THAT(definition.notes, IsEmpty());
  EXPECT_THAT(definition.text, HasSubstr("  { name = \"q\", offset = \"D\" },  # k\n"));
  const KernelDefinition read = written(definition);
  ASSERT_EQ(read.arguments.size(), 3U);
  EXPECT_EQ(read.arguments[0].count->text(), "6144");
  EXPECT_EQ(read.arguments[0].kind, ArgumentKind::kIn);
  const auto arguments = passed(definition);
  ASSERT_EQ(arguments.size(), 4U);
  EXPECT_EQ(arguments[1].argument, 0U);
  EXPECT_EQ(arguments[1].offset_bytes, 128);
  EXPECT_EQ(arguments[2].argument, 1U);
}

TEST_F(CapturedBuffersTest, ANumberIsTheSizeThatALaterOffsetHas) {
  LaunchBuilder builder("_Z1f4SizePKfPfi", "f(Size, float const*, float*, int)");
  const std::uint64_t packed = builder.allocation(std::string(6148 * 4, 'x'), std::string(6148 * 4, 'y'));
  builder.value(41).value(packed).value(packed + std::uint64_t{4} * 3 * 41).value(6148);
  const CapturedDefinition definition =
      made("struct Size { int d; };\n__global__ void f(Size s, const float* x, float* y, int n) {}", builder);
  EXPECT_THAT(definition.text, HasSubstr("{ at = 0, value = \"D\", type = \"i32\" },  # s_d\n"));
  EXPECT_THAT(definition.text, HasSubstr("offset = \"3 * D\" },  # y, element 123 in the capture\n"));
  EXPECT_EQ(passed(definition).at(2).offset_bytes, 492);
}

TEST_F(CapturedBuffersTest, TheEndOfARangeThatBeginsAnotherBufferIsSaid) {
  const auto notes = [&](const std::string& last) {
    LaunchBuilder builder("f", "f");
    const std::uint64_t first = builder.allocation(std::string(64, 'x'), std::string(64, 'y'));
    builder.allocation(std::string(64, 'x'), std::string(64, 'y'));
    builder.launch().buffers[1].address = first + 64;
    builder.value(first).value(first + 64);
    return made("extern \"C\" __global__ void f(float* first, " + last + " last) {}", builder).notes;
  };
  EXPECT_THAT(notes("float*"),
              ::testing::ElementsAre(HasSubstr("'last' points to the end of 'first' and to")));
  EXPECT_THAT(notes("int*"), IsEmpty());
}

TEST_F(CapturedBuffersTest, OutputsInOneAllocationAreComparedWhole) {
  for (const std::uint64_t distance : {0U, 4U, 128U}) {
    LaunchBuilder builder("_Z1fPKfPfi", "f(float const*, float*, int)");
    const std::uint64_t shared = builder.allocation(std::string(256, 'x'), std::string(256, 'y'));
    builder.value(shared).value(shared + distance).value(63);
    const CapturedDefinition definition =
        made("__global__ void f(const float* x, float* y, int n) {}", builder);
    EXPECT_THAT(definition.notes, IsEmpty());
    const KernelDefinition read = written(definition);
    ASSERT_EQ(read.arguments.size(), 2U);
    EXPECT_EQ(read.arguments[0].kind, ArgumentKind::kInOut) << "one pointer is not to constants";
    EXPECT_EQ(read.arguments[0].count->text(), "N + 1");
    EXPECT_EQ(passed(definition).at(1).offset_bytes, static_cast<std::int64_t>(distance));
  }
}

TEST_F(CapturedBuffersTest, PointersOfTwoTypesAndAtOddPlacesShareBytes) {
  LaunchBuilder two("_Z1fPfPi", "f(float*, int*)");
  const std::uint64_t shared = two.allocation(std::string(64, 'x'), std::string(64, 'y'));
  two.value(shared).value(shared + 32);
  CapturedDefinition definition = made("__global__ void f(float* x, int* y) {}", two);
  EXPECT_THAT(definition.text, HasSubstr("type = \"u8\"  # bytes of elements of several types"));
  EXPECT_THAT(definition.notes, ::testing::ElementsAre(HasSubstr("are compared as bytes")));
  EXPECT_EQ(passed(definition).at(1).offset_bytes, 32);
  LaunchBuilder odd("_Z1fPf", "f(float*)");
  odd.value(odd.allocation(std::string(66, 'x'), std::string(66, 'y')) + 2);
  definition = made("__global__ void f(float* x) {}", odd);
  EXPECT_THAT(definition.text, HasSubstr("type = \"u8\"  # bytes of elements of f32 at odd places"));
  EXPECT_EQ(passed(definition).at(0).offset_bytes, 2);
}

TEST_F(CapturedBuffersTest, PointersToNothingAreValues) {
  LaunchBuilder builder("_Z1fPKfPfS1_", "f(float const*, float*, float*)");
  builder.value(std::uint64_t{0}).buffer(std::string(64, 'x'), std::string(64, 'y'));
  builder.value(std::uint64_t{0x700000001000});
  const CapturedDefinition definition =
      made("__global__ void f(const float* bias, float* y, float* gone) {}", builder);
  EXPECT_THAT(definition.notes,
              ::testing::ElementsAre(HasSubstr("'gone' points to no memory that the capture has")));
  EXPECT_THAT(definition.text, HasSubstr("{ value = \"0\", type = \"i64\" },  # bias: a null pointer"));
  const auto arguments = passed(definition);
  EXPECT_EQ(arguments.at(0).value, std::vector<std::byte>(8));
  EXPECT_EQ(arguments.at(1).argument, 0U);
  EXPECT_EQ(arguments.at(2).value.at(1), std::byte{0x10});
}

TEST_F(CapturedBuffersTest, StructsHaveTheAddressesOfBuffers) {
  struct Vectors {
    int count;
    float factor;
    std::uint64_t from;
    std::uint64_t to;
  };
  LaunchBuilder builder("_Z1f7Vectorsi", "f(Vectors, int)");
  const std::uint64_t from = builder.allocation(std::string(400, 'x'));
  const std::uint64_t to = builder.allocation(std::string(400, 'x'), std::string(400, 'y'));
  builder.value(Vectors{100, 1.5F, from, to}).value(3);
  const CapturedDefinition definition = made(
      "struct Vectors { int count; float factor; const float* from; float* to; };\n"
      "__global__ void f(Vectors p, int n) {}",
      builder);
  EXPECT_THAT(definition.text, HasSubstr("    { at = 0, value = \"COUNT\", type = \"i32\" },  # p_count\n"));
  const KernelDefinition read = written(definition);
  ASSERT_EQ(read.arguments.size(), 3U);
  EXPECT_EQ(read.arguments[0].name, "p_from");
  EXPECT_EQ(read.arguments[0].kind, ArgumentKind::kIn);
  EXPECT_EQ(read.arguments[1].count->text(), "COUNT");
  const auto arguments = passed(definition);
  ASSERT_EQ(arguments.size(), 2U);
  EXPECT_EQ(arguments[0].value.size(), 24U);
  EXPECT_EQ(arguments[0].value[0], std::byte{100});
  ASSERT_EQ(arguments[0].addresses.size(), 2U);
  EXPECT_EQ(arguments[0].addresses[1].argument, 1U);
  EXPECT_EQ(arguments[0].addresses[1].at, 16U);
}

}  // namespace
}  // namespace warptune::tuner::drafting
