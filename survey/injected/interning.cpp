#include "survey/injected/interning.h"

#include <stdlib.h>

#include <cstring>

namespace warptune::survey::injected {

namespace {

constexpr std::size_t kMaxItems = 65536;
constexpr std::size_t kMaxText = std::size_t{64} << 20U;
// Demangled names of templates reach some ten thousand characters.
constexpr std::size_t kLongestName = 32768;

// The part of a table, in eighths, that names of a use may fill.
std::size_t eighths_for(NameUse use) {
  if (use == NameUse::kRange) return 4;
  return use == NameUse::kKernel ? 7 : 8;
}

std::uint64_t hash_of(const char* text, std::size_t length) {
  std::uint64_t hash = collecting::raw_checksum(text, length, length);
  for (std::size_t i = length / 8 * 8; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100'0000'01B3U;  // As FNV-1a does.
  }
  return hash ^ hash >> 32U;
}

}  // namespace

bool HashIndex::grow() {
  const std::size_t wanted = capacity_ == 0 ? 256 : 2 * capacity_;
  auto* slots = static_cast<Slot*>(::malloc(wanted * sizeof(Slot)));
  if (slots == nullptr) return false;
  for (std::size_t i = 0; i < wanted; ++i) slots[i] = Slot{};
  Slot* const old = slots_;
  const std::size_t old_capacity = capacity_;
  slots_ = slots;
  capacity_ = wanted;
  used_ = 0;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i].number != kNoNumber) add(old[i].hash, old[i].number);
  }
  ::free(old);
  return true;
}

bool HashIndex::add(std::uint64_t hash, std::uint32_t number) {
  if (2 * (used_ + 1) > capacity_ && !grow()) return false;
  std::size_t at = hash & mask();
  while (slots_[at].number != kNoNumber) at = (at + 1) & mask();
  slots_[at] = {hash, number};
  ++used_;
  return true;
}

std::string_view NameTable::name(std::uint32_t number) const {
  const Place& place = places_[number];
  return {texts_.data() + place.start, place.length};
}

Interned NameTable::intern(const char* text, NameUse use) {
  Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(text) >> 4U) % recent_.size()];
  if (recent.text == text) {
    const std::string_view known = name(recent.number);
    if (std::strncmp(text, known.data(), known.size()) == 0 &&
        (known.size() == kLongestName || text[known.size()] == '\0')) {
      return {recent.number, false};
    }
  }
  const std::size_t length = ::strnlen(text, kLongestName);
  const std::uint64_t hash = hash_of(text, length);
  const std::string_view wanted(text, length);
  std::uint32_t number = index_.find(hash, [&](std::uint32_t other) { return name(other) == wanted; });
  bool is_new = false;
  if (number == kNoNumber) {
    const std::size_t part = eighths_for(use);
    if (places_.size() >= kMaxItems / 8 * part || texts_.size() + length > kMaxText / 8 * part) return {};
    const Place place{texts_.size(), static_cast<std::uint32_t>(length)};
    number = static_cast<std::uint32_t>(places_.size());
    if (!texts_.append(text, length) || !places_.append(place) || !index_.add(hash, number)) return {};
    is_new = true;
  }
  recent = {text, number};
  return {number, is_new};
}

Interned ShapeTable::intern(const collecting::RawShape& shape) {
  const std::uint64_t hash = collecting::raw_checksum(&shape, sizeof(shape), 0);
  const std::uint32_t known = index_.find(hash, [&](std::uint32_t other) { return shapes_[other] == shape; });
  if (known != kNoNumber) return {known, false};
  if (shapes_.size() >= kMaxItems) return {};
  const auto number = static_cast<std::uint32_t>(shapes_.size());
  if (!shapes_.append(shape) || !index_.add(hash, number)) return {};
  return {number, true};
}

}  // namespace warptune::survey::injected
