// Fake workers (fake_gpu_worker.cpp) measure an experiment.
#include "tuner/lab/lab_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "tests/tuner/lab_data.h"

namespace warptune::tuner::lab {
namespace {

using model::Status;
using ::testing::HasSubstr;
using testing::ScopedVariable;

class LabSessionTest : public ::testing::Test {
 protected:
  LabSessionTest() {
    request_.database = folder_ / "warptune.db";
    request_.compile_workers = 1;
    testing::write_toy_kernel(folder_);
    std::string other = base::read_file(folder_ / "toy.cu");
    other.replace(other.find("name = \"toy\""), 12, "name = \"other\"");
    std::ofstream(folder_ / "other.cu") << other;
    std::ofstream(folder_ / "two.toml") << testing::toy_experiment_text(testing::kToyClaims) << R"toml(
[[table]]
name = "again"
title = "Another kernel"
kernel = "other.cu"
[[table.row]]
id = "only"
[[table.column]]
title = "ns"
value = "time_ns"
)toml";
  }

  std::optional<LabResult> measure() {
    return measure_experiment(kernel_templates::load_experiment(folder_ / "two.toml"), request_, 0, gpus_,
                              listener_, cancellation_);
  }

  ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  testing::TemporaryFolder folder_;
  session::MeasurementRequest request_;
  gpus::LocalGpus gpus_;
  testing::RecordingListener listener_;
  base::Cancellation cancellation_;
};

TEST_F(LabSessionTest, MeasuresEveryPartAndStoresItsRows) {
  const std::optional<LabResult> result = measure();
  ASSERT_TRUE(result);
  ASSERT_EQ(result->recordings.size(), 2U);
  for (const model::Recording& recording : result->recordings) {
    EXPECT_FALSE(recording.measurements.empty());
    for (const model::Measurement& row : recording.measurements) EXPECT_EQ(row.status, Status::kMeasured);
  }
  EXPECT_EQ(listener_.began.size(), 2U);
  EXPECT_EQ(db::Store::open_existing(request_.database).sessions().size(), 2U);
}

TEST_F(LabSessionTest, AKernelWhoseReferenceDoesNotRunLosesItsOwnRowsAlone) {
  const ScopedVariable fails("FAKE_REFERENCE_FAILS", "other.cu");
  const std::optional<LabResult> result = measure();
  ASSERT_TRUE(result);
  ASSERT_EQ(result->recordings.size(), 2U);
  for (const model::Measurement& row : result->recordings[0].measurements)
    EXPECT_EQ(row.status, Status::kMeasured);
  ASSERT_FALSE(result->recordings[1].measurements.empty());
  for (const model::Measurement& row : result->recordings[1].measurements) {
    EXPECT_EQ(row.status, Status::kLaunchFailed);
    EXPECT_EQ(row.reason, "the reference fails: a fake's");
  }
  ASSERT_EQ(listener_.warnings.size(), 1U);
  EXPECT_THAT(listener_.warnings[0], HasSubstr("other: fake.cu: the reference fails"));
}

TEST_F(LabSessionTest, ACancellationLeavesNoResult) {
  cancellation_.cancel();
  EXPECT_FALSE(measure());
}

}  // namespace
}  // namespace warptune::tuner::lab
