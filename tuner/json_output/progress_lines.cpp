#include "tuner/json_output/progress_lines.h"

#include <string>
#include <variant>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/json_output/tune_json.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

constexpr std::chrono::milliseconds kBetweenProgress{100};  // The minimum time between `progress` lines.

ordered_json named(std::string_view name, const ordered_json& members) {
  ordered_json line = json_head("progress");
  line["event"] = name;
  line.update(members);
  return line;
}

ordered_json rejection_json(const model::Rejection& rejection) {
  return {{"status", model::to_string(rejection.status)},
          {"reason", text_or_null(rejection.reason)},
          {"cause", model::to_string(rejection.cause)}};
}

ordered_json best_json(const session::SessionProgress& progress) {
  if (!progress.best_value || !progress.best_time) return nullptr;
  return {{"configuration", values_json(progress.best)},
          {"objective_value", finite_or_null(progress.best_value)},
          {"median_ns", finite_or_null(progress.best_time->median_ns)},
          {"low_ns", finite_or_null(progress.best_time->low_ns)},
          {"high_ns", finite_or_null(progress.best_time->high_ns)}};
}

ordered_json line_of(const session::ReplayedInstead& event) {
  return named("replayed_instead", {{"reason", event.reason}, {"recording", event.recording}});
}

ordered_json line_of(const session::RecordingShownInstead& event) {
  return named("recording_shown_instead", {{"reason", event.reason}, {"recording", event.recording}});
}

ordered_json line_of(const session::StoredShownInstead& event) {
  return named("stored_shown_instead", {{"gpu_name", event.gpu}});
}

ordered_json line_of(const session::ReportServed& event) {
  return named("report_served", {{"address", event.address}});
}

ordered_json line_of(const session::SessionBegan& event) {
  return named("session_began",
               {{"session_id", event.session_id}, {"workload", workload_json(event.workload)}});
}

ordered_json line_of(const session::SessionProgress& event) {
  return named("progress", {{"evaluated", event.evaluated},
                            {"known_before", event.known - event.shared},
                            {"known_meanwhile", event.shared},
                            {"space_size", event.space_size},
                            {"elapsed_s", event.elapsed_s},
                            {"done_share", finite_or_null(event.fraction)},
                            {"best", best_json(event)},
                            {"by_status", by_status_json(event.by_status)}});
}

ordered_json line_of(const session::MeasurementStored& event) {
  return named("measurement_stored",
               {{"row_id", event.row_id}, {"measurement", measurement_json(event.measurement)}});
}

ordered_json line_of(const session::CountersStored& event) {
  return named("counters_stored", {{"row_id", event.row_id}, {"counters", counters_json(event.counters)}});
}

ordered_json line_of(const session::MeasurementRejected& event) {
  return named("measurement_rejected",
               {{"row_id", event.row_id}, {"rejection", rejection_json(event.rejection)}});
}

ordered_json line_of(const session::WorkDoubted& event) {
  return named("work_doubted", {{"work_doubt", work_doubt_json(event.doubt)}});
}

ordered_json line_of(const session::FinalistImprecise& event) {
  return named("finalist_imprecise", {{"finalist", imprecise_json(event)}});
}

ordered_json line_of(const session::FinalsBegan& event) {
  return named("finals_began", {{"finalist_count", event.finalists}, {"round_count", event.rounds}});
}

ordered_json line_of(const session::BestConfirmed& event) {
  return named("best_confirmed",
               {{"row_id", event.row_id},
                {"stands", event.confirmation.has_passed()},
                {"launches", event.confirmation.launches},
                {"rejection", event.confirmation.has_passed() ? ordered_json(nullptr)
                                                              : rejection_json(event.confirmation.verdict)}});
}

ordered_json line_of(const session::ExperimentPartBegan& event) {
  return named("experiment_part_began", {{"experiment", event.experiment},
                                         {"part", event.part},
                                         {"number", event.number},
                                         {"part_count", event.parts},
                                         {"configuration_count", event.configurations}});
}

ordered_json line_of(const session::SessionWarning& event) {
  return named("warning", {{"message", event.text}});
}

ordered_json line_of(const session::SessionEnded& event) {
  return named("session_ended", {{"session_id", event.session_id}, {"interrupted", event.cancelled}});
}

}  // namespace

ordered_json event_json(const session::SessionEvent& event) {
  return std::visit([](const auto& held) { return line_of(held); }, event);
}

void ProgressLines::on_event(const session::SessionEvent& event) {
  const auto* const progress = std::get_if<session::SessionProgress>(&event);
  if (progress == nullptr) {
    write_last();
    return write(event);
  }
  last_ = *progress;
  if (std::chrono::steady_clock::now() - written_ >= kBetweenProgress) write_last();
}

void ProgressLines::write(const session::SessionEvent& event) {
  text_output::print_to(stream_, to_line(event_json(event)) + "\n");
  std::fflush(stream_);
}

void ProgressLines::write_last() {
  if (!last_) return;
  write(*last_);
  last_.reset();
  written_ = std::chrono::steady_clock::now();
}

}  // namespace warptune::tuner::json_output
