// Which GPU a question about a definition is for, and that the driver is asked only if it must be.
#include "tuner/knowledge/usual_gpu.h"

#include <gtest/gtest.h>

#include <fstream>

#include "db/store.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::knowledge {
namespace {

profiling::GpuList never_listed_here() {
  ADD_FAILURE() << "the driver was asked for the GPUs";
  return {};
}

std::optional<model::GpuDescription> recognise_first(const std::vector<model::GpuDescription>& known) {
  return known.at(0);
}

std::optional<model::GpuDescription> recognise_none(const std::vector<model::GpuDescription>&) {
  return std::nullopt;
}

class UsualGpuTest : public ::testing::Test {
 protected:
  UsualGpuTest() { stored_.name = "NVIDIA H200"; }

  void store_a_session() const {
    db::Session session;
    session.workload.kernel = "toy";
    session.workload.kernel_hash = "0123";
    session.workload.gpu = stored_;
    db::Store(database_).begin_session(session);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path database_ = folder_ / "known.db";
  model::GpuDescription stored_ = model::fictional_gpu();
};

TEST_F(UsualGpuTest, AGpuOfTheDatabaseThatIsRecognisedNeedsNoDriver) {
  store_a_session();
  EXPECT_EQ(usual_gpu(never_listed_here, recognise_first, database_).name, "NVIDIA H200");
}

TEST_F(UsualGpuTest, TheDriverListsAGpuThatIsNotRecognised) {
  store_a_session();
  profiling::GpuList list;
  list.gpus.push_back(model::fictional_gpu());
  list.gpus.front().name = "NVIDIA L4";
  EXPECT_EQ(usual_gpu([&] { return list; }, recognise_none, database_).name, "NVIDIA L4");
}

TEST_F(UsualGpuTest, WithoutAGpuAndWithoutADatabaseItIsAFictionalOne) {
  const gpus::GpuLister no_gpu = [] { return profiling::GpuList(); };
  EXPECT_EQ(usual_gpu(no_gpu, recognise_first, database_).name, model::fictional_gpu().name);
  EXPECT_FALSE(std::filesystem::exists(database_));
}

TEST_F(UsualGpuTest, ADatabaseThatCannotBeReadIsNoError) {
  std::ofstream(database_) << "this is no database, but it is long enough to be read as one, or so it seems";
  const gpus::GpuLister no_gpu = [] { return profiling::GpuList(); };
  EXPECT_EQ(usual_gpu(no_gpu, recognise_first, database_).name, model::fictional_gpu().name);
}

}  // namespace
}  // namespace warptune::tuner::knowledge
