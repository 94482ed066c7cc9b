// A local database of an attempt that grows.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::fleet::rows {

class FilledDatabase : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(scratch_); }

  db::Store& store() {
    if (!store_) {
      store_ = std::make_unique<db::Store>(local_);
      session_ = store_->begin_session(db::testing::session());
    }
    return *store_;
  }

  /// Adds measured rows of configurations that the database has not.
  void add_rows(int count) {
    for (int i = 0; i < count; ++i) {
      db::Store& database = store();
      ++block_;
      database.add_measurement(session_, db::testing::measured(db::testing::configuration(block_),
                                                               1000.0 - static_cast<double>(block_)));
    }
  }

  db::testing::TemporaryFolder folder_;
  std::filesystem::path local_ = folder_ / "local.db";
  std::filesystem::path scratch_ = folder_ / "scratch";
  std::int64_t session_ = 0;

 private:
  std::unique_ptr<db::Store> store_;
  std::int64_t block_ = 0;
};

}  // namespace warptune::fleet::rows
