#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace warptune::search::models {

/// Estimates the probability that a candidate runs. It is the mean of the known outcomes, weighted by a
/// Gaussian kernel of the distance (Nadaraya-Watson), with a prior that depends on the share of failures.
class Validity {
 public:
  /// Forgets the candidates but keeps the outcomes.
  void clear_candidates();
  /// Adds candidates: features x candidates. The result of `probabilities` has the same order.
  void add_candidates(const Eigen::MatrixXf& candidates);
  void add_outcome(const Eigen::VectorXf& point, bool valid);

  Eigen::Index candidate_count() const { return candidates_.cols(); }
  /// The probability for each candidate. It is never 0, so that no configuration is excluded permanently.
  Eigen::VectorXf probabilities() const;
  /// The probabilities for other points: features x points.
  Eigen::VectorXf probabilities_of(const Eigen::MatrixXf& points) const;

 private:
  struct Outcome {
    Eigen::VectorXf point;
    bool valid;
  };
  void vote(const Outcome& outcome, Eigen::Index first);

  std::vector<Outcome> outcomes_;
  std::size_t failed_ = 0;
  Eigen::MatrixXf candidates_;
  Eigen::VectorXf weight_sums_;        // For each candidate, the sum of the weights of all outcomes,
  Eigen::VectorXf valid_weight_sums_;  // and the sum of the weights of those that ran.
};

}  // namespace warptune::search::models
