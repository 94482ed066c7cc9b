#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/streams/zstd_text.h"
#include "db/recording_file.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using model::NamedValues;
using model::Status;
using model::Value;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::gzipped;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A cache file of Kernel Tuner that has `entries` in its braces.
std::string cache_of(const std::string& entries,
                     const std::string& values = R"("x": [2, 1, 4], "y": [0, 1])") {
  return R"({"device_name": "A GPU", "kernel_name": "add", "problem_size": [64, 32],
    "tune_params_keys": ["x", "y"], "tune_params": {)" +
         values + R"(}, "objective": "time", "cache": {)" + entries + "}}";
}

std::string t4_of(const std::string& results, const std::string& metadata = R"("timeunit": "miliseconds")") {
  return R"({"schema_version": "1.0.0", "metadata": {)" + metadata + R"(}, "results": [)" + results + "]}";
}

class ImportedRecordingsTest : public ::testing::Test {
 protected:
  model::Recording read(const std::string& bytes) {
    testing::spill(path_, bytes);
    return read_any_recording(path_);
  }
  std::string refusal(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string warnings_of(const std::string& bytes) {
    ::testing::internal::CaptureStderr();
    base::set_up_log("warn");
    read(bytes);
    return ::testing::internal::GetCapturedStderr();
  }
  // The parameter's values, if the rows of a cache have them in this order.
  std::vector<Value> values_from(const std::vector<std::string>& literals) {
    std::string entries;
    for (std::size_t i = 0; i < literals.size(); ++i) {
      entries += fmt::format(R"({}"{}": {{"x": {}, "time": 1.0}})", i == 0 ? "" : ", ", i, literals[i]);
    }
    return read(R"({"tune_params_keys": ["x"], "cache": {)" + entries + "}}").parameters.at(0).values;
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "any";
};

TEST_F(ImportedRecordingsTest, SayNothingOfTheCacheState) {
  EXPECT_EQ(read(cache_of(R"("1,0": {"x": 1, "y": 0, "time": 3.0})")).workload.cache,
            model::CacheState::kUnknown);
  EXPECT_EQ(read(t4_of(R"({"configuration": {"x": 1}, "invalidity": "correct", "measurements":
                 [{"name": "time", "value": 3.0, "unit": "ms"}], "objectives": ["time"]})"))
                .workload.cache,
            model::CacheState::kUnknown);
}

TEST_F(ImportedRecordingsTest, ReadsAKernelTunerCache) {
  const model::Recording recording = read(cache_of(
      R"("1,0": {"x": 1, "y": 0, "time": 3.0, "times": [4.0, 2.0], "compile_time": 100.5,
                 "verification_time": 1, "benchmark_time": 2, "strategy_time": 4, "framework_time": 8,
                 "GFLOP/s": 7.5, "timestamp": "2023-12-22"},
         "4,0": {"x": 4, "y": 0, "time": "RuntimeFailedConfig", "compile_time": 5})"));
  EXPECT_EQ(recording.workload.kernel, "add");
  EXPECT_EQ(recording.workload.gpu.name, "A GPU");
  EXPECT_EQ(recording.workload.problem,
            (NamedValues{{"problem_size_x", std::int64_t{64}}, {"problem_size_y", std::int64_t{32}}}));
  EXPECT_TRUE(recording.listed);
  ASSERT_THAT(recording.measurements, SizeIs(2));
  const model::Measurement& first = recording.measurements[0];
  EXPECT_EQ(first.status, Status::kMeasured);
  EXPECT_EQ(first.configuration, (NamedValues{{"x", std::int64_t{1}}, {"y", std::int64_t{0}}}));
  EXPECT_DOUBLE_EQ(first.time->median_ns, 3e6);
  EXPECT_THAT(first.samples_ns, ElementsAre(4e6, 2e6));
  EXPECT_DOUBLE_EQ(first.compile_ms, 100.5);
  EXPECT_DOUBLE_EQ(first.measure_ms, 15.0);
  EXPECT_EQ(first.counters, (model::Counters{{"GFLOP/s", 7.5}}));
  EXPECT_EQ(recording.measurements[1].status, Status::kLaunchFailed);
  EXPECT_EQ(recording.measurements[1].reason, "RuntimeFailedConfig");
}

TEST_F(ImportedRecordingsTest, KeepsTheDeclaredOrderOfValuesThatWereMeasured) {
  const model::Recording recording =
      read(cache_of(R"("1,0": {"x": 1, "y": 0, "time": 3.0}, "2,0": {"x": 2, "y": 0, "time": 3.0})"));
  EXPECT_THAT(recording.parameters[0].values, ElementsAre(std::int64_t{2}, std::int64_t{1}));
  EXPECT_THAT(recording.parameters[1].values, ElementsAre(std::int64_t{0}));
}

TEST_F(ImportedRecordingsTest, TheSpaceOfAnImportIsItsRows) {
  const model::Space space = read(cache_of(R"("1,0": {"x": 1, "y": 0, "time": 3.0},
      "4,1": {"x": 4, "y": 1, "time": "InvalidConfig"})"))
                                 .space();
  EXPECT_EQ(space.size(), 2U);
  EXPECT_EQ(space.cartesian_size(), 4U);
}

TEST_F(ImportedRecordingsTest, ReadsTheErrorMemberOfNewerCaches) {
  const model::Recording recording = read(cache_of(
      R"("1,0": {"x": 1, "y": 0, "__error__": "CompilationFailedConfig"},
         "2,0": {"x": 2, "y": 0, "__error__": "InvalidConfig", "time": "InvalidConfig"},
         "4,0": {"x": 4, "y": 0, "__error__": "RuntimeFailedConfig"},
         "4,1": {"x": 4, "y": 1, "time": 1e20})"));
  std::vector<Status> statuses;
  for (const auto& measurement : recording.measurements) statuses.push_back(measurement.status);
  EXPECT_THAT(statuses, ElementsAre(Status::kCompileFailed, Status::kLaunchInvalid, Status::kLaunchFailed,
                                    Status::kLaunchFailed));
}

TEST_F(ImportedRecordingsTest, FlattensNestedSamplesAndTakesTheirMeanWhereTheTimeIsMissing) {
  const model::Recording recording =
      read(cache_of(R"("1,0": {"x": 1, "y": 0, "times": [[1.0, 2.0], [6.0]]})"));
  EXPECT_THAT(recording.measurements[0].samples_ns, ElementsAre(1e6, 2e6, 6e6));
  EXPECT_DOUBLE_EQ(recording.measurements[0].time->median_ns, 3e6);
  EXPECT_EQ(recording.measurements[0].compile_ms, 0.0);
}

TEST_F(ImportedRecordingsTest, ReadsACacheThatIsStillBeingWritten) {
  const std::string whole = cache_of(R"("1,0": {"x": 1, "y": 0, "time": 3.0})");
  EXPECT_THAT(read(whole.substr(0, whole.size() - 2) + ",\n").measurements, SizeIs(1));
  EXPECT_THAT(read(whole.substr(0, whole.size() - 2) + ",\n\"2,0\": {\"x\": 2, \"ti").measurements,
              SizeIs(1));
  EXPECT_THAT(refusal(whole.substr(0, whole.find("\"1,0\""))), HasSubstr("expected"));
}

TEST_F(ImportedRecordingsTest, WarnsOfACacheThatIsCutOffInAnEntry) {
  const std::string whole =
      cache_of(R"("2,0": {"x": 2, "y": 0, "time": 0.5}, "1,0": {"x": 1, "y": 0, "time": 0.7})");
  const std::size_t second = whole.find("\"1,0\"");
  EXPECT_THAT(warnings_of(whole.substr(0, second)), IsEmpty());  // As Kernel Tuner leaves it.
  EXPECT_THAT(warnings_of(whole), IsEmpty());
  for (const std::size_t more :
       {std::size_t{2}, std::size_t{5}, std::size_t{9}, std::size_t{14}, std::size_t{30}}) {
    EXPECT_THAT(warnings_of(whole.substr(0, second + more)), HasSubstr("is cut off in an entry")) << more;
    EXPECT_THAT(read(whole.substr(0, second + more)).measurements, SizeIs(1)) << more;
  }
}

TEST_F(ImportedRecordingsTest, TakesATimeThatCannotBeRightForAFailure) {
  const std::string cache = cache_of(
      R"("1,0": {"x": 1, "y": 0, "time": 1e-8}, "2,0": {"x": 2, "y": 0, "time": 1e15},
         "4,0": {"x": 4, "y": 0, "time": 5.0, "times": [1.0, 2.0]},
         "1,1": {"x": 1, "y": 1, "time": 1.0, "times": [-1.0, 3.0]},
         "2,1": {"x": 2, "y": 1, "time": 2.001, "times": [1.0, 2.0]})");
  EXPECT_THAT(warnings_of(cache),
              HasSubstr("4 rows have a time that cannot be right, which counts as failed"));
  const model::Recording recording = read(cache);
  ASSERT_THAT(recording.measurements, SizeIs(5));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(recording.measurements[i].status, Status::kLaunchFailed) << i;
    EXPECT_FALSE(recording.measurements[i].time) << i;
  }
  EXPECT_EQ(recording.measurements[4].status, Status::kMeasured);  // Rounded.
}

TEST_F(ImportedRecordingsTest, AFileWithoutRowsIsKnownByItsFormat) {
  EXPECT_THAT(refusal(t4_of("")), HasSubstr("expected measured configurations, but the file has none"));
  EXPECT_THAT(refusal(cache_of("")), HasSubstr("expected measured configurations, but the file has none"));
}

TEST_F(ImportedRecordingsTest, ADatabaseIsMergedInstead) {
  EXPECT_THAT(refusal(std::string("SQLite format 3\0 and more", 25)), HasSubstr("`warptune db merge FILE`"));
}

TEST_F(ImportedRecordingsTest, ReadsACacheWhoseHeadComesLast) {
  EXPECT_THAT(read(R"({"cache": {"1": {"x": 1, "time": 2.0}}, "tune_params_keys": ["x"]})").measurements,
              SizeIs(1));
}

TEST_F(ImportedRecordingsTest, TakesNotANumberForAFailure) {
  const std::string cache = cache_of(R"("1,0": {"x": 1, "y": 0, "time": NaN, "reason": "a \" NaN"},
      "2,0": {"x": 2, "y": 0, "time": -1.0}, "4,0": {"x": 4, "y": 0, "time": -Infinity},
      "4,1": {"x": 4, "y": 1}, "2,1": {"x": 2, "y": 1, "time": "2.5"})");
  const model::Recording recording = read(cache);
  ASSERT_THAT(recording.measurements, SizeIs(5));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(recording.measurements[i].status, Status::kLaunchFailed) << i;
  EXPECT_THAT(recording.measurements[1].reason, HasSubstr("-1000000"));
  EXPECT_DOUBLE_EQ(recording.measurements[4].time->median_ns, 2.5e6);
  EXPECT_THAT(warnings_of(cache), HasSubstr("4 rows have a time that is not a positive number"));
}

TEST_F(ImportedRecordingsTest, OfRepeatedRowsTheLastCountsWithAWarning) {
  const std::string cache = cache_of(
      R"("1,0": {"x": 1, "y": 0, "time": 3.0}, "2,0": {"x": 2, "y": 0, "time": 1.0},
         "1,0": {"x": 1, "y": 0, "time": 5.0})");
  const model::Recording recording = read(cache);
  ASSERT_THAT(recording.measurements, SizeIs(2));
  EXPECT_DOUBLE_EQ(recording.measurements[0].time->median_ns, 5e6);
  EXPECT_THAT(warnings_of(cache), HasSubstr("1 of 3 rows repeat a configuration"));
}

TEST_F(ImportedRecordingsTest, BringsTheValuesOfAParameterToOneType) {
  EXPECT_THAT(values_from({"2", "1"}), ElementsAre(std::int64_t{1}, std::int64_t{2}));
  EXPECT_THAT(values_from({"1", "0.5"}), ElementsAre(0.5, 1.0));
  EXPECT_THAT(values_from({"true", "false"}), ElementsAre(false, true));
  EXPECT_THAT(values_from({"true", "3"}), ElementsAre(std::int64_t{1}, std::int64_t{3}));
  EXPECT_THAT(values_from({R"("16")", R"("8")"}), ElementsAre(std::int64_t{8}, std::int64_t{16}));
  EXPECT_THAT(values_from({R"("0.500000")", "2"}), ElementsAre(0.5, 2.0));
  EXPECT_THAT(values_from({R"("True")", R"("False")"}), ElementsAre(false, true));
  EXPECT_THAT(values_from({R"("row")", "2"}), ElementsAre(std::string("row"), std::string("2")));
  EXPECT_THAT(values_from({"1", R"("1")"}), ElementsAre(std::int64_t{1}));
}

TEST_F(ImportedRecordingsTest, WhatIsNoValueIsPassedOverWhereValuesAreDeclared) {
  const model::Recording recording = read(
      cache_of(R"("1,0": {"x": 1, "y": 0, "time": 3.0})", R"("x": [null, 2, [1], {"a": 1}, 1], "y": [0])"));
  EXPECT_THAT(recording.parameters[0].values, ElementsAre(std::int64_t{1}));
}

TEST_F(ImportedRecordingsTest, KeepsTheOrderOfManyValues) {
  std::string entries;
  for (int i = 0; i < 2000; ++i) {
    entries += fmt::format(R"({}"{}": {{"x": "v{}", "time": 1.0}})", i == 0 ? "" : ", ", i, 1999 - i);
  }
  const model::Recording recording =
      read(R"({"tune_params_keys": ["x"], "tune_params": {"x": ["v7", "v1999", "v7", "w"]}, "cache": {)" +
           entries + "}}");
  const std::vector<Value>& values = recording.parameters.at(0).values;
  ASSERT_THAT(values, SizeIs(2000));
  EXPECT_EQ(values[0], Value(std::string("v7")));
  EXPECT_EQ(values[1], Value(std::string("v1999")));
  EXPECT_EQ(values[2], Value(std::string("v1998")));
  EXPECT_EQ(recording.measurements[1999].configuration[0].second, Value(std::string("v0")));
}

TEST_F(ImportedRecordingsTest, HoldsCountsToWhatAnIntegerCanSay) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const model::ResourceUse t4 = read(t4_of(R"({"configuration": {"x": 1}, "invalidity": "correct",
      "times": {"runtimes": [1.0]}, "compilation_data": {"registers": 1e300, "local_size": 1,
      "global_size": {"x": 1e200, "y": 1e100}}})"))
                                    .measurements.at(0)
                                    .resources;
  EXPECT_EQ(t4.registers_per_thread, kMax);
  EXPECT_EQ(t4.blocks, kMax);
  const model::ResourceUse ktt = read(R"({"Metadata": {"GlobalSizeType": "CUDA"}, "Results": [
      {"Status": "Ok", "TotalDuration": 1.0, "Configuration": [{"Name": "X", "Value": 8}],
       "ComputationResults": [{"Duration": 1.0, "LocalSize": {"X": 1e300, "Y": 1e300, "Z": 1},
         "CompilationData": {"RegistersCount": 1e300}}]}]})")
                                     .measurements.at(0)
                                     .resources;
  EXPECT_EQ(ktt.registers_per_thread, kMax);
  EXPECT_EQ(ktt.threads_per_block, kMax);
}

