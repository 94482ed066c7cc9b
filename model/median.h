#pragma once

#include <limits>
#include <vector>

namespace warptune::model {

/// A median with a distribution-free 95 % interval, in the unit of the values. NaN throughout for no values.
struct MedianInterval {
  double median = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// Of values in any order; NaN among them is left out. The interval is that of binomial order statistics
/// (Conover, Practical Nonparametric Statistics, 3.2); of fewer than six values it is their range.
MedianInterval median_interval(std::vector<double> values);

/// The middle value, or the mean of the two middle ones. NaN among the values is left out; NaN for no values.
double median_of(std::vector<double> values);

}  // namespace warptune::model
