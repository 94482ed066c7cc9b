#include "tuner/text_output/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace warptune::tuner::text_output {

namespace {

constexpr double kLeft = 60;
constexpr double kTop = 30;
constexpr double kRight = 12;
constexpr double kBottom = 44;
constexpr double kLineHeight = 16;
// Colours of the styles on a white and on a dark background. They follow Okabe and Ito, Color Universal
// Design, 2008, so that colour-blind readers can distinguish them, too. Each has a contrast of at least 3 to
// its background (Web Content Accessibility Guidelines 2.2, 1.4.11).
constexpr std::array kColours = {"#0072B2", "#B84E00", "#007A5A", "#A04A86",
                                 "#8A6D00", "#4C5FD0", "#000000", "#767676"};
constexpr std::array kDarkColours = {"#56B4E9", "#FF9D4D", "#35C79A", "#DD9BCB",
                                     "#F0D44C", "#9AA8FF", "#E6EAEE", "#9AA3AD"};
static_assert(kColours.size() == kDarkColours.size());
constexpr std::array kDashes = {"", "6 3", "2 2", "8 3 2 3"};

// XML does not allow control characters, not even escaped (https://www.w3.org/TR/xml/#charsets).
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : base::printable_line(text)) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

// The colour of a style as attributes of an element that is drawn by strokes or filled. The class gives it
// another colour on a dark background.
std::string stroke_colour(std::size_t style) {
  return fmt::format("class=\"s{}\" stroke=\"{}\"", style % kColours.size(),
                     kColours[style % kColours.size()]);
}
std::string fill_colour(std::size_t style) {
  return fmt::format("class=\"f{}\" fill=\"{}\"", style % kColours.size(), kColours[style % kColours.size()]);
}

std::string stroke_of(std::size_t style) {
  return fmt::format("fill=\"none\" {} stroke-width=\"1.5\" stroke-dasharray=\"{}\"", stroke_colour(style),
                     kDashes[style / kColours.size() % kDashes.size()]);
}

// The rules for readers who prefer a dark background. A style sheet has precedence over attributes, which are
// what programs without media queries use.
std::string dark_rules() {
  std::string text =
      "<style>@media (prefers-color-scheme: dark) { .back { fill: #1b2027 } text { fill: #e6eaee } "
      ".rule { stroke: #3d4650 } .edge { stroke: #1b2027 }";
  for (std::size_t i = 0; i < kDarkColours.size(); ++i)
    text += fmt::format(" .s{0} {{ stroke: {1} }} .f{0} {{ fill: {1} }}", i, kDarkColours[i]);
  return text + " }</style>\n";
}

// The label of a tick: `35 M`, `0.5`.
std::string label_of(double value) {
  static constexpr std::pair<double, char> kPrefixes[] = {{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e5, 'k'}};
  for (const auto& [scale, prefix] : kPrefixes) {
    if (std::abs(value) >= scale)
      return fmt::format("{:.6g} {}", value / (prefix == 'k' ? 1e3 : scale), prefix);
  }
  return fmt::format("{:.6g}", value);
}

double share_of(const SvgAxis& axis, double value) {
  const double within = std::clamp(value, axis.low, axis.high);
  if (axis.logarithmic) return std::log(within / axis.low) / std::log(axis.high / axis.low);
  return (within - axis.low) / (axis.high - axis.low);
}

