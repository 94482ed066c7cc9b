// Ranks the metrics that may explain why two measurements have different times.
//
// Metrics have different units and ranges. A change is therefore compared with the range of the metric over
// all rows. A large change is only interesting if the metric is related to the time. Spearman's rank
// correlation measures this for any monotone relation. The weight of a change is larger if the time changed
// as the correlation predicts. For example, a metric with a positive correlation rose, and so did the time.
//
// Many counters are almost the same quantity. The list is built in descending order of weight, and a metric
// that ranks the rows like an earlier one is left out.
#include "search/analysis/metric_changes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptune::search::analysis {

namespace {

// A metric has changed if the difference exceeds both limits.
constexpr double kMinRelative = 0.03;    // A share of the larger value.
constexpr double kMinRangeShare = 0.02;  // A share of the metric's range over all rows.
// Two metrics with at least this rank correlation carry the same information.
constexpr double kAlike = 0.98;
// A metric with at least this rank correlation with the time is the time in another form. It explains
// nothing.
constexpr double kRestates = 0.999;
constexpr std::size_t kMinToCompare = 10;  // With fewer rows, ranks may agree by accident.
// The share of the weight that a metric keeps if it does not correlate with the time.
constexpr double kWithoutTime = 0.25;

// The ranks, centred and normalised to length 1. A sum of products is then Spearman's rank correlation. Equal
// values share their mean rank. Missing values have the middle rank.
std::vector<float> normal_ranks(const std::vector<std::optional<double>>& values) {
  std::vector<std::size_t> order;
  order.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double middle = (static_cast<double>(order.size()) - 1.0) / 2.0;
  std::vector<float> ranks(values.size(), 0.0F);
  double squares = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = static_cast<double>(first + end - 1) / 2.0 - middle;
    squares += rank * rank * static_cast<double>(end - first);
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = static_cast<float>(rank);
    first = end;
  }
  if (squares > 0.0) {
    const auto scale = static_cast<float>(1.0 / std::sqrt(squares));
    for (float& rank : ranks) rank *= scale;
  }
  return ranks;
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

MetricChanges::MetricChanges(const TimedRows& rows) {
  can_compare_ranks_ = rows.size() >= kMinToCompare;
  const std::vector<float> times = normal_ranks({rows.log_times.begin(), rows.log_times.end()});
  for (Metric& metric : explaining_metrics(rows)) {
    std::vector<std::optional<double>> of_rows;
    std::vector<double> values;  // The known ones.
    of_rows.reserve(rows.size());
    for (const model::Measurement* row : rows.measurements) {
      const std::optional<double> value = metric.value(*row);
      of_rows.push_back(value && !std::isnan(*value) ? value : std::nullopt);
      if (of_rows.back()) values.push_back(*value);
    }
    Range range;
    range.ranks = normal_ranks(of_rows);
    range.with_time = correlation(range.ranks, times);
    if (can_compare_ranks_ && std::abs(range.with_time) >= kRestates) continue;
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    range.low = quantile(values, 0.05);
    range.high = quantile(values, 0.95);
    range.metric = std::move(metric);
    ranges_.push_back(std::move(range));
  }
}

// Returns the change as a share of the range, at most 1, or 0 if the metric did not change. Positive values
// are compared on a logarithmic scale. If all rows have the same value, any change counts as 1.
double MetricChanges::moved(const Range& range, double before, double after) {
  const double change = std::abs(after - before);
  if (!(change > kMinRelative * std::max(std::abs(before), std::abs(after)))) return 0.0;
  const double width = range.high - range.low;
  if (!(change > kMinRangeShare * width)) return 0.0;
  if (range.low > 0.0 && before > 0.0 && after > 0.0 && range.high > range.low)
    return std::min(1.0, std::abs(std::log(after / before)) / std::log(range.high / range.low));
  return width > 0.0 ? std::min(1.0, change / width) : 1.0;
}

std::vector<MetricChange> MetricChanges::between(const model::Measurement& before,
                                                 const model::Measurement& after) const {
  struct Candidate {
    MetricChange change;
    const Range* range;
  };
  const double time_sign = model::median_ns_of(before) > model::median_ns_of(after) ? -1.0 : 1.0;
  std::vector<Candidate> candidates;
  candidates.reserve(ranges_.size());
  for (const Range& range : ranges_) {
    const std::optional<double> first = range.metric.value(before);
    const std::optional<double> second = range.metric.value(after);
    if (!first || !second) continue;
    const double share = moved(range, *first, *second);
    if (!(share > 0.0)) continue;
    const double agreement = range.with_time * time_sign * (*second > *first ? 1.0 : -1.0);
    const double weight = share * (kWithoutTime + (1.0 - kWithoutTime) * std::max(0.0, agreement));
    candidates.push_back(
        {{range.metric.name, *first, *second, weight, is_resource(range.metric.name)}, &range});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.change.weight > b.change.weight; });
  std::vector<MetricChange> changes;
  std::vector<const Range*> listed;
  for (const Candidate& candidate : candidates) {
    const bool alike = std::any_of(listed.begin(), listed.end(), [&](const Range* other) {
      return can_compare_ranks_ && std::abs(correlation(other->ranks, candidate.range->ranks)) >= kAlike;
    });
    if (alike) continue;
    listed.push_back(candidate.range);
    changes.push_back(candidate.change);
  }
  return changes;
}

}  // namespace warptune::search::analysis
