// Rows with padding between them, with a fake of libcuda: their contents, and what checks read of them.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "profiling/driver/device_buffers.h"
#include "tests/kernel_templates/definitions.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling::driver {
namespace {

using kernel_templates::KernelInstance;
using kernel_templates::ResolvedArgument;

const std::string kPaddedToml = R"toml([kernel]
entry = "scale"
[problem]
N = 30
[parameters]
PAD = [2, 0, 5]
[default]
PAD = 2
[launch]
grid = ["1"]
block = ["32"]
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "4 * N"
width = "N"
pitch = "N + PAD"
init = { kind = "iota" }
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "4 * N"
width = "N"
pitch = "N + PAD"
)toml";

class PaddedRowsTest : public ::testing::Test {
 protected:
  PaddedRowsTest()
      : instance_(kernel_templates::load_embedded(
                      kPaddedToml, "extern \"C\" __global__ void scale(const float* x, float* y) {}\n"),
                  {}, model::fictional_gpu()) {
    fake_cuda() = FakeCuda{};
  }

  void use(DeviceArguments& arguments, std::int64_t pad) const {
    arguments.fit(instance_.arguments({{"PAD", pad}}).value());
  }
  static float element(CUdeviceptr buffer, std::size_t index) {
    float value = 0.0F;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(buffer) + index * sizeof value, sizeof value);
    return value;
  }
  static std::uint8_t* byte_of(CUdeviceptr buffer, std::size_t element) {
    return reinterpret_cast<std::uint8_t*>(buffer) + element * sizeof(float);
  }

  KernelInstance instance_;
};

TEST_F(PaddedRowsTest, LaunchesGetTheRowsOfTheirConfiguration) {
  DeviceArguments arguments(instance_, 1, nullptr, 0);
  const DeviceArgument& x = arguments.all()[0];
  for (const std::int64_t pad : {2, 5, 0, 2}) {
    use(arguments, pad);
    for (std::size_t row = 0; row < 4; ++row) {
      const std::size_t begin = row * static_cast<std::size_t>(30 + pad);
      EXPECT_EQ(element(x.pointer, begin), static_cast<float>(30 * row)) << pad;
      EXPECT_EQ(element(x.pointer, begin + 29), static_cast<float>(30 * row + 29)) << pad;
      if (pad > 0) {
        EXPECT_EQ(*byte_of(x.pointer, begin + 30), 0xFF) << "NaN";
      }
    }
    EXPECT_EQ(x.pointer == x.buffer.data(), pad == 0);
    EXPECT_EQ(arguments.footprint_bytes(), 2U * 4 * static_cast<std::size_t>(30 + pad) * sizeof(float));
  }
}

TEST_F(PaddedRowsTest, ChecksReadPackedRows) {
  DeviceArguments arguments(instance_, 1, nullptr, 0);
  DeviceArgument& y = arguments.all()[1];
  for (std::size_t i = 0; i < y.padded.layout().bytes() / sizeof(float); ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(byte_of(y.pointer, i), &value, sizeof value);
  }
  arguments.fetch_separate();
  EXPECT_EQ(element(y.buffer.data(), 29), 29.0F);
  EXPECT_EQ(element(y.buffer.data(), 30), 32.0F) << "the second row";
  EXPECT_EQ(element(y.buffer.data(), 119), 32.0F * 3 + 29);
}

TEST_F(PaddedRowsTest, PaddingAndGuardsAreRepaired) {
  DeviceArguments arguments(instance_, 1, nullptr, 0);
  DeviceArgument& y = arguments.all()[1];
  std::uint8_t* padding = byte_of(y.pointer, 31);
  std::uint8_t* guard = byte_of(y.pointer, 4 * 32);
  EXPECT_EQ(*padding, 0xFD) << "another byte than that of inputs";
  EXPECT_EQ(*guard, guard_byte(0));
  *padding = *guard = 0;
  arguments.write_guards(y);
  EXPECT_EQ(*padding, 0xFD);
  EXPECT_EQ(*guard, guard_byte(0));
}