// Draws one panel with its upper left corner at (x, y).
class Panel {
 public:
  Panel(const SvgPanel& panel, double x, double y, double width, double height)
      : panel_(panel), x_(x), y_(y), width_(width), height_(height) {
    text_ = fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" font-weight=\"bold\">{}</text>\n", x_ + kLeft,
                        y_ + kTop - 10, escaped(panel.title));
    grid();
    titles();
    for (const SvgSeries& series : panel.series) draw(series);
  }

  const std::string& text() const { return text_; }

 private:
  double column(double value) const {
    return x_ + kLeft + (width_ - kLeft - kRight) * share_of(panel_.x, value);
  }
  double row(double value) const {
    return y_ + height_ - kBottom - (height_ - kTop - kBottom) * share_of(panel_.y, value);
  }

  void grid() {
    for (const auto& [at, label] : panel_.y.ticks) {
      text_ += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"rule\" stroke=\"#ccc\"/>"
          "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
          x_ + kLeft, x_ + width_ - kRight, row(at), x_ + kLeft - 4, row(at) + 4, escaped(label));
    }
    for (const auto& [at, label] : panel_.x.ticks) {
      text_ += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"rule\" stroke=\"#eee\"/>"
          "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
          column(at), y_ + kTop, y_ + height_ - kBottom, y_ + height_ - kBottom + 14, escaped(label));
    }
  }

  void titles() {
    const double middle = x_ + kLeft + (width_ - kLeft - kRight) / 2;
    if (!panel_.x.title.empty()) {
      text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", middle,
                           y_ + height_ - kBottom + 30, escaped(panel_.x.title));
    }
    if (!panel_.y.title.empty()) {
      const double at = x_ + 12;
      const double centre = y_ + kTop + (height_ - kTop - kBottom) / 2;
      text_ += fmt::format(
          "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 {0:.1f} "
          "{1:.1f})\">{2}</text>\n",
          at, centre, escaped(panel_.y.title));
    }
  }

  void draw(const SvgSeries& series) {
    switch (series.shape) {
      case SvgShape::kLine:
      case SvgShape::kStep:
        return line(series);
      case SvgShape::kPoints:
      case SvgShape::kMarker:
        return points(series);
      case SvgShape::kBars:
        return bars(series);
      case SvgShape::kSpans:
        return spans(series);
    }
  }

  void line(const SvgSeries& series) {
    std::string points;
    double last = 0.0;
    for (const auto& [x, y] : series.points) {
      if (series.shape == SvgShape::kStep && !points.empty())
        points += fmt::format("{:.1f},{:.1f} ", column(x), last);
      last = row(y);
      points += fmt::format("{:.1f},{:.1f} ", column(x), last);
    }
    text_ += fmt::format("<polyline {} points=\"{}\"/>\n", stroke_of(series.style), points);
  }

  void points(const SvgSeries& series) {
    if (series.shape == SvgShape::kMarker) {
      for (const auto& [x, y] : series.points) {
        text_ += fmt::format(
            "<g {}><path class=\"edge\" d=\"M{:.1f} {:.1f}l6 6l-6 6l-6 -6z\" stroke=\"white\"/></g>\n",
            fill_colour(series.style), column(x), row(y) - 6);
      }
      return;
    }
    text_ +=
        fmt::format("<path {} stroke-width=\"3\" stroke-linecap=\"round\" d=\"", stroke_colour(series.style));
    for (const auto& [x, y] : series.points) text_ += fmt::format("M{:.1f} {:.1f}h0", column(x), row(y));
    text_ += "\"/>\n";
  }

  void bars(const SvgSeries& series) {
    const double width =
        series.points.size() < 2 ? 20 : column(series.points[1].first) - column(series.points[0].first);
    for (const auto& [x, y] : series.points) {
      text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n",
                           column(x) - width / 2, row(y), std::max(0.5, width - 0.5),
                           row(panel_.y.low) - row(y), fill_colour(series.style));
    }
  }

  void spans(const SvgSeries& series) {
    for (std::size_t i = 0; i + 1 < series.points.size(); i += 2) {
      const auto& [x, low] = series.points[i];
      const double high = series.points[i + 1].second;
      text_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"{:.1f}\" {} "
          "fill-opacity=\"0.45\"/>\n",
          column(x) - 8, row(high), std::max(0.5, row(low) - row(high)), fill_colour(series.style));
    }
  }

  const SvgPanel& panel_;
  double x_;
  double y_;
  double width_;
  double height_;
  std::string text_;
};

}  // namespace

std::vector<std::pair<double, std::string>> logarithmic_ticks(double low, double high, double scale) {
  static const std::vector<double> kFew = {1.0, 2.0, 5.0};
  static const std::vector<double> kMany = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0};
  for (const std::vector<double>& factors : {kFew, kMany}) {
    std::vector<std::pair<double, std::string>> ticks;
    double decade = std::pow(10.0, std::floor(std::log10(low / scale)));
    for (; decade * scale <= high; decade *= 10.0) {
      for (const double factor : factors) {
        const double at = decade * factor * scale;
        if (at >= low * 0.9999 && at <= high * 1.0001) ticks.emplace_back(at, label_of(at / scale));
      }
    }
    if (ticks.size() >= 4) return ticks;
  }
  return linear_ticks(low, high, scale);
}

std::vector<std::pair<double, std::string>> linear_ticks(double low, double high, double scale) {
  const double raw = (high - low) / scale / 5.0;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  const double factor = raw / decade;
  const double step = (factor < 1.5 ? 1.0 : factor < 3.5 ? 2.0 : factor < 7.5 ? 5.0 : 10.0) * decade;
  std::vector<std::pair<double, std::string>> ticks;
  double at = std::ceil(low / scale / step) * step;
  for (; at * scale <= high * (1.0 + 1e-9); at += step)
    ticks.emplace_back(at * scale, label_of(std::abs(at) < step * 1e-6 ? 0.0 : at));
  return ticks;
}

std::string svg_text(const SvgChart& chart) {
  const std::size_t columns = std::max<std::size_t>(1, std::min(chart.columns, chart.panels.size()));
  const double height =
      std::ceil(static_cast<double>(chart.panels.size()) / static_cast<double>(columns)) * chart.panel_height;
  const double lines = static_cast<double>(chart.legend.size()) + (chart.note.empty() ? 0.0 : 1.0);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n{2}<rect class=\"back\" width=\"100%\" "
      "height=\"100%\" fill=\"white\"/>\n",
      chart.panel_width * static_cast<double>(columns), height + kLineHeight * (lines + 1.0), dark_rules());
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const double x = static_cast<double>(i % columns) * chart.panel_width;
    const std::size_t above = i / columns;
    const double y = static_cast<double>(above) * chart.panel_height;
    text += Panel(chart.panels[i], x, y, chart.panel_width, chart.panel_height).text();
  }
  double y = height;
  if (!chart.note.empty())
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", kLeft, y += kLineHeight,
                        escaped(chart.note));
  for (std::size_t s = 0; s < chart.legend.size(); ++s) {
    y += kLineHeight;
    text += fmt::format("<line x1=\"{0:.0f}\" x2=\"{1:.0f}\" y1=\"{2:.0f}\" y2=\"{2:.0f}\" {3}/>", kLeft,
                        kLeft + 30, y - 4, stroke_of(s));
    text +=
        fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", kLeft + 36, y, escaped(chart.legend[s]));
  }
  return text + "</svg>\n";
}

}  // namespace warptune::tuner::text_output
