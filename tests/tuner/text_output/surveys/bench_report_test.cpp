#include "tuner/text_output/surveys/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "survey/captures/capture_file.h"
#include "tuner/benching/bench_session.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

benching::Bench described() {
  benching::BenchRequest request;
  request.capture = std::string(WARPTUNE_SOURCE_FOLDER) + "/tests/survey/data/version1.wtcapture.zst";
  request.describe = true;
  return benching::bench(request);
}

benching::Bench repeated() {
  benching::Bench bench = described();
  benching::RepeatedLaunch launch;
  launch.gpu.name = "Fictional GPU";
  launch.replay.measurement.time = {3600.0, 3500.0, 3700.0};
  launch.replay.warm = {2900.0, 2800.0, 3000.0};
  launch.replay.in_a_row_samples_ns = {3030.0};
  launch.replay.in_a_row = {3030.0, 3030.0, 3030.0};
  bench.repeated = launch;
  return bench;
}

TEST(BenchReportTest, ShowsWhatACaptureHas) {
  const std::string text = bench_report(described());
  EXPECT_THAT(text, HasSubstr("launch 3 of this kernel in ./app\n"));
  EXPECT_THAT(text, HasSubstr("grid 4, block 256, 512 B of dynamic shared memory\n"));
  EXPECT_THAT(text, HasSubstr("the buffer of parameter 1: 8.19 kB, changed by the launch\n"));
  EXPECT_THAT(text, HasSubstr("the buffer of parameter 2: 4 B, changed by the launch\n"));
  EXPECT_THAT(text, HasSubstr("the variable gain: 4 B, unchanged\n"));
  EXPECT_THAT(text, Not(HasSubstr("Time of the launch alone")));
}

TEST(BenchReportTest, ComparesTimesWithThatInTheApplication) {
  const std::string text = bench_report(repeated());
  EXPECT_THAT(text, HasSubstr("from a cold L2 cache: 3.60 us (3.50 us to 3.70 us), 1.200 of that in the"));
  EXPECT_THAT(text, HasSubstr("in a row: 3.03 us (3.03 us to 3.03 us), 1.010 of that in the application"));
  EXPECT_THAT(text, HasSubstr("in the application: 3.00 us (median of 5 launches)"));
  EXPECT_THAT(text, HasSubstr("Outputs: all buffers have the same bytes as in the application.\n"));
}

TEST(BenchReportTest, SaysHowOutputsDiffer) {
  benching::Bench bench = repeated();
  bench.repeated->replay.differences = {{0, 12, 4096, 0.5}};
  EXPECT_THAT(bench_report(bench),
              HasSubstr("the buffer of parameter 1 differs in 12 of 8192 bytes, first at byte 4096; read as "
                        "f32, by 0.5 of the value at most\n"));
}

TEST(BenchReportTest, SaysThatEqualOutputsMeanLittleIfNothingChanged) {
  benching::Bench bench = repeated();
  for (auto& buffer : bench.launch.buffers) buffer.after.reset();
  EXPECT_THAT(bench_report(bench), HasSubstr("changed none there. So this says little."));
}

}  // namespace

}  // namespace warptune::tuner::text_output::surveys
