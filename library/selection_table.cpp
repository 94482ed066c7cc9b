#include "library/selection_table.h"

#include <cstring>
#include <utility>

#include "base/error.h"

namespace warptune::library {

namespace {

constexpr std::size_t kFirstSlots = 64;

// One step of multiplicative hashing; the multiplier is that of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

}  // namespace

SelectionTable::Word SelectionTable::word_of(const warptune_value& value, std::uint64_t& hash) noexcept {
  Word word{0, value.type, false};
  if (value.type == WARPTUNE_VALUE_TEXT) {
    const char* text = value.as.text;
    for (unsigned shift = 0; shift < 64 && *text != '\0'; ++text, shift += 8)
      word.bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(*text)) << shift;
    word.is_cut = *text != '\0';
    for (; *text != '\0'; ++text) hash = mixed(hash, static_cast<unsigned char>(*text));
  } else if (value.type != WARPTUNE_VALUE_USUAL) {
    std::memcpy(&word.bits, &value.as, sizeof word.bits);
  }
  // Types are not hashed: values that differ in their type alone are rare, and types are compared.
  hash = mixed(hash, word.bits);
  return word;
}

// Returns false for values that are never found.
bool SelectionTable::make_key(std::span<const warptune_value> values, Key& key) noexcept {
  if (values.size() > kMaxValues) return false;
  key.hash = values.size();
  key.is_cut = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].type == WARPTUNE_VALUE_TEXT && values[i].as.text == nullptr) return false;
    key.words[i] = word_of(values[i], key.hash);
    key.is_cut |= key.words[i].is_cut;
  }
  return true;
}

bool SelectionTable::fits(const Entry& entry, const Key& key,
                          std::span<const warptune_value> values) noexcept {
  if (entry.hash != key.hash || entry.words.size() != values.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(entry.words[i] == key.words[i])) return false;
  }
  for (std::size_t i = 0; key.is_cut && i < values.size(); ++i) {
    if (key.words[i].is_cut && entry.texts[i] != values[i].as.text) return false;
  }
  return true;
}

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
  Key key;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is written.
  if (!make_key(values, key)) return nullptr;
  const Slots& slots = *current_.load(std::memory_order_acquire);
  for (std::size_t place = key.hash & slots.mask;; place = (place + 1) & slots.mask) {
    const Entry* entry = slots.places[place].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (fits(*entry, key, values)) return &entry->selection;
  }
}

const Selection* SelectionTable::add(std::span<const warptune_value> values, Selection selection) {
  Key key;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  if (!make_key(values, key)) throw base::InternalError("values that cannot be found are added");
  auto entry = std::make_unique<Entry>();
  entry->hash = key.hash;
  entry->words.assign(key.words.begin(), key.words.begin() + static_cast<std::ptrdiff_t>(values.size()));
  for (const warptune_value& value : values)
    entry->texts.emplace_back(value.type == WARPTUNE_VALUE_TEXT ? value.as.text : "");
  entry->selection = std::move(selection);
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
