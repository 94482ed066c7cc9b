#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"

namespace warptune::search::strategies {

/// A pseudo-random bijection of [0, size) that needs no memory for each element.
///
/// A balanced Feistel network permutes a larger range, whose size is the next power of 4. A result
/// outside of [0, size) is permuted again until it is inside (cycle walking). The result is a bijection,
/// because each cycle of the network's permutation visits the elements of [0, size) in a fixed order. Source:
/// Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002.
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed) : size_(size) {
    while (half_bits_ < 32 && (std::uint64_t{1} << (2 * half_bits_)) < size) ++half_bits_;
    base::Random random(seed);
    for (std::uint64_t& key : keys_) key = random.next();
  }

  /// Returns the image of `index`, which must be below the size.
  std::uint64_t operator()(std::uint64_t index) const {
    do index = scramble(index);
    while (index >= size_);
    return index;
  }

 private:
  std::uint64_t scramble(std::uint64_t x) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_;
    std::uint64_t right = x & mask;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t next = left ^ (base::split_mix64(right ^ key) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t size_;
  unsigned half_bits_ = 1;  // Half the number of bits of the larger range.
  std::array<std::uint64_t, 6> keys_{};
};

}  // namespace warptune::search::strategies
