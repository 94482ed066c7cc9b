#include "search/models/source_trend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/model/spaces.h"

namespace warptune::search::models {
namespace {

using model::one_to;

std::vector<Observation> times_of(const model::Space& space, std::uint64_t stride) {
  std::vector<Observation> source;
  for (std::uint64_t i = 0; i < space.size(); i += stride) {
    const model::Configuration configuration = space.at(i);
    const double distance = std::abs(static_cast<double>(configuration[0]) - 10.0) +
                            std::abs(static_cast<double>(configuration[1]) - 4.0);
    source.push_back({configuration, model::Status::kMeasured, 100.0 + 10.0 * distance});
  }
  return source;
}

TEST(SourceTrend, KnowsWhatWasMeasuredAndPredictsTheRest) {
  const model::Space space({model::one_to("a", 20), model::one_to("b", 20)}, {});
  const FeatureMap features(space.parameters());
  const SourceTrend whole(space, features, times_of(space, 1));
  EXPECT_EQ(whole.expect({{10, 4}}).front(), 0.0);
  EXPECT_NEAR(whole.expect({{11, 4}}).front(), 0.09, 0.02);
  const SourceTrend sparse(space, features, times_of(space, 3));
  for (const model::Configuration& configuration :
       {model::Configuration{3, 3}, model::Configuration{10, 5}, model::Configuration{18, 17}}) {
    EXPECT_NEAR(sparse.expect({configuration}).front(), whole.expect({configuration}).front(), 0.15);
  }
}

TEST(SourceTrend, LosesItsWeightWhereItDoesNotAgree) {
  std::vector<double> trend;
  std::vector<double> like;
  std::vector<double> unlike;
  for (int i = 0; i < 16; ++i) {
    trend.push_back(i);
    like.push_back(0.5 * i + 3);
    unlike.push_back(i % 2 == 0 ? 1.0 : -1.0);
  }
  EXPECT_NEAR(shrunk_slope(trend, like, 2.0), 0.5, 0.1);
  EXPECT_NEAR(shrunk_slope(trend, unlike, 2.0), 0.0, 0.15);
  EXPECT_EQ(shrunk_slope({1.0, 1.0}, {1.0, 2.0}, 2.0), 1.0);  // A constant trend keeps the prior.
}

}  // namespace
}  // namespace warptune::search::models
