#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "model/value.h"

namespace warptune::model {

/// Looks a variable up; null when there is none of that name.
using Lookup = std::function<const Value*(std::string_view)>;

/// What a name of an expression may look like.
enum class NameForm {
  kPlain,  ///< Letters, digits and `_`.
  kDotted  ///< Parts of these joined by dots, as metrics have: `dram__bytes.sum.per_second`.
};

/// A C-like expression over integers, reals, booleans and text, parsed once.
///
/// Operators, loosest first: `?:`, `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `* / // %`, unary `- !`.
/// Functions: `min`, `max` (two or more), `abs`, `ceil_div(a, b)`, `is_pow2(n)`, `log2(x)` (integer result
/// for a power of two given as an integer), `sqrt(x)`, `exp(x)`, `pow(x, y)`, `floor(x)` (an integer),
/// `sizeof(t)` (bytes of a type name such as "f32"), `round_up(a, multiple)`. Literals: `12`, `0.5`, `1e-6`,
/// `true`, `"text"`, `'text'`. `/` and `//` of integers truncate towards zero as in C; a real on either side
/// of `/` makes a real division; `%` needs integers. `&&`, `||` and `?:` evaluate only what they need. A
/// boolean counts as 0 or 1 in arithmetic; text only compares. Errors (division by zero, overflow of 64 bits,
/// text in arithmetic, an unknown variable) are results, never undefined behaviour.
class Expression {
 public:
  /// Parses `text`. `where` is the position of its first character in the person's file. Throws
  /// `base::InputError` pointing at the offending column, saying what was found and what was expected.
  static Expression parse(std::string text, const base::SourcePosition& where = {},
                          NameForm names = NameForm::kPlain);
  /// An expression that is one value.
  static Expression constant(Value value);

  const std::string& text() const;
  const base::SourcePosition& position() const;
  /// Names used, each once, in order of appearance.
  const std::vector<std::string>& variables() const;

  base::Result<Value> evaluate(const Lookup& lookup) const;
  base::Result<Value> evaluate(const NamedValues& values) const;
  /// `slots[i]` is the value of `variables()[i]`: the fast form, without names.
  base::Result<Value> evaluate_slots(const Value* const* slots) const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

/// A value as a truth: booleans, numbers other than 0. Text is an error.
base::Result<bool> to_truth(const Value& value);
/// A value as an integer; a real with a fraction or text is an error.
base::Result<std::int64_t> to_integer(const Value& value);

}  // namespace warptune::model
