// Tests on a GPU for arguments that kernels do not get as pointers, and for kernels that launch others.

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <string>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

using model::Measurement;
using model::Status;
using ::testing::HasSubstr;

using GpuSymbolTest = GpuTest;

TEST_F(GpuSymbolTest, GetsTheContentsOfItsArgumentWhereverItLies) {
  RunnerUnderTest weights("symbol", {}, without_counters());
  for (const std::string where : {"in_constant", "in_global", "in_constant"}) {
    const Measurement measurement = weights.evaluate({{"WHERE", where}});
    EXPECT_EQ(measurement.status, Status::kMeasured) << where << ": " << measurement.reason;
  }
}

TEST_F(GpuSymbolTest, ThatIsTooSmallIsTheReasonOfItsConfiguration) {
  RunnerUnderTest weights("symbol", {}, without_counters());
  const Measurement measurement = weights.evaluate({{"ROOM", std::int64_t{32}}});
  EXPECT_EQ(measurement.status, Status::kLaunchInvalid);
  EXPECT_THAT(measurement.reason,
              HasSubstr("the variable kept_weights has 128 bytes, but its argument \"weights\" has 256"));
}

using GpuTextureTest = GpuTest;

TEST_F(GpuTextureTest, ReadsElementsNeighboursAndWhatLiesOutside) {
  RunnerUnderTest matrix("texture", {}, without_counters());
  const Measurement measurement = matrix.evaluate({});
  EXPECT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
}

TEST_F(GpuTextureTest, HasTheExtentsOfItsConfiguration) {
  RunnerUnderTest matrix("texture", {}, without_counters());
  // Rows beyond the texture read its last row. The reference reads the matrix's own rows.
  const Measurement lower = matrix.evaluate({{"HEIGHT", std::int64_t{25}}});
  EXPECT_EQ(lower.status, Status::kWrongResult);
  // The inputs are drawn at random, so two in a hundred elements are right by chance.
  const std::string marker = "element ";
  const std::size_t at = lower.reason.find(marker);
  ASSERT_NE(at, std::string::npos) << lower.reason;
  const int element = std::stoi(lower.reason.substr(at + marker.size()));
  EXPECT_GE(element, 7501) << lower.reason;
  EXPECT_LT(element, 7600) << lower.reason;
  EXPECT_EQ(element % 3, 1) << lower.reason;
  EXPECT_EQ(matrix.evaluate({}).status, Status::kMeasured) << "the next launch has its own argument";
}

using GpuNestedLaunchTest = GpuTest;

TEST_F(GpuNestedLaunchTest, IsPartOfTheLaunchThatMadeIt) {
  RunnerUnderTest nested("nested_launch", {}, without_counters());
  for (const std::int64_t block : {64, 128}) {
    const Measurement measurement = nested.evaluate({{"BLOCK", block}});
    ASSERT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
    EXPECT_GT(measurement.resources.registers_per_thread, 0);
    EXPECT_EQ(measurement.resources.threads_per_block, 64);
  }
}

using GpuPassedStructTest = GpuTest;

// The addresses in the struct are those of the memory that a configuration uses.
TEST_F(GpuPassedStructTest, HasTheAddressesOfBuffers) {
  RunnerUnderTest program("passed_struct", {}, without_counters());
  for (const std::string memory : {"device", "managed", "device"}) {
    const model::Measurement right = program.evaluate({{"MEMORY", memory}});
    EXPECT_EQ(right.status, model::Status::kMeasured) << memory << ": " << right.reason;
    const model::Measurement wrong = program.evaluate({{"MEMORY", memory}, {"END", std::int64_t{1}}});
    EXPECT_EQ(wrong.status, model::Status::kWrongResult) << memory << ": " << wrong.reason;
  }
}

using GpuPaddedRowsTest = GpuTest;

// The reference is an entry, which gets the rows of the default.
TEST_F(GpuPaddedRowsTest, AreThoseOfTheirConfiguration) {
  RunnerUnderTest program("padded_rows", {}, without_counters());
  for (const std::int64_t pad : {1, 0, 20, 1}) {
    const Measurement measurement = program.evaluate({{"PAD", pad}});
    EXPECT_EQ(measurement.status, Status::kMeasured) << pad << ": " << measurement.reason;
  }
}

TEST_F(GpuPaddedRowsTest, MayNotBeWrittenOrUsedBetweenThem) {
  RunnerUnderTest program("padded_rows", {}, without_counters());
  for (const std::int64_t pad : {1, 20}) {
    for (const std::int64_t fault : {1, 3}) {
      const Measurement written = program.evaluate({{"PAD", pad}, {"FAULT", fault}});
      EXPECT_EQ(written.status, Status::kWrongResult) << pad << " " << fault;
      EXPECT_THAT(written.reason, HasSubstr("wrote between the rows of argument \"y\" ("))
          << pad << " " << fault;
      EXPECT_THAT(written.reason, HasSubstr("bytes of padding changed, the first of them after row 0)"));
    }
    const Measurement used = program.evaluate({{"PAD", pad}, {"FAULT", std::int64_t{2}}});
    EXPECT_EQ(used.status, Status::kWrongResult) << pad;
    EXPECT_THAT(used.reason, HasSubstr("argument \"sum\", element 0")) << pad;
    EXPECT_EQ(program.evaluate({{"PAD", pad}}).status, Status::kMeasured) << "the padding is repaired";
  }
}

}  // namespace
}  // namespace warptune::profiling
