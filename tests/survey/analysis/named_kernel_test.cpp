#include "survey/analysis/named_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace warptune::survey::analysis {

namespace {

using ::testing::HasSubstr;

class NamedKernelTest : public ::testing::Test {
 protected:
  NamedKernelTest() {
    survey_.names = {"void app::scale<float>(float*, int)", "void app::scale<double>(double*, int)", "copy"};
    for (const records::Index name : {1U, 0U, 2U}) {
      kernels_.emplace_back();
      kernels_.back().name = name;
    }
  }
  records::Index find(const std::string& text) { return kernel_named(survey_, kernels_, text); }

  records::Survey survey_;
  std::vector<KernelTime> kernels_;  // The longest first.
};

TEST_F(NamedKernelTest, FindsWholeShortAndPlainNames) {
  EXPECT_EQ(find("void app::scale<float>(float*, int)"), 0U);
  EXPECT_EQ(find("app::scale<float>"), 0U);
  EXPECT_EQ(find("copy"), 2U);
}

TEST_F(NamedKernelTest, TakesTheLongestOfSeveral) { EXPECT_EQ(find("scale"), 1U); }

TEST_F(NamedKernelTest, AStarStandsForAnyCharacters) {
  EXPECT_EQ(find("*scale<float>*"), 0U);
  EXPECT_EQ(find("sc*e"), 1U);
  EXPECT_EQ(find("app::*<double>"), 1U);
  EXPECT_EQ(find("*o*y"), 2U);
  EXPECT_EQ(find("copy*"), 2U);
  EXPECT_EQ(find("*"), 1U);
  for (const char* text : {"*opx", "x*", "cop*opy", "c*x*y"})
    EXPECT_THROW(find(text), base::InputError) << text;
}

// The star of the pointer would stand for ` const*, double*`.
TEST_F(NamedKernelTest, AWholeNameIsFoundBeforeOnesThatFitItsStars) {
  survey_.names[1] = "void app::scale<float>(float const*, double*, int)";
  EXPECT_EQ(find("void app::scale<float>(float*, int)"), 0U);
}

TEST_F(NamedKernelTest, NamesTheLongestIfNoneFits) {
  try {
    find("cop");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("'cop': the program launched no kernel of this name, but '*cop*' fits copy; "));
    EXPECT_THAT(error.what(), HasSubstr("app::scale<double>, app::scale<float>, copy"));
  }
  try {
    find("scael");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no kernel of this name (did you mean "));
  }
  kernels_.clear();
  EXPECT_THROW(find("copy"), base::InputError);
}

}  // namespace

}  // namespace warptune::survey::analysis
