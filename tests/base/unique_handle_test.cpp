#include "base/unique_handle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace warptune::base {
namespace {

std::vector<int> closed;

struct Traits {
  using Handle = int;
  static int null() { return -1; }
  static void close(int handle) { closed.push_back(handle); }
};
using Handle = UniqueHandle<Traits>;

class UniqueHandleTest : public ::testing::Test {
 protected:
  void SetUp() override { closed.clear(); }
};

TEST_F(UniqueHandleTest, ClosesOnceAtTheEnd) {
  {
    Handle handle(3);
    const Handle moved = std::move(handle);
    EXPECT_EQ(moved.get(), 3);
  }
  EXPECT_THAT(closed, ::testing::ElementsAre(3));
}

TEST_F(UniqueHandleTest, NeverClosesNull) {
  { const Handle handle; }
  EXPECT_THAT(closed, ::testing::IsEmpty());
}

TEST_F(UniqueHandleTest, AssignmentClosesWhatWasHeld) {
  Handle handle(1);
  handle = Handle(2);
  EXPECT_THAT(closed, ::testing::ElementsAre(1));
  EXPECT_TRUE(handle);
}

TEST_F(UniqueHandleTest, ReleaseGivesUpOwnership) {
  {
    Handle handle(4);
    EXPECT_EQ(handle.release(), 4);
    EXPECT_FALSE(handle);
  }
  EXPECT_THAT(closed, ::testing::IsEmpty());
}

TEST_F(UniqueHandleTest, OutDropsTheOldHandleAndTakesTheNew) {
  {
    Handle handle(5);
    *handle.out() = 6;
    EXPECT_EQ(handle.get(), 6);
  }
  EXPECT_THAT(closed, ::testing::ElementsAre(5, 6));
}

}  // namespace
}  // namespace warptune::base
