#include <gtest/gtest.h>

#include <cmath>

#include "search/models/feature_map.h"
#include "search/models/gaussian_process.h"
#include "search/models/objective_scale.h"
#include "search/models/source_trend.h"
#include "search/models/validity.h"
#include "tests/search/spaces.h"

namespace warptune::search::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;
using testing_spaces::integers;
using testing_spaces::one_to;

// `count` points spread evenly, but without order, over a square of two columns.
MatrixXf scattered(Index count) {
  MatrixXf points(2, count);
  for (Index i = 0; i < count; ++i) {
    points(0, i) = static_cast<float>(std::fmod(0.5 + 0.6180339887 * static_cast<double>(i), 1.0));
    points(1, i) = static_cast<float>(std::fmod(0.5 + 0.7548776662 * static_cast<double>(i), 1.0));
  }
  return points;
}

// Depends on the first column alone; about mean 0 and variance 1.
VectorXd wave(const MatrixXf& points) {
  return (points.row(0).cast<double>().transpose().array() * 6.0).sin() * 1.4 - 0.2;
}

Covariance two_columns() { return Covariance({0, 1}, VectorXd::Constant(2, std::log(0.7))); }

TEST(FeatureMap, GivesNumbersTheirRankAndTextOneColumnAValue) {
  Parameter text;
  text.name = "cache";
  text.values = {Value(std::string("ca")), Value(std::string("cg")), Value(std::string("cs"))};
  const FeatureMap map({integers("n", {8, 2, 4}), text, integers("one", {5})});
  ASSERT_EQ(map.size(), 4U);
  EXPECT_EQ(map.groups(), (std::vector<std::size_t>{0, 1, 1, 1}));
  EXPECT_FLOAT_EQ(map.features({0, 0, 0})[0], 1.0F);
  EXPECT_FLOAT_EQ(map.features({1, 0, 0})[0], 0.0F);
  EXPECT_FLOAT_EQ(map.features({2, 0, 0})[0], 0.5F);
  EXPECT_FLOAT_EQ((map.features({0, 0, 0}) - map.features({0, 2, 0})).norm(), 1.0F);
}

TEST(FeatureMap, SaysHowOftenTwoDividesWhatIsNotAllPowersOfTwo) {
  const FeatureMap map({integers("block", {32, 48, 64, 72})});
  ASSERT_EQ(map.size(), 2U);
  EXPECT_FLOAT_EQ(map.features({2})[1], 1.0F);                          // 64 = 2^6.
  EXPECT_FLOAT_EQ(map.features({3})[1], 0.0F);                          // 72 = 2^3 * 9.
  EXPECT_FLOAT_EQ(map.features({1})[1], 1.0F / 3);                      // 48 = 2^4 * 3.
  EXPECT_EQ(FeatureMap({integers("block", {16, 32, 64})}).size(), 1U);  // Their rank says it.
  EXPECT_EQ(FeatureMap({integers("block", {0, 3, 4})}).size(), 1U);     // 0 has no such number.
  EXPECT_EQ(FeatureMap({integers("block", {32, 48, 64})}, false).size(), 1U);
}

TEST(GaussianProcess, PredictsAFunctionBetweenItsPointsAndKnowsWhereItDoesNot) {
  Covariance covariance = two_columns();
  const MatrixXf points = scattered(40);
  covariance.fit(points, wave(points), 30);
  MatrixXf candidates(2, 3);
  candidates << 0.33F, 0.8F, 8.0F, 0.41F, 0.1F, 0.5F;
  Posterior posterior;
  posterior.reset(covariance);
  posterior.add_candidates(candidates);
  posterior.add_points(points);
  const VectorXf means = posterior.means(posterior.weights(wave(points)));
  const VectorXf variances = posterior.variances();
  const VectorXd truth = wave(candidates);
  EXPECT_NEAR(means[0], truth[0], 0.1);
  EXPECT_NEAR(means[1], truth[1], 0.1);
  EXPECT_NEAR(means[2], 0.0, 0.3);  // Far outside: the mean of all.
  EXPECT_LT(variances[0], 0.05 * covariance.signal_variance());
  EXPECT_GT(variances[2], 0.5 * covariance.signal_variance());
}

TEST(GaussianProcess, LearnsWhichColumnMatters) {
  Covariance covariance = two_columns();
  const MatrixXf points = scattered(40);
  covariance.fit(points, wave(points), 40);
  MatrixXf steps(2, 3);
  steps << 0.0F, 0.2F, 0.0F, 0.0F, 0.0F, 0.2F;
  const MatrixXf scaled = covariance.scaled(steps);
  EXPECT_GT((scaled.col(1) - scaled.col(0)).norm(), 3 * (scaled.col(2) - scaled.col(0)).norm());
}

TEST(GaussianProcess, GivesTheSameWhetherPointsAndCandidatesComeAtOnceOrOneByOne) {
  const Covariance covariance = two_columns();
  const MatrixXf points = scattered(12);
  const MatrixXf candidates = scattered(30).rightCols(18);
  Posterior whole;
  whole.reset(covariance);
  whole.add_candidates(candidates);
  whole.add_points(points);
  Posterior grown;
  grown.reset(covariance);
  grown.add_candidates(candidates.leftCols(5));
  for (Index i = 0; i < points.cols(); ++i) {
    grown.add_points(points.col(i));
    if (i == 6) grown.add_candidates(candidates.rightCols(13));
  }
  const VectorXd values = wave(points);
  EXPECT_LT((whole.means(whole.weights(values)) - grown.means(grown.weights(values))).norm(), 1e-3);
  EXPECT_LT((whole.variances() - grown.variances()).norm(), 1e-3);
}

