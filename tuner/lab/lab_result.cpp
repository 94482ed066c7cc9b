#include "tuner/lab/lab_result.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "db/recording_file.h"
#include "tuner/knowledge/renamed_rows.h"

namespace warptune::tuner::lab {

namespace fs = std::filesystem;
using model::Measurement;
using model::Recording;

namespace {

constexpr const char* kEnding = ".wtrec.zst";

LabRow chosen_row(const PlannedRow& planned, const std::vector<model::RecordingIndex>& indices) {
  LabRow row;
  row.session = planned.session;
  row.reason = planned.refusal;
  if (!planned.session) return row;
  const model::RecordingIndex& index = indices.at(*planned.session);
  for (const model::NamedValues& candidate : planned.candidates) {
    const Measurement* found = index.find(candidate);
    if (found == nullptr) {
      if (!row.measurement) row.reason = "was not measured";
      continue;
    }
    if (found->status != model::Status::kMeasured || !found->time) {
      if (!row.measurement)
        row.reason = fmt::format("{}: {}", model::to_string(found->status), found->reason);
      continue;
    }
    if (!row.measurement || model::median_ns_of(*found) < model::median_ns_of(*row.measurement))
      row.measurement = *found;
    row.reason.clear();
  }
  return row;
}

std::string prefix_of(const kernel_templates::Experiment& experiment) { return experiment.name + "."; }

// The recordings of an experiment in a folder.
std::vector<fs::path> files_of(const kernel_templates::Experiment& experiment, const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(prefix_of(experiment), 0) == 0 && name.ends_with(kEnding)) files.push_back(entry.path());
  }
  return files;
}

void check_recording(const Recording& recording, const LabSession& session, const fs::path& file) {
  const kernel_templates::KernelInstance& instance = *session.instance;
  const auto fail = [&](const std::string& what) {
    throw base::InputError(fmt::format("{}: {}; record it again: run the experiment on a GPU with --record",
                                       file.string(), what));
  };
  if (recording.workload.kernel_hash != instance.definition().hash)
    fail(fmt::format("recorded with another version of {}", instance.definition().path.filename().string()));
  if (model::key_of(recording.workload.problem) != model::key_of(instance.problem()))
    fail(fmt::format("recorded for {}, the experiment asks for {}",
                     model::to_text(recording.workload.problem), model::to_text(instance.problem())));
  if (recording.workload.cache != session.cache) fail("recorded from another state of the L2 cache");
}

const Recording* first_measured(const std::vector<Recording>& recordings) {
  for (const Recording& recording : recordings) {
    if (!recording.measurements.empty()) return &recording;
  }
  return nullptr;
}

}  // namespace

model::Roofs LabResult::roofs() const {
  const Recording* measured = first_measured(recordings);
  return measured == nullptr ? model::Roofs() : measured->roofs;
}

model::Environment LabResult::environment() const {
  const Recording* measured = first_measured(recordings);
  return measured == nullptr ? model::Environment() : measured->environment;
}

LabResult lab_result(LabPlan plan, std::vector<Recording> recordings) {
  LabResult result;
  std::vector<model::RecordingIndex> indices;
  indices.reserve(recordings.size());
  for (const Recording& recording : recordings) indices.emplace_back(recording);
  for (const auto& table : plan.rows) {
    std::vector<LabRow>& rows = result.rows.emplace_back();
    for (const PlannedRow& planned : table) rows.push_back(chosen_row(planned, indices));
  }
  result.plan = std::move(plan);
  result.recordings = std::move(recordings);
  return result;
}

fs::path lab_recording_file(const fs::path& folder, const LabPlan& plan, const LabSession& session) {
  return folder / (prefix_of(plan.experiment) + session.name + kEnding);
}

bool is_recorded(const kernel_templates::Experiment& experiment, const fs::path& folder) {
  return !files_of(experiment, folder).empty();
}

LabResult read_lab_result(const kernel_templates::Experiment& experiment, const fs::path& folder) {
  const std::vector<fs::path> files = files_of(experiment, folder);
  if (files.empty())
    throw base::InputError(fmt::format("{} has no recorded run of {}", folder.string(), experiment.name));
  const model::GpuDescription gpu = db::read_recording(files.front()).workload.gpu;
  LabPlan plan = plan_experiment(experiment, gpu);
  std::vector<Recording> recordings;
  for (const LabSession& session : plan.sessions) {
    const fs::path file = lab_recording_file(folder, plan, session);
    recordings.push_back(knowledge::with_present_names(db::read_recording(file)));
    check_recording(recordings.back(), session, file);
    if (recordings.back().workload.gpu.key() != gpu.key())
      throw base::InputError(
          fmt::format("{} was recorded on another GPU than {}", file.string(), files.front().string()));
  }
  return lab_result(std::move(plan), std::move(recordings));
}

void write_lab_result(const LabResult& result, const fs::path& folder) {
  for (const fs::path& old : files_of(result.plan.experiment, folder)) fs::remove(old);
  for (std::size_t i = 0; i < result.recordings.size(); ++i)
    db::write_recording(lab_recording_file(folder, result.plan, result.plan.sessions[i]),
                        result.recordings[i]);
}

fs::path shipped_lab_recordings() { return base::share_folder() / "lab_recordings"; }

}  // namespace warptune::tuner::lab
