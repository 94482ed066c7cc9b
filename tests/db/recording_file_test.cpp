#include "db/recording_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/streams/zstd_text.h"
#include "base/text.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

namespace fs = std::filesystem;
using testing::configuration;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::slurp;
using testing::spill;
using ::testing::StartsWith;

model::Recording recording() {
  const ExportInput kernel = testing::vector_add();
  model::Recording all;
  all.workload = testing::workload();
  all.parameters = kernel.parameters;
  all.parameters[0].description = "threads a block";
  all.constraints = kernel.constraints;
  all.constants = {{"N", std::int64_t{4096}},
                   {"dtype", std::string("f32")},
                   {"device_max_threads_per_block", std::int64_t{1024}}};
  all.default_configuration = kernel.default_configuration;
  all.work = {4096.0, 49152.0, model::ArithmeticUnit::kTensor};
  all.roofs = {4.2e12, 66.9e12, 4.34e12, 60e12, 33e12, 700e12};
  all.environment = testing::session().environment;
  all.environment.driver_release = "580.65.06";
  all.measurements = {
      testing::measured(testing::configuration(64), 1234.56),
      testing::measured(testing::configuration(128, true), 1e9 / 3.0),
      testing::failed(testing::configuration(256), model::Status::kCompileFailed, "line 1\nline \"2\"")};
  all.measurements[0].counters["sectors"] = 123456789.0;
  all.measurements[1].counters.erase("time_ns");
  return all;
}

