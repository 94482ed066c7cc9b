#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::testing {

/// A fictional GPU that differs from others by its number of SMs.
inline model::GpuDescription named_gpu(const std::string& name, int sm_count) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.name = name;
  gpu.sm_count = sm_count;
  return gpu;
}

/// A kernel whose parameter DO says what the fake GPU worker does (fake_gpu_worker.cpp). The default is A=1
/// DO=measure. The worker's final rounds take 2 ns (1 to 3), with DO=slow_in_finals 12 ns.
inline std::string write_acting_kernel(const TemporaryFolder& folder) {
  const std::filesystem::path path = folder / "acting.cu";
  std::ofstream(path) << R"cu(/* warptune
[kernel]
name = "acting"
description = "does what DO says"
entry = "acting"
[problem]
N = 64
[parameters]
A = { range = [1, 8] }
DO = ["measure", "die", "slow_in_finals"]
[default]
A = 1
DO = "measure"
[launch]
grid = ["ceil_div(N, 32)"]
block = ["32"]
[[argument]]
name = "x"
kind = "inout"
type = "f32"
count = "N"
init = { kind = "constant", value = 1.0 }
*/
extern "C" __global__ void acting(float* x) { x[blockIdx.x * 32 + threadIdx.x] *= 2.0f; }
)cu";
  return path.string();
}

/// A measured row of that kernel whose interval reaches a quarter below and above the median.
inline model::Measurement acting_row(std::int64_t a, double median_ns,
                                     const std::string& action = "measure") {
  model::Measurement row = measured({{"A", a}, {"DO", action}}, median_ns);
  row.time = {median_ns, 0.75 * median_ns, 1.25 * median_ns};
  return row;
}

/// The kernel's workload on the fictional GPU.
inline model::Workload acting_workload(const std::string& kernel, std::int64_t n = 64) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(kernel), {{"N", n}},
                                                  model::fictional_gpu());
  return knowledge::workload_of(instance, model::CacheState::kCold);
}

/// Stores a session with these rows.
inline void store_session(db::Store& store, const model::Workload& workload,
                          const std::vector<model::Measurement>& rows,
                          model::RowSource source = model::RowSource::kMeasured) {
  db::Session session;
  session.workload = workload;
  session.environment = {"0.0.9", 12080, 12080, 1980, 3201, "0x0"};
  session.strategy = "random";
  session.source = source;
  session.started_ms = 1;
  const std::int64_t id = store.begin_session(session);
  for (model::Measurement row : rows) {
    row.source = source;
    store.add_measurement(id, row);
  }
  store.finish_session(id, 2);
}

}  // namespace warptune::tuner::testing
