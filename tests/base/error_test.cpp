#include "base/error.h"

#include <gtest/gtest.h>

namespace warptune::base {
namespace {

TEST(SourcePosition, PrintsOnlyWhatIsKnown) {
  EXPECT_EQ(to_string({"k.cu", 3, 7}), "k.cu:3:7");
  EXPECT_EQ(to_string({"k.cu", 3, 0}), "k.cu:3");
  EXPECT_EQ(to_string({"k.cu", 0, 7}), "k.cu");
  EXPECT_EQ(to_string(SourcePosition{}), "");
}

TEST(InputError, StartsWithItsPositionAndKeepsTheBareMessage) {
  const InputError error("found ')'", {"k.cu", 3, 7});
  EXPECT_STREQ(error.what(), "k.cu:3:7: found ')'");
  EXPECT_EQ(error.message(), "found ')'");
  EXPECT_EQ(error.position(), (SourcePosition{"k.cu", 3, 7}));
  EXPECT_STREQ(InputError("no parameters").what(), "no parameters");
}

TEST(Errors, CarryTheDocumentedExitCodes) {
  EXPECT_EQ(static_cast<int>(WorkError("x").exit_code()), 1);
  EXPECT_EQ(static_cast<int>(InputError("x").exit_code()), 2);
  EXPECT_EQ(static_cast<int>(MachineError("x", "y").exit_code()), 3);
  EXPECT_EQ(static_cast<int>(InternalError("x").exit_code()), 1);
}

TEST(MachineError, SaysWhatToDo) {
  EXPECT_STREQ(MachineError("no GPU", "install a driver").what(), "no GPU; install a driver");
  EXPECT_STREQ(MachineError("no GPU", "").what(), "no GPU");
}

}  // namespace
}  // namespace warptune::base