TEST_F(ImportedRecordingsTest, RefusesWhatIsNestedTooDeeplyToWalk) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  const std::string wanted = "expected at most 64 levels of nested JSON, found more";
  for (const char* member : {R"("times")", R"("x")", R"("__error__")", R"("time")"}) {
    EXPECT_THAT(
        refusal(cache_of(fmt::format(R"("1,0": {{"x": 1, "y": 0, {}: {}}})", member, nested(300000)))),
        AllOf(StartsWith(path_.string()), HasSubstr(wanted)))
        << member;
  }
  EXPECT_THAT(refusal(nested(300000)), HasSubstr(wanted));
  const auto with_times = [&](std::size_t levels) {
    return cache_of(fmt::format(R"("1,0": {{"x": 1, "y": 0, "time": 1.0, "times": {}}})", nested(levels)));
  };
  EXPECT_EQ(refusal(with_times(61)), "accepted");  // Inside three objects.
  EXPECT_THAT(refusal(with_times(62)), HasSubstr(wanted));
  write_recording(path_, read(with_times(1)));
  std::string own = testing::unpacked(path_);
  const std::string start = R"("parameters":)";
  ASSERT_NE(own.find(start), std::string::npos);
  own.insert(own.find(start) + start.size(), nested(300000) + R"(,"other":)");
  EXPECT_THAT(refusal(own), AllOf(StartsWith(path_.string()), HasSubstr(wanted)));
}

