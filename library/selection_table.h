#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
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

  /// The maximum number of values of a problem.
  static constexpr std::size_t kMaxValues = 32;

  /// Returns null if the values were not added. Texts are compared by their characters. A text that is null
  /// is never found.
  const Selection* find(std::span<const warptune_value> values) const noexcept;
  /// Adds what `find` did not find. Only one thread may call it at a time. The texts of `values` are copied.
  /// There are at most `kMaxValues` values, and no text is null.
  const Selection* add(std::span<const warptune_value> values, Selection selection);

 private:
  /// A value as it is compared: a number's bits, or up to eight characters of a text.
  struct Word {
    std::uint64_t bits;
    std::int32_t type;
    bool is_cut;  ///< The text is longer.
    bool operator==(const Word&) const = default;
  };
  /// The values of a question.
  struct Key {
    std::array<Word, kMaxValues> words;
    std::uint64_t hash;
    bool is_cut;  ///< A text is longer than its word.
  };
  struct Entry {
    std::uint64_t hash = 0;
    std::vector<Word> words;
    std::vector<std::string> texts;  ///< For each value; empty unless it is a text.
    Selection selection;
  };
  static Word word_of(const warptune_value& value, std::uint64_t& hash) noexcept;
  static bool make_key(std::span<const warptune_value> values, Key& key) noexcept;
  static bool fits(const Entry& entry, const Key& key, std::span<const warptune_value> values) noexcept;

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
