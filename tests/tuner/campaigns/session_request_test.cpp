#include "tuner/campaigns/session_request.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::tuner::campaigns {
namespace {

TEST(SessionRequest, TheUsualOptionsAreThoseOfTune) {
  const session::TuningRequest request = request_of({});
  EXPECT_EQ(request.search.budget.seconds, 60.0);
  EXPECT_EQ(request.search.strategy, "auto");
  EXPECT_TRUE(request.search.objective.is_time());
  EXPECT_FALSE(request.search.transfer);
  EXPECT_EQ(request.measuring.cache, model::CacheState::kCold);
  EXPECT_FALSE(request.measuring.thorough);
}

TEST(SessionRequest, EveryOptionIsRead) {
  const session::TuningRequest request =
      request_of({"200", "2%", "random", "energy", "warm", "full", 9, true, true, ""});
  EXPECT_EQ(request.search.budget.evaluations, 200U);
  EXPECT_EQ(request.search.goal.gain_share, 0.02);
  EXPECT_EQ(request.search.strategy, "random");
  EXPECT_EQ(request.search.objective.text(), "energy");
  EXPECT_EQ(request.search.seed, 9U);
  EXPECT_EQ(request.measuring.seed, 9U);
  EXPECT_EQ(request.measuring.cache, model::CacheState::kWarm);
  EXPECT_TRUE(request.measuring.measure_energy);
  EXPECT_TRUE(request.measuring.thorough);
  EXPECT_TRUE(request.search.transfer);
  EXPECT_FALSE(request.search.reproducible);
  fleet::SessionOptions demanding;
  demanding.reproducible = "ulp=4";
  EXPECT_EQ(request_of(demanding).search.reproducible.value().text, "ulp=4");
}

TEST(SessionRequest, OptionsThatTuneRefusesAreRefused) {
  EXPECT_THROW(request_of({"soon"}), base::InputError);
  EXPECT_THROW(request_of({"60s", "x"}), base::InputError);
  EXPECT_THROW(request_of({"60s", "", "lucky"}), base::InputError);
  EXPECT_THROW(request_of({"60s", "", "auto", "tiem"}), base::InputError);
  EXPECT_THROW(request_of({"60s", "", "auto", "time", "unknown"}), base::InputError);
  EXPECT_THROW(request_of({"60s", "0.9roof", "auto", "energy"}), base::InputError);
  fleet::SessionOptions demanding;
  demanding.reproducible = "often";
  EXPECT_THROW(request_of(demanding), base::InputError);
  demanding.reproducible = "bits";
  demanding.objective = "energy";
  EXPECT_THROW(request_of(demanding), base::InputError) << "such a session has no final rounds";
}

}  // namespace
}  // namespace warptune::tuner::campaigns
