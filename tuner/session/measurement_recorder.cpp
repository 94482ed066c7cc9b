#include "tuner/session/measurement_recorder.h"

#include <fmt/format.h>

#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "model/fields.h"
#include "search/analysis/timed_rows.h"

namespace warptune::tuner::session {

void MeasurementRecorder::begin(db::Session session, const evaluation::Evaluator& evaluator,
                                profiling::verification::DeclaredWork declared) {
  session.environment = evaluator.environment();
  session.roofs = evaluator.roofs();
  session.started_ms = base::unix_time_ms();
  source_ = session.source;
  session_id_ = store_.begin_session(session);
  unmeasured_gpu_ = session.workload.gpu;
  plausibility_ = {session.workload.gpu, session.workload.cache, session.roofs, std::move(declared)};
  note_roofs(evaluator);
  listener_.on_event(SessionBegan{*session_id_, std::move(session.workload)});
}

void MeasurementRecorder::note_roofs(const evaluation::Evaluator& evaluator) {
  if (!unmeasured_gpu_) return;
  const std::vector<model::RoofReading> measured = evaluator.new_roofs();
  if (measured.empty()) return;
  store_.set_roofs(*unmeasured_gpu_, measured);
  store_.set_session_roofs(*session_id_, evaluator.roofs());
  plausibility_.set_roofs(evaluator.roofs());
  unmeasured_gpu_.reset();
}

std::int64_t MeasurementRecorder::add(model::Measurement& measurement) {
  if (!session_id_) throw base::InternalError("a measurement was added before its session began");
  measurement.time_stamp_ms = base::unix_time_ms();
  measurement.source = source_;
  if (measurement.status == model::Status::kMeasured && !is_rankable(measurement)) {
    measurement.status = model::Status::kLaunchFailed;
    measurement.reason =
        fmt::format("its time is {} ns: it cannot be ranked, because a time must be finite and positive",
                    model::or_nan(model::median_ns_of(measurement)));
  }
  model::drop_disturbed_counters(measurement.counters, model::median_ns_of(measurement));
  if (const auto verdict = plausibility_.verdict(measurement)) {
    measurement.status = verdict->status;
    measurement.reason = verdict->reason;
  }
  report_work_doubt(measurement);
  const std::int64_t row_id = store_.add_measurement(*session_id_, measurement);
  listener_.on_event(MeasurementStored{row_id, measurement});
  return row_id;
}

void MeasurementRecorder::add_counters(std::int64_t row_id, model::Measurement& measurement,
                                       const model::Counters& counters) {
  for (const auto& [name, value] : counters) measurement.counters[name] = value;
  model::drop_disturbed_counters(measurement.counters, model::median_ns_of(measurement));
  store_.set_counters(row_id, measurement.counters);
  listener_.on_event(CountersStored{row_id, measurement.counters});
  if (const auto verdict = plausibility_.verdict(measurement)) {
    measurement.status = verdict->status;
    measurement.reason = verdict->reason;
    store_.reject(row_id, *verdict);
    listener_.on_event(MeasurementRejected{row_id, *verdict});
  }
  report_work_doubt(measurement);
}

void MeasurementRecorder::report_work_doubt(const model::Measurement& measurement) {
  if (work_doubt_) return;
  work_doubt_ = plausibility_.doubt(measurement);
  if (work_doubt_) listener_.on_event(WorkDoubted{*work_doubt_});
}

void MeasurementRecorder::warn(std::vector<std::string> warnings) {
  for (std::string& warning : warnings) listener_.on_event(SessionWarning{std::move(warning)});
}

void MeasurementRecorder::finish(bool cancelled) {
  if (!session_id_) return;
  if (!cancelled) store_.finish_session(*session_id_, base::unix_time_ms());
  listener_.on_event(SessionEnded{*session_id_, cancelled});
}

bool is_rankable(const model::Measurement& measurement) {
  return measurement.status == model::Status::kMeasured && search::analysis::has_time(measurement);
}

}  // namespace warptune::tuner::session