class RecordingFileTest : public ::testing::Test {
 protected:
  // The error for a file with these lines.
  std::string refusal(const std::string& text) {
    testing::spill(path_, base::streams::zstd_compress(text));
    return refusal_of_file();
  }
  std::string refusal_of_file() const {
    try {
      read_recording(path_);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::vector<std::string> lines() {
    write_recording(path_, recording());
    return base::split(testing::unpacked(path_), '\n');
  }
  // The file with one change in its header.
  template <class Change>
  std::string header_refusal(Change change) {
    std::vector<std::string> text = lines();
    auto header = nlohmann::ordered_json::parse(text[0]);
    change(header);
    return refusal(header.dump() + "\n" + text[1] + "\n" + text[2] + "\n" + text[3] + "\n");
  }
  // The file with one change in its second row, which is line 3.
  template <class Change>
  std::string row_refusal(Change change) {
    std::vector<std::string> text = lines();
    auto row = nlohmann::ordered_json::parse(text[2]);
    change(row);
    return refusal(text[0] + "\n" + text[1] + "\n" + row.dump() + "\n" + text[3] + "\n");
  }

  testing::TemporaryFolder folder_;
  fs::path path_ = folder_ / "r.jsonl.zst";
};

TEST_F(RecordingFileTest, OneOfAnEarlierVersionHasTwoRoofsAndFp32Work) {
  EXPECT_EQ(header_refusal([](auto& header) {
              header["version"] = 1;
              header["roofs"] = {{"memory_bytes_per_s", 4.2e12}, {"fp32_flops_per_s", 66.9e12}};
              header["work"].erase("unit");
            }),
            "accepted");
  const model::Recording read = read_recording(path_);
  model::Roofs expected;
  expected.copy_bytes_per_s = 4.2e12;
  expected.fp32_theory_flops_per_s = 66.9e12;
  EXPECT_EQ(read.roofs, expected);
  EXPECT_EQ(read.work.unit, model::ArithmeticUnit::kFp32);
}

TEST_F(RecordingFileTest, RoofsOfTheFirstVersionAreReadByTheirOldNames) {
  EXPECT_EQ(header_refusal([](auto& header) {
              header["version"] = 1;
              header["roofs"] = {{"memory_bytes_per_s", 4.2e12}, {"fp32_flops_per_s", 66.9e12},
                                 {"read_bytes_per_s", 4.6e12},   {"fp32_measured_flops_per_s", 66.1e12},
                                 {"fp64_flops_per_s", 33.2e12},  {"tensor_flops_per_s", 904e12}};
            }),
            "accepted");
  const model::Roofs roofs = read_recording(path_).roofs;
  EXPECT_EQ(roofs.copy_bytes_per_s, 4.2e12);
  EXPECT_EQ(roofs.fp32_theory_flops_per_s, 66.9e12);
  EXPECT_EQ(roofs.read_bytes_per_s, 4.6e12);
  EXPECT_EQ(roofs.fp32_measured_flops_per_s, 66.1e12);
  EXPECT_EQ(roofs.fp64_flops_per_s, 33.2e12);
  EXPECT_EQ(roofs.tensor_flops_per_s, 904e12);
}

TEST_F(RecordingFileTest, RoofsAreWrittenByNamesThatTellTheoryFromMeasurement) {
  const auto header = nlohmann::json::parse(lines().front());
  EXPECT_EQ(header.at("version"), 2);
  const auto& roofs = header.at("roofs");
  EXPECT_EQ(roofs.at("copy_bytes_per_s"), recording().roofs.copy_bytes_per_s.value());
  EXPECT_EQ(roofs.at("fp32_theory_flops_per_s"), recording().roofs.fp32_theory_flops_per_s.value());
  EXPECT_EQ(roofs.at("fp32_measured_flops_per_s"), recording().roofs.fp32_measured_flops_per_s.value());
  EXPECT_FALSE(roofs.contains("fp32_flops_per_s"));
}

TEST_F(RecordingFileTest, AnUnknownUnitOfTheWorkIsSaid) {
  EXPECT_THAT(header_refusal([](auto& header) { header["work"]["unit"] = "abacus"; }),
              HasSubstr("unit: expected fp32, fp64 or tensor, found 'abacus'"));
}

TEST_F(RecordingFileTest, DigestsAreLeftOutBecauseNumbersAreRounded) {
  model::Recording written = recording();
  written.measurements[0].counters["output_digest"] = 9007199254740991.0;
  written.measurements[0].counters["compared_launches"] = 14.0;
  write_recording(path_, written);
  const model::Counters read = read_recording(path_).measurements[0].counters;
  EXPECT_FALSE(read.contains("output_digest"));
  EXPECT_EQ(read.at("compared_launches"), 14.0);
}

TEST_F(RecordingFileTest, ZerosOfCodeThatWasNotPatchedAreMissing) {
  model::Recording written = recording();
  const model::Counters graph = {{"smsp__inst_executed.sum", 1e5},
                                 {"smsp__sass_thread_inst_executed_op_control_pred_on.sum", 0.0}};
  written.measurements[0].counters = graph;
  write_recording(path_, written);
  EXPECT_EQ(read_recording(path_).measurements[0].counters,
            model::Counters({{"smsp__inst_executed.sum", 1e5}}));
}

TEST_F(RecordingFileTest, TheHeadComesBackAsItWasWritten) {
  const model::Recording written = recording();
  write_recording(path_, written);
  const model::Recording read = read_recording(path_);
  EXPECT_EQ(read.workload.kernel, written.workload.kernel);
  EXPECT_EQ(read.workload.kernel_hash, written.workload.kernel_hash);
  EXPECT_EQ(read.workload.problem, written.workload.problem);
  EXPECT_EQ(read.workload.gpu, written.workload.gpu);
  ASSERT_THAT(read.parameters, SizeIs(4));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.parameters[i].name, written.parameters[i].name);
    EXPECT_EQ(read.parameters[i].values, written.parameters[i].values);
    EXPECT_EQ(read.parameters[i].description, written.parameters[i].description);
  }
  ASSERT_THAT(read.constraints, SizeIs(written.constraints.size()));
  EXPECT_EQ(read.constraints[1].expression.text(), written.constraints[1].expression.text());
  EXPECT_EQ(read.constraints[1].reason, "a reason");
  EXPECT_EQ(read.constants, written.constants);
  EXPECT_EQ(read.default_configuration, written.default_configuration);
  EXPECT_EQ(read.work.bytes, written.work.bytes);
  EXPECT_EQ(read.roofs, written.roofs);
  EXPECT_EQ(read.work.unit, written.work.unit);
  EXPECT_EQ(read.environment.throttle_reasons, "0x4");
  EXPECT_EQ(read.environment.driver_release, "580.65.06");
}

