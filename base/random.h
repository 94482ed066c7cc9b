#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warptune::base {

/// One step of SplitMix64 (Steele, Lea, Flood 2014). It also serves as a 64-bit hash of a number.
constexpr std::uint64_t split_mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// An unpredictable seed from the system's source of randomness.
std::uint64_t unforeseen_seed();

/// A small random number generator. Its numbers are the same on every machine and with every standard
/// library, so that a seed reproduces a run.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(split_mix64(seed)) {}

  std::uint64_t next() { return split_mix64(state_ += 0x9E3779B97F4A7C15ULL); }
  /// Uniform in [0, bound); `bound` must be positive. Rejection makes it unbiased.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = bound * (UINT64_MAX / bound);
    std::uint64_t draw = next();
    while (draw >= limit) draw = next();
    return draw % bound;
  }
  /// Uniform in [0, 1) with 53 random bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace warptune::base
