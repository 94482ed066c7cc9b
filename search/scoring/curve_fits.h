#pragma once

#include <span>
#include <vector>

namespace warptune::search::scoring {

/// Interpolates points by a monotone piecewise cubic: Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5
/// (1984). Derivatives are weighted harmonic means of the slopes, and one-sided three-point estimates at the
/// ends.
///
/// `x` has at least two values in strictly ascending order. The values of `at` are within the range of `x`.
std::vector<double> monotone_cubic(std::span<const double> x, std::span<const double> y,
                                   std::span<const double> at);

/// The points of a curve. `x` is in ascending order.
struct Curve {
  std::vector<double> x;
  std::vector<double> y;
  /// The value at a position: linear between points, and constant beyond them. The curve must not be empty.
  double at(double position) const;
};

/// The decreasing function of `x` that is nearest to `y` in weighted least squares (isotonic regression). It
/// is found by pooling adjacent violators: Best and Chakravarti, Mathematical Programming 47 (1990). `x` is
/// in ascending order and may repeat values. Points of weight 0 are left out.
Curve decreasing_regression(std::span<const double> x, std::span<const double> y,
                            std::span<const double> weights);

}  // namespace warptune::search::scoring
