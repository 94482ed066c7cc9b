#include "db/winner_snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "db/header_export.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string written(const std::vector<ExportInput>& kernels) {
  for (const ExportFormat& format : export_formats()) {
    if (format.name == "snapshot") return format.write(kernels);
  }
  return "";
}

class WinnerSnapshotTest : public ::testing::Test {
 protected:
  WinnerSnapshotTest() {
    kernel_.winners = {
        testing::winner(testing::workload(), testing::configuration(128, true), 512.25),
        testing::winner(testing::workload({{"N", std::int64_t{8}}, {"dtype", std::string("f64")}},
                                          testing::gpu(8, 0, 108, "NVIDIA A100")),
                        testing::configuration(64), 1.5)};
  }

  WinnerSnapshot read(const std::string& text) {
    testing::spill(folder_ / "snapshot", text);
    return WinnerSnapshot(folder_ / "snapshot");
  }
  // A file with these rows and the hash that belongs to them.
  WinnerSnapshot with_rows(const std::string& rows) {
    return read("warptune-snapshot 1 " + base::hash_hex(rows) + "\n" + rows);
  }
  std::string failure(const std::string& json) {
    try {
      with_rows(base::hash_hex("k") + json).winners("k", "");
      return "nothing was thrown";
    } catch (const base::InputError& error) {
      return error.what();
    }
  }

  testing::TemporaryFolder folder_;
  ExportInput kernel_ = testing::vector_add();
};

TEST_F(WinnerSnapshotTest, WinnersAreReadAsTheyWereWritten) {
  const WinnerSnapshot snapshot = read(written({kernel_}));
  const std::vector<Winner> winners = snapshot.winners("vector-add", kernel_.kernel_hash);
  ASSERT_THAT(winners, SizeIs(2));
  const Winner& found = winners.back();
  const Winner& stored = kernel_.winners.front();
  EXPECT_EQ(found.workload.kernel_hash, stored.workload.kernel_hash);
  EXPECT_EQ(found.workload.problem, stored.workload.problem);
  EXPECT_EQ(found.workload.gpu, stored.workload.gpu);
  EXPECT_EQ(found.workload.cache, stored.workload.cache);
  EXPECT_EQ(found.best.configuration, stored.best.configuration);
  EXPECT_EQ(found.best.status, model::Status::kMeasured);
  EXPECT_EQ(found.best.time->median_ns, 512.25);
  EXPECT_EQ(found.best.resources.registers_per_thread, 32);
  EXPECT_EQ(found.best.resources.static_shared_bytes, 1024);
  ASSERT_TRUE(found.default_measurement);
  EXPECT_EQ(found.default_measurement->time->median_ns, 1024.5);
  EXPECT_EQ(found.session_id, stored.session_id);
}

TEST_F(WinnerSnapshotTest, OtherKernelsAndVersionsAreLeftOut) {
  const WinnerSnapshot snapshot = read(written({kernel_}));
  EXPECT_THAT(snapshot.winners("vector-add", "another"), SizeIs(0));
  EXPECT_THAT(snapshot.winners("vector-add", ""), SizeIs(2));
  EXPECT_THAT(snapshot.winners("transpose", ""), SizeIs(0));
  EXPECT_THAT(snapshot.gpus(), SizeIs(2));
}

TEST_F(WinnerSnapshotTest, TheSameWinnersHaveTheSameHash) {
  const std::string text = written({kernel_});
  EXPECT_EQ(read(text).hash(), read(written({kernel_})).hash());
  kernel_.winners.front().best.time->median_ns = 513.0;
  EXPECT_NE(read(text).hash(), read(written({kernel_})).hash());
  EXPECT_EQ(read(written({})).hash(), base::hash_hex(""));
}

TEST_F(WinnerSnapshotTest, MalformedRowsAreRefusedWithThePlace) {
  const std::string kernel = R"( {"kernel":"k","hash":"0")";
  EXPECT_THAT(failure("\n"), HasSubstr("expected the hash of a kernel's name and its winners"));
  EXPECT_THAT(failure(" {\n"), HasSubstr("expected JSON"));
  EXPECT_THAT(failure(" {}\n"), HasSubstr("expected a member 'kernel'"));
  EXPECT_THAT(failure(kernel + R"(,"winners":[{}]})"
                               "\n"),
              HasSubstr("expected a member 'cache'"));
  EXPECT_THAT(failure(kernel + R"(,"winners":[{"cache":"hot"}]})"
                               "\n"),
              HasSubstr("cache: expected cold, warm or unknown, found 'hot'"));
}

TEST_F(WinnerSnapshotTest, FilesThatAreNoSnapshotsAreRefused) {
  for (const char* text : {"", "\n", "warptune-snapshot", "warptune-snapshot 1 0\n",
                           "warptune-snapshot 2 0\n", "SQLite format 3"})
    EXPECT_THROW(read(text), base::InputError) << text;
}

}  // namespace
}  // namespace warptune::db
