// Writes the values of a measurement as text for people.
#include "tuner/text_output/measurement_text.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <utility>

#include "base/text.h"
#include "model/own_metrics.h"
#include "profiling/counters/metrics.h"

namespace warptune::tuner::text_output {

namespace {

std::string scaled(double value, const char* unit) {
  static constexpr std::pair<double, const char*> kPrefixes[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [scale, prefix] : kPrefixes) {
    if (std::abs(value) >= scale) return fmt::format("{:.3g} {}{}", value / scale, prefix, unit);
  }
  return *unit == '\0' ? fmt::format("{:.4g}", value) : fmt::format("{:.3g} {}", value, unit);
}

// The metric of the catalogue with that name, or null.
const profiling::counters::MetricInfo* metric_named(std::string_view name) {
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue()) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

}  // namespace

bool is_dropped(const model::Measurement& measurement) {
  return measurement.status == model::Status::kDropped;
}

namespace {

// The time that a rate is computed from: the median, or the lower bound of a dropped measurement.
std::optional<double> shortest_ns(const model::Measurement& measurement) {
  return is_dropped(measurement) ? model::low_ns_of(measurement) : model::median_ns_of(measurement);
}

}  // namespace

std::string rate_text(const model::Measurement& measurement, const char* unit, int digits,
                      double rate_at_1_ns) {
  const std::optional<double> time_ns = shortest_ns(measurement);
  if (!time_ns) return "-";
  return fmt::format("{}{:.{}f}{}", is_dropped(measurement) ? "< " : "", rate_at_1_ns / *time_ns, digits,
                     unit);
}

std::string throughput_text(const model::Measurement& measurement, const char* unit, double amount) {
  const std::optional<double> time_ns = shortest_ns(measurement);
  if (!time_ns) return "-";
  return (is_dropped(measurement) ? "< " : "") + scaled(1e9 * amount / *time_ns, unit);
}

std::string_view objective_unit(std::string_view part) {
  if (part == "time") return "ns";
  if (part == "energy" || part == model::own_metric::kEnergyJ) return "J";
  if (part == "power" || part == model::own_metric::kPowerW) return "W";
  if (part == model::own_metric::kSmClockMhz) return "MHz";
  const profiling::counters::MetricInfo* metric = metric_named(part);
  return metric == nullptr ? "" : metric->unit;
}

std::string objective_value_text(std::string_view part, double value) {
  if (part == "time") return base::format_time_ns(value);
  if (const profiling::counters::MetricInfo* metric = metric_named(part))
    return format_counter(metric->unit, value);
  const std::string_view unit = objective_unit(part);
  if (unit == "J" || unit == "W") return fmt::format("{:.4g} {}", value, unit);
  return fmt::format("{:.5g}", value);
}

std::string time_with_interval(const std::optional<model::TimeSummary>& time) {
  if (!time) return "-";
  return fmt::format("{} ({} to {})", base::format_time_ns(time->median_ns),
                     base::format_time_ns(time->low_ns), base::format_time_ns(time->high_ns));
}

std::string time_text(const model::Measurement& measurement) {
  const std::optional<double> median_ns = model::median_ns_of(measurement);
  if (!is_dropped(measurement)) return base::format_time_ns(median_ns);
  const std::optional<double> low_ns = model::low_ns_of(measurement);
  return "> " + base::format_time_ns(low_ns && std::isfinite(*low_ns) ? low_ns : median_ns);
}

std::string interval_text(const model::Measurement& measurement) {
  if (is_dropped(measurement)) return "";
  return fmt::format("{} to {}", base::format_time_ns(model::low_ns_of(measurement)),
                     base::format_time_ns(model::high_ns_of(measurement)));
}

std::string roof_share_text(const model::Measurement& measurement, double roof_ns) {
  return rate_text(measurement, " %", 1, 100.0 * roof_ns);
}

std::string roof_heading(const model::Work& work, const model::Roofs& roofs) {
  return fmt::format("of the {} roof", model::to_string(model::binding_roof(work, roofs)));
}

std::string date_text(std::int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string format_counter(std::string_view unit, double value) {
  if (!std::isfinite(value)) return "-";
  if (unit == "%") return fmt::format("{:.1f} %", value);
  if (unit == "byte") return scaled(value, "B");
  if (unit == "ns") return base::format_time_ns(value);
  if (unit == "ratio") return fmt::format("{:.3g}", value);
  if (unit == "byte/s") return scaled(value, "B/s");
  if (unit == "MHz") return fmt::format("{:.0f} MHz", value);
  const bool is_count = unit.empty() || unit == "cycle" || unit == "sector" || unit == "request";
  return scaled(value, is_count ? "" : std::string(unit).c_str());
}

std::string time_span_text(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<std::int64_t>(std::lround(std::min(seconds / 60.0, 1e9)));
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace warptune::tuner::text_output
