#include "base/hash.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace warptune::base
