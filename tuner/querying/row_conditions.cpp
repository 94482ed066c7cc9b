#include "tuner/querying/row_conditions.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "db/store.h"
#include "model/own_metrics.h"
#include "profiling/known_gpu.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/style.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::querying {

namespace {

std::optional<double> clock_of(const model::Measurement& row, const model::Environment& environment) {
  const auto counted = row.counters.find(std::string(model::own_metric::kSmClockMhz));
  if (counted != row.counters.end()) return counted->second;
  if (environment.sm_clock_mhz == 0 || !profiling::has_working_clocks(environment)) return std::nullopt;
  return static_cast<double>(environment.sm_clock_mhz);
}

std::optional<RowConditions> conditions_at(const PortablePlace& place, const PlaceLoss& loss,
                                           const db::Store& store, const std::string& kernel,
                                           const gpus::PresentMachine& here) {
  const std::optional<db::Session> session = store.session(loss.row->session_id);
  if (!session) return std::nullopt;
  db::Winner row = *place.winner;
  row.best = loss.row->measurement;
  row.environment = session->environment;
  row.session_id = session->id;
  RowConditions conditions;
  conditions.session_id = session->id;
  conditions.time_stamp_ms = row.best.time_stamp_ms;
  conditions.sm_clock_mhz = clock_of(row.best, session->environment);
  conditions.environment = session->environment;
  conditions.differences =
      knowledge::environment_differences(row, store.newest_measured_session(row.workload.gpu.key()), here);
  // A recheck measures winners only, and this row need not be one.
  conditions.note = knowledge::environment_note(conditions.differences, row, kernel, false);
  return conditions;
}

std::string session_text(const PortablePlace& place, const RowConditions& conditions) {
  return fmt::format("{}{}", conditions.session_id, place.winner->of_system ? " (system)" : "");
}

}  // namespace

std::vector<std::optional<RowConditions>> conditions_of(const std::vector<PortablePlace>& places,
                                                        const std::vector<PlaceLoss>& losses,
                                                        const StoreOf& store_of, const std::string& kernel,
                                                        const gpus::PresentMachine& here) {
  std::vector<std::optional<RowConditions>> conditions(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].winner && losses[i].row)
      conditions[i] = conditions_at(places[i], losses[i], store_of(*places[i].winner), kernel, here);
  }
  return conditions;
}

std::string conditions_text(const std::vector<PortablePlace>& places,
                            const std::vector<std::optional<RowConditions>>& conditions) {
  text_output::TextTable table({"GPU", "measured on", "driver", "NVRTC", "SM clock", "session"}, {4, 5});
  std::string notes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!conditions[i]) continue;
    const RowConditions& row = *conditions[i];
    const std::string& gpu = places[i].instance.gpu().name;
    table.add({gpu, row.time_stamp_ms > 0 ? text_output::date_text(row.time_stamp_ms) : "unknown",
               model::driver_text(row.environment), model::cuda_version_text(row.environment.nvrtc_version),
               row.sm_clock_mhz ? fmt::format("{:.0f} MHz", *row.sm_clock_mhz) : "unknown",
               session_text(places[i], row)});
    if (!row.note.empty()) {
      notes += text_output::styled(text_output::Style::kCaution, fmt::format("{}: {}", gpu, row.note)) + "\n";
    }
  }
  if (table.empty()) return "";
  return "\n" + table.text() + notes + "\n";
}

}  // namespace warptune::tuner::querying
