#include "library/selection_table.h"

#include <utility>

namespace warptune::library {

namespace {

constexpr unsigned kFirstBits = 6;  // 64 slots at first.

}  // namespace

SelectionTable::SelectionTable() {
  slots_.push_back(std::make_unique<Slots>(kFirstBits));
  current_.store(slots_.back().get(), std::memory_order_release);
}

SelectionTable::~SelectionTable() = default;

void SelectionTable::Slots::put(const Entry* entry) {
  std::size_t place = first_place(entry->key);
  while (places[place].load(std::memory_order_relaxed) != nullptr) place = (place + 1) & mask;
  places[place].store(entry, std::memory_order_release);
}

const Selection* SelectionTable::find_inexact(std::span<const warptune_value> values) const noexcept {
  const SelectionKey key = SelectionKey::of(values);
  const Slots& slots = *current_.load(std::memory_order_acquire);
  for (std::size_t place = slots.first_place(key);; place = (place + 1) & slots.mask) {
    const Entry* entry = slots.places[place].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->key == key && are_equal(values, entry->values)) return &entry->selection;
  }
}

const Selection* SelectionTable::add(std::span<const warptune_value> values, Selection selection) {
  auto entry = std::make_unique<Entry>(values);
  entry->selection = std::move(selection);
  for (warptune_value& value : entry->values) {
    if (value.type == WARPTUNE_VALUE_TEXT) value.as.text = entry->texts.emplace_back(value.as.text).c_str();
  }
  const Entry* added = entry.get();
  entries_.push_back(std::move(entry));
  if (entries_.size() * 2 <= slots_.back()->places.size()) {
    slots_.back()->put(added);
    return &added->selection;
  }
  const unsigned bits = 64 - slots_.back()->shift;
  auto larger = std::make_unique<Slots>(bits + 1);
  for (const std::unique_ptr<Entry>& one : entries_) larger->put(one.get());
  slots_.push_back(std::move(larger));
  current_.store(slots_.back().get(), std::memory_order_release);
  return &added->selection;
}

}  // namespace warptune::library