TEST_F(ImportedRecordingsTest, ReadsT4AsPublished) {
  const model::Recording recording = read(t4_of(
      R"({"configuration": {"x": 1}, "times": {"compilation": 10, "framework": 1, "search_algorithm": 2,
          "validation": 4, "runtimes": [3.0, 5.0]}, "invalidity": "correct", "correctness": 1,
          "measurements": [{"name": "time", "value": 4.0, "unit": ""}], "objectives": ["time"]},
         {"configuration": {"x": 2}, "times": {"compilation": 10}, "invalidity": "runtime",
          "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}]})"));
  ASSERT_THAT(recording.measurements, SizeIs(2));
  const model::Measurement& first = recording.measurements[0];
  EXPECT_DOUBLE_EQ(first.time->median_ns, 4e6);
  EXPECT_THAT(first.samples_ns, ElementsAre(3e6, 5e6));
  EXPECT_DOUBLE_EQ(first.compile_ms, 10.0);
  EXPECT_DOUBLE_EQ(first.measure_ms, 15.0);
  EXPECT_EQ(recording.measurements[1].status, Status::kLaunchFailed);
}

TEST_F(ImportedRecordingsTest, ReadsNewerT4WithCountersAndItsUnit) {
  const model::Recording recording = read(t4_of(
      R"({"configuration": {"x": "1", "mode": "fast"}, "invalidity": "correct",
          "times": {"compilation_time": 5000, "benchmark": 3000, "framework": 1000, "runtimes": [7.5]},
          "measurements": [{"name": "time", "value": 7.5, "unit": ""},
                           {"name": "dram__bytes.sum", "value": 64, "unit": ""}],
          "compilation_data": {"registers": 32, "local_memory_size": 2048, "private_memory_size": 8,
                               "global_size": {"x": 64, "y": 2, "z": 1}, "local_size": {"x": 8, "y": 2, "z": 1}}})",
      R"("timeunit": "microseconds", "device": "A GPU")"));
  const model::Measurement& row = recording.measurements.at(0);
  EXPECT_EQ(recording.workload.gpu.name, "A GPU");
  EXPECT_DOUBLE_EQ(row.time->median_ns, 7500.0);
  EXPECT_DOUBLE_EQ(row.compile_ms, 5.0);
  EXPECT_DOUBLE_EQ(row.measure_ms, 4.0);
  EXPECT_EQ(row.counters, (model::Counters{{"dram__bytes.sum", 64.0}}));
  EXPECT_EQ(row.resources.registers_per_thread, 32);
  EXPECT_EQ(row.resources.static_shared_bytes, 2048);
  EXPECT_EQ(row.resources.threads_per_block, 16);
  EXPECT_EQ(row.resources.blocks, 8);
  EXPECT_EQ(row.configuration, (NamedValues{{"x", std::int64_t{1}}, {"mode", std::string("fast")}}));
}

