#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/analysis/metric.h"
#include "search/analysis/timed_rows.h"

namespace warptune::search::analysis {

/// The change of a metric between two measurements.
struct MetricChange {
  std::string name;
  double before = 0.0;
  double after = 0.0;
  double weight = 0.0;       ///< How well it explains the time, 0 to 1. Use it only for ranking.
  bool is_resource = false;  ///< Whether it is a resource; otherwise it is a hardware counter.
};

/// Finds the metrics that changed between two measurements, compared with their distribution over all rows.
class MetricChanges {
 public:
  /// Copies what it needs.
  explicit MetricChanges(const TimedRows& rows);

  /// The metrics that changed, in descending order of weight.
  ///
  /// A metric has changed if the difference is more than 3 % of its value and more than 2 % of its range. The
  /// range is from the 5th to the 95th percentile over all rows. The weight is based on the change as a share
  /// of this range (on a logarithmic scale if the values are positive). It is larger if the metric correlates
  /// with the time over all rows and the time changed as the correlation predicts.
  ///
  /// Metrics with a rank correlation of at least 0.98 to each other carry the same information, so only the
  /// first is listed. Metrics with a rank correlation of at least 0.999 to the time restate it and are left
  /// out.
  std::vector<MetricChange> between(const model::Measurement& before, const model::Measurement& after) const;

 private:
  struct Range {
    Metric metric;
    double low = 0.0;          // The 5th percentile.
    double high = 0.0;         // The 95th percentile.
    double with_time = 0.0;    // The rank correlation with the time.
    std::vector<float> ranks;  // The rank of each row, centred and normalised to length 1.
  };
  static double moved(const Range& range, double before, double after);

  std::vector<Range> ranges_;
  bool can_compare_ranks_ = false;  // Whether there are enough rows to compare ranks.
};

}  // namespace warptune::search::analysis
