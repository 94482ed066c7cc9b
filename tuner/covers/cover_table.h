// The measured times of configurations at sizes, from which a cover is derived.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/outputs/reproducibility.h"
#include "model/value.h"
#include "tuner/covers/launch_shape.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// What is known of the outputs of a row. Without a demand, they count as met.
using OutputsKnown = model::outputs::ReproducibilityVerdict::Kind;

/// A row of a size.
struct CoverRow {
  model::Measurement measurement;
  OutputsKnown outputs = OutputsKnown::kMet;
};

/// A size with the times of configurations.
struct CoverSize {
  Size size;
  double weight = 1.0;
  bool held_back = false;  ///< It only checks a cover that is derived from the others.
  /// The shortest of `times_ns` of configurations that are not excluded. Infinite if there is none.
  double best_ns = 0.0;
  double best_of_all_ns = 0.0;  ///< The shortest time of all configurations, whatever their outputs are.
  /// By configuration. No value: not measured, or its outputs are not known. Infinite: it fails, is slow
  /// enough to be dropped from a race, or its outputs are not those that are demanded.
  std::vector<std::optional<double>> times_ns{};
  std::vector<std::optional<double>> all_times_ns{};  ///< The same, whatever the outputs are.
  /// By configuration: the median of what was timed, also of one that was dropped from a race. No value: not
  /// timed.
  std::vector<std::optional<double>> timed_ns{};
  std::vector<std::optional<OutputsKnown>> outputs{};  ///< By configuration. No value: not measured.
};

/// The times of configurations at sizes.
struct CoverTable {
  std::vector<model::NamedValues> configurations;
  std::vector<CoverSize> sizes;
  /// What the outputs of the configurations must be. If it is about bits, a configuration whose outputs do
  /// not meet it at one size is excluded at all sizes.
  std::optional<model::outputs::Reproducibility> demanded{};
  /// What costs need. Null: the cover has no costs.
  std::shared_ptr<const LaunchShape> shape{};

  /// The index of a configuration, which is added if it is new.
  std::size_t add_configuration(const model::NamedValues& configuration);
  /// The index of a size, or std::nullopt.
  std::optional<std::size_t> find(const Size& size) const;
  /// Adds the rows of a size, or replaces earlier times of it. A size at which nothing has a time is not
  /// added. A size that was held back stays so only if `held_back` is set.
  void add(const Size& size, double weight, bool held_back, const std::vector<CoverRow>& rows);
  /// How much slower a configuration is than the best one that may answer, as a share, if that is known.
  /// Infinite for one that is excluded.
  std::optional<double> loss(std::size_t configuration, std::size_t size) const;
  /// The same. A configuration that was dropped from a race has the loss of its few samples.
  std::optional<double> estimated_loss(std::size_t configuration, std::size_t size) const;
  /// The estimated loss against the best of all, whatever its outputs are. The configuration must have a time
  /// there.
  double loss_against_all(std::size_t configuration, std::size_t size) const;
  /// Whether the outputs of a configuration are known at one size not to be those that are demanded.
  bool is_excluded(std::size_t configuration) const;
  std::size_t excluded_count() const;
  /// How many sizes take part, that is, are not held back. A cover may answer fewer: `SizeCover::answered`.
  std::size_t taking_part() const;
  /// Those of them at which a configuration may answer, as indices.
  std::vector<std::size_t> sizes_to_answer() const;

 private:
  void update_bests();

  std::vector<bool> excluded_;
  std::map<std::string, std::size_t> places_;  // The places of configurations, by their keys.
};

}  // namespace warptune::tuner::covers
