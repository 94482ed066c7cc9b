#include "db/storage/columns.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "db/storage/schema.h"
#include "db/storage/sqlite.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

using ::testing::UnorderedElementsAreArray;

class ColumnsTest : public ::testing::Test {
 protected:
  std::vector<std::string> schema_of(const std::string& table) {
    storage::Statement found = database_.prepare("SELECT name FROM pragma_table_info(?)");
    found.bind(table);
    std::vector<std::string> columns;
    while (found.step()) columns.push_back(found.text());
    return columns;
  }
  // The columns of the list, and the keys and checksums that are written with them.
  template <class Object>
  static std::vector<std::string> listed(std::vector<std::string> others) {
    for (std::string& column : storage::columns_of<Object>()) others.push_back(std::move(column));
    return others;
  }

  testing::TemporaryFolder folder_;
  storage::Database database_ = storage::open_for_writing(folder_ / "w.db");
};

TEST_F(ColumnsTest, OfTheListsAreExactlyThoseOfTheSchema) {
  EXPECT_THAT(listed<Session>({"id", "workload_id", "gpu_id", "default_key", "search_state", "checksum",
                               "origin", "origin_id", "revision", "search_checksum"}),
              UnorderedElementsAreArray(schema_of("session")));
  EXPECT_THAT(listed<model::Measurement>({"id", "session_id", "configuration_id", "preferred", "checksum",
                                          "counter_checksum", "origin_id", "revision", "chosen"}),
              UnorderedElementsAreArray(schema_of("measurement")));
  EXPECT_THAT(listed<model::GpuDescription>({"id", "key", "description"}),
              UnorderedElementsAreArray(schema_of("gpu")));
  EXPECT_THAT(listed<model::RoofReading>({"gpu_key", "checksum", "revision"}),
              UnorderedElementsAreArray(schema_of("roof")));
}

}  // namespace
}  // namespace warptune::db::storage
