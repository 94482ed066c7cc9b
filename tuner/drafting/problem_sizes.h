// Which sizes of a captured launch explain its buffers and its grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune::tuner::drafting {

/// Named integers of a launch. Those that explain a number become entries of `[problem]`.
class ProblemSizes {
 public:
  /// The first names explain a number before later ones do. Values below 2 explain nothing.
  explicit ProblemSizes(std::vector<std::pair<std::string, std::int64_t>> named);

  /// The number of elements of a buffer as an expression over the sizes. It is a size, a product of several,
  /// a size plus 1, or a small multiple of a product.
  std::optional<std::string> count(std::int64_t elements);
  /// The same for an offset in elements, which is never a size plus 1.
  std::optional<std::string> offset(std::int64_t elements);
  /// The number of blocks: a product of sizes, or such a product divided by the threads of a block and up to
  /// 32 elements a thread. `block` is the name of the parameter that has `threads` as its value; it is empty
  /// if there is none.
  std::optional<std::string> grid(std::int64_t blocks, std::int64_t threads, const std::string& block);

  /// The sizes that were named in an expression, and those with the same value as one of them.
  std::vector<std::pair<std::string, std::int64_t>> used() const;
  /// The value of a name among `used()`.
  std::optional<std::int64_t> used_value(const std::string& name) const;

 private:
  struct Product {
    std::vector<std::size_t> factors;  ///< Indices in `named_`.
    std::int64_t value = 1;
  };
  std::string text_of(const Product& product);
  std::optional<std::string> product(std::int64_t elements);
  std::optional<std::string> multiple(std::int64_t elements);

  std::vector<std::pair<std::string, std::int64_t>> named_;
  std::vector<bool> used_;
  std::vector<Product> products_;  ///< Those with fewer factors come first.
};

}  // namespace warptune::tuner::drafting
