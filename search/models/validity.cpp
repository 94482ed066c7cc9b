#include "search/models/validity.h"

#include <algorithm>

namespace warptune::search::models {

namespace {

using Eigen::Index;

constexpr float kInverseLengthSquared = 9.0F;  // The length scale is a third of a parameter's range.
constexpr float kPriorVotes = 0.3F;  // The prior weighs as much as so many outcomes at the candidate itself.
constexpr float kMinProbability = 0.001F;

}  // namespace

void Validity::clear_candidates() {
  candidates_.resize(0, 0);
  weight_sums_.resize(0);
  valid_weight_sums_.resize(0);
}

void Validity::add_candidates(const Eigen::MatrixXf& candidates) {
  const Index first = candidates_.cols();
  const Index count = first + candidates.cols();
  candidates_.conservativeResize(candidates.rows(), count);
  candidates_.rightCols(candidates.cols()) = candidates;
  weight_sums_.conservativeResize(count);
  valid_weight_sums_.conservativeResize(count);
  weight_sums_.tail(candidates.cols()).setZero();
  valid_weight_sums_.tail(candidates.cols()).setZero();
  for (const Outcome& outcome : outcomes_) vote(outcome, first);
}

void Validity::add_outcome(const Eigen::VectorXf& point, bool valid) {
  outcomes_.push_back({point, valid});
  if (!valid) ++failed_;
  vote(outcomes_.back(), 0);
}

void Validity::vote(const Outcome& outcome, Index first) {
  const Index count = candidates_.cols() - first;
  if (count == 0) return;
  const Eigen::ArrayXf weights =
      (-kInverseLengthSquared *
       (candidates_.rightCols(count).colwise() - outcome.point).colwise().squaredNorm().transpose().array())
          .exp();
  weight_sums_.tail(count).array() += weights;
  if (outcome.valid) valid_weight_sums_.tail(count).array() += weights;
}

Eigen::VectorXf Validity::probabilities() const {
  const float share =
      outcomes_.empty() ? 0.0F : static_cast<float>(failed_) / static_cast<float>(outcomes_.size());
  const float prior = 1.0F - 0.5F * share;
  return ((valid_weight_sums_.array() + kPriorVotes * prior) / (weight_sums_.array() + kPriorVotes))
      .max(kMinProbability);
}

Eigen::VectorXf Validity::probabilities_of(const Eigen::MatrixXf& points) const {
  Validity other;
  other.outcomes_ = outcomes_;
  other.failed_ = failed_;
  other.add_candidates(points);
  return other.probabilities();
}

}  // namespace warptune::search::models
