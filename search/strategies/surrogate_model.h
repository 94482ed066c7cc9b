// The model of a surrogate search. It predicts the objectives of configurations that were not evaluated, and
// whether they run.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "base/random.h"
#include "search/models/gaussian_process.h"
#include "search/models/validity.h"
#include "search/strategies/candidate_list.h"
#include "search/strategies/surrogate.h"
#include "search/strategies/surrogate_points.h"

namespace warptune::search::strategies {

/// A Gaussian process of the objectives, and a kernel estimate of the probability that a candidate runs.
///
/// Use: after `fit`, call `add_candidates` and then `add_points`. After that, `predict` answers for all
/// candidates.
class SurrogateModel {
 public:
  /// The maximum number of points in a fit. If there are more, the best two thirds of this number are kept,
  /// and the others are drawn at random.
  static constexpr std::size_t kMaxModelled = 384;

  /// The prediction for each candidate, in the normalised units of the process.
  struct Prediction {
    Eigen::VectorXf means;
    Eigen::VectorXf deviations;
    Eigen::VectorXf chances;  ///< The probability that the candidate runs; 1 without `validity`.
    double best = 0.0;        ///< The best value of all rated points.
    double share = 1.0;       ///< A difference of one unit, as a share of the best objective.
  };

  /// All arguments are borrowed and must outlive the object.
  SurrogateModel(const SurrogateParts& parts, const models::FeatureMap& features,
                 const SurrogatePoints& points);

  void add_outcome(const SurrogatePoint& point);
  /// The probabilities that given configurations run. `columns`: their features, one column for each.
  Eigen::VectorXf chances_of(const Eigen::MatrixXf& columns) const;

  /// Whether enough points are new that the length scales must be fitted again.
  bool is_stale() const;
  /// Chooses the points to model and fits the length scales to them. Afterwards the process knows no
  /// candidate and no point. Call `add_candidates` and `add_points` next, in this order.
  void fit(base::Random& random);
  /// Adds the points that are not in the process yet, also the pending ones.
  void add_points();
  void forget_candidates();
  /// Adds the candidates that the model does not know yet. Until `forget_candidates`, the list may only grow.
  void add_candidates(const CandidateList& candidates);

  Prediction predict() const;

 private:
  // The values that the process learns, after the trend of the source is subtracted.
  struct Targets {
    Eigen::VectorXd values;  // One for each modelled point: NaN if pending, the mean if failed.
    double best = 0.0;       // The best value of all rated points, the trend included.
    double slope = 0.0;      // The factor of the trend.
    double scale = 1.0;      // One unit as a difference of `ObjectiveScale::compressed`.
    double share = 1.0;      // A difference of one unit, as a share of the best objective.
  };

  Targets targets(bool with_trend) const;
  void fit_lengths();

  const SurrogateParts& parts_;
  const SurrogatePoints& points_;
  models::Covariance covariance_;
  models::Covariance residual_covariance_;  // The covariance after the trend is subtracted.
  bool follows_source_ = false;             // Whether the trend of the source is subtracted.
  models::Posterior posterior_;
  models::Validity validity_;
  Eigen::VectorXf candidate_trends_;
  std::vector<std::size_t> modelled_;  // The points of the posterior, in its order.
  std::size_t next_to_model_ = 0;      // The first point that is not in the posterior.
  std::size_t fitted_at_ = 0;          // The number of rated points at the last fit.
};

}  // namespace warptune::search::strategies
