// Structs of the C interface that grow at their end.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "base/error.h"

namespace warptune::library {

/// Returns a copy of a caller's struct that begins with `struct_size`. Members that the caller's version of
/// the struct lacks are zero. A null pointer gives a struct of zeros. Throws `base::InputError` if the size
/// is impossible, or if the caller has set a member that this version does not know.
template <class Struct>
Struct given_struct(const Struct* given) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  Struct known{};
  if (given == nullptr) return known;
  const std::size_t size = given->struct_size;
  if (size < sizeof(std::size_t) || size > 4096)
    throw base::InputError(fmt::format("struct_size: expected {}, found {}", sizeof(Struct), size));
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](auto b) { return b != 0; }))
    throw base::InputError("an option is set that this version of libwarptune does not know");
  std::memcpy(&known, given, std::min(size, sizeof(Struct)));
  return known;
}

/// Copies as much of a result as the caller's version of the struct has. Throws `base::InputError` if the
/// size is impossible.
template <class Struct>
void give_struct(Struct result, Struct* place) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (place == nullptr) throw base::InputError("expected a place for the result, found null");
  const std::size_t size = place->struct_size;
  if (size < sizeof(std::size_t))
    throw base::InputError(fmt::format("struct_size: expected {}, found {}", sizeof(Struct), size));
  result.struct_size = size;
  std::memcpy(place, &result, std::min(size, sizeof(Struct)));
}

}  // namespace warptune::library
