// Tables of names and of shapes of launches, in which each is once. They allocate with malloc and never
// throw, because an exception or an end of memory here must not end the surveyed program.
#pragma once

#include <stdlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "survey/collecting/raw_stream.h"

namespace warptune::survey::injected {

/// The number of something that has none, because a table is full.
constexpr std::uint32_t kNoNumber = 0xFFFF'FFFF;

/// An array that grows.
template <class Item>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  ~GrowingArray() { ::free(items_); }
  std::size_t size() const { return size_; }
  const Item* data() const { return items_; }
  Item& operator[](std::size_t at) { return items_[at]; }
  const Item& operator[](std::size_t at) const { return items_[at]; }
  /// Returns false when there is no memory.
  bool append(const Item* items, std::size_t count) {
    if (size_ + count > capacity_) {
      const std::size_t wanted = size_ + count > 2 * capacity_ ? size_ + count : 2 * capacity_;
      void* grown = ::realloc(items_, wanted * sizeof(Item));
      if (grown == nullptr) return false;
      items_ = static_cast<Item*>(grown);
      capacity_ = wanted;
    }
    for (std::size_t i = 0; i < count; ++i) items_[size_ + i] = items[i];
    size_ += count;
    return true;
  }
  bool append(const Item& item) { return append(&item, 1); }

 private:
  Item* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Numbers by hash, with linear probing.
class HashIndex {
 public:
  HashIndex() = default;
  HashIndex(const HashIndex&) = delete;
  HashIndex& operator=(const HashIndex&) = delete;
  ~HashIndex() { ::free(slots_); }
  /// The number with this hash for which `equal(number)` holds, or `kNoNumber`.
  template <class Equal>
  std::uint32_t find(std::uint64_t hash, const Equal& equal) const {
    for (std::size_t at = hash & mask(); capacity_ != 0; at = (at + 1) & mask()) {
      if (slots_[at].number == kNoNumber) return kNoNumber;
      if (slots_[at].hash == hash && equal(slots_[at].number)) return slots_[at].number;
    }
    return kNoNumber;
  }
  /// Returns false when there is no memory.
  bool add(std::uint64_t hash, std::uint32_t number);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = kNoNumber;
  };
  std::size_t mask() const { return capacity_ - 1; }
  bool grow();

  Slot* slots_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

/// What a table knows about something: its number, and whether it is new.
struct Interned {
  std::uint32_t number = kNoNumber;
  bool is_new = false;
};

/// What a name is of. Ranges and kernels may fill the table only in part, so that there is room for the rest.
enum class NameUse { kRange, kKernel, kOther };

/// Names with the numbers 0, 1, 2, ... It holds at most 65536 names and 64 MiB. Names of ranges are added
/// until half of that is used, and names of kernels until seven eighths are.
class NameTable {
 public:
  /// `text` may be longer than the table keeps. `name` returns what it keeps.
  Interned intern(const char* text, NameUse use = NameUse::kOther);
  std::string_view name(std::uint32_t number) const;

 private:
  struct Place {
    std::size_t start = 0;
    std::uint32_t length = 0;
  };
  struct Recent {
    const char* text = nullptr;
    std::uint32_t number = 0;
  };

  GrowingArray<char> texts_;
  GrowingArray<Place> places_;
  HashIndex index_;
  /// Most names come again at the same address. The text is still compared, because a program may unload a
  /// module and load another one.
  std::array<Recent, 256> recent_{};
};

/// Shapes with the numbers 0, 1, 2, ... It holds at most 65536.
class ShapeTable {
 public:
  Interned intern(const collecting::RawShape& shape);
  std::size_t size() const { return shapes_.size(); }

 private:
  GrowingArray<collecting::RawShape> shapes_;
  HashIndex index_;
};

}  // namespace warptune::survey::injected
