#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace warptune::search::models {

/// The covariance of a Gaussian process: a Matern kernel of smoothness 5/2 with noise. Each group of features
/// has its own length scale (automatic relevance determination). Source: Rasmussen and Williams, Gaussian
/// Processes for Machine Learning, 2006, equation 4.17 and section 5.1. The values should have mean 0 and
/// variance 1.
///
/// The hyper-parameters are the most probable ones, given the values and log-normal priors. Without the
/// priors, a few values would not determine many length scales.
class Covariance {
 public:
  /// `groups`: for each feature, the index of its length scale. `expected_log_lengths`: the centre of each
  /// length scale's prior.
  Covariance(std::vector<std::size_t> groups, const Eigen::VectorXd& expected_log_lengths);

  /// Improves the hyper-parameters by `steps` steps of resilient gradient descent (Riedmiller and Braun,
  /// 1993), beginning at their current values. `points`: features x points. `values`: one for each point, at
  /// least one.
  ///
  /// Returns the negative logarithm of the posterior density that was reached, without a constant term. It
  /// serves to compare models of the same points.
  double fit(const Eigen::MatrixXf& points, const Eigen::VectorXd& values, int steps);

  double signal_variance() const;
  double noise_variance() const;
  /// The points with each feature divided by its length scale. The kernel uses Euclidean distances between
  /// scaled points.
  Eigen::MatrixXf scaled(const Eigen::MatrixXf& points) const;
  /// The kernel matrix between the points of `a` (its rows) and those of `b` (its columns). Both must be
  /// scaled.
  Eigen::MatrixXf kernel(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) const;
  /// (K + noise I)^-1 values. The mean at a new point is the product of these weights with the kernel between
  /// the new point and `scaled_points`.
  Eigen::VectorXf solve(const Eigen::MatrixXf& scaled_points, const Eigen::VectorXd& values) const;

 private:
  double loss(const Eigen::MatrixXd& points, const Eigen::VectorXd& values, Eigen::VectorXd* gradient) const;
  double prior_loss(Eigen::VectorXd& gradient) const;
  Eigen::VectorXd feature_log_lengths() const;

  std::vector<std::size_t> groups_;
  Eigen::VectorXd expected_;    // The mean of each parameter's prior.
  Eigen::VectorXd deviation_;   // The standard deviation of each parameter's prior.
  Eigen::VectorXd parameters_;  // Log length scales, log signal variance, log noise variance.
};

/// The posterior of a Gaussian process for a growing list of candidates.
///
/// Adding a point extends the Cholesky factor by a row, and the predictions by one triangular step. The cost
/// is proportional to the candidates times the points. No new factorisation is needed.
class Posterior {
 public:
  /// Forgets all points and candidates. `covariance` is borrowed and must outlive the next `reset`.
  void reset(const Covariance& covariance);
  /// Adds candidates: features x candidates.
  void add_candidates(const Eigen::MatrixXf& points);
  /// Adds points: features x points. Their values are given to `weights` later.
  void add_points(const Eigen::MatrixXf& points);

  Eigen::Index point_count() const { return factor_.rows(); }
  Eigen::Index candidate_count() const { return candidates_.cols(); }
  /// The inverse of the Cholesky factor times `values`, for `means`. `values` are in the order in which the
  /// points were added. A value of NaN stands for the prediction from the points before it.
  Eigen::VectorXf weights(const Eigen::VectorXd& values) const;
  /// The predicted mean of each candidate.
  Eigen::VectorXf means(const Eigen::VectorXf& weights) const;
  /// The predicted variance of each candidate without noise. It is always positive.
  Eigen::VectorXf variances() const;

 private:
  void add_rows(const Eigen::MatrixXf& scaled_points, Eigen::Index from, Eigen::Index first_candidate);

  const Covariance* covariance_ = nullptr;
  Eigen::MatrixXf points_;      // Scaled.
  Eigen::MatrixXf candidates_;  // Scaled.
  Eigen::MatrixXd factor_;      // The lower Cholesky factor of the points' covariance.
  Eigen::MatrixXf
      whitened_kernel_;  // factor^-1 times the kernel between points and candidates; it has spare room.
  Eigen::VectorXf explained_variances_;  // The variance of each candidate that the points explain.
};

}  // namespace warptune::search::models
