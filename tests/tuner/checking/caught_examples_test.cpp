// What examples/caught/README.md says about `warptune check` and compiling. What needs a GPU is tested in
// tests/profiling/verification/caught_examples_gpu_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tuner/program.h"

namespace warptune::tuner::checking {
namespace {

using ::testing::HasSubstr;

testing::ProgramRun checked(const std::string& example) {
  testing::Warptune warptune;
  const std::filesystem::path folder = std::filesystem::path(WARPTUNE_SOURCE_FOLDER) / "examples/caught";
  return warptune.run({"check", (folder / (example + ".cu")).string(), "--trust"});
}

TEST(CaughtExamplesTest, ReadingSharedMemoryThatNobodyWroteIsFoundOnTheCpu) {
  const testing::ProgramRun done = checked("early_return");
  EXPECT_EQ(done.exit_code, 2) << done.err;
  EXPECT_THAT(done.out, HasSubstr("TEXTBOOK=true: the argument 'out': element "));
  EXPECT_THAT(done.out, ::testing::Not(HasSubstr("TEXTBOOK=false: the argument")));
}

TEST(CaughtExamplesTest, AWarpThatDoesNotRunInStepIsFoundOnTheCpu) {
  const testing::ProgramRun done = checked("warp_tail");
  EXPECT_EQ(done.exit_code, 2) << done.err;
  EXPECT_THAT(done.out, HasSubstr("TEXTBOOK=true: the argument 'sums': element "));
  EXPECT_THAT(done.out, ::testing::Not(HasSubstr("TEXTBOOK=false: the argument")));
}

TEST(CaughtExamplesTest, TooMuchStaticSharedMemoryIsNamedWithItsLimit) {
  const testing::ProgramRun done = checked("static_shared");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("transpose_tiles has 66048 bytes of static shared memory"));
}

// These two are right or wrong only on a GPU.
TEST(CaughtExamplesTest, TheOthersAreRightOnTheCpu) {
  for (const char* example : {"rows", "shared_input"}) {
    const testing::ProgramRun done = checked(example);
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    EXPECT_THAT(done.out, HasSubstr("Run on the host's CPU and compared with the reference"));
    EXPECT_THAT(done.out, HasSubstr("no errors and no warnings"));
  }
}

}  // namespace
}  // namespace warptune::tuner::checking
