// Which sessions the store finds by their notes and by their GPU. `partial_reads_test.cpp` and
// `store_test.cpp` cover the other queries of `store_sessions.cpp`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreSessionsTest : public ::testing::Test {
 protected:
  std::int64_t begin(const model::Workload& workload, const std::string& budget, std::int64_t started_ms = 1,
                     model::RowSource source = model::RowSource::kMeasured) {
    Session session = testing::session(workload);
    session.budget = budget;
    session.started_ms = started_ms;
    session.source = source;
    return store_.begin_session(session);
  }
  std::vector<std::int64_t> noted(const model::Workload& workload) const {
    std::vector<std::int64_t> ids;
    for (const Session& session : store_.noted_sessions(workload, "cover ")) ids.push_back(session.id);
    return ids;
  }
  std::int64_t newest(const model::GpuDescription& gpu) const {
    const std::optional<Session> found = store_.newest_measured_session(gpu.key());
    return found ? found->id : 0;
  }

  testing::TemporaryFolder folder_;
  Store store_{folder_ / "w.db"};
};

TEST_F(StoreSessionsTest, NotedSessionsAreThoseOfTheKernelVersionGpuAndCacheStateWhateverTheirProblem) {
  const model::Workload workload = testing::workload();
  const std::int64_t first = begin(workload, "100 cover 5%: N=1..9");
  begin(workload, "100");
  model::Workload other = workload;
  other.problem = {{"N", std::int64_t{7}}};
  const std::int64_t second = begin(other, "cover 5%: N=1..9");
  std::vector<model::Workload> elsewhere(4, workload);
  elsewhere[0].kernel_hash = "another";
  elsewhere[1].kernel = "another";
  elsewhere[2].gpu.sm_count += 1;
  elsewhere[3].cache = model::CacheState::kWarm;
  for (const model::Workload& one : elsewhere) begin(one, "cover 5%: N=1..9");
  EXPECT_THAT(noted(workload), ElementsAre(first, second));
  other.kernel = "unknown";
  EXPECT_THAT(noted(other), IsEmpty());
}

TEST_F(StoreSessionsTest, TheNewestSessionOfAGpuBeganLastAndMeasured) {
  const model::Workload workload = testing::workload();
  EXPECT_EQ(newest(workload.gpu), 0);
  begin(workload, "", 5);
  const std::int64_t last = begin(workload, "", 9);
  begin(workload, "", 7);
  begin(workload, "", 20, model::RowSource::kReplayed);
  begin(workload, "", 30, model::RowSource::kImported);
  begin(testing::workload(workload.problem, testing::gpu(8, 0, 108, "NVIDIA A100")), "", 40);
  EXPECT_EQ(newest(workload.gpu), last);
}

}  // namespace
}  // namespace warptune::db
