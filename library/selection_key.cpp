#include "library/selection_key.h"

namespace warptune::library {

namespace {

// One step of multiplicative hashing; the multiplier is that of SplitMix64.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

std::uint64_t bits_of(const warptune_value& value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value.as, sizeof bits);
  return bits;
}

std::uint64_t mixed_text(std::uint64_t hash, const char* text) {
  if (text == nullptr) return hash;
  for (; *text != '\0'; ++text) hash = mixed(hash, static_cast<unsigned char>(*text));
  return mixed(hash, 0);
}

}  // namespace

SelectionKey SelectionKey::of(std::span<const warptune_value> values) noexcept {
  SelectionKey key{};  // The braces set all words, because the key is copied.
  if (key.make_exact(values)) return key;
  key.shape_ = kInexact;
  key.size_ = 0;
  key.hash_ = values.size();
  for (const warptune_value& value : values) {
    if (value.type == WARPTUNE_VALUE_TEXT) {
      key.hash_ = mixed_text(key.hash_, value.as.text);
    } else {
      key.hash_ = mixed(key.hash_, value.type == WARPTUNE_VALUE_USUAL ? 0 : bits_of(value));
    }
  }
  return key;
}

bool are_equal(std::span<const warptune_value> a, std::span<const warptune_value> b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].type != b[i].type) return false;
    if (a[i].type == WARPTUNE_VALUE_USUAL) continue;
    if (a[i].type == WARPTUNE_VALUE_TEXT) {
      if (a[i].as.text == nullptr || b[i].as.text == nullptr || std::strcmp(a[i].as.text, b[i].as.text) != 0)
        return false;
    } else if (bits_of(a[i]) != bits_of(b[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace warptune::library
