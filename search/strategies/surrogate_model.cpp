// The statistical model of a surrogate search. A Gaussian process predicts the compressed logarithms of the
// objectives. A kernel estimate of the outcomes gives the probability that a candidate runs.
//
// The objectives are normalised to mean 0 and variance 1. The length scales are the most probable ones under
// log-normal priors. A fit costs much more than adding a point to the posterior. It is therefore done only at
// each of the first 20 rated points, and then whenever their number has grown by a tenth.
//
// A failed evaluation has the mean as its value: it lowers the uncertainty near it and changes nothing else.
// A pending evaluation has the predicted value, so that several can be pending (the "kriging believer" of
// Ginsbourger, Le Riche and Carraro, 2010). The time of a fit is cubic in the number of points. If more than
// 384 are rated, the best 256 and a random sample of 128 others are kept.
//
// Observations from another GPU or problem size are a trend. The process then models the difference between
// the objectives and a slope times the trend. The model is fitted with and without the trend, and the
// evidence (the marginal likelihood) decides which fit is used. This rejects a misleading source.
#include "search/strategies/surrogate_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/models/objective_scale.h"
#include "search/models/source_trend.h"

namespace warptune::search::strategies {

namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;
using State = SurrogatePoint::State;

// The minimum error of a source, as a share of the objective. Because of it, configurations that the source
// ranks close to each other are all tried.
constexpr double kSourceError = 0.1;
constexpr double kSlopePrior = 2.0;  // The prior that the slope is 1 weighs as much as so many evaluations.
// A source is followed if its log evidence is higher by a margin. The margin grows with the number of points
// from -kTrust to kEvidence.
constexpr double kEvidence = 4.0;
constexpr double kTrust = 3.0;
constexpr double kMarginGrowth = 0.5;     // The growth of the margin for each point.
constexpr std::size_t kAlwaysRefit = 20;  // Up to so many rated points, each new one causes a fit.
constexpr int kFirstSteps = 30;
constexpr int kSteps = 8;

}  // namespace

SurrogateModel::SurrogateModel(const SurrogateParts& parts, const models::FeatureMap& features,
                               const SurrogatePoints& points)
    : parts_(parts),
      points_(points),
      covariance_(features.groups(), features.expected_log_lengths()),
      residual_covariance_(covariance_) {}

void SurrogateModel::add_outcome(const SurrogatePoint& point) {
  validity_.add_outcome(point.features, point.state == State::kRated);
}

VectorXf SurrogateModel::chances_of(const MatrixXf& columns) const {
  return parts_.validity ? validity_.probabilities_of(columns) : VectorXf::Ones(columns.cols());
}

bool SurrogateModel::is_stale() const {
  const std::size_t rated = points_.rated_count();
  const bool few = rated <= kAlwaysRefit && rated != fitted_at_;
  const bool many = static_cast<std::size_t>(posterior_.point_count()) >= 2 * kMaxModelled + kMaxModelled / 4;
  return fitted_at_ == 0 || few || many || rated >= fitted_at_ + fitted_at_ / 10 + 1;
}

void SurrogateModel::fit(base::Random& random) {
  modelled_ = points_.sample_of_rated(kMaxModelled, random);
  fit_lengths();
  fitted_at_ = points_.rated_count();
  std::size_t failed = 0;
  for (std::size_t p = points_.size(); p-- > 0;) {  // Keeps the latest ones if many failed.
    const State state = points_[p].state;
    if (state == State::kPending || (state == State::kFailed && failed++ < kMaxModelled))
      modelled_.push_back(p);
  }
  next_to_model_ = points_.size();
  posterior_.reset(follows_source_ ? residual_covariance_ : covariance_);
}

// Fits the length scales. Also decides by the evidence whether the source is followed.
void SurrogateModel::fit_lengths() {
  const int steps = fitted_at_ == 0 ? kFirstSteps : kSteps;
  const MatrixXf features = points_.features_of(modelled_);
  const auto negative_log_likelihood = [&](models::Covariance& covariance, bool with_trend) {
    const Targets wanted = targets(with_trend);
    const auto count = static_cast<double>(modelled_.size());
    return covariance.fit(features, wanted.values, steps) + count * std::log(wanted.scale);
  };
  const double alone = negative_log_likelihood(covariance_, false);
  const double margin =
      std::min(kMarginGrowth * static_cast<double>(points_.rated_count()) - kTrust, kEvidence);
  follows_source_ = points_.source() && negative_log_likelihood(residual_covariance_, true) < alone - margin;
}

