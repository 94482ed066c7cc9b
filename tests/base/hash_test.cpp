#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace warptune::base {
namespace {

// Stored keys depend on these; from xxHash 0.8's own sanity values for empty input.
TEST(Hash, IsXxh3AndStaysIt) {
  EXPECT_EQ(hash64(""), 0x2D06800538D394C2ULL);
  EXPECT_EQ(hash_hex(""), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, DependsOnEveryByteAndTheSeed) {
  EXPECT_NE(hash64("ab"), hash64("ac"));
  EXPECT_NE(hash64("ab", 1), hash64("ab", 2));
  EXPECT_NE(hash_hex(std::string("a\0b", 3)), hash_hex(std::string("a\0c", 3)));
}

TEST(Hash, PrintsThirtyTwoLowerCaseDigits) {
  EXPECT_EQ(hash_hex("x").size(), 32U);
  EXPECT_EQ(hash_hex("x").find_first_not_of("0123456789abcdef"), std::string::npos);
}

// Kept programs depend on it; from another implementation of RFC 7693 (Python's hashlib).
TEST(KeyedHash, IsBlake2bAndDependsOnItsKey) {
  std::string key;
  for (char byte = 0; byte < 32; ++byte) key.push_back(byte);
  EXPECT_EQ(keyed_hash_hex("abc", key), "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f");
  key[31] = 'x';
  EXPECT_NE(keyed_hash_hex("abc", key), "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f");
  EXPECT_EQ(keyed_hash_hex("", key).size(), 64U);
}

TEST(RandomBytes, DifferEachTime) {
  EXPECT_EQ(random_bytes(32).size(), 32U);
  EXPECT_NE(random_bytes(32), random_bytes(32));
}

}  // namespace
}  // namespace warptune::base
