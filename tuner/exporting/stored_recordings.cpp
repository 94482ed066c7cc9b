#include "tuner/exporting/stored_recordings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/row_sources.h"
#include "tuner/knowledge/selected_workloads.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::exporting {

namespace {

bool is_selected(const model::Measurement& row, const RowSelection& selection) {
  switch (row.source) {
    case model::RowSource::kReplayed:
      return selection.replayed;
    case model::RowSource::kImported:
      return selection.imported;
    case model::RowSource::kMeasured:
      break;
  }
  return true;
}

// The winners of each version of a kernel. They are looked up once, however many workloads it has.
class Winners {
 public:
  explicit Winners(const db::Store& store) : store_(store) {}

  // Null if no row of the workload can be ranked.
  const db::Winner* of(const model::Workload& workload) {
    const auto [place, is_new] = known_.try_emplace({workload.kernel, workload.kernel_hash});
    if (is_new) place->second = store_.winners(workload.kernel, workload.kernel_hash);
    for (const db::Winner& winner : place->second) {
      if (knowledge::is_same_workload(winner.workload, workload)) return &winner;
    }
    return nullptr;
  }

 private:
  const db::Store& store_;
  std::map<std::pair<std::string, std::string>, std::vector<db::Winner>> known_;  // By name and hash.
};

std::vector<model::Measurement> rows_of(const db::Store& store, const model::Workload& workload,
                                        const db::Winner* winner, const RowSelection& selection) {
  std::vector<model::Measurement> rows;
  if (selection.all) {
    for (db::StoredMeasurement& row : store.measurements(workload))
      rows.push_back(std::move(row.measurement));
  } else if (winner != nullptr) {
    rows.push_back(winner->best);
  }
  std::erase_if(rows, [&](const model::Measurement& row) { return !is_selected(row, selection); });
  return rows;
}

model::Recording recording_of(const db::Store& store, const model::Workload& workload,
                              const db::Winner* winner, const RowSelection& selection) {
  model::Recording recording;
  recording.measurements = rows_of(store, workload, winner, selection);
  if (recording.measurements.empty()) return recording;
  recording.workload = workload;
  recording.listed = true;
  recording.parameters = knowledge::occurring_parameters(recording.measurements);
  const std::optional<db::Session> of_best =
      winner != nullptr ? store.session(winner->session_id) : std::nullopt;
  const std::vector<db::Session> sessions = of_best ? std::vector{*of_best} : store.sessions(workload);
  const db::Session& session = *model::last_of_best_source(sessions);
  recording.environment = session.environment;
  recording.work = session.work;
  recording.roofs = session.roofs;
  recording.default_configuration = session.default_configuration;
  return recording;
}

}  // namespace

std::vector<model::Recording> stored_recordings(const db::Store& store, const RowSelection& selection) {
  std::vector<model::Recording> recordings;
  const std::vector<std::string>& kernels = selection.kernels;
  Winners winners(store);
  for (const model::Workload& workload : store.workloads()) {
    const bool named =
        kernels.empty() || std::find(kernels.begin(), kernels.end(), workload.kernel) != kernels.end();
    if (!named || !knowledge::fits_selection(workload, selection.workloads)) continue;
    model::Recording recording = recording_of(store, workload, winners.of(workload), selection);
    if (!recording.measurements.empty()) recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace warptune::tuner::exporting