TEST_F(RecordingFileTest, TheCacheStateComesBackAndIsColdWhereNoneIsSaid) {
  model::Recording written = recording();
  written.workload.cache = model::CacheState::kWarm;
  write_recording(path_, written);
  EXPECT_EQ(read_recording(path_).workload.cache, model::CacheState::kWarm);
  EXPECT_EQ(header_refusal([](auto& header) { header["subject"].erase("cache"); }), "accepted");
  EXPECT_EQ(read_recording(path_).workload.cache, model::CacheState::kCold);
  EXPECT_THAT(header_refusal([](auto& header) { header["subject"]["cache"] = "hot"; }),
              HasSubstr("cache: expected cold, warm or unknown, found 'hot'"));
}

TEST_F(RecordingFileTest, ADroppedMeasurementComesBackWithItsEstimateAndItsBound) {
  model::Recording written = recording();
  model::Measurement& dropped = written.measurements[0];
  dropped.status = model::Status::kDropped;
  dropped.reason = "slower than the best so far";
  dropped.time = model::TimeSummary{5000.0, 4000.0};
  dropped.samples_ns = {5000.0};
  write_recording(path_, written);
  const model::Measurement read = read_recording(path_).measurements.at(0);
  EXPECT_EQ(read.status, model::Status::kDropped);
  EXPECT_EQ(read.reason, dropped.reason);
  EXPECT_EQ(read.time, dropped.time);
  EXPECT_THAT(read.samples_ns, ::testing::ElementsAre(5000.0));
}

TEST_F(RecordingFileTest, MeasurementsComeBackWithTimesToATenthAndCountersToSixDigits) {
  const model::Recording written = recording();
  write_recording(path_, written);
  const model::Recording read = read_recording(path_);
  ASSERT_THAT(read.measurements, SizeIs(3));
  for (std::size_t i = 0; i < 2; ++i) {
    const model::Measurement& a = written.measurements[i];
    const model::Measurement& b = read.measurements[i];
    EXPECT_EQ(b.configuration, a.configuration);
    EXPECT_EQ(b.status, model::Status::kMeasured);
    EXPECT_NEAR(b.time->median_ns, a.time->median_ns, 0.0501);
    EXPECT_NEAR(b.time->low_ns.value(), a.time->low_ns.value(), 0.0501);
    EXPECT_NEAR(b.time->high_ns.value(), a.time->high_ns.value(), 0.0501);
    ASSERT_THAT(b.samples_ns, SizeIs(a.samples_ns.size()));
    for (std::size_t j = 0; j < a.samples_ns.size(); ++j)
      EXPECT_NEAR(b.samples_ns[j], a.samples_ns[j], 0.0501);
    ASSERT_EQ(b.counters.size(), a.counters.size());
    for (const auto& [name, value] : a.counters) EXPECT_NEAR(b.counters.at(name) / value, 1.0, 1e-5) << name;
    EXPECT_EQ(b.resources.blocks, 512);
    EXPECT_EQ(b.resources.theoretical_occupancy, 0.75);
    EXPECT_EQ(b.compile_ms, 12.5);
    EXPECT_EQ(b.measure_ms, 3.25);
    EXPECT_EQ(b.time_stamp_ms, a.time_stamp_ms);
  }
  EXPECT_EQ(read.measurements[0].time->median_ns, 1234.6);
  EXPECT_EQ(read.measurements[0].counters.at("sectors"), 123457000.0);
  EXPECT_EQ(read.measurements[2].reason, "line 1\nline \"2\"");
  EXPECT_EQ(read.measurements[2].status, model::Status::kCompileFailed);
  EXPECT_EQ(read.measurements[2].time, std::nullopt);
  EXPECT_TRUE(read.measurements[2].counters.empty());
}

TEST_F(RecordingFileTest, WritingIsDeterministicAndWritingWhatWasReadChangesNothing) {
  write_recording(path_, recording());
  const std::string first = testing::slurp(path_);
  write_recording(path_, recording());
  EXPECT_EQ(testing::slurp(path_), first);
  write_recording(path_, read_recording(path_));
  EXPECT_EQ(testing::slurp(path_), first);
}

