#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "library/include/warptune.h"
#include "library/selection.h"
#include "library/selection_key.h"

namespace warptune::library {

/// A hash table from the values of a problem to the kernel's selection for it. Any number of threads may look
/// up while one thread adds. A look-up takes no lock and writes nothing. An entry stays until the table is
/// destroyed.
class SelectionTable {
 public:
  SelectionTable();
  ~SelectionTable();
  SelectionTable(const SelectionTable&) = delete;
  SelectionTable& operator=(const SelectionTable&) = delete;

  /// Returns null if the values were not added. Texts are compared by their characters. A text
  /// that is null is never found. The function is inline, because programs may call it before each launch.
  const Selection* find(std::span<const warptune_value> values) const noexcept {
    SelectionKey key;
    if (!key.make_exact(values)) return find_inexact(values);
    const Slots& slots = *current_.load(std::memory_order_acquire);
    for (std::size_t place = slots.first_place(key);; place = (place + 1) & slots.mask) {
      const Entry* entry = slots.places[place].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->key == key) return &entry->selection;
    }
  }
  /// Adds a selection for values that `find` did not find. Only one thread may call it at a time. No text of
  /// `values` may be null. The texts are copied.
  const Selection* add(std::span<const warptune_value> values, Selection selection);

 private:
  struct Entry {
    explicit Entry(std::span<const warptune_value> asked)
        : key(SelectionKey::of(asked)), values(asked.begin(), asked.end()) {}
    SelectionKey key;
    std::vector<warptune_value> values;
    std::deque<std::string> texts;  ///< The texts of `values` point into it.
    Selection selection;
  };
  /// Open addressing with linear probing. At least half of the slots are empty.
  struct Slots {
    explicit Slots(unsigned bits) : shift(64 - bits), mask((std::size_t{1} << bits) - 1), places(mask + 1) {}
    std::size_t first_place(const SelectionKey& key) const { return key.hash() >> shift; }
    void put(const Entry* entry);
    unsigned shift;
    std::size_t mask;
    std::vector<std::atomic<const Entry*>> places;
  };

  /// `find` for values that have no exact key.
  const Selection* find_inexact(std::span<const warptune_value> values) const noexcept;

  std::atomic<const Slots*> current_;
  std::vector<std::unique_ptr<Slots>> slots_;  ///< The last is in use. A thread may still read former ones.
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace warptune::library
