// A local database of an attempt that grows.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "db/store.h"
#include "fleet/rows/batch_owner.h"
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

  /// The only task of a campaign: to tune what the rows are of.
  static TaskClass task_class() {
    TaskClass one;
    one.kernel = db::testing::workload().kernel;
    one.kernel_hash = db::testing::workload().kernel_hash;
    return one;
  }
  static Task task() { return {0, {{"N", std::int64_t{4096}}}}; }
  /// The owner of a batch of this node for that task.
  static db::RowOwner owner(const std::string& node = "a", std::uint64_t fence = 1) {
    return owner_of("nightly 1", {{"nightly", 0, fence}, node, 0}, task_class(), task());
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
