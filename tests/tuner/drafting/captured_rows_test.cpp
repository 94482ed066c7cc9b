// Captured buffers with padded rows: what the definition says of them, and that it is read again.
#include "tuner/drafting/captured_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "kernel_templates/argument_data.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "tests/tuner/drafting/captured_definition_fixture.h"
#include "tests/tuner/drafting/launch_builder.h"

namespace warptune::tuner::drafting {
namespace {

using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr int kPitch = 8;

// Rows of `kWidth` elements that are `value`, with `padding` between them.
std::string rows(float value, float padding, int pitch = kPitch) {
  std::vector<float> elements;
  for (int i = 0; i < kHeight * pitch; ++i) elements.push_back(i % pitch < kWidth ? value : padding);
  return bytes_of(elements);
}

class CapturedRowsTest : public CapturedDefinitionFixture {
 protected:
  // Definition of `scale(x, y, PITCH, width, height)`. The pitch is passed as `passed`.
  CapturedDefinition scaled(const std::string& pitch_name, int passed, float padding_after = 7) {
    LaunchBuilder builder("_Z5scalePKfPfiii", "scale(float const*, float*, int, int, int)");
    builder.buffer(rows(1, 9)).buffer(rows(0, 7), rows(2, padding_after));
    builder.value(passed).value(kWidth).value(kHeight);
    return made(
        "__global__ void scale(const float* x, float* y, int " + pitch_name + ", int width, int height) {}",
        builder);
  }
};

TEST_F(CapturedRowsTest, APitchInElementsPadsTheRows) {
  const CapturedDefinition definition = scaled("ld", kPitch);
  EXPECT_THAT(definition.notes, IsEmpty());
  const KernelInstance instance(written(definition), {}, model::fictional_gpu());
  const auto arguments = instance.arguments(instance.default_configuration());
  ASSERT_TRUE(arguments.has_value()) << arguments.error().reason;
  for (const std::size_t at : {0U, 1U}) {
    EXPECT_EQ(arguments->at(at).count, kWidth * kHeight);
    EXPECT_EQ(arguments->at(at).width, kWidth);
    EXPECT_EQ(arguments->at(at).pitch, kPitch);
  }
  const std::vector<std::byte> x = generate_argument(arguments->at(0), 0, 1);
  const std::string packed(reinterpret_cast<const char*>(x.data()), x.size());
  EXPECT_EQ(packed, bytes_of(std::vector<float>(kWidth * kHeight, 1)));
  EXPECT_EQ(instance.definition().arguments[0].width->text(), "WIDTH");
  EXPECT_EQ(instance.definition().arguments[0].pitch->text(), "LD");
  EXPECT_EQ(instance.definition().arguments[0].count->text(), "HEIGHT * WIDTH");
  EXPECT_EQ(instance.definition().arguments[2].value->text(), "LD");
  const auto expected = definition.files.back();
  EXPECT_EQ(expected.name, "y.after.npy");
  EXPECT_EQ(std::string(expected.elements), bytes_of(std::vector<float>(kWidth * kHeight, 2)));
}

TEST_F(CapturedRowsTest, APitchMayBeInBytes) {
  const KernelDefinition read = written(scaled("row_pitch", 4 * kPitch));
  EXPECT_EQ(read.arguments[0].pitch->text(), "ROW_PITCH / 4");
  EXPECT_EQ(read.arguments[1].width->text(), "WIDTH");
}

TEST_F(CapturedRowsTest, BuffersMayHaveDifferentPitches) {
  LaunchBuilder builder("_Z4copyPKfiPfiii", "copy(float const*, int, float*, int, int, int)");
  builder.buffer(rows(1, 9)).value(kPitch).buffer(rows(0, 7, 9), rows(1, 7, 9)).value(9);
  builder.value(kWidth).value(kHeight);
  const KernelDefinition read = written(made(
      "__global__ void copy(const float* from, int from_stride, float* to, int to_stride, int columns, int "
      "height) {}",
      builder));
  EXPECT_EQ(read.arguments[0].pitch->text(), "FROM_STRIDE");
  EXPECT_EQ(read.arguments[2].pitch->text(), "TO_STRIDE");
  EXPECT_EQ(read.arguments[2].width->text(), "COLUMNS");
}

TEST_F(CapturedRowsTest, AnOutputWhosePaddingChangedHasNone) {
  const KernelDefinition read = written(scaled("pitch", kPitch, 8));
  EXPECT_TRUE(read.arguments[0].pitch.has_value());
  EXPECT_FALSE(read.arguments[1].pitch.has_value());
}

TEST_F(CapturedRowsTest, APitchOfAnotherNameIsAskedFor) {
  const CapturedDefinition definition = scaled("m", kPitch);
  EXPECT_THAT(definition.text, HasSubstr("# are these rows of 5 elements, 8 from row to row?"));
  const KernelDefinition read = written(definition);
  EXPECT_FALSE(read.arguments[0].pitch.has_value());
  EXPECT_EQ(read.arguments[1].count->text(), "M * HEIGHT");
  EXPECT_THAT(scaled("m", kPitch, 8).text, Not(HasSubstr("are these rows")));
}

}  // namespace
}  // namespace warptune::tuner::drafting
