#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/strategy.h"

namespace warptune::search {

/// A strategy of the table that can be saved and restored so that a continued search goes on exactly as it
/// would have. Strategies are deterministic given the seed and the order of calls, so the calls are the
/// state: how many were asked for, and what was told. Restoring makes them again, which costs what the
/// strategy's own choices cost and no evaluation.
///
/// The text has a line a call: `ask COUNT [...]` (calls that follow one another share a line), and
/// `tell WHICH STATUS [OBJECTIVE]`, where WHICH is the how-manieth configuration asked for, or, for one that
/// was not, its value indices joined by dots. Objectives are hexadecimal floats, so that no bit is lost.
class StrategyLog : public Strategy {
 public:
  /// Throws `base::InputError` where `make_strategy` does.
  StrategyLog(std::string_view name, const model::Space& space, const StrategyOptions& options);

  /// From `to_text`, with the space and the options that it had. Throws `base::InputError`, with the line,
  /// for a text that is damaged or of another version, for another space, and where the strategy, made as
  /// told, asks for something else than it did (other options, or a program whose strategies differ).
  static std::unique_ptr<StrategyLog> restore(std::string_view text, const model::Space& space,
                                              const StrategyOptions& options);

  std::string to_text() const;
  /// The name in the table of strategies.
  const std::string& name() const { return name_; }
  /// Asked for and not told, in the order they were asked for: what a restored session evaluates first.
  std::vector<model::Configuration> pending() const;
  /// How many configurations were asked for, and how many told, asked for or not.
  std::size_t asked() const { return asked_.size(); }
  std::size_t told() const;
  bool was_told(const model::Configuration& configuration) const;

  /// At most 2^20 at once.
  std::vector<model::Configuration> ask(std::size_t count) override;
  void tell(const Observation& observation) override;
  std::optional<double> expected_gain(std::size_t evaluations) const override;

 private:
  class Reader;

  std::string name_;
  std::string space_hash_;
  std::unique_ptr<Strategy> strategy_;
  std::string calls_;  // The lines of the text after the header.
  bool ask_line_open_ = false;
  std::vector<model::Configuration> asked_;
  std::vector<bool> told_;                               // For each of `asked_`.
  std::unordered_map<std::string, std::size_t> places_;  // In `asked_`, by value indices joined by dots.
  std::unordered_set<std::string> told_unasked_;         // By the same.
};

}  // namespace warptune::search
