#pragma once

#include <span>
#include <vector>

namespace warptune::search::scoring {

/// The monotone piecewise cubic through points (`x` strictly ascending, two or more) at `at` (within the
/// range of `x`): Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984), derivatives by the weighted
/// harmonic mean, one-sided three-point ones at the ends.
std::vector<double> monotone_cubic(std::span<const double> x, std::span<const double> y,
                                   std::span<const double> at);

/// Points of a curve, `x` ascending.
struct Curve {
  std::vector<double> x;
  std::vector<double> y;
  /// Linear between points, constant beyond them; the curve must not be empty.
  double at(double position) const;
};

/// The decreasing function of `x` (ascending, repeats allowed) nearest to `y` in weighted least squares, by
/// pooling adjacent violators: Best and Chakravarti, Mathematical Programming 47 (1990). Points of weight 0
/// are left out.
Curve decreasing_regression(std::span<const double> x, std::span<const double> y,
                            std::span<const double> weights);

}  // namespace warptune::search::scoring
