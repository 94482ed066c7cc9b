// The shipped recordings were measured with the shipped kernels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "db/recording_file.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tests/kernel_templates/library_cases.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/shipped_recordings.h"

namespace warptune::tuner::knowledge {
namespace {

class ShippedRecordingTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedRecordingTest, IsOfTheKernelAsItIsNow) {
  const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(GetParam());
  const std::vector<std::filesystem::path> files = shipped_recordings(definition.name);
  ASSERT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    EXPECT_EQ(with_present_names(db::read_recording(file)).workload.kernel_hash, definition.hash)
        << file << ": record it again with scripts/gpu-recordings";
  }
}

TEST_P(ShippedRecordingTest, HoldsThousandsOfValidConfigurationsWithTimesAndCounters) {
  for (const std::filesystem::path& file : shipped_recordings(GetParam())) {
    const model::Recording recording = with_present_names(db::read_recording(file));
    const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(GetParam()),
                                                    recording.workload.problem, recording.workload.gpu);
    EXPECT_GT(recording.measurements.size(), 1000U);
    std::size_t counted = 0;
    for (const model::Measurement& measurement : recording.measurements) {
      const auto configuration = instance.space().configuration_of(measurement.configuration);
      ASSERT_TRUE(configuration.has_value()) << configuration.error();
      EXPECT_TRUE(instance.space().contains(*configuration));
      if (measurement.status != model::Status::kMeasured) continue;
      EXPECT_GT(measurement.time->median_ns, 0.0);
      EXPECT_LE(measurement.time->low_ns.value(), measurement.time->median_ns);
      EXPECT_GE(measurement.time->high_ns.value(), measurement.time->median_ns);
      counted += measurement.counters.count("dram__bytes.sum");
    }
    EXPECT_GT(counted, recording.measurements.size() * 99 / 100);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedRecordingTest, ::testing::ValuesIn(kernel_templates::library_kernels()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace warptune::tuner::knowledge
