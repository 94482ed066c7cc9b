// `warptune replay --workers` as people use it, with times that were worked out by hand.
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

// X = 1 .. count. X = 1 takes 1000 ns, each further value 100 ns more. Compiling takes a second.
model::Recording compiled_line(std::int64_t count) {
  model::Recording recording;
  recording.workload.kernel = "line";
  recording.listed = true;
  recording.parameters.emplace_back();
  recording.parameters[0].name = "X";
  for (std::int64_t x = 1; x <= count; ++x) {
    recording.parameters[0].values.emplace_back(x);
    recording.measurements.push_back(
        testing::measured(testing::at(x), 1000.0 + 100.0 * static_cast<double>(x - 1)));
    recording.measurements.back().compile_ms = 1000.0;
  }
  return recording;
}

TEST(ReplaySessionsTest, AreSimulatedInTime) {
  testing::Warptune warptune;
  const std::string recording = (warptune / "line.wtrec.zst").string();
  db::write_recording(recording, compiled_line(60));
  const std::vector<std::string> arguments = {"replay",    recording, "--strategy",  "exhaustive",
                                              "--repeats", "1",       "--workers",   "2",
                                              "--budget",  "30s",     "--choice-us", "0"};
  const json report = warptune.json_of(arguments);
  const json& all = report.at("strategies").at("exhaustive").at("all");
  const json& line = report.at("strategies").at("exhaustive").at("line");
  // Compiling takes 1 s, and measuring 20 ms. Two workers finish two programs a second, and the best is the
  // first configuration.
  EXPECT_NEAR(line.at("seconds_to_1_median"), 1.02, 1e-9);
  EXPECT_EQ(line.at("slow_down_after_1_s"), 6.9) << "nothing is found, which counts as the slowest";
  EXPECT_EQ(line.at("slow_down_after_2_s"), 1.0);
  EXPECT_EQ(all.at("within_10_share_after_2_s"), 1.0);
  EXPECT_EQ(all.count("slow_down_after_50_s"), 0U);
  EXPECT_TRUE(all.at("score").is_null()) << "its baseline evaluates one after another";
  // The last two of 60 programs are compiled after 30 s. Then the only finalist is launched 15 times.
  EXPECT_NEAR(line.at("session_s_median"), 30.04 + 15 * 0.02 / 3, 1e-9);
  EXPECT_EQ(warptune.json_of(arguments).at("strategies").at("exhaustive").at("line"), line);
  const testing::ProgramRun text = warptune.run(arguments);
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("Simulated sessions over 1 recording"), HasSubstr("after 20 s"),
                    HasSubstr("Duration of the session in s"), Not(HasSubstr("Aggregate score P: 0")),
                    Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

}  // namespace
}  // namespace warptune::tuner::commands
