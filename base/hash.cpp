#include "base/hash.h"

#include <fmt/format.h>
#include <sodium.h>
#include <xxhash.h>

#include <array>

#include "base/error.h"

namespace warptune::base {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hash_hex(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

namespace {

// Lets libsodium choose the fastest implementation for this processor.
void prepare_sodium() {
  static const int prepared = ::sodium_init();
  if (prepared < 0) throw MachineError("no random numbers: libsodium cannot be initialised", "");
}

}  // namespace

std::string keyed_hash_hex(std::string_view bytes, std::string_view key) {
  prepare_sodium();
  std::array<unsigned char, 32> digest{};
  if (::crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                           bytes.size(), reinterpret_cast<const unsigned char*>(key.data()), key.size()) != 0)
    throw InternalError(fmt::format("no keyed hash with a key of {} bytes", key.size()));
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string random_bytes(std::size_t count) {
  prepare_sodium();
  std::string bytes(count, '\0');
  ::randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace warptune::base
