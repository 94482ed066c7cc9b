#include "tuner/json_output/profile_json.h"

#include <utility>

#include "tuner/json_output/diagnosis_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/json_output/surveys/program_steps_json.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;
using profiling::diagnosis::ProfileRow;
using profiling::diagnosis::ProfileSection;

namespace {

// A row has a number with its unit, or a text.
ordered_json row_json(const ProfileRow& row) {
  const bool is_number = row.text.empty();
  return {{"title", row.title},
          {"metric", text_or_null(row.metric)},
          {"value", is_number ? finite_or_null(row.value) : ordered_json(nullptr)},
          {"unit", is_number ? text_or_null(row.unit) : ordered_json(nullptr)},
          {"text", text_or_null(row.text)}};
}

ordered_json section_json(const ProfileSection& section) {
  ordered_json rows = ordered_json::array();
  for (const ProfileRow& row : section.rows) rows.push_back(row_json(row));
  return {{"title", section.title}, {"rows", std::move(rows)}, {"missing", section.missing}};
}

}  // namespace

ordered_json profile_json(const explaining::Profile& profile) {
  const profiling::diagnosis::ProfiledLaunch& launch = profile.launch;
  ordered_json report = json_head("profile");
  report["workload"] = workload_json(profile.workload);
  report["which"] = profile.which;
  report["origin"] = profile.origin;
  report["passes"] = known_or_null(profile.passes);
  report["work"] = work_json(launch.work);
  report["roofs"] = roofs_json(launch.roofs);
  report["measurement"] = measurement_json(launch.measurement, launch.work, launch.roofs);
  report["sections"] = ordered_json::array();
  for (const ProfileSection& section : profiling::diagnosis::profile_sections(launch))
    report["sections"].push_back(section_json(section));
  report["hot_lines"] = profile.hot_lines ? hot_lines_json(*profile.hot_lines) : ordered_json(nullptr);
  report["program"] = surveys::program_steps_json(profile.program);
  report["diagnosis"] = diagnosis_json(profile.diagnosis);
  return report;
}

}  // namespace warptune::tuner::json_output
