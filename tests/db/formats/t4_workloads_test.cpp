// T4 files with the workloads of their rows: what is written is read again.
#include "db/formats/t4_workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "db/recording_file.h"
#include "tests/db/test_data.h"

namespace warptune::db::formats {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class T4WorkloadsTest : public ::testing::Test {
 protected:
  // A workload whose parameters have texts that look like numbers, and reals that look like integers.
  static model::Recording recording(const model::Workload& workload) {
    model::Recording recording;
    recording.workload = workload;
    recording.environment = {"0.1.0", 13000, 13000, 1980, 3201, "0x4", "580.65.06"};
    recording.work = {4096.0, 49152.0, model::ArithmeticUnit::kTensor};
    recording.roofs = {4.2e12, 66.9e12};
    const auto values = [](const std::string& unroll, double scale, bool vector) {
      return model::NamedValues{{"UNROLL", unroll}, {"SCALE", scale}, {"VECTOR", vector}};
    };
    recording.default_configuration = values("4", 1.0, false);
    recording.measurements = {
        testing::measured(values("4", 1.0, false), 123.456789012345),
        testing::measured(values("08", 2.0, true), 99.1),
        testing::failed(values("4", 2.0, true), model::Status::kImplausible, "too fast"),
        testing::failed(values("4", 2.0, false), model::Status::kWorkerDied, "")};
    model::Measurement dropped = testing::measured(values("08", 1.0, false), 500.0);
    dropped.status = model::Status::kDropped;
    recording.measurements.push_back(dropped);
    return recording;
  }

  std::filesystem::path written(const std::string& text) const {
    testing::spill(folder_ / "rows.json", text);
    return folder_ / "rows.json";
  }

