#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "library/include/warptune.h"

namespace warptune::library {

/// The values of a problem as words of 64 bits: one for each number, and one for each text of at most eight
/// characters, such as "f32". Making, hashing and comparing keys takes few instructions and no function call.
class SelectionKey {
 public:
  /// A key without values.
  SelectionKey() = default;
  /// A key of any values. If `is_exact` is false, different values may have equal keys.
  static SelectionKey of(std::span<const warptune_value> values) noexcept;

  /// Makes the exact key of the values. Returns false if no exact key exists: there are more than seven
  /// values, a type is unknown, or a text is null or has more than eight characters. Then the key must not be
  /// used.
  bool make_exact(std::span<const warptune_value> values) noexcept {
    if (values.size() > kMaxValues) return false;
    std::uint64_t shape = 1;  // The position of this bit says how many values follow.
    std::uint64_t hash = 0;
    std::uint32_t types = 0;  // All types, combined by OR: shows whether one has too many bits.
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto type = static_cast<std::uint32_t>(values[i].type);
      types |= type;
      shape = shape << kTypeBits | type;
      std::uint64_t word = 0;  // Stays 0 for `WARPTUNE_VALUE_USUAL`: the definition gives the value.
      if (type == WARPTUNE_VALUE_TEXT) {
        if (!pack(values[i].as.text, word)) return false;
      } else if (type != WARPTUNE_VALUE_USUAL) {
        std::memcpy(&word, &values[i].as, sizeof word);
      }
      words_[i] = word;
      hash += word * kMultipliers[i];
    }
    size_ = values.size();
    shape_ = shape;
    hash_ = hash;
    return types >> kTypeBits == 0;
  }

  bool is_exact() const { return shape_ != kInexact; }
  /// Use the highest bits: only they depend on all bits of the values. Types are not part of the hash,
  /// because values that differ in their types alone are rare. `==` compares the types.
  std::uint64_t hash() const { return hash_; }

  friend bool operator==(const SelectionKey& a, const SelectionKey& b) {
    if (a.shape_ != b.shape_ || a.hash_ != b.hash_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (a.words_[i] != b.words_[i]) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kMaxValues = 7;
  static constexpr unsigned kTypeBits = 8;
  static constexpr std::uint64_t kInexact = 0;
  // Multilinear hashing (Dietzfelbinger, "Universal hashing and k-wise independent random variables via
  // integer arithmetic without primes", 1996) needs independent odd numbers. These are the first outputs of
  // SplitMix64 (Steele, Lea and Flood 2014), made odd. The processor can compute the products in parallel.
  static constexpr std::array<std::uint64_t, kMaxValues> kMultipliers = {
      0xe220a8397b1dcdaf, 0x6e789e6aa1b965f5, 0x06c45d188009454f, 0xf88bb8a8724c81ed,
      0x1b39896a51a8749b, 0x53cb9f0c747ea2eb, 0x2c829abe1f4532e1};

  // Returns false for a text that is null or too long.
  static bool pack(const char* text, std::uint64_t& word) noexcept {
    if (text == nullptr) return false;
    for (unsigned shift = 0; *text != '\0'; ++text, shift += 8) {
      if (shift == 64) return false;
      word |= std::uint64_t{static_cast<unsigned char>(*text)} << shift;
    }
    return true;
  }

  std::uint64_t shape_ = 1;  ///< The types and the number of values; or `kInexact`.
  std::uint64_t hash_ = 0;
  std::size_t size_ = 0;
  std::array<std::uint64_t, kMaxValues> words_;  ///< The first `size_` are set.
};

/// Whether the values have the same types and contents. A text that is null equals nothing.
bool are_equal(std::span<const warptune_value> a, std::span<const warptune_value> b) noexcept;

}  // namespace warptune::library
