#pragma once

#include "model/expressions/cell.h"

namespace warptune::model::expressions {

/// An interval that contains all values of an expression over the completions of a partial configuration. It
/// may contain more (interval arithmetic: Moore, Interval Analysis, 1966).
struct Interval {
  enum class Kind : std::uint8_t { kAnything, kRange, kFailure };

  Kind kind = Kind::kAnything;  ///< `kAnything` also includes text and failures.
  bool integral = false;        ///< In a range: every value is a boolean or an integer.
  bool may_fail = false;        ///< In a range: some completion may fail.
  double low = 0.0;
  double high = 0.0;

  static Interval range(double low, double high, bool integral, bool may_fail = false);
  static Interval of(const Cell& cell);

  bool is_range() const { return kind == Kind::kRange; }
  bool never_holds() const { return kind == Kind::kFailure || (is_range() && low == 0.0 && high == 0.0); }
  bool always_holds() const { return is_range() && !may_fail && (low > 0.0 || high < 0.0); }
};

/// The smallest interval that contains both.
Interval hull(const Interval& a, const Interval& b);

/// An interval that contains `apply` for all operands within their intervals.
Interval apply(Op op, const Interval& a, const Interval& b, const Interval& c);

}  // namespace warptune::model::expressions