TEST_F(RecordingFileTest, ThousandsOfRowsStaySmall) {
  model::Recording all = recording();
  all.measurements.clear();
  base::Random random(1);
  for (int i = 0; i < 4000; ++i) {
    model::Measurement row = testing::measured(
        testing::configuration(64 << random.below(4), random.below(2) == 1), 1e5 + 1e6 * random.unit());
    row.samples_ns.clear();
    for (int j = 0; j < 20; ++j)
      row.samples_ns.push_back(row.time->median_ns + 32.0 * static_cast<double>(random.below(20)));
    all.measurements.push_back(row);
  }
  write_recording(path_, all);
  EXPECT_LT(fs::file_size(path_), 4000U * 60U);
}

TEST_F(RecordingFileTest, AnEmptyRecordingIsRead) {
  model::Recording empty = recording();
  empty.measurements.clear();
  write_recording(path_, empty);
  EXPECT_TRUE(read_recording(path_).measurements.empty());
}

TEST_F(RecordingFileTest, AMeasurementOutsideTheParametersIsNotWritten) {
  model::Recording wrong = recording();
  wrong.measurements[0].configuration = testing::configuration(77);
  EXPECT_THROW(write_recording(path_, wrong), base::InternalError);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(RecordingFileTest, FilesThatAreNoWholeFrameAreRefused) {
  write_recording(path_, recording());
  const std::string whole = testing::slurp(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    testing::spill(path_, whole.substr(0, size));
    EXPECT_THAT(refusal_of_file(),
                StartsWith(path_.string() + ": expected a zstd-compressed recording, found"))
        << size;
  }
  testing::spill(path_, "{\"format\":\"warptune-recording\"}\n");
  EXPECT_THAT(refusal_of_file(), HasSubstr("expected a zstd-compressed recording"));
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0x10);
  testing::spill(path_, flipped);
  EXPECT_THAT(refusal_of_file(), HasSubstr("damaged bytes"));
  EXPECT_THROW(read_recording(folder_ / "missing"), base::InputError);
}

TEST_F(RecordingFileTest, TextThatIsNoRecordingIsRefusedWithItsLine) {
  EXPECT_THAT(refusal(""), HasSubstr("found no text"));
  EXPECT_THAT(refusal("hello\n"), StartsWith(path_.string() + ":1:1: expected JSON: "));
  EXPECT_THAT(refusal("[]\n"), StartsWith(path_.string() + ":1: expected a header"));
  EXPECT_THAT(refusal("{\"format\":\"other\",\"version\":1}\n"), HasSubstr(":1: expected a header"));
  const std::vector<std::string> text = lines();
  EXPECT_THAT(refusal(text[0] + "\n" + text[1] + "\n[[0,\n"),
              StartsWith(path_.string() + ":3:5: expected JSON: "));
  EXPECT_THAT(refusal(text[0] + "\n" + text[1] + "\n"),
              HasSubstr(":2: the recording is cut off: its first line says 3 rows, and it has 1 whole one"));
}

TEST_F(RecordingFileTest, TextThatIsCutOffIsSaidToBeCutOff) {
  const std::vector<std::string> text = lines();
  ASSERT_GE(text.size(), 4U);
  EXPECT_THAT(refusal(text[0] + "\n" + text[1] + "\n" + text[2].substr(0, text[2].size() / 2)),
              HasSubstr(":3: the recording is cut off: its first line says 3 rows, and it has 1 whole one"));
  EXPECT_THAT(refusal(text[0] + "\n" + text[1] + "\n" + text[2] + "\n" + text[3] + "\n" + text[3] + "\n"),
              HasSubstr("expected 3 rows, found 4"));
}

