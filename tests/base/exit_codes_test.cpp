#include "base/exit_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace warptune::base {
namespace {

TEST(ExitCodesTest, EachCodeThatAnErrorEndsWithHasItsRow) {
  std::vector<ExitCode> codes;
  for (const ExitCodeInfo& row : exit_codes()) {
    codes.push_back(row.code);
    EXPECT_FALSE(row.summary.empty());
    EXPECT_FALSE(row.meaning.empty());
  }
  EXPECT_THAT(codes, ::testing::ElementsAre(ExitCode::kDone, ExitCode::kWorkFailed, ExitCode::kBadInput,
                                            ExitCode::kMachineCannot, ExitCode::kInterrupted));
  for (const ErrorKind kind :
       {ErrorKind::kWork, ErrorKind::kInput, ErrorKind::kMachine, ErrorKind::kInternal})
    EXPECT_THAT(codes, ::testing::Contains(exit_code_of(kind)));
}

}  // namespace
}  // namespace warptune::base
