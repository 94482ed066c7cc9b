#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "model/value.h"

namespace warptune::model {

/// Looks up the value of a variable. Returns null when no variable has the name.
using Lookup = std::function<const Value*(std::string_view)>;

/// The form of a name within an expression.
enum class NameForm {
  kPlain,  ///< Letters, digits and `_`.
  kDotted  ///< Such parts joined by dots, as metrics have: `dram__bytes.sum.per_second`.
};

/// An integer division that drops a remainder, in the text of its operands.
struct DroppedRemainder {
  std::string dividend;
  std::string divisor;
  std::int64_t remainder = 0;
};

/// A C-like expression over integers, reals, booleans and text. It is parsed once.
///
/// The operators by ascending precedence: `?:`, `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `* / // %`, unary `-
/// !`. Functions: `min`, `max` (two or more), `abs`, `ceil_div(a, b)`, `is_pow2(n)`, `log2(x)` (an integer
/// for an integer power of two), `sqrt(x)`, `exp(x)`, `pow(x, y)`, `floor(x)` (an integer), `sizeof(t)` (the
/// bytes of a type name such as "f32"), `round_up(a, multiple)`. Literals: `12`, `0.5`, `1e-6`, `true`,
/// `"text"`,
/// `'text'`.
///
/// `/` and `//` of integers truncate towards zero as in C. A real on either side of `/` makes a real
/// division. `%` needs integers. `&&`, `||` and `?:` evaluate only the operands that they need. A boolean is
/// 0 or 1 in arithmetic. Text can only be compared. Errors (division by zero, overflow of 64 bits, text in
/// arithmetic, an unknown variable) are returned as failed results. No input causes undefined behaviour.
class Expression {
 public:
  /// Parses `text`. `where` is the position of its first character in the user's file. Throws
  /// `base::InputError` with the position of the error, what was found there, and what was expected.
  static Expression parse(std::string text, const base::SourcePosition& where = {},
                          NameForm names = NameForm::kPlain);
  /// Makes an expression that is a single value. `where` is its position in the user's file.
  static Expression constant(Value value, const base::SourcePosition& where = {});

  const std::string& text() const;
  const base::SourcePosition& position() const;
  /// The names that the expression uses, each once, in order of appearance.
  const std::vector<std::string>& variables() const;

  base::Result<Value> evaluate(const Lookup& lookup) const;
  base::Result<Value> evaluate(const NamedValues& values) const;
  /// Evaluates without looking up names, which is faster: `slots[i]` is the value of `variables()[i]`.
  base::Result<Value> evaluate_slots(const Value* const* slots) const;

  /// The integer divisions that make the value smaller by dropping a remainder, the innermost first. The
  /// search goes down only through products, maxima, dividends, and the alternative that `?:` selects. A
  /// division whose dividend contains a sum is left out, because the sum may round up.
  std::vector<DroppedRemainder> dropped_remainders(const NamedValues& values) const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

/// Converts a value to a truth value: a boolean stays, and a number is true unless it is 0. Text is an error.
base::Result<bool> to_truth(const Value& value);
/// Converts a value to an integer. Text and a real with a fraction are errors.
base::Result<std::int64_t> to_integer(const Value& value);

}  // namespace warptune::model
