// The commands report rows with impossible times, and a [work] section that claims more work than was done.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/recording_file.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PlausibilityCommandsTest : public ::testing::Test {
 protected:
  void SetUp() override { kernel_ = testing::write_toy_kernel(warptune_.folder()).string(); }

  std::vector<std::string> tune(const model::Recording& recording) {
    const std::string file = (warptune_ / "toy.wtrec.zst").string();
    db::write_recording(file, recording);
    return {"tune", kernel_, "--replay", file, "--budget", "all"};
  }

  testing::Warptune warptune_;
  std::string kernel_;
};

TEST_F(PlausibilityCommandsTest, ImplausibleRowsAreListedWithTheirReasonsAndNeverExported) {
  model::Recording recording = testing::toy_recording(kernel_);
  for (model::Measurement& row : recording.measurements) {
    if (row.status != model::Status::kMeasured) continue;
    row.counters = {{"bytes_to_write", 4096.0},
                    {"lts__t_bytes.sum", row.time->median_ns < 1500.0 ? 32.0 : 8192.0}};
  }
  const testing::ProgramRun done = warptune_.run(tune(recording));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::string reason =
      "A=2 B=true: at most 3.2e-05 MB were written at the L2, but the verified outputs hold "
      "0.004096 MB";
  EXPECT_THAT(done.out, AllOf(HasSubstr("implausible measurements, which are not ranked: 1\n  " + reason),
                              HasSubstr("1 implausible")));
  EXPECT_THAT(warptune_.run({"show", "1"}).out,
              HasSubstr("implausible measurements, which are not ranked\n" + reason));
  EXPECT_NE(warptune_.json_of({"query", kernel_}).at("configuration"), json({{"A", 2}, {"B", true}}));
  EXPECT_THAT(warptune_.run({"export", kernel_, "--replayed"}).out, Not(HasSubstr("A=2 B=true")));
  const json again = warptune_.tuned(tune(recording));
  EXPECT_EQ(again.at("implausible").at(0).at("configuration"), json({{"A", 2}, {"B", true}}));
}

TEST_F(PlausibilityCommandsTest, AWorkThatIsMoreThanWasDoneIsToldWhereTheBestIsShown) {
  model::Recording recording = testing::toy_recording(kernel_);
  recording.work.flops = 1e9;  // That is 17 us at 60 TFLOP/s; the best takes 1 us.
  const testing::ProgramRun done = warptune_.run(tune(recording));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::string doubt =
      "[work] (" + kernel_ + ":23:1): a launch took 1.00 us, but the declared flops take 16.7 us";
  EXPECT_THAT(done.out, HasSubstr("doubtful: " + doubt));
  EXPECT_THAT(warptune_.run({"query", kernel_}).out, HasSubstr("doubtful: " + doubt));
  EXPECT_EQ(warptune_.tuned(tune(recording)).at("work_doubt").at("place").at("line"), 23);
  EXPECT_TRUE(warptune_.tuned(tune(testing::toy_recording(kernel_))).at("work_doubt").is_null());
}

}  // namespace
}  // namespace warptune::tuner::commands
