#include "db/storage/messages/sqlite_errors.h"

#include <gmock/gmock.h>

#include <string>

#include "base/error.h"

namespace warptune::db::storage::messages {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SqliteErrors, AnOutlineIsOneLineOfWholeCharacters) {
  EXPECT_EQ(outline(" SELECT a\n   FROM b ", 80), "SELECT a FROM b");
  EXPECT_EQ(outline("SELECT a", 8), "SELECT a");
  EXPECT_EQ(outline("SELECT ab", 8), "SELEC…");
  EXPECT_EQ(outline("µµµµµ", 8), "µµ…");
}

TEST(SqliteErrors, ProblemsOfPagesAreOneLineWithoutABanner) {
  EXPECT_EQ(problems_of_pages("ok"), "");
  EXPECT_EQ(problems_of_pages("*** in database main ***\nTree 5: x\nPage 7: y"), "Tree 5: x Page 7: y");
}

TEST(SqliteErrors, AMessageOfDamageNamesCopiesAndCutsTheStatementOff) {
  try {
    throw_failure("w.db", nullptr, SQLITE_CORRUPT, "SELECT a,\n " + std::string(1000, 'b'));
    FAIL() << "expected an error";
  } catch (const DamageError& error) {
    EXPECT_THAT(error.damage(), ::testing::EndsWith("bbb…)"));
    EXPECT_THAT(error.what(), AllOf(HasSubstr("w.db: damaged database: "), HasSubstr("SELECT a, bbb"),
                                    HasSubstr("warptune db backup"), Not(HasSubstr("\n"))));
    EXPECT_LT(error.message().size(), 350U);
  }
}

}  // namespace
}  // namespace warptune::db::storage::messages
