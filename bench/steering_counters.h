// What is made of predicted counters: features of the model of the time, and weights of candidates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bench/steering_models.h"

namespace warptune::bench::steering {

// How strongly wanted changes weigh, and after how many measurements half as much.
constexpr float kWantedStrength = 4.0F;
constexpr float kWantedHalf = 30.0F;

/// A table of all configurations, what is not known of one as the mean of its row.
inline Eigen::MatrixXf unfilled_to_mean(const Eigen::MatrixXf& table) {
  Eigen::MatrixXf all = table;
  for (Index row = 0; row < all.rows(); ++row) {
    const auto known = table.row(row).array().isFinite();
    const auto count = static_cast<float>(std::max<Index>(1, known.count()));
    const float mean = known.select(table.row(row).array(), 0.0F).sum() / count;
    all.row(row) = known.select(table.row(row).array(), mean).matrix();
  }
  return all;
}

/// Each row so that the points that ran lie within [0, 1], others not far from there.
inline Eigen::MatrixXf as_features(const Eigen::MatrixXf& predicted, const Told& told) {
  Eigen::MatrixXf features = predicted;
  for (Index kind = 0; kind < predicted.rows(); ++kind) {
    float low = std::numeric_limits<float>::max();
    float high = -low;
    for (std::size_t i = 0; i < told.points.size(); ++i) {
      if (std::isnan(told.objectives[i])) continue;
      low = std::min(low, predicted(kind, told.points[i]));
      high = std::max(high, predicted(kind, told.points[i]));
    }
    const float range = std::max(high - low, 1e-3F);
    features.row(kind) = ((predicted.row(kind).array() - low) / range).max(-0.25F).min(1.25F).matrix();
  }
  return features;
}

/// After Filipovic, Hozzova, Nezarat, Olha, Petrovic: Using hardware performance counters to speed up
/// autotuning convergence on GPUs, J. Parallel Distrib. Comput. 160 (2022), with constants of our own: what
/// the incumbent is held up by should become less, warps where they are missing more.
inline void weigh_by_wanted(const CounterTable& counters, const Eigen::MatrixXf& predicted, const Told& told,
                            const Points& candidates, Eigen::VectorXf& gains) {
  if (predicted.size() == 0) return;
  const double minimum = *std::min_element(told.rated.begin(), told.rated.end());
  const auto best = std::find(told.objectives.begin(), told.objectives.end(), minimum);
  const Index incumbent = told.points[static_cast<std::size_t>(best - told.objectives.begin())];
  const Eigen::VectorXf pressure = counters.pressure.col(incumbent);
  const auto measured = static_cast<float>(told.rated.size());
  const float strength = kWantedStrength * kWantedHalf / (kWantedHalf + measured);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    float score = 0.0F;
    for (Index kind = 0; kind < predicted.rows(); ++kind) {
      const float wanted = kind == kWarps ? pressure[kind] : -pressure[kind];
      const float bits = predicted(kind, candidates[c]) - predicted(kind, incumbent);
      score += wanted * 2 * std::tanh(bits * 0.34657359F);  // 2 (p - q) / (p + q) of the counts.
    }
    gains[static_cast<Index>(c)] *= std::exp(strength * score);
  }
}

}  // namespace warptune::bench::steering
