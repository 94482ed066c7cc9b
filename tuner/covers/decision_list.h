// A list of conditions on sizes that a person can read: the first line whose conditions hold is the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// What a condition compares: a product of sizes, divided by one of them.
struct SizeFeature {
  std::vector<std::size_t> factors;  ///< Indices of entries, at least one.
  std::vector<std::size_t> divisor;  ///< None or one index.

  double value(const Size& size) const;
  double product(const Size& size) const;               ///< The factors without the divisor.
  double scaled(double bound, const Size& size) const;  ///< A bound of the value as a bound of the product.
  bool operator==(const SizeFeature&) const = default;
};

enum class Comparison { kAtMost, kAbove, kMultiple, kNoMultiple };

/// `M * N <= 1048576`, `M > 2 * N`, `K % 4 == 0` or `K % 4 != 0`.
struct SizeCondition {
  SizeFeature feature;
  Comparison comparison = Comparison::kAtMost;
  double bound = 0.0;  ///< An integer for `kMultiple` and `kNoMultiple`.

  /// Computed as the text says: a bound is multiplied by the divisor, so that both agree at every size.
  bool holds(const Size& size) const;
  /// The condition as an expression that C++ and the definitions' language also read.
  std::string text(const std::vector<std::string>& names) const;
};

struct DecisionLine {
  std::vector<SizeCondition> conditions;  ///< All must hold. None in the last line.
  std::size_t configuration = 0;          ///< An index, as in `ListExample::allowed`.
  std::size_t sizes = 0;                  ///< How many of the examples it answers.
};

struct DecisionList {
  std::vector<std::string> names;  ///< The names of the entries.
  std::vector<DecisionLine> lines;

  /// The index of the line that answers a size. There must be at least one line.
  std::size_t line_for(const Size& size) const;
  std::size_t configuration_for(const Size& size) const { return lines[line_for(size)].configuration; }
  /// The conditions of a line: `M <= 512 and K > 2048`; `otherwise` for the last one.
  std::string text_of(std::size_t line) const;
};

/// A size, and the configurations that may answer it.
struct ListExample {
  Size size;
  double weight = 1.0;
  std::vector<bool> allowed;  ///< By configuration; at least one is true.
  /// By configuration: how much slower it is than the best one known, as a share. The losses
  /// choose the configuration of the list's last line. A loss that is unknown, infinite or missing counts as
  /// 0 for an allowed configuration, and as 1 for others.
  std::vector<std::optional<double>> losses{};
};

/// Learns a list that gives each example one of its allowed configurations. Sizes of the examples must
/// differ. The last line has the configuration with the smallest mean loss, because it also answers sizes
/// that no example is like. The lines before it are for the remaining examples, which do not allow that
/// configuration. They are found one by one (separate and conquer, as in Rivest, Learning decision lists,
/// 1987). Each of these lines has at most two conditions, and gives no example a configuration that the
/// example does not allow. The line that answers the largest weight of remaining examples is taken. The
/// weight of a line with two conditions is reduced (`kSecondCondition`). If no such line answers a remaining
/// example, a line with more conditions is made for one example. The list is short, but not proven to be the
/// shortest.
DecisionList learn_list(const std::vector<std::string>& names, const std::vector<ListExample>& examples);

}  // namespace warptune::tuner::covers
