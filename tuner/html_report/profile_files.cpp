// Reads source lines with samples from outputs of `warptune profile --source --format json`, for a report.
#include "tuner/html_report/profile_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::html_report {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kHowToWrite = "write it by warptune profile KERNEL --source --format json";

model::Value value_of(const ordered_json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.get<std::string>();
}

model::NamedValues values_of(const ordered_json& form) {
  model::NamedValues values;
  for (const auto& [name, value] : form.items()) values.emplace_back(name, value_of(value));
  return values;
}

profiling::HotLines hot_lines_of(const ordered_json& form) {
  profiling::HotLines hot;
  hot.samples = form.at("samples").get<std::uint64_t>();
  hot.dropped = form.at("dropped_samples").get<std::uint64_t>();
  hot.launches = form.at("launches").get<int>();
  for (const ordered_json& line : form.at("lines")) {
    profiling::HotLine& made = hot.lines.emplace_back();
    // Others may read a report, so it does not show the folders of this machine.
    made.line.file = fs::path(line.at("file").get<std::string>()).filename().string();
    made.line.number = line.at("line").is_null() ? 0 : line.at("line").get<int>();
    made.text = line.at("text").get<std::string>();
    made.samples = line.at("samples").get<std::uint64_t>();
    made.share = line.at("samples_share").get<double>();
    for (const auto& [reason, samples] : line.at("stalls").items())
      made.stalls.push_back({reason, samples.get<std::uint64_t>()});
  }
  return hot;
}

// The members of a workload's JSON that distinguish it from other workloads.
ordered_json identity(const ordered_json& workload) {
  return {workload.at("kernel"), workload.at("kernel_hash"), workload.at("problem"), workload.at("cache"),
          workload.at("gpu").at("name")};
}

ordered_json read_profile(const fs::path& file) {
  ordered_json form = ordered_json::parse(base::read_file(file), nullptr, false);
  const ordered_json head = json_output::json_head("profile");
  if (!form.is_object() || form.value("format", "") != head.at("format") ||
      form.value("version", 0) != head.at("version"))
    throw base::InputError(
        fmt::format("--profile {}: not an output of profile; {}", file.string(), kHowToWrite));
  return form;
}

void add_profile(std::vector<ReportWorkload>& workloads, const fs::path& file) {
  const ordered_json form = read_profile(file);
  const ordered_json& workload_form = form.at("workload");
  const ordered_json& hot = form.at("hot_lines");
  if (hot.is_null())
    throw base::InputError(fmt::format("--profile {}: without source lines; {}", file.string(), kHowToWrite));
  // In `hot_lines`, "problem" is the reason why there are no lines.
  if (!hot.at("problem").is_null()) {
    throw base::InputError(fmt::format("--profile {}: without source lines: {}", file.string(),
                                       hot.at("problem").get<std::string>()));
  }
  bool fits = false;
  for (ReportWorkload& workload : workloads) {
    if (identity(json_output::workload_json(workload.recording.workload)) != identity(workload_form))
      continue;
    workload.hot_lines.push_back({values_of(form.at("measurement").at("configuration")), hot_lines_of(hot)});
    fits = true;
  }
  if (fits) return;
  throw base::InputError(fmt::format("--profile {}: about {} {} on {}, which the report does not contain",
                                     file.string(), workload_form.at("kernel").get<std::string>(),
                                     model::to_text(values_of(workload_form.at("problem"))),
                                     workload_form.at("gpu").at("name").get<std::string>()));
}

}  // namespace

void add_profiles(std::vector<ReportWorkload>& workloads, const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    try {
      add_profile(workloads, file);
    } catch (const ordered_json::exception& error) {
      throw base::InputError(fmt::format("--profile {}: {}; {}", file.string(), error.what(), kHowToWrite));
    }
  }
}

}  // namespace warptune::tuner::html_report