TEST_F(PaddedRowsTest, WithoutGuardsOnlyInputsAreCopiedToNewRows) {
  DeviceArguments arguments(instance_, 1, nullptr, 0, Guards::kNone);
  const DeviceArgument& y = arguments.all()[1];
  std::memset(reinterpret_cast<void*>(y.buffer.data()), 0x5A, y.bytes());
  use(arguments, 5);
  EXPECT_EQ(element(arguments.all()[0].pointer, 29), 29.0F);
  EXPECT_NE(*byte_of(y.pointer, 0), 0x5A) << "nothing has written its buffer on the device";
}

TEST_F(PaddedRowsTest, DamageThatAPackedConfigurationMadeIsNotKept) {
  DeviceArguments arguments(instance_, 1, nullptr, 0);
  for (DeviceArgument& argument : arguments.all()) {
    use(arguments, 2);
    std::uint8_t* padding = byte_of(argument.pointer, 31);
    std::uint8_t* guard = byte_of(argument.pointer, 4 * 32);
    const std::uint8_t right = *padding;
    use(arguments, 0);
    *padding = *guard = 0;
    arguments.write_guards(argument);  // It follows each fault.
    use(arguments, 2);
    EXPECT_EQ(*byte_of(argument.pointer, 31), right);
    EXPECT_EQ(*byte_of(argument.pointer, 4 * 32), guard_byte(0));
  }
  EXPECT_EQ(element(arguments.all()[0].pointer, 32), 30.0F);
}

TEST_F(PaddedRowsTest, InoutContentsAreRestoredOnlyInTheRowsOfLaunches) {
  std::string text = kPaddedToml;
  text.replace(text.find("\"in\""), 4, "\"inout\"");
  const KernelInstance instance(
      kernel_templates::load_embedded(text, "extern \"C\" __global__ void scale(float* x, float* y) {}\n"),
      {}, model::fictional_gpu());
  DeviceArguments arguments(instance, 1, nullptr, 0);
  const DeviceArgument& x = arguments.all()[0];
  std::memset(reinterpret_cast<void*>(x.buffer.data()), 0, x.bytes());
  arguments.restore();
  EXPECT_EQ(element(x.pointer, 32), 30.0F);
  EXPECT_EQ(element(x.buffer.data(), 30), 0.0F);
  arguments.fetch_separate();
  EXPECT_EQ(element(x.buffer.data(), 30), 30.0F);
  EXPECT_TRUE(fake_cuda().copied.empty());
  use(arguments, 0);
  arguments.restore();
  ASSERT_EQ(fake_cuda().copied.size(), 1U);
  EXPECT_EQ(fake_cuda().copied.front().first, x.pointer);
}

TEST_F(PaddedRowsTest, RowsThatDoNotFitLeaveThePackedOnes) {
  DeviceArguments arguments(instance_, 1, nullptr, 0);
  use(arguments, 0);
  fake_cuda().free_bytes = 0;
  EXPECT_THROW(use(arguments, 5), base::MachineError);
  const DeviceArgument& x = arguments.all()[0];
  EXPECT_FALSE(x.is_padded());
  EXPECT_EQ(x.pointer, x.buffer.data());
}

TEST_F(PaddedRowsTest, AnErrorListsTheRows) {
  fake_cuda().free_bytes = 1000;
  try {
    const DeviceArguments arguments(instance_, 1, nullptr, 0);
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("x 1 x 0 MiB, x's padded rows 0 MiB, y"), std::string::npos)
        << error.what();
  }
}

TEST_F(PaddedRowsTest, NewInputsAreInTheRowsToo) {
  DeviceArguments arguments(instance_, 1, nullptr, 0);
  DeviceArgument& x = arguments.all()[0];
  *byte_of(x.pointer, 32) = 0x5A;
  arguments.refill(0);
  EXPECT_EQ(element(x.pointer, 32), 30.0F);
}

}  // namespace
}  // namespace warptune::profiling::driver
