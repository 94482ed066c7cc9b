// Chooses reference configurations: a covering array of strength one over the rows, then greedily pairs.
//
// Each step takes the row that adds the most new values (D. Johnson, Approximation algorithms for
// combinatorial problems, 1974: the greedy cover). When no value is missing, each step takes the row that
// adds the most new pairs, like AETG (Cohen et al., 1997). Rows are compared in the order of their texts, so
// equal rows of equal gain give the same choice whatever their order in the database is.
#include "tuner/carrying/reference_choice.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace warptune::tuner::carrying {

namespace {

// Pairs are counted for this many rows only, because their number grows with the square of the parameters.
constexpr std::size_t kMaxPairRows = 2000;

using Numbers = std::vector<std::size_t>;

// Gives a number to each value of each parameter.
class ValueNumbers {
 public:
  Numbers numbers_of(const model::NamedValues& configuration) {
    Numbers numbers;
    numbers.reserve(configuration.size());
    for (const auto& [name, value] : configuration)
      numbers.push_back(known_.try_emplace({name, model::to_literal(value)}, known_.size()).first->second);
    return numbers;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> known_;
};

class Choice {
 public:
  void add(const Numbers& row) {
    values_.insert(row.begin(), row.end());
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) pairs_.emplace(row[j], row[i]);
    }
  }
  std::size_t new_values(const Numbers& row) const {
    return static_cast<std::size_t>(
        std::count_if(row.begin(), row.end(), [&](std::size_t value) { return !values_.contains(value); }));
  }
  std::size_t new_pairs(const Numbers& row) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!pairs_.contains({row[j], row[i]})) ++count;
      }
    }
    return count;
  }

 private:
  std::set<std::size_t> values_;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;
};

// The index of the row among the first `count` with the largest gain, the first of equal ones. Returns
// std::nullopt if no row has a gain.
template <class Gain>
std::optional<std::size_t> best_of(const std::vector<Numbers>& rows, std::size_t count, const Gain& gain) {
  std::optional<std::size_t> best;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < std::min(count, rows.size()); ++i) {
    const std::size_t gained = gain(rows[i]);
    if (gained <= largest) continue;
    largest = gained;
    best = i;
  }
  return best;
}

}  // namespace

bool has_time(const model::Measurement& row) {
  return row.status == model::Status::kMeasured || row.status == model::Status::kDropped;
}

std::optional<std::vector<model::NamedValues>> choose_references(
    const std::vector<db::StoredMeasurement>& rows, const std::vector<model::NamedValues>& first) {
  std::map<std::string, const model::NamedValues*> by_text;
  for (const db::StoredMeasurement& row : rows) {
    if (has_time(row.measurement))
      by_text.emplace(model::to_text(row.measurement.configuration), &row.measurement.configuration);
  }
  ValueNumbers values;
  Choice choice;
  std::vector<model::NamedValues> chosen;
  for (const model::NamedValues& configuration : first) {
    if (configuration.empty() || std::find(chosen.begin(), chosen.end(), configuration) != chosen.end())
      continue;
    chosen.push_back(configuration);
    choice.add(values.numbers_of(configuration));
  }
  std::vector<const model::NamedValues*> candidates;
  std::vector<Numbers> numbers;
  for (const auto& [text, configuration] : by_text) {
    candidates.push_back(configuration);
    numbers.push_back(values.numbers_of(*configuration));
  }
  const auto take = [&](std::size_t index) {
    chosen.push_back(*candidates[index]);
    choice.add(numbers[index]);
  };
  while (const auto next =
             best_of(numbers, numbers.size(), [&](const Numbers& row) { return choice.new_values(row); })) {
    if (chosen.size() >= kMaxReferences) return std::nullopt;
    take(*next);
  }
  while (chosen.size() < kPairReferences) {
    const auto next =
        best_of(numbers, kMaxPairRows, [&](const Numbers& row) { return choice.new_pairs(row); });
    if (!next) break;
    take(*next);
  }
  return chosen;
}

std::optional<std::string> uncovered_value(const std::vector<db::StoredMeasurement>& rows,
                                           const std::vector<model::NamedValues>& references) {
  std::set<std::pair<std::string, std::string>> covered;
  for (const model::NamedValues& configuration : references) {
    for (const auto& [name, value] : configuration) covered.emplace(name, model::to_literal(value));
  }
  for (const db::StoredMeasurement& row : rows) {
    if (!has_time(row.measurement)) continue;
    for (const auto& [name, value] : row.measurement.configuration) {
      if (!covered.contains({name, model::to_literal(value)})) return name + "=" + model::to_literal(value);
    }
  }
  return std::nullopt;
}

}  // namespace warptune::tuner::carrying