void SurrogateModel::add_points() {
  for (; next_to_model_ < points_.size(); ++next_to_model_) modelled_.push_back(next_to_model_);
  const Index known = posterior_.point_count();
  if (static_cast<std::size_t>(known) == modelled_.size()) return;
  posterior_.add_points(points_.features_of({modelled_.begin() + known, modelled_.end()}));
}

void SurrogateModel::forget_candidates() {
  validity_.clear_candidates();
  candidate_trends_.resize(0);
}

void SurrogateModel::add_candidates(const CandidateList& candidates) {
  const auto add_to = [&](auto& model) {
    const auto known = static_cast<std::size_t>(model.candidate_count());
    if (known < candidates.size()) model.add_candidates(candidates.features_from(known));
  };
  add_to(posterior_);
  add_to(validity_);
  if (!follows_source_) return;
  std::vector<model::Configuration> added;
  for (auto c = static_cast<std::size_t>(candidate_trends_.size()); c < candidates.size(); ++c)
    added.push_back(candidates.configuration(c));
  const std::vector<double> trends = points_.source()->expect(added);
  const Index known = candidate_trends_.size();
  candidate_trends_.conservativeResize(static_cast<Index>(candidates.size()));
  for (std::size_t i = 0; i < trends.size(); ++i)
    candidate_trends_[known + static_cast<Index>(i)] = static_cast<float>(trends[i]);
}

SurrogateModel::Prediction SurrogateModel::predict() const {
  const Targets wanted = targets(follows_source_);
  Prediction prediction;
  prediction.means = posterior_.means(posterior_.weights(wanted.values));
  if (follows_source_) prediction.means += static_cast<float>(wanted.slope) * candidate_trends_;
  prediction.deviations = posterior_.variances().cwiseSqrt();
  prediction.chances = parts_.validity ? validity_.probabilities() : VectorXf::Ones(prediction.means.size());
  prediction.best = wanted.best;
  prediction.share = wanted.share;
  return prediction;
}

SurrogateModel::Targets SurrogateModel::targets(bool with_trend) const {
  std::vector<double> objectives;
  std::vector<double> trends;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    if (points_[p].state != State::kRated) continue;
    objectives.push_back(points_[p].objective);
    trends.push_back(points_[p].trend);
  }
  const models::ObjectiveScale scale(objectives, parts_.compression);
  std::vector<double> compressed;
  compressed.reserve(objectives.size());
  for (const double objective : objectives) compressed.push_back(scale.compressed(objective));
  Targets wanted;
  if (with_trend) wanted.slope = models::shrunk_slope(trends, compressed, kSlopePrior);
  // Normalises the differences to the trend to mean 0 and variance 1. `wanted.best` includes the trend: it is
  // the compressed objective of the best point, which is 0, in the normalised units.
  VectorXd rest(static_cast<Index>(compressed.size()));
  for (std::size_t i = 0; i < compressed.size(); ++i)
    rest[static_cast<Index>(i)] = compressed[i] - wanted.slope * trends[i];
  const double mean = rest.mean();
  const double minimum = with_trend ? kSourceError : 1e-3 * scale.spread();
  wanted.scale = std::max(std::sqrt((rest.array() - mean).square().mean()), minimum);
  wanted.share = wanted.scale * scale.share();
  wanted.slope /= wanted.scale;
  wanted.best = -mean / wanted.scale;
  wanted.values.resize(static_cast<Index>(modelled_.size()));
  for (std::size_t i = 0; i < modelled_.size(); ++i) {
    const SurrogatePoint& point = points_[modelled_[i]];
    double value = std::numeric_limits<double>::quiet_NaN();
    if (point.state == State::kFailed) value = 0.0;
    if (point.state == State::kRated)
      value = (scale.compressed(point.objective) - mean) / wanted.scale - wanted.slope * point.trend;
    wanted.values[static_cast<Index>(i)] = value;
  }
  return wanted;
}

}  // namespace warptune::search::strategies
