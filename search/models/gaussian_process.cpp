// A Gaussian process to whose posterior points and candidates can be added.
//
// L is the Cholesky factor of the points' covariance: K = L L'. k_c is the kernel between the points and
// candidate c. The mean of c is (L^-1 k_c)' (L^-1 y), and its variance is k(c, c) - |L^-1 k_c|^2 (Rasmussen
// and Williams 2006, algorithm 2.1). `Posterior` stores L^-1 k_c for all candidates. A new point adds a row
// to L, and a row to this matrix by forward substitution. Nothing that was computed before changes.
// Candidates are processed in blocks that fit into the L2 cache.
//
// `Covariance::fit` minimises the negative log posterior of the hyper-parameters by Rprop, which uses only
// the signs of the gradient. It needs no line search and no scale of the parameters.
#include "search/models/gaussian_process.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune::search::models {

namespace {

using Eigen::ArrayXXd;
using Eigen::ArrayXXf;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;

// The priors of the logarithms: the expected noise variance for values of variance 1, and standard
// deviations.
const double kExpectedLogNoise = std::log(1e-2);
constexpr double kLengthDeviation = 0.8;
constexpr double kSignalDeviation = 0.7;
constexpr double kNoiseDeviation = 1.5;
constexpr double kMinParameter = -6.0;  // The bounds of the logarithms.
constexpr double kMaxParameter = 4.0;
// Added to the diagonal of a covariance, so that rounding errors do not stop its factorisation.
constexpr double kJitter = 1e-6;
constexpr Index kBlock = 512;  // Candidates in a block, which fits into the L2 cache.

// |a_i - b_j|^2 for all columns i of `a` and j of `b`.
template <class Matrix>
Matrix squared_distances(const Matrix& a, const Matrix& b) {
  Matrix distances = -2 * (a.transpose() * b);
  distances.colwise() += a.colwise().squaredNorm().transpose().eval();
  distances.rowwise() += b.colwise().squaredNorm().eval();
  return distances.cwiseMax(0);
}

}  // namespace

Covariance::Covariance(std::vector<std::size_t> groups, const VectorXd& expected_log_lengths)
    : groups_(std::move(groups)) {
  const Index lengths = expected_log_lengths.size();
  expected_.resize(lengths + 2);
  expected_ << expected_log_lengths, 0.0, kExpectedLogNoise;
  deviation_ = VectorXd::Constant(lengths + 2, kLengthDeviation);
  deviation_[lengths] = kSignalDeviation;
  deviation_[lengths + 1] = kNoiseDeviation;
  parameters_ = expected_;
}

double Covariance::signal_variance() const { return std::exp(parameters_[parameters_.size() - 2]); }
double Covariance::noise_variance() const { return std::exp(parameters_[parameters_.size() - 1]); }

VectorXd Covariance::feature_log_lengths() const {
  VectorXd lengths(static_cast<Index>(groups_.size()));
  for (std::size_t c = 0; c < groups_.size(); ++c)
    lengths[static_cast<Index>(c)] = parameters_[static_cast<Index>(groups_[c])];
  return lengths;
}

MatrixXf Covariance::scaled(const MatrixXf& points) const {
  const VectorXf inverse = (-feature_log_lengths().array()).exp().cast<float>();
  return inverse.asDiagonal() * points;
}

MatrixXf Covariance::kernel(const MatrixXf& a, const MatrixXf& b) const {
  const ArrayXXf r = (5 * squared_distances(a, b).array()).sqrt();
  return static_cast<float>(signal_variance()) * ((1 + r + r.square() / 3) * (-r).exp()).matrix();
}

VectorXf Covariance::solve(const MatrixXf& scaled_points, const VectorXd& values) const {
  MatrixXd noisy = kernel(scaled_points, scaled_points).cast<double>();
  noisy.diagonal().array() += noise_variance() + kJitter;
  return Eigen::LLT<MatrixXd>(noisy).solve(values).cast<float>();
}

