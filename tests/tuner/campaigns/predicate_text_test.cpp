#include "tuner/campaigns/predicate_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::tuner::campaigns {
namespace {

std::string capability(std::string_view text) {
  fleet::GpuPredicate predicate;
  read_capability(text, predicate);
  return predicate.text();
}

TEST(PredicateText, ACapabilityIsOneOrARange) {
  EXPECT_EQ(capability("9.0"), "compute capability 9.0");
  EXPECT_EQ(capability(">=8.0"), "compute capability 8.0 and above");
  EXPECT_EQ(capability("<= 12.1"), "compute capability 12.1 and below");
  EXPECT_EQ(capability("8.0..9.0"), "compute capability 8.0 to 9.0");
  for (const char* wrong : {"", "9", "9.", ".0", "9.00", "9.0..8.0", ">9.0", "8.0..", "x.0", "900.0"})
    EXPECT_THROW(capability(wrong), base::InputError) << wrong;
}

TEST(PredicateText, MemoryIsAMinimumInBinaryUnits) {
  fleet::GpuPredicate predicate;
  read_memory("40 GiB", predicate);
  EXPECT_EQ(predicate.min_memory_bytes, std::int64_t{40} << 30);
  read_memory(">= 512MiB", predicate);
  EXPECT_EQ(predicate.min_memory_bytes, std::int64_t{512} << 20);
  for (const char* wrong : {"", "40", "40 GB", "-1 GiB", "0 GiB", "GiB", "inf GiB", "nan GiB"})
    EXPECT_THROW(read_memory(wrong, predicate), base::InputError) << wrong;
}

}  // namespace
}  // namespace warptune::tuner::campaigns
