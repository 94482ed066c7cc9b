// Reads the claims, theory and charts of an experiment.
#include "kernel_templates/definition/experiment_claims.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace warptune::kernel_templates::definition {

namespace {

// Reads a text with `{EXPRESSION @ FORMAT}`. Errors have the text's position.
TextWithNumbers text_with_numbers(const TableReader& table, std::string_view key) {
  const std::string text = table.required_text(key);
  const base::SourcePosition position = table.position(key);
  TextWithNumbers parts;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('{', at);
    parts.texts.push_back(text.substr(at, open == std::string::npos ? open : open - at));
    if (open == std::string::npos) return parts;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) table.fail(key, "a } after every {");
    std::string inside = text.substr(open + 1, close - open - 1);
    std::string format;
    if (const std::size_t mark = inside.find('@'); mark != std::string::npos) {
      format = std::string(base::trim(std::string_view(inside).substr(mark + 1)));
      inside = inside.substr(0, mark);
    }
    try {
      (void)fmt::format(fmt::runtime("{:" + format + "}"), 1.0);
    } catch (const fmt::format_error&) {
      table.fail(key, fmt::format("a format of numbers such as .1f, found '{}'", format));
    }
    parts.numbers.push_back(
        {model::Expression::parse(std::string(base::trim(inside)), position, model::NameForm::kDotted),
         format});
    at = close + 1;
  }
}

ExperimentChart::Axis axis_of(const TableReader& reader) {
  reader.allow_only({"title", "value", "scale"});
  const std::string scale = reader.text("scale").value_or("linear");
  if (scale != "linear" && scale != "log") reader.fail("scale", "linear or log");
  return {reader.required_text("title"), required_dotted_expression(reader, "value"), scale == "log"};
}

}  // namespace

Claim claim_of(const TableReader& reader) {
  reader.allow_only(
      {"text", "value", "unit", "measured", "expected", "holds", "weaker", "because", "evidence"});
  Claim claim{reader.required_text("text"),
              required_dotted_expression(reader, "value"),
              reader.text("unit").value_or(""),
              reader.text("measured").value_or(""),
              reader.number("expected"),
              required_dotted_expression(reader, "holds"),
              std::nullopt,
              {},
              {},
              {},
              {},
              reader.position()};
  if (reader.node("weaker") != nullptr) claim.weaker = required_dotted_expression(reader, "weaker");
  const TableReader because = reader.table("because");
  because.allow_only({"holds", "weaker", "fails"});
  if (!because.present()) reader.fail("because", "texts for holds, weaker and fails");
  claim.because_holds = text_with_numbers(because, "holds");
  if (claim.weaker) claim.because_weaker = text_with_numbers(because, "weaker");
  claim.because_fails = text_with_numbers(because, "fails");
  for (const TableReader& one : reader.tables("evidence")) {
    one.allow_only({"text", "values", "labels"});
    Evidence evidence{one.required_text("text"), {}, {}};
    const toml::node* values = one.node("values");
    if (values == nullptr || !values->is_array() || values->as_array()->empty())
      one.fail("values", "a list of expressions");
    for (const toml::node& value : *values->as_array())
      evidence.values.push_back(
          expression_of(value, one.file(), one.name_of("values"), model::NameForm::kDotted));
    if (one.node("labels") != nullptr) evidence.labels = one.texts("labels");
    if (!evidence.labels.empty() && evidence.labels.size() != evidence.values.size())
      one.fail("labels", fmt::format("a list of {} texts, one for each value", evidence.values.size()));
    claim.evidence.push_back(std::move(evidence));
  }
  if (claim.evidence.empty())
    reader.fail("evidence", "at least one [[claim.evidence]]: the values that support the verdict");
  return claim;
}

TheoryRow theory_of(const TableReader& reader) {
  reader.allow_only({"text", "metric", "value", "expected", "tolerance"});
  const auto tolerance = reader.number("tolerance");
  if (!tolerance || *tolerance < 0.0) reader.fail("tolerance", "a number of at least 0");
  return {reader.required_text("text"),
          reader.required_text("metric"),
          required_dotted_expression(reader, "value"),
          required_dotted_expression(reader, "expected"),
          *tolerance,
          reader.position()};
}

ExperimentChart chart_of(const TableReader& reader) {
  reader.allow_only({"title", "x", "y", "series", "lines"});
  ExperimentChart chart{
      reader.required_text("title"), axis_of(reader.table("x")), axis_of(reader.table("y")), {}, {}};
  for (const TableReader& one : reader.tables("series")) {
    one.allow_only({"title", "table"});
    chart.series.emplace_back(one.required_text("title"), one.required_text("table"));
  }
  for (const TableReader& one : reader.tables("lines")) {
    one.allow_only({"title", "value"});
    chart.lines.push_back({one.required_text("title"), required_dotted_expression(one, "value")});
  }
  return chart;
}

}  // namespace warptune::kernel_templates::definition
