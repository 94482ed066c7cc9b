#pragma once

#include <string>
#include <vector>

#include "search/measurement.h"

namespace warptune::tuner {

/// One column of a comparison.
struct ReportColumn {
  std::string title;
  search::Measurement measurement;
};

/// Measurements side by side: configuration, time with interval, speed-up over the first, GFLOP/s, GB/s, per
/// cent of the roof, counters, resources. Rows that say nothing (no flops, no counters) are left out. Lines
/// end with a newline.
std::string comparison_table(const std::vector<ReportColumn>& columns, const search::Work& work,
                             const search::Roofs& roofs);

/// The median for people; `> 512 us` for one that was dropped as slower.
std::string time_text(const search::Measurement& measurement);
/// Its 95 % interval, `123 us to 125 us`; empty for one that was dropped.
std::string interval_text(const search::Measurement& measurement);

/// A counter for people: `87.3 %`, `1.07 GB`, `3.2`.
std::string format_counter(std::string_view unit, double value);

}  // namespace warptune::tuner
