#include "search/models/feature_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace warptune::search::models {

namespace {

using Eigen::Index;

// The constants were chosen by replaying recordings of convolution and pnpoly:
// docs/notes/search-recordings.md.
const double kPositionLogLength = std::log(0.7);  // The expected log length scale of positions and texts.
// Alignments have a longer expected length scale, because they matter less often.
constexpr double kAlignmentLogLengthOffset = 0.5;
constexpr Index kMaxTexts = 64;   // With more values, the position in the list is the only feature.
constexpr int kMaxAlignment = 6;  // 2^6 = 64: two warps, or the bytes of two sectors.

// The rank of each value in ascending order, divided by the greatest rank. Texts keep the order of the list.
Eigen::MatrixXf positions(const std::vector<model::Value>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return model::to_number(values[a]).value_or(0.0) < model::to_number(values[b]).value_or(0.0);
  });
  Eigen::MatrixXf row(1, static_cast<Index>(values.size()));
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    row(0, static_cast<Index>(order[rank])) =
        static_cast<float>(rank) / static_cast<float>(values.size() - 1);
  }
  return row;
}

// How often two divides each value. Returns std::nullopt if this adds nothing to the position.
std::optional<Eigen::MatrixXf> alignments(const std::vector<model::Value>& values) {
  Eigen::MatrixXf row(1, static_cast<Index>(values.size()));
  bool only_powers_of_two = true;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const auto* number = std::get_if<std::int64_t>(&values[v]);
    if (number == nullptr || *number < 1) return std::nullopt;
    const auto bits = static_cast<std::uint64_t>(*number);
    only_powers_of_two = only_powers_of_two && std::has_single_bit(bits);
    row(0, static_cast<Index>(v)) = static_cast<float>(std::min(kMaxAlignment, std::countr_zero(bits)));
  }
  const float low = row.minCoeff();
  const float high = row.maxCoeff();
  if (only_powers_of_two || low == high) return std::nullopt;
  row.array() = (row.array() - low) / (high - low);
  return row;
}

}  // namespace

FeatureMap::FeatureMap(const std::vector<model::Parameter>& parameters, bool alignment) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::vector<model::Value>& values = parameters[p].values;
    const auto count = static_cast<Index>(values.size());
    if (count < 2) continue;
    if (!model::to_number(values.front()) && count <= kMaxTexts) {
      // Two different texts have the distance 1.
      const float scale = count == 2 ? 1.0F : std::sqrt(0.5F);
      const Eigen::MatrixXf all = Eigen::MatrixXf::Identity(count, count) * scale;
      add(p, count == 2 ? Eigen::MatrixXf(all.topRows(1)) : all, kPositionLogLength);
      continue;
    }
    add(p, positions(values), kPositionLogLength);
    if (!alignment) continue;
    if (std::optional<Eigen::MatrixXf> row = alignments(values)) {
      add(p, *std::move(row), kPositionLogLength + kAlignmentLogLengthOffset);
    }
  }
}

void FeatureMap::add(std::size_t parameter, Eigen::MatrixXf by_value, double log_length) {
  const Index group = expected_log_lengths_.size();
  expected_log_lengths_.conservativeResize(group + 1);
  expected_log_lengths_[group] = log_length;
  const std::size_t first = groups_.size();
  groups_.insert(groups_.end(), static_cast<std::size_t>(by_value.rows()), static_cast<std::size_t>(group));
  blocks_.push_back({parameter, first, std::move(by_value)});
}

Eigen::VectorXf FeatureMap::features(const model::Configuration& configuration) const {
  Eigen::VectorXf all(static_cast<Index>(size()));
  for (const Block& block : blocks_) {
    all.segment(static_cast<Index>(block.first_column), block.by_value.rows()) =
        block.by_value.col(static_cast<Index>(configuration[block.parameter]));
  }
  return all;
}

}  // namespace warptune::search::models
