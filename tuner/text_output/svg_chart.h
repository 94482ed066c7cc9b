#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warptune::tuner::text_output {

/// An axis of a picture. A point outside the limits is drawn at the limit.
struct SvgAxis {
  std::string title;
  bool logarithmic = false;
  double low = 0.0;
  double high = 1.0;
  std::vector<std::pair<double, std::string>> ticks;  ///< Positions of grid lines, with their labels.
};

/// Ticks at 1, 2 and 5 times each power of ten within the limits. If these are fewer than four, eight ticks
/// per power of ten are tried. If those are also fewer than four, the result is that of `linear_ticks`.
/// Labels show the value divided by `scale`.
std::vector<std::pair<double, std::string>> logarithmic_ticks(double low, double high, double scale = 1.0);
/// About five ticks in round steps. Labels show the value divided by `scale`.
std::vector<std::pair<double, std::string>> linear_ticks(double low, double high, double scale = 1.0);

/// How a series is drawn.
enum class SvgShape {
  kLine,
  kStep,  ///< A line that keeps a value until the next point.
  kPoints,
  kMarker,  ///< A large diamond for each point.
  kBars,    ///< A bar for each point from the lower limit. The bars touch.
  kSpans    ///< Pairs of points: a vertical bar from the first to the second.
};

struct SvgSeries {
  std::size_t style = 0;  ///< Selects colour and dashes; the index of the entry in the legend.
  SvgShape shape = SvgShape::kLine;
  std::vector<std::pair<double, double>> points;  ///< All values are finite.
};

struct SvgPanel {
  std::string title;
  SvgAxis x;
  SvgAxis y;
  std::vector<SvgSeries> series;
};

/// Panels side by side, `columns` in each row.
struct SvgChart {
  std::vector<SvgPanel> panels;
  std::size_t columns = 3;
  double panel_width = 420;  ///< Pixels.
  double panel_height = 300;
  std::string note;                 ///< A line below the panels.
  std::vector<std::string> legend;  ///< The names of the styles, by index.
};

/// Draws the chart as an SVG picture. Its background is white, or dark for readers who prefer that. Texts are
/// escaped for XML. Characters that XML cannot hold are written as `base::printable` does. Colour-blind
/// readers can distinguish the colours.
std::string svg_text(const SvgChart& chart);

}  // namespace warptune::tuner::text_output