double Covariance::prior_loss(VectorXd& gradient) const {
  const VectorXd z = (parameters_ - expected_).cwiseQuotient(deviation_);
  gradient = z.cwiseQuotient(deviation_);
  return 0.5 * z.squaredNorm();
}

// The negative logarithm of the posterior density of the parameters, without a constant term.
double Covariance::loss(const MatrixXd& points, const VectorXd& values, VectorXd* gradient) const {
  const Index count = values.size();
  const VectorXd inverse = (-feature_log_lengths().array()).exp();
  const MatrixXd scaled_points = inverse.asDiagonal() * points;
  const ArrayXXd r = (5 * squared_distances(scaled_points, scaled_points).array()).sqrt();
  const ArrayXXd decay = signal_variance() * (-r).exp();
  const MatrixXd kernel = ((1 + r + r.square() / 3) * decay).matrix();
  MatrixXd noisy = kernel;
  noisy.diagonal().array() += noise_variance() + kJitter;
  const Eigen::LLT<MatrixXd> factored(noisy);
  if (factored.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const VectorXd solved = factored.solve(values);
  VectorXd slope;
  const double prior = prior_loss(slope);
  const double log_root = factored.matrixLLT().diagonal().array().log().sum();
  if (gradient != nullptr) {
    // Rasmussen and Williams, equation 5.9, for all features of a group together. For a symmetric matrix M
    // and a vector x, the sum of M_ij (x_i - x_j)^2 over all i and j is 2 sum_i(x_i^2 sum_j M_ij) - 2 x'Mx.
    const MatrixXd outer = solved * solved.transpose() - factored.solve(MatrixXd::Identity(count, count));
    const MatrixXd pairs = (5.0 / 3.0 * (1 + r) * decay * outer.array()).matrix();
    const VectorXd sums = pairs.rowwise().sum();
    const MatrixXd products = pairs * scaled_points.transpose();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto feature = static_cast<Index>(g);
      const VectorXd x = scaled_points.row(feature).transpose();
      slope[static_cast<Index>(groups_[g])] -= x.cwiseAbs2().dot(sums) - x.dot(products.col(feature));
    }
    slope[slope.size() - 2] -= 0.5 * outer.cwiseProduct(kernel).sum();
    slope[slope.size() - 1] -= 0.5 * noise_variance() * outer.trace();
    *gradient = slope;
  }
  return 0.5 * values.dot(solved) + log_root + prior;
}

double Covariance::fit(const MatrixXf& points, const VectorXd& values, int steps) {
  const MatrixXd exact = points.cast<double>();
  VectorXd step = VectorXd::Constant(parameters_.size(), 0.15);
  VectorXd before = VectorXd::Zero(parameters_.size());
  VectorXd gradient = before;
  VectorXd best = parameters_;
  double minimum = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= steps; ++i) {
    const double now = loss(exact, values, i < steps ? &gradient : nullptr);
    if (now < minimum) {
      minimum = now;
      best = parameters_;
    }
    if (i == steps) break;
    for (Index p = 0; p < gradient.size(); ++p) {
      const double agreement = gradient[p] * before[p];
      if (agreement > 0) step[p] = std::min(step[p] * 1.3, 0.6);
      if (agreement < 0) {
        step[p] = std::max(step[p] * 0.5, 1e-3);
        gradient[p] = 0;
      }
      if (gradient[p] != 0) parameters_[p] -= std::copysign(step[p], gradient[p]);
      parameters_[p] = std::clamp(parameters_[p], kMinParameter, kMaxParameter);
    }
    before = gradient;
  }
  parameters_ = best;
  return minimum;
}

void Posterior::reset(const Covariance& covariance) {
  covariance_ = &covariance;
  points_.resize(0, 0);
  candidates_.resize(0, 0);
  factor_.resize(0, 0);
  explained_variances_.resize(0);
}

