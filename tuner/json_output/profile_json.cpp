#include "tuner/json_output/profile_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/json_output/diagnosis_json.h"
#include "tuner/json_output/json_codec.h"

namespace warptune::tuner::json_output {

namespace {

using profiling::diagnosis::ProfileRow;
using profiling::diagnosis::ProfileSection;

nlohmann::ordered_json hot_lines_json(const profiling::HotLines& hot) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const profiling::HotLine& line : hot.lines) {
    nlohmann::ordered_json stalls = nlohmann::ordered_json::object();
    for (const profiling::StallSamples& stall : line.stalls) stalls[stall.reason] = stall.samples;
    lines.push_back({{"file", line.line.file},
                     {"line", line.line.number},
                     {"text", line.text},
                     {"samples", line.samples},
                     {"share", line.share},
                     {"stalls", stalls}});
  }
  return {{"samples", hot.samples},
          {"dropped", hot.dropped},
          {"launches", hot.launches},
          {"problem", hot.problem},
          {"lines", lines}};
}

}  // namespace

std::string profile_json(const explaining::Profile& profile) {
  nlohmann::ordered_json report;
  report["kernel"] = profile.workload.kernel;
  report["kernel_hash"] = profile.workload.kernel_hash;
  report["problem"] = to_ordered_json(profile.workload.problem);
  report["gpu"] = profile.workload.gpu.name;
  report["cache"] = model::to_string(profile.workload.cache);
  report["which"] = profile.which;
  report["origin"] = profile.origin;
  report["passes"] = profile.passes;
  report["measurement"] = measurement_report(profile.launch.measurement);
  report["sections"] = nlohmann::ordered_json::array();
  for (const ProfileSection& section : profiling::diagnosis::profile_sections(profile.launch)) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const ProfileRow& row : section.rows) {
      nlohmann::ordered_json entry{{"title", row.title}};
      if (!row.metric.empty()) entry["metric"] = row.metric;
      if (row.text.empty()) {
        entry["value"] = row.value;
        entry["unit"] = row.unit;
      } else {
        entry["text"] = row.text;
      }
      rows.push_back(std::move(entry));
    }
    report["sections"].push_back({{"title", section.title}, {"rows", rows}, {"missing", section.missing}});
  }
  if (profile.hot_lines) report["hot_lines"] = hot_lines_json(*profile.hot_lines);
  report["diagnosis"] = diagnosis_json(profile.diagnosis);
  return to_text(report);
}

}  // namespace warptune::tuner::json_output
