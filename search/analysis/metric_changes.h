#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/analysis/metric.h"
#include "search/analysis/timed_rows.h"

namespace warptune::search::analysis {

/// What a metric did between two measurements.
struct MetricChange {
  std::string name;
  double before = 0.0;
  double after = 0.0;
  double weight = 0.0;       ///< How telling, 0 to 1; of use for ranking only.
  bool is_resource = false;  ///< Of the compiled code and its launch; else the GPU counted it.
};

/// Which metrics moved between two measurements, judged by how the metrics lie over all rows.
class MetricChanges {
 public:
  /// Copies what it needs.
  explicit MetricChanges(const TimedRows& rows);

  /// Those that moved, the most telling first. Moved: by more than 3 % of its value and 2 % of what lies
  /// between the 5th and the 95th of a hundred rows. Telling: by how much of that range it moved (of ratios
  /// where all are positive), and whether over all rows it goes with the time (rank correlation) as it went
  /// here. Of metrics that rank the rows alike (a rank correlation of 0.98 or more) only the first is listed,
  /// and none that ranks them as the time does (0.999: a rate that restates it).
  std::vector<MetricChange> between(const model::Measurement& before, const model::Measurement& after) const;

 private:
  struct Range {
    Metric metric;
    double low = 0.0;          // The 5th of a hundred rows,
    double high = 0.0;         // and the 95th.
    double with_time = 0.0;    // Rank correlation.
    std::vector<float> ranks;  // By row, centred, of length 1.
  };
  static double moved(const Range& range, double before, double after);

  std::vector<Range> ranges_;
  bool alike_known_ = false;  // There are rows enough.
};

}  // namespace warptune::search::analysis
