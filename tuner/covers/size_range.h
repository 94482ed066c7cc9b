// The sizes for which `warptune cover` finds few configurations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace warptune::tuner::covers {

/// How the sizes that are measured are spread over an entry of a range. All integers of the range count.
enum class Spread {
  kLogarithmic,  ///< `M=64..8192 log2`: half of them are doublings of the lowest, half lie between these.
  kAny,          ///< `M=64..8192`: any integer, evenly spread in its logarithm.
  kStep,         ///< `M=64..8192 step 64`: the lowest plus multiples of the step.
  kListed        ///< `M={128,1000,4096}` or `M=128`: the listed values.
};

/// One entry of the problem with its values.
struct SizeEntry {
  std::string name;
  Spread spread = Spread::kAny;
  std::int64_t low = 1;
  std::int64_t high = 1;
  std::int64_t step = 1;               ///< For `kStep`.
  std::vector<std::int64_t> values{};  ///< For `kListed`, ascending.

  bool operator==(const SizeEntry&) const = default;
};

/// A size: a value for each entry of a range, in its order.
using Size = std::vector<std::int64_t>;

/// A line of a file of sizes.
struct ListedSize {
  Size size;
  double weight = 1.0;  ///< How often it occurs, in relation to the others.
};

/// A range of sizes: the product of its entries, or the sizes of a file. A file's entries reach from its
/// smallest to its largest value.
struct SizeRange {
  std::vector<SizeEntry> entries;
  std::vector<ListedSize> listed{};  ///< Empty for a product.

  /// The text from which `parse_range` reads the same entries.
  std::string text() const;
  /// The size of a problem. Empty if the problem lacks an entry, or if an entry is not an integer.
  Size size_of(const model::NamedValues& problem) const;
  /// Whether each value lies between the lowest and the highest value of its entry.
  bool contains(const Size& size) const;
  /// The size as entries of a problem.
  model::NamedValues values_of(const Size& size) const;
};

/// Reads `M=64..8192 log2, N=64..8192 step 64, K={128,1000,4096}`. Throws `base::InputError` with the line
/// and column in `origin` for any other text.
SizeRange parse_range(std::string_view text, const std::string& origin);

/// Reads the lines `M=64 N=128 K=1000 weight 3` of a text; the weight may be missing, and `#` begins a
/// comment. All lines must have the same names. Throws `base::InputError` with the line and column.
SizeRange parse_size_list(std::string_view text, const std::string& origin);

/// Reads the value of `--sizes`: the path of a file, or a range. A text with `=` is a range. Throws as the
/// functions above do, and `base::InputError` if the file cannot be read.
SizeRange read_sizes(const std::string& given);

/// The distance of two sizes: the sum of |log2(a / b)| over their entries.
double distance(const Size& a, const Size& b);

}  // namespace warptune::tuner::covers
