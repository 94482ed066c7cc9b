#include "tuner/covering/size_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/covering/predicted_loss.h"

namespace warptune::tuner::covering {

namespace {

constexpr double kDistancePart = 0.03;   // For each doubling.
constexpr double kLargestCounted = 0.5;  // Larger losses count as this one.

}  // namespace

double uncertainty(const covers::CoverTable& table, const covers::SizeCover& cover,
                   const std::vector<Surprise>& surprises, const covers::ListedSize& at) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const covers::CoverSize& known : table.sizes)
    nearest = std::min(nearest, covers::distance(known.size, at.size));
  double surprise = 0.0;
  double weights = 0.0;
  for (const Surprise& one : surprises) {
    const double away = 0.25 + covers::distance(one.size, at.size);
    surprise += std::min(one.loss, kLargestCounted) / (away * away);
    weights += 1.0 / (away * away);
  }
  if (weights > 0.0) surprise *= std::min(1.0, nearest) / weights;
  const double predicted = std::min(predicted_loss(table, cover.answer(at.size), at.size), kLargestCounted);
  return std::sqrt(at.weight) * (std::max(predicted, surprise) + kDistancePart * nearest);
}

}  // namespace warptune::tuner::covering
