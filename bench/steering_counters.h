// Uses of predicted counters in a search: as features of the model of the time, and as weights of candidates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bench/steering_models.h"

namespace warptune::bench::steering {

// The initial strength of wanted changes, and the number of measurements after which it is halved.
constexpr float kWantedStrength = 4.0F;
constexpr float kWantedHalf = 30.0F;

/// A copy of the table in which the mean of the row replaces each unknown value.
inline Eigen::MatrixXf with_row_means(const Eigen::MatrixXf& table) {
  Eigen::MatrixXf all = table;
  for (Index row = 0; row < all.rows(); ++row) {
    const auto known = table.row(row).array().isFinite();
    const auto count = static_cast<float>(std::max<Index>(1, known.count()));
    const float mean = known.select(table.row(row).array(), 0.0F).sum() / count;
    all.row(row) = known.select(table.row(row).array(), mean).matrix();
  }
  return all;
}

/// Scales each row so that the points that ran are within [0, 1]. Other values are limited to [-0.25, 1.25].
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

/// Multiplies the gain of each candidate by how well its predicted counters match the wanted changes. The
/// work that limits the incumbent should become less, and the number of warps should grow if warps are
/// missing.
///
/// Source: Filipovic, Hozzova, Nezarat, Olha, Petrovic: Using hardware performance counters to speed up
/// autotuning convergence on GPUs, J. Parallel Distrib. Comput. 160 (2022). The constants were chosen here.
inline void weight_by_wanted_changes(const CounterTable& counters, const Eigen::MatrixXf& predicted,
                                     const Told& told, const Points& candidates, Eigen::VectorXf& gains) {
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
