#include "model/diagrams/state_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <map>

namespace warptune::model::diagrams {
namespace {

RC_GTEST_PROP(StateTableProperty, FindsWhatWasInsertedAndNothingElse, (std::uint64_t seed)) {
  base::Random random(seed);
  StateTable table(2);
  std::map<std::array<std::uint64_t, 2>, std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 300; ++i) {  // Past several times that it grows.
    const std::array<std::uint64_t, 2> key = {random.below(30), random.below(30)};
    const std::uint32_t* known = table.find(key.data());
    const auto entry = expected.find(key);
    RC_ASSERT((known != nullptr) == (entry != expected.end()));
    if (known != nullptr) {
      RC_ASSERT(*known == entry->second);
    } else {
      table.insert(key.data(), i);
      expected[key] = i;
    }
  }
  for (const auto& [key, value] : expected) {
    const std::uint32_t* known = table.find(key.data());
    RC_ASSERT(known != nullptr);
    RC_ASSERT(*known == value);
  }
}

TEST(StateTable, CountsItsMemoryAsItGrows) {
  StateTable table(1);
  const std::size_t before = table.memory_bytes();
  for (std::uint64_t key = 0; key < 1000; ++key) table.insert(&key, static_cast<std::uint32_t>(key));
  EXPECT_GT(table.memory_bytes(), before + 1000 * 8);
}

}  // namespace
}  // namespace warptune::model::diagrams
