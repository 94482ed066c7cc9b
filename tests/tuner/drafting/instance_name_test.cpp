#include "tuner/drafting/instance_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::tuner::drafting {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(InstanceNameTest, HasTheFunctionAndItsTemplateArguments) {
  const InstanceName plain = instance_name("scale(float const*, float*, int)");
  EXPECT_EQ(plain.qualified, "scale");
  EXPECT_THAT(plain.template_arguments, IsEmpty());
  EXPECT_EQ(instance_name("scale").function, "scale");
  const InstanceName instance =
      instance_name("void linear::scale<float, (bool)1, pair<int, f(int)>, 256>(float const*, int)");
  EXPECT_EQ(instance.qualified, "linear::scale");
  EXPECT_EQ(instance.function, "scale");
  EXPECT_THAT(instance.template_arguments, ElementsAre("float", "(bool)1", "pair<int, f(int)>", "256"));
}

TEST(InstanceNameTest, LeavesOutAnonymousNamespaces) {
  EXPECT_EQ(instance_name("(anonymous namespace)::scale(float*)").qualified, "scale");
  EXPECT_EQ(instance_name("void a::(anonymous namespace)::scale<2>(float*)").qualified, "a::scale");
}

TEST(InstanceNameTest, ReadsWhatIsNoKernelWithoutAFault) {
  for (const char* text : {"", "<", "void ", "f<", "f<a, b", "f<>()", ")", "(anonymous namespace)::"})
    EXPECT_LE(instance_name(text).template_arguments.size(), 1U) << text;
}

}  // namespace
}  // namespace warptune::tuner::drafting
