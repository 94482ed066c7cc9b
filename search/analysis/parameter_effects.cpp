// Uses hashes to find the pairs of rows that differ in one parameter alone.
//
// The hash of a configuration is the exclusive-or of a random key for each of its values (Zobrist 1970). A
// further exclusive-or removes one parameter from it. Two rows that differ only in parameter p therefore have
// the same hash without p. For each parameter and value, the hashes without that parameter are sorted. The
// pairs of a change are found by merging two sorted lists. Two of 20,000 rows share a hash of 64 bits by
// accident with a probability of 1e-11.
//
// Paired differences remove the influence of all other parameters. Their median has a confidence interval
// that needs no assumption about the distribution (model/median.h).
#include "search/analysis/parameter_effects.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace warptune::search::analysis {

namespace {

class EffectBuilder {
 public:
  explicit EffectBuilder(std::size_t pairs) {
    for (std::vector<double>* list : {&before_, &after_, &differences_, &ratios_}) list->reserve(pairs);
  }

  void add(double before, double after) {
    before_.push_back(before);
    after_.push_back(after);
    differences_.push_back(after - before);
    if (before > 0.0 && after > 0.0) ratios_.push_back(after / before);
  }

  PairedEffect effect() && {
    PairedEffect effect;
    effect.pairs = before_.size();
    if (ratios_.size() == effect.pairs) effect.ratio = model::median_interval(std::move(ratios_));
    effect.before = model::median_of(std::move(before_));
    effect.after = model::median_of(std::move(after_));
    effect.difference = model::median_interval(std::move(differences_));
    return effect;
  }

 private:
  std::vector<double> before_;
  std::vector<double> after_;
  std::vector<double> differences_;
  std::vector<double> ratios_;
};

std::optional<std::uint32_t> index_of(const model::Parameter& parameter, const model::Value& value) {
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), value);
  if (found == parameter.values.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - parameter.values.begin());
}

}  // namespace

ParameterEffects::ParameterEffects(const TimedRows& rows) : rows_(&rows) {
  base::Random random(1);
  for (const model::Parameter& parameter : rows.recording->parameters) {
    std::vector<std::uint64_t>& keys = keys_.emplace_back(parameter.values.size());
    for (std::uint64_t& key : keys) key = random.next();
    by_values_.emplace_back(parameter.values.size());
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const model::Configuration& configuration = rows.configurations[row];
    const std::uint64_t all = hash_of(configuration);
    for (std::size_t p = 0; p < keys_.size(); ++p) {
      const std::uint32_t value = configuration[p];
      by_values_[p][value].push_back({all ^ keys_[p][value], static_cast<std::uint32_t>(row)});
    }
  }
  for (auto& values : by_values_) {
    for (std::vector<Entry>& entries : values) {
      std::sort(entries.begin(), entries.end(),
                [](const Entry& a, const Entry& b) { return a.rest < b.rest; });
    }
  }
}

std::uint64_t ParameterEffects::hash_of(const model::Configuration& configuration) const {
  std::uint64_t hash = 0;
  for (std::size_t p = 0; p < keys_.size(); ++p) hash ^= keys_[p][configuration[p]];
  return hash;
}

std::vector<std::pair<std::size_t, std::size_t>> ParameterEffects::pairs(const ValueChange& change) const {
  const std::vector<Entry>& from = by_values_[change.parameter][change.from];
  const std::vector<Entry>& to = by_values_[change.parameter][change.to];
  std::vector<std::pair<std::size_t, std::size_t>> found;
  found.reserve(std::min(from.size(), to.size()));
  for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    if (from[i].rest == to[j].rest) {
      found.emplace_back(from[i++].row, to[j++].row);
    } else if (from[i].rest < to[j].rest) {
      ++i;
    } else {
      ++j;
    }
  }
  return found;
}

PairedEffect ParameterEffects::effect(const ValueChange& change, const Metric& metric) const {
  const std::vector<std::pair<std::size_t, std::size_t>> found = pairs(change);
  EffectBuilder builder(found.size());
  for (const auto& [from, to] : found) {
    const std::optional<double> before = metric.value(*rows_->measurements[from]);
    const std::optional<double> after = before ? metric.value(*rows_->measurements[to]) : std::nullopt;
    if (after) builder.add(*before, *after);
  }
  return std::move(builder).effect();
}

PairedEffect ParameterEffects::time_effect(const ValueChange& change) const {
  const std::vector<std::pair<std::size_t, std::size_t>> found = pairs(change);
  EffectBuilder builder(found.size());
  for (const auto& [from, to] : found) {
    builder.add(rows_->measurements[from]->time->median_ns, rows_->measurements[to]->time->median_ns);
  }
  return std::move(builder).effect();
}

std::optional<std::size_t> ParameterEffects::sibling(const model::Configuration& configuration,
                                                     std::size_t parameter, std::uint32_t value) const {
  const std::uint64_t rest = hash_of(configuration) ^ keys_[parameter][configuration[parameter]];
  const std::vector<Entry>& entries = by_values_[parameter][value];
  const auto found = std::lower_bound(entries.begin(), entries.end(), rest,
                                      [](const Entry& entry, std::uint64_t key) { return entry.rest < key; });
  if (found == entries.end() || found->rest != rest) return std::nullopt;
  return found->row;
}

std::optional<ValueChange> ParameterEffects::change_of(std::string_view parameter, const model::Value& from,
                                                       const model::Value& to) const {
  const std::vector<model::Parameter>& parameters = rows_->recording->parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].name != parameter) continue;
    const std::optional<std::uint32_t> first = index_of(parameters[p], from);
    const std::optional<std::uint32_t> second = index_of(parameters[p], to);
    if (!first || !second) return std::nullopt;
    return ValueChange{p, *first, *second};
  }
  return std::nullopt;
}

}  // namespace warptune::search::analysis
