#include "kernel_templates/definition/experiment_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace warptune::kernel_templates::definition {

namespace {

using model::Expression;

class NameCheck {
 public:
  explicit NameCheck(const Experiment& experiment) : experiment_(experiment) {}

  void add_quantity(const std::string& name) { quantities_.push_back(name); }

  /// `extra` is one more name that the expression may use.
  void check(const Expression& expression, const std::string& extra = "") const {
    for (const std::string& name : expression.variables()) {
      if (name != extra) check_name(name, expression.position());
    }
  }

  void check(const TextWithNumbers& text) const {
    for (const TextWithNumbers::Number& number : text.numbers) check(number.value, "value");
  }

 private:
  void check_name(const std::string& name, const base::SourcePosition& position) const {
    const std::vector<std::string> parts = base::split(name, '.');
    if (parts.size() == 1) {
      require(quantities_, name, "quantity", position);
      return;
    }
    if (parts.front() == "gpu" || parts.front() == "roofs") return;
    std::vector<std::string> tables;
    for (const ExperimentTable& table : experiment_.tables) tables.push_back(table.name);
    require(tables, parts.front(), "table", position);
    std::vector<std::string> rows;
    for (const ExperimentRow& row : experiment_.find_table(parts.front())->rows) rows.push_back(row.id);
    require(rows, parts[1], fmt::format("row of table {}", parts.front()), position);
    if (parts.size() == 2)
      throw base::InputError(
          fmt::format("'{}' is a row, expected one of its numbers, for example {}.time_ns", name, name),
          position);
  }

  static void require(const std::vector<std::string>& known, const std::string& name, const std::string& what,
                      const base::SourcePosition& position) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    throw base::InputError(fmt::format("there is no {} '{}'{}", what, name, base::did_you_mean(name, known)),
                           position);
  }

  const Experiment& experiment_;
  std::vector<std::string> quantities_;
};

void check_ids(const Experiment& experiment) {
  std::set<std::string> tables;
  for (const ExperimentTable& table : experiment.tables) {
    if (!tables.insert(table.name).second || table.name == "gpu" || table.name == "roofs")
      throw base::InputError(fmt::format("the name '{}' is used already", table.name), table.position);
    std::set<std::string> rows;
    for (const ExperimentRow& row : table.rows) {
      if (!rows.insert(row.id).second)
        throw base::InputError(fmt::format("the row '{}' is listed twice in table {}", row.id, table.name),
                               row.position);
    }
    if (table.rows.empty())
      throw base::InputError(fmt::format("table {} has no rows", table.name), table.position);
    if (!table.baseline.empty() && rows.count(table.baseline) == 0)
      throw base::InputError(
          fmt::format("baseline is '{}', expected a row of table {}", table.baseline, table.name),
          table.position);
  }
}

}  // namespace

void check_names(const Experiment& experiment) {
  check_ids(experiment);
  NameCheck names(experiment);
  for (const auto& [name, expression] : experiment.quantities) {
    names.check(expression);
    names.add_quantity(name);
  }
  for (const Claim& claim : experiment.claims) {
    names.check(claim.value);
    names.check(claim.holds, "value");
    if (claim.weaker) names.check(*claim.weaker, "value");
    for (const TextWithNumbers* text : {&claim.because_holds, &claim.because_weaker, &claim.because_fails})
      names.check(*text);
    for (const Evidence& evidence : claim.evidence) {
      for (const Expression& value : evidence.values) names.check(value);
    }
  }
  for (const TheoryRow& row : experiment.theory) {
    names.check(row.value);
    names.check(row.expected);
  }
  for (const ExperimentChart& chart : experiment.charts) {
    for (const ExperimentChart::Line& line : chart.lines) names.check(line.value, "x");
    for (const auto& [title, table] : chart.series) {
      if (experiment.find_table(table) == nullptr)
        throw base::InputError(
            fmt::format("series '{}' of chart '{}': there is no table '{}'", title, chart.title, table),
            {experiment.path.string(), 0, 0});
    }
  }
}

}  // namespace warptune::kernel_templates::definition
