#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::base {

/// XXH3 of a byte string, 64 bits (Collet, xxHash 0.8). Stable across machines and versions.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

/// XXH3, 128 bits, as 32 lower-case hexadecimal digits: the form of every key in the database.
std::string hash_hex(std::string_view bytes);

}  // namespace warptune::base
