#include "base/c_strings.h"

#include <gtest/gtest.h>

namespace warptune::base {
namespace {

TEST(CStringsTest, EachTextIsPointedToAndANullPointerEndsThem) {
  const std::vector<std::string> texts = {"nvcc", "", "-O3"};
  const std::vector<char*> pointers = c_strings(texts);
  ASSERT_EQ(pointers.size(), 4U);
  EXPECT_STREQ(pointers[0], "nvcc");
  EXPECT_STREQ(pointers[1], "");
  EXPECT_EQ(pointers[2], texts[2].c_str());
  EXPECT_EQ(pointers[3], nullptr);
  EXPECT_EQ(c_strings({}), std::vector<char*>{nullptr});
}

}  // namespace
}  // namespace warptune::base