TEST(GaussianProcess, BelievesAPendingValueToBeWhatItPredicts) {
  const Covariance covariance = two_columns();
  const MatrixXf points = scattered(12);
  const MatrixXf candidates = scattered(30).rightCols(18);
  const auto asked = [&](Index count) {
    Posterior posterior;
    posterior.reset(covariance);
    posterior.add_candidates(candidates);
    posterior.add_points(points.leftCols(count));
    VectorXd values = wave(points).head(count);
    if (count == 12) values[11] = std::nan("");
    return std::pair(posterior.means(posterior.weights(values)), posterior.variances());
  };
  const auto [means_before, variances_before] = asked(11);
  const auto [means, variances] = asked(12);
  EXPECT_LT((means - means_before).norm(), 1e-4);
  EXPECT_LT(variances.sum(), variances_before.sum());
}

TEST(GaussianProcess, BearsTheSamePointTwice) {
  Covariance covariance = two_columns();
  MatrixXf points = scattered(8);
  points.col(7) = points.col(6);
  covariance.fit(points, VectorXd::Zero(8), 10);
  Posterior posterior;
  posterior.reset(covariance);
  posterior.add_candidates(points);
  posterior.add_points(points);
  EXPECT_TRUE(posterior.means(posterior.weights(VectorXd::Zero(8))).allFinite());
  EXPECT_GT(posterior.variances().minCoeff(), 0.0F);
}

TEST(ObjectiveScale, CountsFromTheBestByLogarithmsAndCompressesTheSlow) {
  const ObjectiveScale scale({100.0, 200.0, 400.0});
  EXPECT_EQ(scale.compressed(100.0), 0.0);
  EXPECT_NEAR(scale.compressed(101.0), 0.01, 1e-3);
  EXPECT_NEAR(scale.compressed(200.0), std::log(2.0) * std::log(2.0), 1e-9);
  EXPECT_LT(scale.compressed(1e6), 3.0);
  EXPECT_NEAR(ObjectiveScale({100.0, 200.0, 400.0}, false).compressed(1e6), std::log(1e4), 1e-9);
}

TEST(ObjectiveScale, TakesObjectivesThatAreNotPositiveAsTheyAre) {
  const ObjectiveScale scale({-3.0, -1.0, 2.0});
  EXPECT_EQ(scale.compressed(-3.0), 0.0);
  EXPECT_GT(scale.compressed(2.0), scale.compressed(-1.0));
  EXPECT_GT(ObjectiveScale({5.0, 5.0}).spread(), 0.0);
  EXPECT_EQ(ObjectiveScale({0.0, 0.0}).compressed(0.0), 0.0);
}

TEST(Validity, IsLowWhereNeighboursFailedAndHighElsewhere) {
  Validity validity;
  MatrixXf candidates(2, 3);
  candidates << 0.1F, 0.9F, 0.5F, 0.1F, 0.9F, 0.5F;
  validity.add_candidates(candidates.leftCols(2));
  validity.add_outcome(VectorXf::Constant(2, 0.1F), false);
  validity.add_outcome(VectorXf::Constant(2, 0.12F), false);
  validity.add_outcome(VectorXf::Constant(2, 0.9F), true);
  validity.add_candidates(candidates.rightCols(1));
  const VectorXf likely = validity.probabilities();
  EXPECT_LT(likely[0], 0.2F);
  EXPECT_GT(likely[1], 0.9F);
  EXPECT_GT(likely[2], likely[0]);
  EXPECT_LT((likely - validity.probabilities_of(candidates)).norm(), 1e-6F);
}

std::vector<Observation> times_of(const Space& space, std::uint64_t stride) {
  std::vector<Observation> source;
  for (std::uint64_t i = 0; i < space.size(); i += stride) {
    const Configuration configuration = space.at(i);
    const double distance = std::abs(static_cast<double>(configuration[0]) - 10.0) +
                            std::abs(static_cast<double>(configuration[1]) - 4.0);
    source.push_back({configuration, Status::kMeasured, 100.0 + 10.0 * distance});
  }
  return source;
}

TEST(SourceTrend, KnowsWhatWasMeasuredAndPredictsTheRest) {
  const Space space({one_to("a", 20), one_to("b", 20)}, {});
  const FeatureMap features(space.parameters());
  const SourceTrend whole(space, features, times_of(space, 1));
  EXPECT_EQ(whole.expect({{10, 4}}).front(), 0.0);
  EXPECT_NEAR(whole.expect({{11, 4}}).front(), 0.09, 0.02);
  const SourceTrend sparse(space, features, times_of(space, 3));
  for (const Configuration& configuration :
       {Configuration{3, 3}, Configuration{10, 5}, Configuration{18, 17}}) {
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
  EXPECT_EQ(shrunk_slope({1.0, 1.0}, {1.0, 2.0}, 2.0), 1.0);  // Nothing said for or against it.
}

}  // namespace
}  // namespace warptune::search::models
