#pragma once

#include <limits>
#include <vector>

namespace warptune::model {

/// A median with a distribution-free 95 % interval, in the unit of the values. All three are NaN if there are
/// no values.
struct MedianInterval {
  double median = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// Takes values in any order and ignores NaN. The interval comes from binomial order statistics (Conover,
/// Practical Nonparametric Statistics, 3.2). With fewer than six values it is their range.
MedianInterval median_interval(std::vector<double> values);

/// The middle value, or the mean of the two middle values. NaN among the values is ignored. The result is NaN
/// if there are no values.
double median_of(std::vector<double> values);

}  // namespace warptune::model
