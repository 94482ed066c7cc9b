#include "tests/tuner/node_fixture.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <utility>

#include "db/recording_file.h"
#include "fleet/rows/snapshot.h"
#include "tuner/campaigns/campaign_file.h"

namespace warptune::tuner::testing {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

NodeTest::NodeTest() : kernel_(write_toy_kernel(folder_)) {
  fs::create_directories(folder_ / "recordings");
  options_.store = [state = state_] { return std::make_unique<MemoryStore>(state); };
  options_.name = "tester";
  options_.state = folder_ / "state";
  options_.compile_workers = 2;
  options_.until_done = true;
  options_.replay = folder_ / "recordings";
  options_.pace = 0.0;
  options_.publish_interval = milliseconds(20);
  options_.poll_interval = milliseconds(10);
  options_.heartbeat_interval = milliseconds(20);
}

void NodeTest::record(std::int64_t n, double measure_ms, bool all_fail) {
  model::Recording recording = toy_recording(kernel_);
  recording.workload.problem = {{"N", n}};
  for (model::Measurement& row : recording.measurements) {
    row.compile_ms = 1.0;
    row.measure_ms = measure_ms;
    if (all_fail) row = failed(row.configuration, model::Status::kWrongResult, "x[0] is 3, expected 2");
  }
  db::write_recording(folder_ / fmt::format("recordings/toy-{}.wtrec.zst", n), recording);
}

void NodeTest::add_campaign(const std::string& lines) {
  std::ofstream(folder_ / "c.toml") << "name = 'c'\n[[tune]]\nkernel = 'toy.cu'\nstrategy = 'exhaustive'\n"
                                    << lines;
  campaigns::add_campaign(store_, campaigns::read_campaign_file(folder_ / "c.toml"));
}

model::GpuDescription NodeTest::record_on_another_gpu(const std::vector<std::int64_t>& sizes) {
  model::Recording recording = toy_recording(kernel_);
  model::GpuDescription& gpu = recording.workload.gpu;
  gpu.name = "Other";
  gpu.sm_count = 7;
  for (model::Measurement& row : recording.measurements) {
    row.compile_ms = 1.0;
    row.measure_ms = 20.0;
  }
  for (const std::int64_t n : sizes) {
    recording.workload.problem = {{"N", n}};
    db::write_recording(folder_ / fmt::format("recordings/other-{}.wtrec.zst", n), recording);
  }
  return gpu;
}

nodes::NodeEnd NodeTest::run(const nodes::NodeListener& also) {
  const auto listener = [&](const nodes::NodeEvent& event) {
    events_.push_back(event);
    also(event);
  };
  return nodes::run_node(options_, listener, stop_);
}

std::vector<std::string> NodeTest::texts(nodes::NodeEvent::Kind kind) const {
  std::vector<std::string> all;
  for (const nodes::NodeEvent& event : events_)
    if (event.kind == kind) all.push_back(event.text);
  return all;
}

std::map<std::int64_t, std::size_t> NodeTest::published_rows() {
  const fs::path target = folder_ / "joined.db";
  fleet::rows::update_snapshot(store_, target, {}, std::nullopt);
  const db::Store joined = db::Store::open_existing(target);
  std::map<std::int64_t, std::size_t> rows;
  for (const model::Workload& workload : joined.workloads())
    rows[std::get<std::int64_t>(*model::find(workload.problem, "N"))] = joined.measurements(workload).size();
  return rows;
}

}  // namespace warptune::tuner::testing
