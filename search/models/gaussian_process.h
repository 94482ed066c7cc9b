#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace warptune::search::models {

/// The covariance of a Gaussian process: a Matern kernel of smoothness 5/2 with a length scale for each group
/// of columns (automatic relevance determination) and noise; Rasmussen and Williams, Gaussian Processes for
/// Machine Learning, 2006, equation 4.17 and section 5.1. Values are taken to have mean 0 and variance 1.
///
/// Hyper-parameters are the most probable ones given the values and log-normal priors, without which few
/// values say too little of many length scales.
class Covariance {
 public:
  /// `groups`: the length scale of each column; `expected_log_lengths`: the centre of each one's prior.
  Covariance(std::vector<std::size_t> groups, const Eigen::VectorXd& expected_log_lengths);

  /// Improves the hyper-parameters by `steps` of resilient gradient descent (Riedmiller and Braun, 1993) from
  /// where they are. `points`: one a column; `values`: one a point, at least one. Returns the negative
  /// logarithm of the posterior density reached, but for a constant: to compare explanations of the same
  /// points.
  double fit(const Eigen::MatrixXf& points, const Eigen::VectorXd& values, int steps);

  double signal_variance() const;
  double noise_variance() const;
  /// Points over the length scales of their columns: distances between them are plain.
  Eigen::MatrixXf scaled(const Eigen::MatrixXf& points) const;
  /// The kernel between all of `a` (rows) and all of `b` (columns), both scaled.
  Eigen::MatrixXf kernel(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) const;
  /// What to multiply the kernel with each of the scaled points by to predict: (K + noise)^-1 values.
  Eigen::VectorXf solve(const Eigen::MatrixXf& scaled_points, const Eigen::VectorXd& values) const;

 private:
  double loss(const Eigen::MatrixXd& points, const Eigen::VectorXd& values, Eigen::VectorXd* gradient) const;
  double prior_loss(Eigen::VectorXd& gradient) const;
  Eigen::VectorXd column_log_lengths() const;

  std::vector<std::size_t> groups_;
  Eigen::VectorXd expected_;    // Of `parameters_`.
  Eigen::VectorXd deviation_;   // Likewise.
  Eigen::VectorXd parameters_;  // Log length scales, log signal variance, log noise variance.
};

/// A Gaussian process given points, asked about a growing list of candidates. Adding a point costs the
/// candidates times the points known, not a new solution.
class Posterior {
 public:
  /// Forgets everything and takes over a covariance.
  void reset(const Covariance& covariance);
  /// More candidates, one a column.
  void add_candidates(const Eigen::MatrixXf& points);
  /// More points with values to be known later, one a column.
  void add_points(const Eigen::MatrixXf& points);

  Eigen::Index point_count() const { return factor_.rows(); }
  Eigen::Index candidate_count() const { return candidates_.cols(); }
  /// The values' weights: what `means` needs of them, in the order the points were added. A value that is NaN
  /// is believed to be what the points before it predict.
  Eigen::VectorXf weights(const Eigen::VectorXd& values) const;
  /// Of the candidates.
  Eigen::VectorXf means(const Eigen::VectorXf& weights) const;
  /// Of the candidates, without noise; never 0.
  Eigen::VectorXf variances() const;

 private:
  void add_rows(const Eigen::MatrixXf& scaled_points, Eigen::Index from, Eigen::Index first_candidate);

  const Covariance* covariance_ = nullptr;
  Eigen::MatrixXf points_;      // Scaled.
  Eigen::MatrixXf candidates_;  // Scaled.
  Eigen::MatrixXd factor_;      // Lower Cholesky factor of the points' covariance.
  Eigen::MatrixXf solved_;     // factor^-1 times the kernel between points and candidates; with room to grow.
  Eigen::VectorXf explained_;  // Of each candidate's variance, by the points.
};

}  // namespace warptune::search::models
