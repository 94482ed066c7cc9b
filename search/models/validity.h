#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace warptune::search::models {

/// How likely candidates are to run at all: a vote of the outcomes known, weighted by a Gaussian kernel of
/// the distance (Nadaraya-Watson), with a prior that follows the share of failures.
class Validity {
 public:
  /// Forgets the candidates, keeps the outcomes.
  void clear_candidates();
  /// One a column, in the order in which `probabilities` answers.
  void add_candidates(const Eigen::MatrixXf& candidates);
  void add_outcome(const Eigen::VectorXf& point, bool valid);

  Eigen::Index candidate_count() const { return candidates_.cols(); }
  /// Of each candidate; never 0, so that nothing is given up for ever.
  Eigen::VectorXf probabilities() const;
  /// Of points that are no candidates, one a column.
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
  Eigen::VectorXf votes_;   // Summed weights of all outcomes by candidate,
  Eigen::VectorXf for_it_;  // and of those that ran.
};

}  // namespace warptune::search::models
