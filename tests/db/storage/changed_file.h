// A database in a folder of its own, which a test changes without warptune.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {

class ChangedFileTest : public ::testing::Test {
 protected:
  /// Runs SQL without warptune, so that changed rows keep their old checksums. Stores in `changed_rows`, if
  /// it is given, how many rows have changed.
  void run_sql(const std::string& statements, int* changed_rows = nullptr) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    if (changed_rows != nullptr) *changed_rows = sqlite3_total_changes(database);
    sqlite3_close(database);
  }

  /// What `db verify` says of the file: "TABLE ID PROBLEM" for each damaged row.
  std::vector<std::string> problems() const {
    std::vector<std::string> problems;
    for (const DamagedRow& row : Store::open_existing(path_).damage())
      problems.push_back(row.table + " " + std::to_string(row.id) + " " + row.problem);
    return problems;
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "w.db";
};

}  // namespace warptune::db::storage