TEST_F(RecordingFileTest, EachMalformedHeaderIsRefused) {
  using Json = nlohmann::ordered_json;
  EXPECT_THAT(header_refusal([](Json&) {}), "accepted");
  EXPECT_THAT(header_refusal([](Json& h) { h["version"] = 3; }),
              HasSubstr(":1: this recording was written by a newer warptune: format version 3"));
  EXPECT_THAT(header_refusal([](Json& h) { h["version"] = 0; }), HasSubstr(":1: version"));
  EXPECT_THAT(header_refusal([](Json& h) { h["version"] = "1"; }),
              HasSubstr(":1: version: expected an integer"));
  EXPECT_THAT(header_refusal([](Json& h) { h["parameters"][0]["values"][1] = "x"; }),
              HasSubstr("values of one type"));
  EXPECT_THAT(header_refusal([](Json& h) { h["parameters"][0]["values"][1] = nullptr; }),
              HasSubstr("expected a boolean"));
  EXPECT_THAT(header_refusal([](Json& h) { h["parameters"][0]["values"].clear(); }),
              HasSubstr("has no values"));
  EXPECT_THAT(header_refusal([](Json& h) { h["parameters"][1]["name"] = "BLOCK"; }),
              HasSubstr("BLOCK is listed twice"));
  EXPECT_THAT(header_refusal([](Json& h) { h["constraints"][0]["expression"] = "BLOCK <="; }),
              HasSubstr(":1: "));
  EXPECT_THAT(header_refusal([](Json& h) { h["columns"].erase(0); }), HasSubstr("columns: expected"));
  EXPECT_THAT(header_refusal([](Json& h) { h["counters"][0] = 1; }), HasSubstr("counters: expected names"));
  EXPECT_THAT(header_refusal([](Json& h) { h["subject"]["gpu"]["sm_count"] = 1LL << 40; }),
              HasSubstr("sm_count"));
  EXPECT_THAT(header_refusal([](Json& h) { h["subject"]["gpu"]["ecc"] = 1; }),
              HasSubstr("ecc: expected true or false"));
  EXPECT_THAT(header_refusal([](Json& h) { h["work"]["flops"] = "many"; }),
              HasSubstr("flops: expected a number"));
  const Json header = Json::parse(lines()[0]);
  for (const auto& item : header.items()) {
    const std::string& name = item.key();
    EXPECT_THAT(header_refusal([&](Json& h) { h.erase(name); }), HasSubstr(":1: ")) << name;
    EXPECT_THAT(header_refusal([&](Json& h) { h[name] = true; }), HasSubstr(":1: ")) << name;
  }
}

TEST_F(RecordingFileTest, EachMalformedRowIsRefusedWithItsLine) {
  using Json = nlohmann::ordered_json;
  EXPECT_THAT(row_refusal([](Json&) {}), "accepted");
  EXPECT_THAT(row_refusal([](Json& r) { r[0][0] = 4; }),
              HasSubstr(":3: BLOCK: expected an index below 4, found 4"));
  EXPECT_THAT(row_refusal([](Json& r) { r[0][0] = -1; }),
              HasSubstr(":3: BLOCK: expected an index below 4, found -1"));
  EXPECT_THAT(row_refusal([](Json& r) { r[0][0] = 0.5; }), HasSubstr(":3: BLOCK: expected an integer"));
  EXPECT_THAT(row_refusal([](Json& r) { r[0].push_back(0); }),
              HasSubstr(":3: configuration: expected 4 indices, found 5"));
  EXPECT_THAT(row_refusal([](Json& r) { r[1] = "great"; }), HasSubstr(":3: status"));
  EXPECT_THAT(row_refusal([](Json& r) { r[3].erase(0); }), HasSubstr(":3: time"));
  EXPECT_THAT(row_refusal([](Json& r) { r[3][0] = 1LL << 60; }), HasSubstr(":3: median"));
  EXPECT_THAT(row_refusal([](Json& r) { r[4][0] = "slow"; }), HasSubstr(":3: sample"));
  EXPECT_THAT(row_refusal([](Json& r) { r[5].push_back(1); }), HasSubstr(":3: counters"));
  EXPECT_THAT(row_refusal([](Json& r) { r[6].erase(0); }), HasSubstr(":3: resources"));
  EXPECT_THAT(row_refusal([](Json& r) { r[9] = INT64_MAX; }), HasSubstr(":3: time_stamp"));
  EXPECT_THAT(row_refusal([](Json& r) { r.erase(9); }), HasSubstr(":3: row: expected 10 columns, found 9"));
  for (std::size_t column = 0; column < 10; ++column) {
    EXPECT_THAT(row_refusal([&](Json& r) { r[column] = Json::object(); }), HasSubstr(":3: ")) << column;
  }
}

}  // namespace
}  // namespace warptune::db
