#include "tuner/benching/bench_session.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "base/error.h"
#include "profiling/gpu.h"
#include "survey/captures/capture_file.h"

namespace warptune::tuner::benching {

namespace {

model::GpuDescription gpu_of(int ordinal) {
  profiling::GpuList list = profiling::enumerate_gpus();
  if (list.gpus.empty())
    throw base::MachineError(fmt::format("there is no GPU to repeat the launch on: {}", list.reason), "");
  if (static_cast<std::size_t>(ordinal) >= list.gpus.size())
    throw base::MachineError(
        fmt::format("there is no GPU {}: this machine has {}", ordinal, list.gpus.size()), "");
  return std::move(list.gpus[static_cast<std::size_t>(ordinal)]);
}

profiling::diagnosis::Diagnosis diagnosis_of(const RepeatedLaunch& repeated) {
  if (repeated.replay.measurement.counters.empty()) return {};
  profiling::diagnosis::DiagnosisInput input;
  input.gpu = repeated.gpu;
  input.measurement = repeated.replay.measurement;
  input.roofs = repeated.replay.roofs;
  input.cache = model::CacheState::kCold;
  return profiling::diagnosis::diagnose(input);
}

}  // namespace

Bench bench(const BenchRequest& request) {
  Bench result;
  result.launch = survey::captures::read_capture(request.capture);
  if (request.describe) return result;
  RepeatedLaunch repeated;
  repeated.gpu = gpu_of(request.replay.ordinal);
  repeated.replay = profiling::captures::replay(result.launch, repeated.gpu, request.replay);
  repeated.diagnosis = diagnosis_of(repeated);
  result.repeated = std::move(repeated);
  return result;
}

}  // namespace warptune::tuner::benching
