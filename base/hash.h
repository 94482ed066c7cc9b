#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::base {

/// The 64-bit XXH3 hash of a byte string (Collet, xxHash). It is the same on all machines, and in all
/// versions of xxHash since 0.8.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

/// The 128-bit XXH3 hash as 32 lower-case hexadecimal digits. All keys in the database have this form.
std::string hash_hex(std::string_view bytes);

/// The 256-bit BLAKE2b hash with a secret key (RFC 7693, by libsodium) as 64 lower-case hexadecimal digits.
/// Without the key nobody can construct bytes that have a given digest. `key` has 16 to 64 bytes.
std::string keyed_hash_hex(std::string_view bytes, std::string_view key);

/// Unpredictable bytes from the kernel's random number generator.
std::string random_bytes(std::size_t count);

}  // namespace warptune::base