TEST_F(ImportedRecordingsTest, ReadsKttResultsWithCountersInTheirUnit) {
  const model::Recording recording = read(R"({"Metadata": {"ComputeApi": "CUDA", "Device": "A GPU",
      "GlobalSizeType": "CUDA", "TimeUnit": "Microseconds"}, "Results": [
      {"KernelName": "add", "Status": "Ok", "TotalDuration": 20.0, "ExtraDuration": 5.0, "TotalOverhead": 3000.0,
       "Configuration": [{"Name": "X", "Type": "Int", "Value": 8}, {"Name": "Y", "Value": true}],
       "ComputationResults": [{"Duration": 15.0, "Overhead": 2000.0, "GlobalSize": {"X": 4, "Y": 2, "Z": 1},
         "LocalSize": {"X": 32, "Y": 2, "Z": 1},
         "CompilationData": {"RegistersCount": 40, "LocalMemorySize": 512, "PrivateMemorySize": 16},
         "ProfilingData": {"Counters": [{"Name": "inst_executed.sum", "Type": "Double", "Value": 12.0}]}}]},
      {"KernelName": "add", "Status": "CompilationFailed", "TotalOverhead": 700.0, "ComputationResults": [],
       "Configuration": [{"Name": "Y", "Value": false}, {"Name": "X", "Value": 4}]}]})");
  ASSERT_THAT(recording.measurements, SizeIs(2));
  const model::Measurement& first = recording.measurements[0];
  EXPECT_EQ(recording.workload.kernel, "add");
  EXPECT_DOUBLE_EQ(first.time->median_ns, 20e3);
  EXPECT_DOUBLE_EQ(first.compile_ms, 2.0);
  EXPECT_DOUBLE_EQ(first.measure_ms, 1.02);
  EXPECT_EQ(first.counters, (model::Counters{{"inst_executed.sum", 12.0}}));
  EXPECT_EQ(first.resources.registers_per_thread, 40);
  EXPECT_EQ(first.resources.blocks, 8);
  EXPECT_EQ(first.resources.threads_per_block, 64);
  EXPECT_EQ(recording.measurements[1].status, Status::kCompileFailed);
  EXPECT_EQ(recording.measurements[1].configuration, (NamedValues{{"X", std::int64_t{4}}, {"Y", false}}));
}

