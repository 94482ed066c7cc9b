#include "library/selection_table.h"

#include <cstring>
#include <utility>

namespace warptune::library {

namespace {

constexpr std::size_t kFirstSlots = 64;

// One step of multiplicative hashing; the multiplier is that of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

std::uint64_t bits_of(const warptune_value& value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value.as, sizeof bits);
  return bits;
}

// Texts are the names of types, so most have one word.
std::uint64_t mixed_text(std::uint64_t hash, const char* text) {
  if (text == nullptr) return hash;
  std::uint64_t word = 0;
  for (unsigned shift = 0; *text != '\0'; ++text, shift += 8) {
    if (shift == 64) {
      hash = mixed(hash, word);
      word = 0;
      shift = 0;
    }
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(*text)) << shift;
  }
  return mixed(hash, word);
}

// Types are not hashed: values that differ in their type alone are rare, and are compared.
std::uint64_t hash_of(std::span<const warptune_value> values) {
  std::uint64_t hash = values.size();
  for (const warptune_value& value : values) {
    if (value.type == WARPTUNE_VALUE_TEXT) {
      hash = mixed_text(hash, value.as.text);
    } else {
      hash = mixed(hash, value.type == WARPTUNE_VALUE_USUAL ? 0 : bits_of(value));
    }
  }
  return hash;
}

// `a` may be null, which equals nothing.
bool are_equal_texts(const char* a, const char* b) {
  if (a == nullptr) return false;
  while (*a == *b && *a != '\0') {
    ++a;
    ++b;
  }
  return *a == *b;
}

bool are_equal(std::span<const warptune_value> a, const std::vector<warptune_value>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].type != b[i].type) return false;
    if (a[i].type == WARPTUNE_VALUE_USUAL) continue;
    const bool same = a[i].type == WARPTUNE_VALUE_TEXT ? are_equal_texts(a[i].as.text, b[i].as.text)
                                                       : bits_of(a[i]) == bits_of(b[i]);
    if (!same) return false;
  }
  return true;
}

}  // namespace

SelectionTable::SelectionTable() {
  slots_.push_back(std::make_unique<Slots>(kFirstSlots));
  current_.store(slots_.back().get(), std::memory_order_release);
}

SelectionTable::~SelectionTable() = default;

void SelectionTable::Slots::put(const Entry* entry) {
  std::size_t place = entry->hash & mask;
  while (places[place].load(std::memory_order_relaxed) != nullptr) place = (place + 1) & mask;
  places[place].store(entry, std::memory_order_release);
}

const Selection* SelectionTable::find(std::span<const warptune_value> values) const noexcept {
  const Slots& slots = *current_.load(std::memory_order_acquire);
  const std::uint64_t hash = hash_of(values);
  for (std::size_t place = hash & slots.mask;; place = (place + 1) & slots.mask) {
    const Entry* entry = slots.places[place].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->hash == hash && are_equal(values, entry->key)) return &entry->selection;
  }
}

const Selection* SelectionTable::add(std::span<const warptune_value> values, Selection selection) {
  auto entry = std::make_unique<Entry>();
  entry->hash = hash_of(values);
  entry->key.assign(values.begin(), values.end());
  entry->selection = std::move(selection);
  for (warptune_value& value : entry->key) {
    if (value.type == WARPTUNE_VALUE_TEXT) value.as.text = entry->texts.emplace_back(value.as.text).c_str();
  }
  const Entry* added = entry.get();
  entries_.push_back(std::move(entry));
  if (entries_.size() * 2 <= slots_.back()->places.size()) {
    slots_.back()->put(added);
    return &added->selection;
  }
  auto larger = std::make_unique<Slots>(slots_.back()->places.size() * 2);
  for (const std::unique_ptr<Entry>& one : entries_) larger->put(one.get());
  slots_.push_back(std::move(larger));
  current_.store(slots_.back().get(), std::memory_order_release);
  return &added->selection;
}

}  // namespace warptune::library