void Posterior::add_candidates(const MatrixXf& points) {
  const Index first = candidates_.cols();
  const Index count = first + points.cols();
  candidates_.conservativeResize(points.rows(), count);
  candidates_.rightCols(points.cols()) = covariance_->scaled(points);
  explained_variances_.conservativeResize(count);
  explained_variances_.tail(points.cols()).setZero();
  if (whitened_kernel_.cols() < count)
    whitened_kernel_.conservativeResize(Eigen::NoChange, count + count / 8);
  if (point_count() > 0) add_rows(points_, 0, first);
}

void Posterior::add_points(const MatrixXf& points) {
  const MatrixXf added = covariance_->scaled(points);
  const Index old = point_count();
  const Index count = old + added.cols();
  // The new rows of the factor: [L21 L22] with L21 = K21 L11^-T and L22 L22' = K22 - L21 L21'.
  MatrixXd corner = covariance_->kernel(added, added).cast<double>();
  corner.diagonal().array() += covariance_->noise_variance() + kJitter;
  MatrixXd side(added.cols(), old);
  if (old > 0) {
    MatrixXd transposed = covariance_->kernel(points_, added).cast<double>();
    factor_.triangularView<Eigen::Lower>().solveInPlace(transposed);
    side = transposed.transpose();
    corner.noalias() -= side * transposed;
  }
  Eigen::LLT<MatrixXd> factored(corner);
  if (factored.info() != Eigen::Success) {  // A rounding error: two points are almost equal.
    corner.diagonal().array() += 1e-2 * covariance_->signal_variance();
    factored.compute(corner);
  }
  points_.conservativeResize(added.rows(), count);
  points_.rightCols(added.cols()) = added;
  factor_.conservativeResize(count, count);
  factor_.topRightCorner(old, added.cols()).setZero();
  factor_.bottomLeftCorner(added.cols(), old) = side;
  factor_.bottomRightCorner(added.cols(), added.cols()) = factored.matrixL();
  if (whitened_kernel_.rows() < count)
    whitened_kernel_.conservativeResize(count + count / 4 + 8, whitened_kernel_.cols());
  if (candidate_count() > 0) add_rows(added, old, 0);
}

// Extends `whitened_kernel_` and `explained_variances_` by the rows of the points from `from` on, for the
// candidates from `first_candidate` on.
void Posterior::add_rows(const MatrixXf& scaled_points, Index from, Index first_candidate) {
  const Index rows = scaled_points.cols();
  const MatrixXf side = factor_.block(from, 0, rows, from).cast<float>();
  const MatrixXf corner = factor_.block(from, from, rows, rows).cast<float>();
  for (Index first = first_candidate; first < candidate_count(); first += kBlock) {
    const Index count = std::min(kBlock, candidate_count() - first);
    MatrixXf block = covariance_->kernel(scaled_points, candidates_.middleCols(first, count));
    if (from > 0) block.noalias() -= side * whitened_kernel_.block(0, first, from, count);
    corner.triangularView<Eigen::Lower>().solveInPlace(block);
    whitened_kernel_.block(from, first, rows, count) = block;
    explained_variances_.segment(first, count) += block.colwise().squaredNorm().transpose();
  }
}

VectorXf Posterior::weights(const VectorXd& values) const {
  VectorXd weights(values.size());
  for (Index i = 0; i < values.size(); ++i) {
    const double rest = values[i] - factor_.row(i).head(i).dot(weights.head(i));
    weights[i] = std::isnan(values[i]) ? 0.0 : rest / factor_(i, i);
  }
  return weights.cast<float>();
}

VectorXf Posterior::means(const VectorXf& weights) const {
  return whitened_kernel_.topLeftCorner(weights.size(), candidate_count()).transpose() * weights;
}

VectorXf Posterior::variances() const {
  const auto signal = static_cast<float>(covariance_->signal_variance());
  return (signal - explained_variances_.array()).max(signal * 1e-6F);
}

}  // namespace warptune::search::models
