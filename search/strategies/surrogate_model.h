// What a surrogate search believes of configurations that it did not evaluate: their times, and whether they
// run.
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

/// A Gaussian process of the points' objectives, beside it a vote of the outcomes, both asked about
/// candidates.
class SurrogateModel {
 public:
  static constexpr std::size_t kMaxModelled =
      384;  ///< Points; of more, the best two thirds and others by chance.

  /// What is predicted of each candidate, in the units in which the process counts.
  struct Prediction {
    Eigen::VectorXf means;
    Eigen::VectorXf deviations;
    Eigen::VectorXf chances;  ///< To run at all; 1 where that is left out.
    double best = 0.0;        ///< Of all that are rated.
    double share = 1.0;       ///< What one in these units is as a share of the best objective.
  };

  /// All are borrowed.
  SurrogateModel(const SurrogateParts& parts, const models::FeatureMap& features,
                 const SurrogatePoints& points);

  void add_outcome(const SurrogatePoint& point);
  /// The chances to run of what is no candidate, one a column.
  Eigen::VectorXf chances_of(const Eigen::MatrixXf& columns) const;

  /// Whether so much is new that the length scales are to be fitted again.
  bool is_stale() const;
  /// Chooses the points to model and fits the length scales to them. The process then knows no candidate
  /// and no point: `add_candidates` and `add_points` are to follow, in this order.
  void fit(base::Random& random);
  /// Points that are not in the process, the pending ones too.
  void add_points();
  void forget_candidates();
  /// Those of the list that are not known yet; the list only grows until `forget_candidates`.
  void add_candidates(const CandidateList& candidates);

  Prediction predict() const;

 private:
  // What the process is to predict, with the source's trend taken out.
  struct Targets {
    Eigen::VectorXd values;  // Of the modelled points; NaN where pending, the mean where failed.
    double best = 0.0;       // Of all that are rated, the trend included.
    double slope = 0.0;      // Of the trend.
    double scale = 1.0;      // One in these units as `ObjectiveScale::compressed` counts,
    double share = 1.0;      // and as a share of the best objective.
  };

  Targets targets(bool with_trend) const;
  void fit_lengths();

  const SurrogateParts& parts_;
  const SurrogatePoints& points_;
  models::Covariance covariance_;
  models::Covariance covariance_beside_source_;  // Of what the source's trend leaves.
  bool follows_source_ = false;
  models::Posterior posterior_;
  models::Validity validity_;
  Eigen::VectorXf candidate_trends_;
  std::vector<std::size_t> modelled_;  // Points in the posterior, in its order.
  std::size_t next_to_model_ = 0;      // Points from here on are not in it.
  std::size_t fitted_at_ = 0;          // Rated points when the lengths were fitted.
};

}  // namespace warptune::search::strategies
