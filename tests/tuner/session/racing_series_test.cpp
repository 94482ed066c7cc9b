// The racing protocol keeps what its thresholds promise, on sample series recorded on an H200 (bench/series).

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "base/random.h"
#include "bench/race_replay.h"
#include "db/recording_file.h"

namespace warptune::tuner::session {
namespace {

constexpr std::size_t kFixedSamples = 32;
constexpr int kOrders = 40;

class RacingSeriesTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<bench::Series> series_ = bench::series_of(
      db::read_recording(std::filesystem::path(WARPTUNE_SERIES_FOLDER) / (GetParam() + ".wtrec.zst")));
};

// If the best takes less than 5 us, half of the GPU time is allowed: other work then costs more than
// launches.
TEST_P(RacingSeriesTest, FindsAConfigurationWithinOnePercentOfTheBestInAQuarterOfTheGpuTime) {
  ASSERT_GE(series_.size(), 10U);
  base::Random random(1);
  std::vector<std::size_t> order(series_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  double gpu_share = 0.0;
  for (int i = 0; i < kOrders; ++i) {
    random.shuffle(order);
    const bench::Outcome outcome = bench::race_through(series_, order, kFixedSamples);
    EXPECT_LE(outcome.regret, 0.01);
    gpu_share += outcome.gpu_share / kOrders;
  }
  double best_ns = series_.front().median_ns;
  for (const bench::Series& series : series_) best_ns = std::min(best_ns, series.median_ns);
  EXPECT_LE(gpu_share, best_ns < 5000.0 ? 0.5 : 0.25);
}

INSTANTIATE_TEST_SUITE_P(All, RacingSeriesTest,
                         ::testing::Values("reduction_1m", "reduction_64m", "sgemm_256", "sgemm_2k",
                                           "sgemm_8k", "transpose_8k", "vector_add_4m", "vector_add_64m"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace warptune::tuner::session
