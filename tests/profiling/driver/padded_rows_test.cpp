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
  EXPECT_EQ(*padding, 0xA5) << "another byte than that of inputs";
  EXPECT_EQ(*guard, guard_byte(0));
  *padding = *guard = 0;
  arguments.write_guards(y);
  EXPECT_EQ(*padding, 0xA5);
  EXPECT_EQ(*guard, guard_byte(0));
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
