#include "tuner/lab/lab_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tuner/text_output/svg_chart.h"

namespace warptune::tuner::lab {

using kernel_templates::ExperimentChart;

namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr int kLinePoints = 200;

bool drawable(const ExperimentChart::Axis& axis, double value) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0.0);
}

Points points_of(const LabResult& result, const LabNumbers& numbers, const ExperimentChart& chart,
                 const std::string& table) {
  Points points;
  const auto& tables = result.plan.experiment.tables;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables[t].name != table) continue;
    for (std::size_t row = 0; row < tables[t].rows.size(); ++row) {
      const auto x = numbers.of_row(t, row, chart.x.value);
      const auto y = numbers.of_row(t, row, chart.y.value);
      if (x && y && drawable(chart.x, *x) && drawable(chart.y, *y)) points.emplace_back(*x, *y);
    }
  }
  return points;
}

// Limits with a margin, which is a factor on a logarithmic axis.
text_output::SvgAxis axis_of(const ExperimentChart::Axis& axis, double low, double high) {
  text_output::SvgAxis made;
  made.title = axis.title;
  made.logarithmic = axis.logarithmic;
  if (axis.logarithmic) {
    made.low = low / 1.3;
    made.high = high * 1.3;
    made.ticks = text_output::logarithmic_ticks(made.low, made.high);
  } else {
    made.low = std::min(low, 0.0);
    made.high = high > made.low ? made.low + 1.05 * (high - made.low) : made.low + 1.0;
    made.ticks = text_output::linear_ticks(made.low, made.high);
  }
  return made;
}

Points line_points(const LabNumbers& numbers, const ExperimentChart& chart, const text_output::SvgAxis& x,
                   const ExperimentChart::Line& line) {
  Points points;
  for (int i = 0; i <= kLinePoints; ++i) {
    const double share = static_cast<double>(i) / kLinePoints;
    const double at =
        x.logarithmic ? x.low * std::pow(x.high / x.low, share) : x.low + share * (x.high - x.low);
    const auto value = numbers.evaluate(line.value, "x", at);
    if (value && drawable(chart.y, *value)) points.emplace_back(at, *value);
  }
  return points;
}

// Several rows at the same x are repetitions or alternatives. A line through them would show a behaviour that
// was not measured. `points` are sorted.
bool is_function_of_x(const Points& points) {
  return std::adjacent_find(points.begin(), points.end(), [](const auto& a, const auto& b) {
           return a.first == b.first && a.second != b.second;
         }) == points.end();
}

void widen(const Points& points, double (*part)(const std::pair<double, double>&), double& low,
           double& high) {
  for (const auto& point : points) {
    low = std::min(low, part(point));
    high = std::max(high, part(point));
  }
}

double first_of(const std::pair<double, double>& point) { return point.first; }
double second_of(const std::pair<double, double>& point) { return point.second; }

}  // namespace

std::string lab_chart(const LabResult& result, const LabNumbers& numbers, const ExperimentChart& chart) {
  std::vector<Points> series;
  double x_low = INFINITY;
  double x_high = -INFINITY;
  double y_low = INFINITY;
  double y_high = -INFINITY;
  for (const auto& [title, table] : chart.series) {
    series.push_back(points_of(result, numbers, chart, table));
    widen(series.back(), first_of, x_low, x_high);
    widen(series.back(), second_of, y_low, y_high);
  }
  text_output::SvgChart drawn;
  drawn.columns = 1;
  drawn.panel_width = 640;
  drawn.panel_height = 400;
  text_output::SvgPanel panel;
  panel.title = chart.title;
  if (x_low > x_high) {
    drawn.note = "No row of this picture was measured.";
    drawn.panels.push_back(std::move(panel));
    return text_output::svg_text(drawn);
  }
  panel.x = axis_of(chart.x, x_low, x_high);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    panel.series.push_back({chart.series.size() + i, text_output::SvgShape::kLine,
                            line_points(numbers, chart, panel.x, chart.lines[i])});
    widen(panel.series.back().points, second_of, y_low, y_high);
  }
  panel.y = axis_of(chart.y, y_low, y_high);
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::sort(series[i].begin(), series[i].end());
    if (is_function_of_x(series[i])) panel.series.push_back({i, text_output::SvgShape::kLine, series[i]});
    panel.series.push_back({i, text_output::SvgShape::kMarker, series[i]});
    drawn.legend.push_back(chart.series[i].first);
  }
  for (const ExperimentChart::Line& line : chart.lines) drawn.legend.push_back(line.title);
  drawn.panels.push_back(std::move(panel));
  return text_output::svg_text(drawn);
}

}  // namespace warptune::tuner::lab
