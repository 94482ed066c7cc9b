#include "search/models/gaussian_process.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "base/random.h"

namespace warptune::search::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;

// `count` points that fill a square evenly and in no order (two features).
MatrixXf scattered(Index count) {
  MatrixXf points(2, count);
  for (Index i = 0; i < count; ++i) {
    points(0, i) = static_cast<float>(std::fmod(0.5 + 0.6180339887 * static_cast<double>(i), 1.0));
    points(1, i) = static_cast<float>(std::fmod(0.5 + 0.7548776662 * static_cast<double>(i), 1.0));
  }
  return points;
}

// A function of the first feature alone, with about mean 0 and variance 1.
VectorXd wave(const MatrixXf& points) {
  return (points.row(0).cast<double>().transpose().array() * 6.0).sin() * 1.4 - 0.2;
}

Covariance two_columns() { return Covariance({0, 1}, VectorXd::Constant(2, std::log(0.7))); }

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
  EXPECT_NEAR(means[2], 0.0, 0.3);  // Far from all points, the prediction is their mean.
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

TEST(GaussianProcess, AcceptsTheSamePointTwice) {
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

VectorXf exactly(const Covariance& covariance, const MatrixXf& points, const MatrixXf& candidates,
                 const VectorXd& values) {
  const MatrixXf scaled = covariance.scaled(points);
  return covariance.kernel(covariance.scaled(candidates), scaled) * covariance.solve(scaled, values);
}

RC_GTEST_PROP(GaussianProcessProperty, APosteriorThatGrewIsTheOneSolvedAtOnce, (std::uint64_t seed)) {
  base::Random random(seed);
  const auto count = static_cast<Index>(2 + random.below(14));
  MatrixXf points(2, count + 5);
  for (Index i = 0; i < points.size(); ++i) points(i) = static_cast<float>(random.unit());
  const MatrixXf known = points.leftCols(count);
  const MatrixXf candidates = points.rightCols(5);
  const Covariance covariance = two_columns();
  Posterior posterior;
  posterior.reset(covariance);
  posterior.add_candidates(candidates);
  const auto first = static_cast<Index>(random.below(static_cast<std::uint64_t>(count)));
  if (first > 0) posterior.add_points(known.leftCols(first));
  posterior.add_points(known.rightCols(count - first));
  RC_ASSERT(posterior.point_count() == count);
  const VectorXf means = posterior.means(posterior.weights(wave(known)));
  RC_ASSERT((means - exactly(covariance, known, candidates, wave(known))).cwiseAbs().maxCoeff() < 0.02F);
  const VectorXf variances = posterior.variances();
  RC_ASSERT(variances.minCoeff() > 0.0F);
  RC_ASSERT(variances.maxCoeff() <= 1.0001 * covariance.signal_variance());
}

TEST(Covariance, IsTheSignalAtNoDistanceAndFallsWithIt) {
  const Covariance covariance = two_columns();
  MatrixXf points(2, 3);
  points << 0.0F, 0.2F, 0.9F, 0.0F, 0.0F, 0.0F;
  const MatrixXf kernel = covariance.kernel(covariance.scaled(points), covariance.scaled(points));
  EXPECT_NEAR(kernel(0, 0), covariance.signal_variance(), 1e-5);
  EXPECT_LT(kernel(0, 1), kernel(0, 0));
  EXPECT_LT(kernel(0, 2), kernel(0, 1));
  EXPECT_GT(kernel(0, 2), 0.0F);
  EXPECT_LT((kernel - kernel.transpose()).norm(), 1e-6F);
}

TEST(Covariance, MoreStepsExplainTheValuesBetterAndNeverWorse) {
  const MatrixXf points = scattered(30);
  const VectorXd values = wave(points);
  double before = two_columns().fit(points, values, 0);
  const double start = before;
  for (const int steps : {1, 3, 10, 30}) {
    const double now = two_columns().fit(points, values, steps);
    EXPECT_LE(now, before + 1e-9) << steps;
    before = now;
  }
  EXPECT_LT(before, start - 5.0);
}

TEST(Covariance, TakesForNoiseWhatDiffersAtTheSamePoint) {
  MatrixXf points = scattered(40);
  points.rightCols(20) = points.leftCols(20);
  VectorXd values = wave(points);
  Covariance exact = two_columns();
  exact.fit(points, values, 40);
  values.head(20).array() += 0.5;
  values.tail(20).array() -= 0.5;
  Covariance noisy = two_columns();
  noisy.fit(points, values, 40);
  EXPECT_LT(exact.noise_variance(), 0.01);
  EXPECT_GT(noisy.noise_variance(), 0.1);
}

}  // namespace
}  // namespace warptune::search::models
