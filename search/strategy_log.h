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

/// A strategy that can be saved and restored. A restored search makes exactly the choices that the saved one
/// would have made.
///
/// Strategies are deterministic for a seed and an order of calls. The log therefore records the calls and not
/// the internal state. Restoring repeats the calls. This costs the CPU time of the strategy's choices, but no
/// evaluation.
///
/// The text has one line for each call:
///  - `ask COUNT [...]`: consecutive calls share a line.
///  - `tell WHICH STATUS [OBJECTIVE]`: WHICH is the position, from 0, in the order of asking. For a
///    configuration that was not asked for, WHICH is its value indices joined by dots, with a dot at the end.
///    Objectives are hexadecimal floats, so that no bit is lost.
class StrategyLog : public Strategy {
 public:
  /// Throws as `make_strategy` does.
  StrategyLog(std::string_view name, const model::Space& space, const StrategyOptions& options);

  /// Restores a strategy from the text of `to_text`. `space` and `options` must be those of the saved
  /// strategy.
  ///
  /// Throws `base::InputError` with the number of the line if the text is damaged, has another version, or
  /// belongs to another space. It also throws if the restored strategy asks for other configurations than the
  /// saved one did. The reason is then other options, or a program whose strategies differ.
  static std::unique_ptr<StrategyLog> restore(std::string_view text, const model::Space& space,
                                              const StrategyOptions& options);

  std::string to_text() const;
  /// The strategy's name in the table of strategies.
  const std::string& name() const { return name_; }
  /// The configurations that `ask` returned but whose outcomes `tell` has not reported yet, in the order of
  /// asking. A restored session evaluates them first.
  std::vector<model::Configuration> pending() const;
  /// `asked`: the number of configurations that `ask` returned. `told`: the number of configurations that
  /// `tell` reported, whether `ask` returned them or not.
  std::size_t asked() const { return asked_.size(); }
  std::size_t told() const;
  bool was_told(const model::Configuration& configuration) const;

  /// Returns at most 2^20 configurations.
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
  std::vector<bool> told_;  // Whether `tell` reported each configuration of `asked_`.
  std::unordered_map<std::string, std::size_t> places_;  // Value indices joined by dots -> index in `asked_`.
  std::unordered_set<std::string> told_unasked_;         // Value indices joined by dots.
};

}  // namespace warptune::search
