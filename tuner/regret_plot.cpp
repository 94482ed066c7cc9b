#include "tuner/regret_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "search/replay/run_figures.h"

namespace warptune::tuner {

namespace {

namespace replay = search::replay;

constexpr double kPanelWidth = 420;
constexpr double kPanelHeight = 300;
constexpr double kLeft = 60;
constexpr double kTop = 30;
constexpr double kRight = 10;
constexpr double kBottom = 40;
constexpr double kLineHeight = 16;
constexpr std::size_t kColumns = 3;
constexpr int kSteps = 120;  // Points of a line.
constexpr double kLeastExcess = 1e-3;
constexpr double kMostExcess = 10.0;
// Okabe and Ito, Color Universal Design, 2008: told apart by the colour-blind too.
constexpr std::array kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                 "#E69F00", "#56B4E9", "#000000", "#F0E442"};
constexpr std::array kDashes = {"", "6 3", "2 2", "8 3 2 3"};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

std::string style_of(std::size_t strategy) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"",
                     kColours[strategy % kColours.size()],
                     kDashes[strategy / kColours.size() % kDashes.size()]);
}

// Whole numbers up to `last`, about equally spaced in their logarithm.
std::vector<std::uint64_t> positions_to(std::uint64_t last) {
  std::vector<std::uint64_t> positions;
  for (int i = 0; i <= kSteps; ++i) {
    const double position = std::pow(static_cast<double>(last), static_cast<double>(i) / kSteps);
    const auto whole = static_cast<std::uint64_t>(std::llround(position));
    if (positions.empty() || whole > positions.back()) positions.push_back(whole);
  }
  return positions;
}

class Panel {
 public:
  Panel(std::size_t place, const std::string& title, std::uint64_t last)
      : x_(static_cast<double>(place % kColumns) * kPanelWidth), last_(std::max<std::uint64_t>(last, 2)) {
    const std::size_t row = place / kColumns;
    y_ = static_cast<double>(row) * kPanelHeight;
    text_ = fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" font-weight=\"bold\">{}</text>\n", x_ + kLeft,
                        y_ + kTop - 10, escaped(title));
    grid();
  }

  void line(std::size_t strategy, const std::vector<std::uint64_t>& positions,
            const std::vector<double>& log_slow_downs) {
    std::string points;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      points += fmt::format("{:.1f},{:.1f} ", column(static_cast<double>(positions[i])),
                            row(std::exp(log_slow_downs[i]) - 1.0));
    }
    text_ += fmt::format("<polyline {} points=\"{}\"/>\n", style_of(strategy), points);
  }

  const std::string& text() const { return text_; }

 private:
  double column(double evaluations) const {
    return x_ + kLeft +
           (kPanelWidth - kLeft - kRight) * std::log(evaluations) / std::log(static_cast<double>(last_));
  }
  double row(double excess) const {
    const double share = std::log(std::clamp(excess, kLeastExcess, kMostExcess) / kLeastExcess) /
                         std::log(kMostExcess / kLeastExcess);
    return y_ + kPanelHeight - kBottom - (kPanelHeight - kTop - kBottom) * share;
  }

  void grid() {
    for (double excess = kLeastExcess; excess <= kMostExcess * 1.01; excess *= 10.0) {
      text_ += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ccc\"/>"
          "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g} %</text>\n",
          x_ + kLeft, x_ + kPanelWidth - kRight, row(excess), x_ + kLeft - 4, row(excess) + 4,
          100.0 * excess);
    }
    for (double decade = 1; decade <= static_cast<double>(last_); decade *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double at = decade * factor;
        if (at > static_cast<double>(last_)) break;
        text_ += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#eee\"/>"
            "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g}</text>\n",
            column(at), y_ + kTop, y_ + kPanelHeight - kBottom, y_ + kPanelHeight - kBottom + 14, at);
      }
    }
  }

  double x_;
  double y_ = 0.0;
  std::uint64_t last_;
  std::string text_;
};

std::uint64_t longest_run(const std::vector<StrategyRuns>& runs) {
  std::size_t longest = 1;
  for (const StrategyRuns& strategy : runs) {
    for (const auto& recording : strategy.by_recording) {
      for (const replay::Trace& trace : recording) longest = std::max(longest, trace.points.size());
    }
  }
  return longest;
}

}  // namespace

std::string regret_plot(const std::vector<StrategyRuns>& runs, const std::vector<ReplaySubject>& subjects) {
  const std::uint64_t last = longest_run(runs);
  const std::vector<std::uint64_t> positions = positions_to(last);
  std::vector<Panel> panels;
  panels.emplace_back(0, fmt::format("All {} recordings", subjects.size()), last);
  for (std::size_t i = 0; i < subjects.size(); ++i) panels.emplace_back(i + 1, subjects[i].name(), last);
  for (std::size_t s = 0; s < runs.size(); ++s) {
    std::vector<double> together(positions.size(), 0.0);
    bool everywhere = true;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      const std::vector<replay::Trace>& traces = runs[s].by_recording[i];
      everywhere = everywhere && !traces.empty();
      if (traces.empty()) continue;
      std::vector<double> logs;
      for (std::size_t p = 0; p < positions.size(); ++p) {
        logs.push_back(replay::mean_of(replay::log_slow_downs(subjects[i].space(), traces, positions[p])));
        together[p] += logs.back() / static_cast<double>(subjects.size());
      }
      panels[i + 1].line(s, positions, logs);
    }
    if (everywhere) panels[0].line(s, positions, together);
  }
  const double height = std::ceil(static_cast<double>(panels.size()) / kColumns) * kPanelHeight;
  const double legend = kLineHeight * static_cast<double>(runs.size() + 2);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      kPanelWidth * kColumns, height + legend);
  for (const Panel& panel : panels) text += panel.text();
  text += fmt::format(
      "<text x=\"{:.0f}\" y=\"{:.0f}\">best found above the recorded best, by evaluations</text>\n", kLeft,
      height + kLineHeight);
  for (std::size_t s = 0; s < runs.size(); ++s) {
    const double y = height + kLineHeight * static_cast<double>(s + 2);
    text += fmt::format("<line x1=\"{0:.0f}\" x2=\"{1:.0f}\" y1=\"{2:.0f}\" y2=\"{2:.0f}\" {3}/>", kLeft,
                        kLeft + 30, y - 4, style_of(s));
    text +=
        fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", kLeft + 36, y, escaped(runs[s].strategy));
  }
  return text + "</svg>\n";
}

}  // namespace warptune::tuner
