#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/recording.h"
#include "tuner/lab/lab_plan.h"

namespace warptune::tuner::lab {

/// A row as measured: its fastest candidate.
struct LabRow {
  std::optional<model::Measurement> measurement;
  std::string reason;  ///< Why there is none.
  std::optional<std::size_t> session;
};

/// An experiment with what was measured of it on one GPU.
struct LabResult {
  LabPlan plan;
  std::vector<model::Recording> recordings;  ///< One a session.
  std::vector<std::vector<LabRow>> rows;     ///< By table and row.

  /// Of the first session that measured something; nothing is known of them where none did.
  model::Roofs roofs() const;
  model::Environment environment() const;
};

/// Chooses each row's measurement. One recording a session, in order.
LabResult lab_result(LabPlan plan, std::vector<model::Recording> recordings);

/// The file of a session's recording in a folder of them.
std::filesystem::path lab_recording_file(const std::filesystem::path& folder, const LabPlan& plan,
                                         const LabSession& session);

/// Reads what was recorded of an experiment: the GPU is the recording's. Throws `base::InputError` naming the
/// file when one is missing, is of another version of its kernel, of another problem, or of another GPU.
LabResult read_lab_result(const kernel_templates::Experiment& experiment,
                          const std::filesystem::path& folder);
/// Writes one recording a session and removes those of sessions that the experiment no longer has.
void write_lab_result(const LabResult& result, const std::filesystem::path& folder);

/// Where the shipped runs are.
std::filesystem::path shipped_lab_recordings();

}  // namespace warptune::tuner::lab
