#pragma once

#include <optional>
#include <vector>

namespace warptune::model {

/// A median with a distribution-free 95 % interval, in the unit of the values.
struct MedianInterval {
  double median = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// Takes values in any order and ignores NaN. The interval comes from binomial order statistics (Conover,
/// Practical Nonparametric Statistics, 3.2). With fewer than six values it is their range. Without values
/// there is no interval.
std::optional<MedianInterval> median_interval(std::vector<double> values);

/// The middle value, or the mean of the two middle values. NaN among the values is ignored. It has no value
/// if there are no values.
std::optional<double> median_of(std::vector<double> values);

}  // namespace warptune::model
