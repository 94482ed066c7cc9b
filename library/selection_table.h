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

namespace warptune::library {

/// The selections of a kernel by the values that were asked for. Any number of threads may look up while one
/// adds. A look-up takes no lock and writes nothing. An entry stays until the table is destroyed.
class SelectionTable {
 public:
  SelectionTable();
  ~SelectionTable();
  SelectionTable(const SelectionTable&) = delete;
  SelectionTable& operator=(const SelectionTable&) = delete;

  /// Returns null if the values were not added. Texts are compared by their characters. A text
  /// that is null is never found.
  const Selection* find(std::span<const warptune_value> values) const noexcept;
  /// Adds what `find` did not find. Only one thread may call it at a time. The texts of `values` are copied;
  /// none is null.
  const Selection* add(std::span<const warptune_value> values, Selection selection);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::vector<warptune_value> key;
    std::deque<std::string> texts;  ///< The key's texts point into it.
    Selection selection;
  };
  /// Open addressing with linear probing. At least half of the slots are empty.
  struct Slots {
    explicit Slots(std::size_t count) : mask(count - 1), places(count) {}
    void put(const Entry* entry);
    std::size_t mask;
    std::vector<std::atomic<const Entry*>> places;
  };

  std::atomic<const Slots*> current_;
  std::vector<std::unique_ptr<Slots>> slots_;  ///< Former ones stay, because a thread may still read them.
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace warptune::library
