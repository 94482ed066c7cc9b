#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warptune::tuner::text_output {

/// An axis of a picture. What lies outside its limits is drawn at them.
struct SvgAxis {
  std::string title;
  bool logarithmic = false;
  double low = 0.0;
  double high = 1.0;
  std::vector<std::pair<double, std::string>> ticks;  ///< Where a line and a label stand.
};

/// 1, 2 and 5 of each decade within the limits, more of them or round steps where those would be too few;
/// `scale` divides what the label says.
std::vector<std::pair<double, std::string>> logarithmic_ticks(double low, double high, double scale = 1.0);
/// Round steps, about five.
std::vector<std::pair<double, std::string>> linear_ticks(double low, double high, double scale = 1.0);

/// What is drawn for a series.
enum class SvgShape {
  kLine,
  kStep,  ///< A line that keeps a value until the next point.
  kPoints,
  kMarker,  ///< A large diamond for each point.
  kBars,    ///< Each point a bar from the lower limit; they touch.
  kSpans    ///< Pairs of points: a vertical bar from the first to the second.
};

struct SvgSeries {
  std::size_t style = 0;  ///< Colour and dashes; that of the legend's entry of the same place.
  SvgShape shape = SvgShape::kLine;
  std::vector<std::pair<double, double>> points;  ///< Finite.
};

struct SvgPanel {
  std::string title;
  SvgAxis x;
  SvgAxis y;
  std::vector<SvgSeries> series;
};

/// Panels side by side, `columns` a row.
struct SvgChart {
  std::vector<SvgPanel> panels;
  std::size_t columns = 3;
  double panel_width = 420;  ///< Pixels.
  double panel_height = 300;
  std::string note;                 ///< A line below the panels.
  std::vector<std::string> legend;  ///< Names of the styles in order.
};

/// It as an SVG picture on white. Texts are escaped, what XML cannot hold as `base::printable` writes it;
/// colours can be told apart by the colour-blind.
std::string svg_text(const SvgChart& chart);

}  // namespace warptune::tuner::text_output
