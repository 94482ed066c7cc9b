#pragma once

#include "model/expressions/cell.h"

namespace warptune::model::expressions {

/// What an expression can be over all completions of a partial configuration: an enclosure, never too small.
struct Interval {
  enum class Kind : std::uint8_t { kAnything, kRange, kFailure };

  Kind kind = Kind::kAnything;  ///< `kAnything` covers text and failures, too.
  bool integral = false;        ///< Of a range: every value is a boolean or an integer.
  bool may_fail = false;        ///< Of a range: besides, some completion may fail.
  double low = 0.0;
  double high = 0.0;

  static Interval range(double low, double high, bool integral, bool may_fail = false);
  static Interval of(const Cell& cell);

  bool is_range() const { return kind == Kind::kRange; }
  bool never_holds() const { return kind == Kind::kFailure || (is_range() && low == 0.0 && high == 0.0); }
  bool always_holds() const { return is_range() && !may_fail && (low > 0.0 || high < 0.0); }
};

/// The smallest enclosure of both.
Interval hull(const Interval& a, const Interval& b);

/// Encloses `apply` over operands within their intervals.
Interval apply(Op op, const Interval& a, const Interval& b, const Interval& c);

}  // namespace warptune::model::expressions
