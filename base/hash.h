#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::base {

/// XXH3 of a byte string, 64 bits (Collet, xxHash 0.8). Stable across machines and versions.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

/// XXH3, 128 bits, as 32 lower-case hexadecimal digits: the form of every key in the database.
std::string hash_hex(std::string_view bytes);

/// BLAKE2b with a secret key (RFC 7693; libsodium), 256 bits, as 64 lower-case hexadecimal digits: who does
/// not know the key cannot make bytes of a given digest. `key` is of 16 to 64 bytes.
std::string keyed_hash_hex(std::string_view bytes, std::string_view key);

/// Bytes that nobody can guess, from the kernel.
std::string random_bytes(std::size_t count);

}  // namespace warptune::base
