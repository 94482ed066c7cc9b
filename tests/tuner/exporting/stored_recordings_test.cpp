// Which session describes the rows that are exported.
#include "tuner/exporting/stored_recordings.h"

#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::exporting {
namespace {

class StoredRecordingsTest : public ::testing::Test {
 protected:
  void store_row(model::RowSource source, model::Measurement row) {
    db::Session session;
    session.workload = testing::line_plan(5).workload;
    session.source = row.source = source;
    session.default_configuration = row.configuration;
    session.environment.warptune_version = std::string(model::to_string(source));
    store_.add_measurement(store_.begin_session(session), row);
  }

  model::Recording recording() const {
    RowSelection selection;
    selection.all = selection.imported = true;
    return stored_recordings(store_, selection).at(0);
  }

  testing::TemporaryFolder folder_;
  db::Store store_{folder_ / "w.db"};
};

TEST_F(StoredRecordingsTest, WithoutABestTheNewestSessionOfTheBestSourceDescribesTheRows) {
  const auto failed = [](std::int64_t x) {
    return testing::failed(testing::at(x), model::Status::kWrongResult, "wrong");
  };
  store_row(model::RowSource::kMeasured, failed(1));
  store_row(model::RowSource::kMeasured, failed(2));
  store_row(model::RowSource::kImported, failed(3));
  EXPECT_EQ(recording().measurements.size(), 3U);
  EXPECT_EQ(recording().environment.warptune_version, "measured");
  EXPECT_EQ(testing::x_of(recording().default_configuration), 2);
}

TEST_F(StoredRecordingsTest, TheSessionOfTheBestDescribesTheRows) {
  store_row(model::RowSource::kMeasured, testing::measured(testing::at(1), 2000.0));
  store_row(model::RowSource::kMeasured, testing::measured(testing::at(2), 3000.0));
  store_row(model::RowSource::kImported, testing::measured(testing::at(3), 1000.0));
  EXPECT_EQ(testing::x_of(recording().default_configuration), 1);
}

}  // namespace
}  // namespace warptune::tuner::exporting
