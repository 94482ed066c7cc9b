#include "search/strategies/permutation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

namespace warptune::search::strategies {
namespace {

RC_GTEST_PROP(PermutationProperty, ReachesEachIndexOnce, (std::uint64_t seed)) {
  const auto size = *rc::gen::inRange<std::uint64_t>(1, 700);
  const Permutation permutation(size, seed);
  std::vector<bool> reached(size, false);
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t index = permutation(i);
    RC_ASSERT(index < size);
    RC_ASSERT(!reached[index]);
    reached[index] = true;
  }
}

TEST(Permutation, StaysWithinALargeSizeAndDiffersBySeed) {
  const std::uint64_t size = UINT64_MAX - 5;
  const Permutation first(size, 1);
  const Permutation second(size, 2);
  int same = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_LT(first(i), size);
    same += first(i) == second(i) ? 1 : 0;
  }
  EXPECT_EQ(same, 0);
}

}  // namespace
}  // namespace warptune::search::strategies