  static std::string error_of(const std::filesystem::path& path) {
    try {
      read_file_to_import(path, std::nullopt);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "no error";
  }

  testing::TemporaryFolder folder_;
  const std::vector<model::Recording> recordings_ = {
      recording(testing::workload()),
      recording(testing::workload({{"N", std::int64_t{64}}}, testing::gpu(8, 0, 108, "NVIDIA A100")))};
};

TEST_F(T4WorkloadsTest, TheSameWorkloadsAndRowsAreRead) {
  const ImportedFile file = read_file_to_import(written(db::rows_as_t4(recordings_)), std::nullopt);
  EXPECT_EQ(file.format, "T4 results");
  EXPECT_TRUE(file.names_workloads);
  ASSERT_THAT(file.recordings, SizeIs(2));
  for (std::size_t w = 0; w < 2; ++w) {
    const model::Recording& before = recordings_[w];
    const model::Recording& after = file.recordings[w];
    EXPECT_EQ(after.workload.kernel, before.workload.kernel);
    EXPECT_EQ(after.workload.kernel_hash, before.workload.kernel_hash);
    EXPECT_EQ(after.workload.problem, before.workload.problem);
    EXPECT_EQ(after.workload.gpu.key(), before.workload.gpu.key());
    EXPECT_EQ(after.workload.cache, before.workload.cache);
    EXPECT_EQ(after.default_configuration, before.default_configuration);
    EXPECT_EQ(after.roofs, before.roofs);
    EXPECT_EQ(after.work.unit, before.work.unit);
    EXPECT_EQ(after.environment.driver_release, before.environment.driver_release);
    EXPECT_EQ(after.environment.sm_clock_mhz, before.environment.sm_clock_mhz);
    ASSERT_EQ(after.measurements.size(), before.measurements.size());
    for (std::size_t i = 0; i < before.measurements.size(); ++i) {
      const model::Measurement& one = before.measurements[i];
      const model::Measurement& two = after.measurements[i];
      EXPECT_EQ(model::key_of(two.configuration), model::key_of(one.configuration));
      EXPECT_EQ(two.status, one.status);
      EXPECT_EQ(two.reason, one.reason);
      EXPECT_EQ(two.counters, one.counters);
      EXPECT_EQ(two.resources.registers_per_thread, one.resources.registers_per_thread);
      ASSERT_EQ(two.samples_ns.size(), one.samples_ns.size());
      EXPECT_EQ(two.time.has_value(), one.time.has_value());
      if (!one.time) continue;
      EXPECT_NEAR(two.time->median_ns, one.time->median_ns, 1e-9);
      EXPECT_NEAR(two.time->low_ns.value(), one.time->low_ns.value(), 1e-9);
      EXPECT_NEAR(two.time->high_ns.value(), one.time->high_ns.value(), 1e-9);
    }
  }
}

TEST_F(T4WorkloadsTest, OtherReadersFindTheWordsOfT4) {
  const json file = json::parse(db::rows_as_t4(recordings_));
  EXPECT_EQ(file.at("schema_version"), "1.1.0");
  EXPECT_EQ(file.at("metadata").at("timeunit"), "milliseconds");
  std::vector<std::string> words;
  for (std::size_t i = 0; i < 5; ++i) words.push_back(file.at("results")[i].at("invalidity"));
  EXPECT_THAT(words, ::testing::ElementsAre("correct", "correct", "correctness", "runtime", "timeout"));
  EXPECT_EQ(file.at("results")[2].at("correctness"), 0);
}

TEST_F(T4WorkloadsTest, AReplayTakesOnlyAFileOfOneWorkload) {
  EXPECT_THAT(read_any_recording(written(db::rows_as_t4({recordings_[0]}))).measurements, SizeIs(5));
  EXPECT_THROW(read_any_recording(written(db::rows_as_t4(recordings_))), base::InputError);
}

TEST_F(T4WorkloadsTest, OnlyRowsWithAWorkloadMayHaveTheStatusOfWarptune) {
  json file = json::parse(db::rows_as_t4({recordings_[0]}));
  json& wrong = file["results"][2];  // An implausible row, which another tuner calls measured.
  wrong["status"] = "measured";
  wrong["times"]["runtimes"] = {0.001};
  for (json& row : file["results"]) row.erase(kT4Workload);
  const ImportedFile read = read_file_to_import(written(file.dump()), std::nullopt);
  EXPECT_EQ(read.recordings.at(0).measurements.at(2).status, model::Status::kWrongResult);
}

TEST_F(T4WorkloadsTest, AFileInWhichOnlySomeRowsHaveAWorkloadIsRefused) {
  for (const std::size_t without : {0U, 1U}) {
    json file = json::parse(db::rows_as_t4({recordings_[0]}));
    file["results"][without].erase(kT4Workload);
    EXPECT_THAT(error_of(written(file.dump())),
                HasSubstr("results[1]: expected that either all results or none have \"warptune_workload\""));
  }
}

TEST_F(T4WorkloadsTest, AnIntervalThatDoesNotHoldTheTimeIsRefused) {
  const json file = json::parse(db::rows_as_t4({recordings_[0]}));
  const double time = recordings_[0].measurements[0].time->median_ns / 1e6;
  for (const json& wrong : {json{0.0, time}, json{-time, time}, json{time * 1.1, time * 1.2},
                            json{time * 0.8, time * 0.9}, json{time * 1.1, time * 0.9}}) {
    json changed = file;
    changed["results"][0]["interval"] = wrong;
    EXPECT_THAT(error_of(written(changed.dump())), HasSubstr("results[0]: interval: expected two positive"));
  }
  // In seconds, all times are larger.
  json seconds = file;
  seconds["metadata"]["timeunit"] = "seconds";
  const ImportedFile read = read_file_to_import(written(seconds.dump()), std::nullopt);
  const model::TimeSummary& before = *recordings_[0].measurements[0].time;
  EXPECT_NEAR(read.recordings.at(0).measurements.at(0).time->low_ns.value(), 1000.0 * before.low_ns.value(),
              1e-6);
}

TEST_F(T4WorkloadsTest, AWorkloadThatIsMissingOrWrongIsNamed) {
  json file = json::parse(db::rows_as_t4(recordings_));
  file["results"][1][kT4Workload] = 7;
  EXPECT_THAT(error_of(written(file.dump())), HasSubstr("a result names element 7 of"));
  file["results"][1][kT4Workload] = 0;
  file["metadata"][kT4Workloads][0].erase("gpu");
  EXPECT_THAT(error_of(written(file.dump())), HasSubstr("warptune_workloads[0]: "));
  file["metadata"].erase(kT4Workloads);
  EXPECT_THAT(error_of(written(file.dump())),
              HasSubstr("element 0 of \"warptune_workloads\", but it is missing"));
}

}  // namespace
}  // namespace warptune::db::formats