TEST_F(ImportedRecordingsTest, TellsOwnRecordingsAndCompressionByContent) {
  const std::string cache = cache_of(R"("1,0": {"x": 1, "y": 0, "time": 3.0})");
  const model::Recording plain = read(cache);
  EXPECT_THAT(read(testing::gzipped(cache)).measurements, SizeIs(1));
  EXPECT_THAT(read(base::streams::zstd_compress(cache)).measurements, SizeIs(1));
  write_recording(path_, plain);
  const model::Recording again = read_any_recording(path_);
  EXPECT_TRUE(again.listed);
  EXPECT_EQ(again.space().size(), 1U);
  EXPECT_THAT(read(testing::gzipped(testing::unpacked(path_))).measurements, SizeIs(1));
}

TEST_F(ImportedRecordingsTest, RefusesTruncatedAndDamagedGzip) {
  const std::string bytes = testing::gzipped(cache_of(R"("1,0": {"x": 1, "y": 0, "time": 3.0})"));
  for (const std::size_t size : {std::size_t{2}, std::size_t{10}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THAT(refusal(bytes.substr(0, size)), AllOf(StartsWith(path_.string()), HasSubstr("cut off after")))
        << size;
  }
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(~damaged[bytes.size() / 2]);
  EXPECT_THAT(refusal(damaged), AllOf(StartsWith(path_.string()), HasSubstr("expected")));
}

TEST_F(ImportedRecordingsTest, SaysWhatIsWrongWithAFileInOneMessage) {
  const auto says = [&](const std::string& text, const std::string& wanted) {
    EXPECT_THAT(refusal(text), AllOf(StartsWith(path_.string()), HasSubstr(wanted))) << text;
  };
  says("", "found an empty file");
  says("not json", "expected JSON");
  says("[1, 2]", "expected a JSON object, found array");
  says("{}", "found an empty object");
  says(R"({"benchmarks": [], "machine": 1})", R"(found an object with "benchmarks", "machine")");
  says(R"({"cache": {}, "tune_params_keys": ["x"]})",
       "expected measured configurations, but the file has none");
  says(cache_of(R"("1,0": {"x": 1, "time": 3.0})"),
       "cache entry '1,0': expected a value of parameter y, found none");
  says(cache_of(R"("1,0": {"x": 1, "y": null, "time": 3.0})"),
       "cache entry '1,0': expected a value of parameter y, found null or NaN");
  says(cache_of(R"("1,0": {"x": NaN, "y": 0, "time": 3.0})"), "parameter x, found null or NaN");
  says(cache_of(R"("1,0": {"x": [1, {"a": 2}], "y": 0, "time": 3.0})"), "parameter x, found an array");
  says(t4_of(R"({"configuration": {"x": {"a": 1}}, "invalidity": "correct"})"),
       "results[0]: expected a value of parameter x, found an object");
  says(t4_of(R"({"configuration": {"x": null}, "invalidity": "correct"})"), "found null or NaN");
  says(R"({"cache": {"1": {"x": 1, "time": 1}}})", "expected a Kernel Tuner cache with \"tune_params_keys\"");
  says(R"({"tune_params_keys": ["x", "x"], "cache": {"1": {"x": 1, "time": 1}}})",
       "parameter x is listed twice");
  says(t4_of(R"({"configuration": {"x": 1}, "invalidity": "correct"})", R"("timeunit": "fortnights")"),
       "found 'fortnights'");
  says(t4_of(R"({"configuration": {"x": 1}, "invalidity": "odd"})"), "found 'odd'");
  says(t4_of(R"({"invalidity": "correct"})"), "results[0]: expected a configuration, found none");
  says(t4_of(R"({"configuration": {"x": 1}, "kernel": "a"}, {"configuration": {"x": 2}, "kernel": "b"})"),
       "expected results of only one kernel");
  const std::string t4 = t4_of(R"({"configuration": {"x": 1}, "invalidity": "correct"})");
  says(t4.substr(0, t4.size() - 2), "the T4 file is cut off");
  says(R"({"Metadata": {}, "Results": [{"Status": "Ok"}]})",
       "Results[0]: expected a member \"Configuration\"");
}

}  // namespace
}  // namespace warptune::db
