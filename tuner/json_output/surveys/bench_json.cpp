#include "tuner/json_output/surveys/bench_json.h"

#include <cstddef>
#include <optional>

#include "tuner/json_output/diagnosis_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output::surveys {

using nlohmann::ordered_json;
using profiling::captures::BufferDifference;
using profiling::captures::CapturedBuffer;
using profiling::captures::CapturedLaunch;
using profiling::captures::Replay;

namespace {

ordered_json buffers_json(const CapturedLaunch& launch) {
  ordered_json buffers = ordered_json::array();
  for (const CapturedBuffer& buffer : launch.buffers)
    buffers.push_back({{"bytes", buffer.before.size()},
                       {"variable", text_or_null(buffer.variable)},
                       {"changed", buffer.after.has_value()}});
  return buffers;
}

ordered_json parameters_json(const CapturedLaunch& launch) {
  const auto places = launch.pointers();
  ordered_json parameters = ordered_json::array();
  for (const auto& parameter : launch.parameters) {
    ordered_json pointers = ordered_json::array();
    for (const auto& place : places) {
      if (place.offset >= parameter.offset && place.offset < parameter.offset + parameter.bytes)
        pointers.push_back({{"offset", place.offset - parameter.offset},
                            {"buffer", place.buffer},
                            {"within", place.within}});
    }
    parameters.push_back({{"offset", parameter.offset}, {"bytes", parameter.bytes}, {"pointers", pointers}});
  }
  return parameters;
}

ordered_json launch_json(const CapturedLaunch& launch) {
  return {{"kernel", launch.name},
          {"mangled_name", launch.kernel},
          {"launch", launch.launch},
          {"command", launch.command},
          {"grid", launch.grid},
          {"block", launch.block},
          {"cluster", launch.cluster},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"cooperative", launch.cooperative},
          {"parameters", parameters_json(launch)},
          {"buffers", buffers_json(launch)},
          {"gpu_name", text_or_null(launch.gpu_name)},
          {"compute_capability", {launch.compute_major, launch.compute_minor}},
          {"driver_version", known_or_null(launch.driver_version)},
          {"cupti_version", known_or_null(launch.cupti_version)},
          {"captured_ms", launch.captured_ms},
          {"warptune_version", launch.warptune_version},
          {"application_ns", finite_or_null(launch.application_ns)},
          {"application_launch_count", launch.application_launches},
          {"notes", launch.notes}};
}

ordered_json time_json(const std::optional<model::TimeSummary>& time, const std::vector<double>& samples_ns) {
  ordered_json json;
  json["median_ns"] = time ? finite_or_null(time->median_ns) : ordered_json(nullptr);
  json["low_ns"] = time ? finite_or_null(time->low_ns) : ordered_json(nullptr);
  json["high_ns"] = time ? finite_or_null(time->high_ns) : ordered_json(nullptr);
  json["samples_ns"] = samples_ns;
  return json;
}

ordered_json repeated_json(const benching::RepeatedLaunch& repeated) {
  const Replay& replay = repeated.replay;
  ordered_json differences = ordered_json::array();
  for (const BufferDifference& difference : replay.differences)
    differences.push_back({{"buffer", difference.buffer},
                           {"different_bytes", difference.different_bytes},
                           {"first_byte", difference.first},
                           {"relative_as_f32", finite_or_null(difference.relative_as_f32)}});
  return {{"gpu", gpu_json(repeated.gpu)},
          {"cold", time_json(replay.measurement.time, replay.measurement.samples_ns)},
          {"warm", time_json(replay.warm, replay.warm_samples_ns)},
          {"in_a_row", time_json(replay.in_a_row, replay.in_a_row_samples_ns)},
          {"equal", replay.differences.empty()},
          {"differences", differences},
          {"resources", resources_json(replay.measurement.resources)},
          {"counters", counters_json(replay.measurement.counters)},
          {"counter_problem", text_or_null(replay.counter_problem)},
          {"diagnosis", diagnosis_json(repeated.diagnosis)},
          {"warnings", replay.warnings}};
}

}  // namespace

ordered_json bench_json(const benching::Bench& bench) {
  ordered_json report = json_head("bench");
  report["capture"] = launch_json(bench.launch);
  report["repeated"] = bench.repeated ? repeated_json(*bench.repeated) : ordered_json(nullptr);
  return report;
}

}  // namespace warptune::tuner::json_output::surveys
