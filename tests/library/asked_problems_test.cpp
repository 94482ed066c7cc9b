#include "library/asked_problems.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "tests/db/test_data.h"

namespace warptune::library {
namespace {

TEST(AskedProblemsTest, EachLineIsWrittenOnceAlsoByAnotherProcess) {
  const db::testing::TemporaryFolder folder;
  {
    AskedProblems asked(folder / "asked.sh");
    asked.add("warptune tune a");
    asked.add("warptune tune a");
    asked.add("warptune tune b");
  }
  AskedProblems later(folder / "asked.sh");
  later.add("warptune tune b");
  later.add("warptune tune c");
  EXPECT_EQ(base::read_file(folder / "asked.sh"), "warptune tune a\nwarptune tune b\nwarptune tune c\n");
}

TEST(AskedProblemsTest, AFileThatCannotBeWrittenIsAnError) {
  const db::testing::TemporaryFolder folder;
  EXPECT_THROW(AskedProblems(folder / "missing/asked.sh"), base::MachineError);
}

}  // namespace
}  // namespace warptune::library
