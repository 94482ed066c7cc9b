#include "tests/tuner/lab_data.h"

#include <fstream>

namespace warptune::tuner::testing {

namespace {

constexpr int kSamples = 21;

model::Measurement row_of(const model::NamedValues& configuration, double one_ns, double spread) {
  const std::int64_t a = std::get<std::int64_t>(configuration[0].second);
  const bool b = std::get<bool>(configuration[1].second);
  if (a == 3 && !b) return failed(configuration, model::Status::kWrongResult, "x[0] is 3, expected 2");
  const double median = b ? 1000.0 : one_ns;
  model::Measurement row = measured(configuration, median);
  row.samples_ns.clear();
  for (int i = 0; i < kSamples; ++i)
    row.samples_ns.push_back(median * (1.0 + spread * (static_cast<double>(i) / (kSamples - 1) - 0.5)));
  row.time = model::summarise(row.samples_ns);
  row.counters["dram__bytes.sum"] = b ? 4096.0 : 8192.0;
  row.resources.registers_per_thread = 16;
  return row;
}

}  // namespace

std::string toy_experiment_text(const std::string& claims) {
  return R"toml([experiment]
title = "A toy"
summary = "Whether B helps"
about = "Somebody says so."
sources = ["A book"]
[[table]]
name = "speed"
title = "By A and B"
kernel = "toy.cu"
baseline = "one"
[[table.row]]
id = "one"
label = "as written"
[[table.row]]
id = "two"
note = "with B"
set = { A = 2, B = true }
[[table.row]]
id = "three"
set = { A = 3 }
[[table.row]]
id = "best"
set = { B = true }
tune = { A = [2, 4] }
[[table.column]]
title = "GB/s"
value = "bytes / time_ns"
digits = 1
)toml" + claims;
}

kernel_templates::Experiment toy_experiment(const TemporaryFolder& folder, const std::string& claims) {
  write_toy_kernel(folder);
  std::ofstream(folder / "toy_lab.toml") << toy_experiment_text(claims);
  return kernel_templates::load_experiment(folder / "toy_lab.toml");
}

lab::LabResult toy_lab_result(const kernel_templates::Experiment& experiment, double one_ns, double spread) {
  lab::LabPlan plan = lab::plan_experiment(experiment, model::fictional_gpu());
  std::vector<model::Recording> recordings;
  for (const lab::LabSession& session : plan.sessions) {
    model::Recording recording = toy_recording(session.instance->definition().path);
    recording.measurements.clear();
    for (const model::NamedValues& configuration : session.configurations)
      recording.measurements.push_back(row_of(configuration, one_ns, spread));
    recordings.push_back(std::move(recording));
  }
  return lab::lab_result(std::move(plan), std::move(recordings));
}

}  // namespace warptune::tuner::testing
