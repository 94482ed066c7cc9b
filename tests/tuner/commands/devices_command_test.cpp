#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DevicesCommandTest : public ::testing::Test {
 protected:
  DevicesCommandTest() { warptune_.variables = {{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER}}; }

  testing::Warptune warptune_;
};

TEST_F(DevicesCommandTest, WithoutMeasuredRoofsItSaysHowToGetThem) {
  const testing::ProgramRun done = warptune_.run({"devices"});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, AllOf(HasSubstr("fictional GPU"), HasSubstr("devices --measure-roofs")));
  EXPECT_THAT(warptune_.json_of({"devices"}).at("devices").at(0).at("roof_readings"), IsEmpty());
}

TEST_F(DevicesCommandTest, MeasuredRoofsAreShownWithRidgePointsAndKept) {
  const testing::ProgramRun measured = warptune_.run({"devices", "--measure-roofs"});
  EXPECT_EQ(measured.exit_code, 0);
  EXPECT_THAT(measured.err, HasSubstr("GPU 0: no tensor roof: it is a fake"));
  const testing::ProgramRun later = warptune_.run({"devices"});
  EXPECT_EQ(later.out, measured.out);
  EXPECT_EQ(later.err, "");
  EXPECT_THAT(later.out, AllOf(HasSubstr("4.30 TB/s"), HasSubstr("60.0 TFLOP/s"), HasSubstr("14.0"),
                               HasSubstr("2023-11-14 22:13:20 UTC")));
  const auto roofs = warptune_.json_of({"devices"}).at("devices").at(0).at("roof_readings");
  ASSERT_THAT(roofs, SizeIs(4));
  EXPECT_EQ(roofs.at(1).at("roof"), "fp32");
  EXPECT_EQ(roofs.at(1).at("unit"), "FLOP/s");
  EXPECT_EQ(roofs.at(2).at("roof"), "host_to_device_pinned");
  EXPECT_EQ(roofs.at(2).at("unit"), "byte/s");
  EXPECT_EQ(roofs.at(3).at("unit"), "s");
  EXPECT_EQ(roofs.at(3).at("value"), 2.5e-6);
  EXPECT_THAT(later.out, AllOf(HasSubstr("55.0 GB/s"), HasSubstr("2.50 us")));
  EXPECT_NEAR(roofs.at(1).at("ridge_flops_per_byte").get<double>(), 60.0 / 4.3, 1e-9);
}

TEST_F(DevicesCommandTest, TheFirstSessionOfAGpuStoresWhatItMeasuredAndTheNextTakesIt) {
  const std::vector<std::string> tune = {"tune", "vector_add", "--budget", "3", "--compile-cache", "none"};
  ASSERT_EQ(warptune_.run(tune).exit_code, 0);
  const auto roofs = warptune_.json_of({"devices"}).at("devices").at(0).at("roof_readings");
  ASSERT_THAT(roofs, SizeIs(1));
  EXPECT_EQ(roofs.at(0).at("roof"), "copy");
  warptune_.run({"devices", "--measure-roofs"});
  const nlohmann::json second = warptune_.tuned(tune);
  EXPECT_TRUE(second.at("roofs").at("copy_bytes_per_s").is_null());
  EXPECT_EQ(second.at("roofs").at("read_bytes_per_s"), 4.3e12);
  EXPECT_GT(second.at("best").at("roof_share"), 0.0);
  EXPECT_EQ(second.at("best").at("binding_roof"), "memory");
}

TEST_F(DevicesCommandTest, ADatabaseThatIsNoneIsBadInputAndNothingIsMeasured) {
  const testing::ProgramRun done =
      warptune_.run({"devices", "--measure-roofs", "--db", WARPTUNE_FAKE_GPU_WORKER});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("expected a warptune database"));
}

}  // namespace
}  // namespace warptune::tuner::commands
