#include "base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace warptune::base {
namespace {

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) != -1; }

TEST(DescriptorTest, ADescriptorIsClosedOnceAtTheEndOfItsOwner) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  {
    Descriptor first(ends[0]);
    const Descriptor second = std::move(first);
    EXPECT_TRUE(is_open(ends[0]));
    EXPECT_EQ(second.get(), ends[0]);
  }
  EXPECT_FALSE(is_open(ends[0]));
  EXPECT_TRUE(is_open(ends[1]));
  const Descriptor other(ends[1]);
}

TEST(DescriptorTest, NoDescriptorIsFalse) {
  EXPECT_FALSE(Descriptor());
  EXPECT_FALSE(Descriptor(-1));
  const Descriptor zero(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(zero);
}

}  // namespace
}  // namespace warptune::base
