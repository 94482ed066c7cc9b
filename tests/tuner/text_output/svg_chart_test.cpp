#include "tuner/text_output/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <string>
#include <utility>

namespace warptune::tuner::text_output {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> labels(const std::vector<std::pair<double, std::string>>& ticks) {
  std::vector<std::string> texts;
  for (const auto& [at, label] : ticks) texts.push_back(label);
  return texts;
}

SvgChart chart_of(SvgShape shape, std::vector<std::pair<double, double>> points) {
  SvgPanel panel{"title", {"x", false, 0.0, 10.0, {}}, {"y", false, 0.0, 10.0, {}}, {}};
  panel.series.push_back({0, shape, std::move(points)});
  return {{panel}, 1, 100.0, 100.0, "", {}};
}

TEST(SvgTicksTest, LogarithmicOnesAreRoundInTheUnitOfTheLabel) {
  EXPECT_EQ(labels(logarithmic_ticks(900.0, 60000.0, 1000.0)),
            (std::vector<std::string>{"1", "2", "5", "10", "20", "50"}));
}

TEST(SvgTicksTest, ANarrowRangeStillHasFourLabelsWithoutExponents) {
  const auto ticks = logarithmic_ticks(10110.0, 10190.0, 1000.0);
  EXPECT_GE(ticks.size(), 4U);
  for (const auto& [at, label] : ticks) {
    EXPECT_GE(at, 10110.0);
    EXPECT_LE(at, 10190.0);
    EXPECT_THAT(label, Not(HasSubstr("e")));
  }
}

TEST(SvgTicksTest, LinearOnesAreRoundStepsWithPrefixes) {
  EXPECT_EQ(labels(linear_ticks(0.0, 1e6)),
            (std::vector<std::string>{"0", "200 k", "400 k", "600 k", "800 k", "1 M"}));
  EXPECT_EQ(labels(linear_ticks(-1.0, 1.0)), (std::vector<std::string>{"-1", "-0.5", "0", "0.5", "1"}));
}

TEST(SvgChartTest, TextsAreEscapedAndTheLegendStandsBelow) {
  SvgChart chart = chart_of(SvgShape::kLine, {{1.0, 1.0}});
  chart.panels[0].title = "<script>&";
  chart.legend = {"a<b"};
  const std::string text = svg_text(chart);
  EXPECT_THAT(text, AllOf(StartsWith("<svg"), EndsWith("</svg>\n"), HasSubstr("&lt;script&gt;&amp;"),
                          HasSubstr(">a&lt;b<"), Not(HasSubstr("<script"))));
}

TEST(SvgChartTest, HasColoursForADarkBackground) {
  SvgChart chart = chart_of(SvgShape::kMarker, {{1.0, 1.0}});
  chart.panels[0].x.ticks = {{1.0, "1"}};
  const std::string text = svg_text(chart);
  EXPECT_THAT(text, AllOf(HasSubstr("@media (prefers-color-scheme: dark)"), HasSubstr("<rect class=\"back\""),
                          HasSubstr("class=\"rule\""), HasSubstr("class=\"f0\" fill=\"#0072B2\"")));
  for (const char* rule : {".back {", "text {", ".rule {", ".edge {", ".s0 {", ".f7 {"})
    EXPECT_THAT(text, HasSubstr(rule));
}

// Relative luminance and contrast as the Web Content Accessibility Guidelines 2.2 define them.
double luminance(const std::string& colour) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(colour.substr(2 * i, 2), nullptr, 16) / 255.0;
    sum += std::array{0.2126, 0.7152, 0.0722}[i] *
           (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}
double contrast(const std::string& one, const std::string& other) {
  const std::pair<double, double> both = std::minmax({luminance(one), luminance(other)});
  return (both.second + 0.05) / (both.first + 0.05);
}

TEST(SvgChartTest, ColoursHaveContrastToBothBackgrounds) {
  SvgChart chart = chart_of(SvgShape::kLine, {{1.0, 1.0}});
  chart.panels[0].series.clear();
  for (std::size_t style = 0; style < 8; ++style)
    chart.panels[0].series.push_back({style, SvgShape::kLine, {{1.0, 1.0}}});
  std::string text = svg_text(chart);
  std::size_t found = 0;
  for (const auto& [pattern, back] : {std::pair{R"(class="s\d" stroke="#([0-9A-F]{6}))", "FFFFFF"},
                                      std::pair{R"(\.s\d \{ stroke: #([0-9A-F]{6}))", "1b2027"}}) {
    const std::regex colour(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), colour), end; at != end; ++at, ++found)
      EXPECT_GE(contrast((*at)[1].str(), back), 3.0) << (*at)[1];
  }
  EXPECT_EQ(found, 16U);
}

TEST(SvgChartTest, HoldsNothingThatXmlDoesNot) {
  SvgChart chart = chart_of(SvgShape::kLine, {{1.0, 1.0}});
  chart.panels[0].title = "a\x1b[1mb\x01";
  chart.note = "c\xff";
  chart.legend = {"d\xEF\xBF\xBF"};
  const std::string text = svg_text(chart);
  EXPECT_THAT(text, AllOf(HasSubstr("a\\u001b[1mb\\u0001"), HasSubstr("c\\xff"), HasSubstr("d\\uffff")));
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
}

TEST(SvgChartTest, WhatLiesOutsideTheLimitsIsDrawnAtThem) {
  EXPECT_EQ(svg_text(chart_of(SvgShape::kLine, {{5.0, 99.0}})),
            svg_text(chart_of(SvgShape::kLine, {{5.0, 10.0}})));
}

TEST(SvgChartTest, AStepKeepsItsValueUntilTheNextPoint) {
  const std::string step = svg_text(chart_of(SvgShape::kStep, {{0.0, 10.0}, {10.0, 0.0}}));
  // The panel's plot area reaches from (60, 30) to (88, 56).
  EXPECT_THAT(step, HasSubstr("60.0,30.0 88.0,30.0 88.0,56.0 "));
}

TEST(SvgChartTest, EveryShapeDrawsSomething) {
  for (const SvgShape shape : {SvgShape::kLine, SvgShape::kStep, SvgShape::kPoints, SvgShape::kMarker,
                               SvgShape::kBars, SvgShape::kSpans}) {
    const std::string none = svg_text(chart_of(shape, {}));
    const std::string some = svg_text(chart_of(shape, {{1.0, 2.0}, {1.0, 3.0}}));
    EXPECT_GT(some.size(), none.size() + 10) << static_cast<int>(shape);
    EXPECT_THAT(some, Not(HasSubstr("nan")));
  }
}

}  // namespace
}  // namespace warptune::tuner::text_output
