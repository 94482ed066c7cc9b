#include "tests/db/test_data.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/streams/zstd_text.h"

namespace warptune::db::testing {

namespace fs = std::filesystem;

model::GpuDescription gpu(int major, int minor, int sm_count, const std::string& name) {
  model::GpuDescription description;
  description.name = name;
  description.compute_major = major;
  description.compute_minor = minor;
  description.sm_count = sm_count;
  description.l2_bytes = 62914560;
  description.memory_bytes = 150000000000;
  description.memory_bandwidth_bytes_per_s = 4800000000000;
  description.max_clock_khz = 1980000;
  description.ecc = true;
  description.shared_bytes_per_block_optin = 232448;
  description.shared_bytes_per_sm = 233472;
  description.chip = "GH100";
  return description;
}

model::Workload workload(model::NamedValues problem, model::GpuDescription gpu) {
  return {"vector-add", "0123456789abcdef0123456789abcdef", std::move(problem), std::move(gpu)};
}

Session session(const model::Workload& workload) {
  Session session;
  session.workload = workload;
  session.environment = {"0.1.0", 13000, 13000, 1980, 3201, "0x4"};
  session.roofs = {4.2e12, 66.9e12, 4.34e12, 60e12, 33e12, 700e12};
  session.work = {4096.0, 49152.0, model::ArithmeticUnit::kTensor};
  session.strategy = "auto";
  session.seed = 18446744073709551615U;
  session.budget = "60s";
  session.objective = "time";
  session.started_ms = 1700000000000;
  session.space_size = 18446744073709551615U;
  session.default_configuration = configuration(256);
  return session;
}

model::NamedValues configuration(std::int64_t block, bool stride, const std::string& load) {
  return {{"BLOCK", block}, {"ALPHA", 0.5}, {"STRIDE", stride}, {"LOAD", load}};
}

model::Measurement measured(const model::NamedValues& configuration, double median_ns) {
  model::Measurement measurement;
  measurement.configuration = configuration;
  measurement.status = model::Status::kMeasured;
  measurement.time = {median_ns, median_ns - 10.0, median_ns + 10.5};
  measurement.samples_ns = {median_ns + 10.5, median_ns, median_ns - 10.0};
  measurement.resources = {32, 1024, 2048, 16, 256, 512, 6, 0.75};
  measurement.counters = {{"dram__throughput.avg.pct", 81.25}, {"time_ns", median_ns}};
  measurement.compile_ms = 12.5;
  measurement.measure_ms = 3.25;
  measurement.time_stamp_ms = 1700000000123;
  return measurement;
}

model::Measurement failed(const model::NamedValues& configuration, model::Status status,
                          const std::string& reason) {
  model::Measurement measurement;
  measurement.configuration = configuration;
  measurement.status = status;
  measurement.reason = reason;
  measurement.time_stamp_ms = 1700000000500;
  return measurement;
}

Winner winner(const model::Workload& workload, const model::NamedValues& configuration, double median_ns) {
  Winner winner;
  winner.workload = workload;
  winner.best = measured(configuration, median_ns);
  winner.default_measurement = measured(testing::configuration(256), median_ns * 2.0);
  winner.environment = {"0.1.0", 13000, 13000, 1980, 3201, "", "580.65.06"};
  winner.session_id = 1;
  winner.measured = 20;
  winner.evaluated = 25;
  return winner;
}

ExportInput vector_add() {
  ExportInput input;
  input.kernel = "vector-add";
  input.kernel_hash = workload().kernel_hash;
  input.parameters = {
      {"BLOCK", {std::int64_t{64}, std::int64_t{128}, std::int64_t{256}, std::int64_t{512}}, "", {}},
      {"ALPHA", {0.5, 0.1}, "", {}},
      {"STRIDE", {false, true}, "", {}},
      {"LOAD", {std::string("ldg"), std::string("ldcs \"x\"")}, "", {}}};
  for (const char* text :
       {"BLOCK * sizeof(dtype) <= 4096", "N // BLOCK >= 1 && LOAD != \"none\"",
        "STRIDE ? BLOCK <= 512 : is_pow2(BLOCK)", "BLOCK <= device_max_threads_per_block"}) {
    input.constraints.push_back({model::Expression::parse(text), "a reason"});
  }
  input.problem = {{"N", std::int64_t{16777216}}, {"dtype", std::string("f32")}};
  input.default_configuration = configuration(256);
  return input;
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void spill(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string bytes(text.size() + 1000, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string unpacked(const std::filesystem::path& path) {
  std::string text;
  base::streams::zstd_decompress(slurp(path), path, "recording",
                                 [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace warptune::db::testing
