#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/recording.h"
#include "tuner/lab/lab_plan.h"

namespace warptune::tuner::lab {

/// A row of a table with the measurement of its fastest candidate.
struct LabRow {
  std::optional<model::Measurement> measurement;
  std::string reason;  ///< Why there is no measurement.
  std::optional<std::size_t> session;
};

/// An experiment with its measurements on one GPU.
struct LabResult {
  LabPlan plan;
  std::vector<model::Recording> recordings;  ///< One for each session.
  std::vector<std::vector<LabRow>> rows;     ///< Indexed by table, then by row.

  /// The roofs and the environment of the first session with measurements. Without one they are unknown.
  model::Roofs roofs() const;
  model::Environment environment() const;
};

/// Chooses the measurement of each row. `recordings` has one recording for each session, in order.
LabResult lab_result(LabPlan plan, std::vector<model::Recording> recordings);

/// The file in `folder` that holds the recording of a session.
std::filesystem::path lab_recording_file(const std::filesystem::path& folder, const LabPlan& plan,
                                         const LabSession& session);

/// Whether a folder has recordings of an experiment.
bool is_recorded(const kernel_templates::Experiment& experiment, const std::filesystem::path& folder);

/// Reads a recorded run of an experiment, for the GPU of the recordings. Throws `base::InputError` with the
/// file's name when a recording is missing, or when it has another version of the kernel, another problem or
/// another GPU.
LabResult read_lab_result(const kernel_templates::Experiment& experiment,
                          const std::filesystem::path& folder);
/// Writes one recording for each session into an existing folder. Removes recordings of sessions that the
/// experiment no longer has.
void write_lab_result(const LabResult& result, const std::filesystem::path& folder);

/// The folder with the shipped recorded runs.
std::filesystem::path shipped_lab_recordings();

}  // namespace warptune::tuner::lab
