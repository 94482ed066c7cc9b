#include "tuner/detail/json_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warptune::tuner::detail {
namespace {

using nlohmann::json;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// As it crosses processes.
json through_cbor(const json& form) { return json::from_cbor(json::to_cbor(form)); }

TEST(JsonFormsTest, NamedValuesKeepOrderTypesAndAllDigits) {
  const search::NamedValues values = {{"Z", std::int64_t{9007199254740993}},
                                      {"A", std::numeric_limits<std::int64_t>::min()},
                                      {"M", std::numeric_limits<std::int64_t>::max()},
                                      {"B", true},
                                      {"one", 1.0},
                                      {"tenth", 0.1},
                                      {"tiny", 5e-324},
                                      {"text", std::string("a\nb\"c\\")},
                                      {"empty", std::string()}};
  EXPECT_EQ(named_values_of(through_cbor(to_json(values))), values);
  EXPECT_EQ(named_values_of(json::parse(to_json(values).dump())), values);
  EXPECT_TRUE(named_values_of(through_cbor(to_json(search::NamedValues{}))).empty());
}

TEST(JsonFormsTest, AnObjectForPeopleKeepsTheOrderGiven) {
  EXPECT_EQ(to_ordered_json({{"Z", std::int64_t{1}}, {"A", std::string("x")}, {"M", 0.5}}).dump(),
            R"({"Z":1,"A":"x","M":0.5})");
}

search::Measurement full_measurement() {
  search::Measurement measurement;
  measurement.configuration = {{"B", std::int64_t{2}}, {"A", false}};
  measurement.status = search::Status::kMeasured;
  measurement.reason = "none";
  measurement.time = {1000.5, 990.25, 1010.75};
  measurement.samples_ns = {990.25, 1000.5, 1010.75};
  measurement.resources = {32, 1024, 2048, 16, 256, 512, 6, 0.75};
  measurement.counters = {{"dram__bytes.sum", 1.0e12}, {"a", 0.1}};
  measurement.compile_ms = 12.5;
  measurement.measure_ms = 3.25;
  measurement.time_stamp_ms = 1700000000123;
  return measurement;
}

TEST(JsonFormsTest, AMeasurementComesBackWhole) {
  const search::Measurement sent = full_measurement();
  const search::Measurement got = measurement_of(through_cbor(to_json(sent)));
  EXPECT_EQ(got.configuration, sent.configuration);
  EXPECT_EQ(got.status, sent.status);
  EXPECT_EQ(got.reason, sent.reason);
  EXPECT_EQ(got.time.median_ns, sent.time.median_ns);
  EXPECT_EQ(got.time.low_ns, sent.time.low_ns);
  EXPECT_EQ(got.time.high_ns, sent.time.high_ns);
  EXPECT_EQ(got.samples_ns, sent.samples_ns);
  EXPECT_EQ(got.resources.registers_per_thread, 32);
  EXPECT_EQ(got.resources.static_shared_bytes, 1024);
  EXPECT_EQ(got.resources.dynamic_shared_bytes, 2048);
  EXPECT_EQ(got.resources.local_bytes, 16);
  EXPECT_EQ(got.resources.threads_per_block, 256);
  EXPECT_EQ(got.resources.blocks, 512);
  EXPECT_EQ(got.resources.blocks_per_sm, 6);
  EXPECT_EQ(got.resources.theoretical_occupancy, 0.75);
  EXPECT_EQ(got.counters, sent.counters);
  EXPECT_EQ(got.compile_ms, sent.compile_ms);
  EXPECT_EQ(got.measure_ms, sent.measure_ms);
  EXPECT_EQ(got.time_stamp_ms, sent.time_stamp_ms);
}

TEST(JsonFormsTest, EveryStatusComesBack) {
  for (const search::Status status : search::all_statuses()) {
    search::Measurement measurement;
    measurement.status = status;
    EXPECT_EQ(measurement_of(through_cbor(to_json(measurement))).status, status);
  }
}

TEST(JsonFormsTest, ANumberThatIsNoneComesBackAsNone) {
  search::Measurement sent = full_measurement();
  sent.time = {kNan, kNan, std::numeric_limits<double>::infinity()};
  sent.samples_ns = {1.0, kNan};
  sent.counters = {{"a", kNan}};
  const search::Measurement got = measurement_of(json::parse(to_json(sent).dump()));
  EXPECT_TRUE(std::isnan(got.time.median_ns));
  EXPECT_TRUE(std::isnan(got.time.high_ns));
  EXPECT_EQ(got.samples_ns.at(0), 1.0);
  EXPECT_TRUE(std::isnan(got.samples_ns.at(1)));
  EXPECT_TRUE(std::isnan(got.counters.at("a")));
}

TEST(JsonFormsTest, AGpuComesBackWhole) {
  search::GpuDescription gpu = search::fictional_gpu();
  gpu.ecc = true;
  gpu.mig = true;
  gpu.chip = "GH100";
  EXPECT_EQ(gpu_of(through_cbor(to_json(gpu))), gpu);
}

TEST(JsonFormsTest, AnEnvironmentComesBackWhole) {
  const search::Environment sent = {"0.1.0", 13000, 12900, 1980, 3201, "0x4"};
  const search::Environment got = environment_of(through_cbor(to_json(sent)));
  EXPECT_EQ(got.warptune_version, "0.1.0");
  EXPECT_EQ(got.driver_version, 13000);
  EXPECT_EQ(got.nvrtc_version, 12900);
  EXPECT_EQ(got.sm_clock_mhz, 1980);
  EXPECT_EQ(got.memory_clock_mhz, 3201);
  EXPECT_EQ(got.throttle_reasons, "0x4");
}

TEST(JsonFormsTest, ACompileRequestComesBackWhole) {
  const kernel_templates::CompileRequest sent = {"a.cu",  "line\n\x01",  {"f<1>", "g"}, {"-std=c++17", ""},
                                                 "sm_90", {"cudadevrt"}, {"&c"}};
  const kernel_templates::CompileRequest got = compile_request_of(through_cbor(to_json(sent)));
  EXPECT_EQ(got.program_name, sent.program_name);
  EXPECT_EQ(got.source, sent.source);
  EXPECT_EQ(got.entries, sent.entries);
  EXPECT_EQ(got.options, sent.options);
  EXPECT_EQ(got.architecture, sent.architecture);
  EXPECT_EQ(got.libraries, sent.libraries);
  EXPECT_EQ(got.variables, sent.variables);
}

TEST(JsonFormsTest, ACompiledKernelComesBackByteByByte) {
  kernel_templates::CompiledKernel sent;
  for (int i = 0; i < 1024; ++i) sent.cubin.push_back(static_cast<char>(i * 7));
  sent.entries = {{"f<1>", "_Z1fILi1EEvv", 40, 8192, 64, 12}, {"g", "g", 16, 0, 0, 0}};
  sent.variables = {{"&c", "_ZL1c"}};
  sent.log = "a warning";
  sent.compile_ms = 33.5;
  sent.from_cache = true;
  const kernel_templates::CompiledKernel got = compiled_of(through_cbor(to_json(sent)));
  EXPECT_EQ(got.cubin, sent.cubin);
  ASSERT_EQ(got.entries.size(), 2U);
  EXPECT_EQ(got.entries[0].entry, "f<1>");
  EXPECT_EQ(got.entries[0].lowered_name, "_Z1fILi1EEvv");
  EXPECT_EQ(got.entries[0].registers_per_thread, 40);
  EXPECT_EQ(got.entries[0].static_shared_bytes, 8192);
  EXPECT_EQ(got.entries[0].local_bytes, 64);
  EXPECT_EQ(got.entries[0].spill_bytes, 12);
  EXPECT_EQ(got.find_variable("&c"), "_ZL1c");
  EXPECT_EQ(got.log, "a warning");
  EXPECT_EQ(got.compile_ms, 33.5);
  EXPECT_TRUE(got.from_cache);
}

TEST(JsonFormsTest, AReportOfAFailureHasItsReasonAndNoTime) {
  search::Measurement measurement;
  measurement.configuration = {{"A", std::int64_t{1}}};
  measurement.status = search::Status::kWrongResult;
  measurement.reason = "off by one";
  const nlohmann::ordered_json report = measurement_report(measurement);
  EXPECT_EQ(report.at("status"), "wrong_result");
  EXPECT_EQ(report.at("reason"), "off by one");
  EXPECT_TRUE(report.at("median_ns").is_null());
  EXPECT_EQ(report.begin().key(), "configuration");
}

TEST(JsonFormsTest, HotLinesComeBack) {
  profiling::HotLines lines;
  profiling::HotLine& line = lines.lines.emplace_back();
  line.line = {"a.cu", 7};
  line.text = "x = 1;";
  line.samples = 12;
  line.share = 0.75;
  line.stalls = {{"barrier", 9}, {"selected", 3}};
  lines.samples = 16;
  lines.dropped = 2;
  lines.launches = 5;
  lines.problem = "none";
  const profiling::HotLines got = hot_lines_of(json::parse(to_json(lines).dump()));
  ASSERT_EQ(got.lines.size(), 1U);
  EXPECT_EQ(got.lines[0].line, lines.lines[0].line);
  EXPECT_EQ(got.lines[0].text, "x = 1;");
  EXPECT_EQ(got.lines[0].samples, 12U);
  EXPECT_EQ(got.lines[0].share, 0.75);
  ASSERT_EQ(got.lines[0].stalls.size(), 2U);
  EXPECT_EQ(got.lines[0].stalls[0].reason, "barrier");
  EXPECT_EQ(got.lines[0].stalls[1].samples, 3U);
  EXPECT_EQ(got.samples, 16U);
  EXPECT_EQ(got.dropped, 2U);
  EXPECT_EQ(got.launches, 5);
  EXPECT_EQ(got.problem, "none");
}

TEST(JsonFormsTest, AReportHasTheShareOfTheRoofThatBinds) {
  search::Measurement measurement;
  measurement.status = search::Status::kMeasured;
  measurement.time = {2000.0, 1900.0, 2100.0};
  const search::Work work{1e6, 4e6};
  const nlohmann::ordered_json report = measurement_report(measurement, work, {4e12, 60e12});
  EXPECT_DOUBLE_EQ(report.at("roof_share").get<double>(), 0.5);
  EXPECT_EQ(report.at("binding_roof"), "memory");
  EXPECT_FALSE(measurement_report(measurement).contains("roof_share"));
  measurement.status = search::Status::kDropped;
  EXPECT_FALSE(measurement_report(measurement, work, {4e12, 60e12}).contains("roof_share"));
}

TEST(JsonFormsTest, TextThatIsNoUtf8IsShownAndNotRefused) {
  const nlohmann::ordered_json report = {{"reason", "error: \xe9 unexpected"}};
  EXPECT_EQ(json::parse(to_text(report)).at("reason"), "error: \xef\xbf\xbd unexpected");
}

}  // namespace
}  // namespace warptune::tuner::detail
