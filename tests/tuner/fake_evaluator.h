#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/tuner/session_data.h"
#include "tuner/evaluation/evaluator.h"

namespace warptune::tuner::testing {

/// An evaluator for tests. The test chooses its answers, clock and delays.
class FakeEvaluator : public evaluation::Evaluator {
 public:
  std::function<model::Measurement(const model::NamedValues&)> answer =
      [](const model::NamedValues& configuration) {
        return measured(configuration, 1000.0 + static_cast<double>(x_of(configuration)));
      };
  std::function<void(const evaluation::Candidate&)> on_submit = [](const evaluation::Candidate&) {};
  std::function<model::Counters(const model::NamedValues&)> count =
      [](const model::NamedValues& configuration) -> model::Counters {
    return {{"x", static_cast<double>(x_of(configuration))}};
  };
  bool lose_counters = false;  ///< Counters never arrive.
  bool again = false;          ///< `measures_again`.
  /// Samples of a finalist, ns. Empty: this evaluator cannot run final rounds.
  std::function<std::vector<double>(const model::NamedValues&)> interleaved;
  /// Why a configuration is wrong in the final rounds. Empty: none is wrong.
  std::function<std::optional<model::Rejection>(const model::NamedValues&)> fault_in_finals;
  /// Errors of a configuration's outputs in the final rounds. Empty: there are none.
  std::function<model::Counters(const model::NamedValues&)> errors_in_finals;
  /// The bits of a configuration's outputs in the final rounds. Empty: nothing is known of them.
  std::function<model::Counters(const model::NamedValues&)> bits_in_finals;
  /// The confirmation of a configuration. Empty: this evaluator cannot confirm.
  std::function<profiling::timing::Confirmation(const model::NamedValues&)> confirmation;
  std::function<void()> on_confirm = [] {};
  std::function<void()> on_close_counters = [] {};
  std::size_t ahead = 3;      ///< The maximum number of candidates that it holds.
  std::size_t begun = 0;      ///< How many of them are begun, so that `drop_waiting` keeps them.
  double seconds_each = 0.0;  ///< How much its clock advances for each evaluation, s.
  /// Counters arrive after this many further evaluations; by default at the end.
  std::size_t counters_after = ~std::size_t{0};
  std::vector<std::string> warnings;
  std::vector<model::RoofReading> measured_roofs;  ///< Measured by this evaluator.

  std::vector<std::int64_t> submitted;  ///< X of each candidate, in order.
  std::vector<double> incumbents;
  std::vector<std::vector<model::NamedValues>> final_rounds;
  std::vector<model::NamedValues> confirmed;
  std::size_t dropped = 0;
  std::size_t withdrawn = 0;  ///< How often the incumbent was withdrawn.

  std::size_t wanted() const override { return ahead > waiting_.size() ? ahead - waiting_.size() : 0; }
  void submit(evaluation::Candidate candidate) override {
    on_submit(candidate);
    submitted.push_back(x_of(candidate.configuration));
    waiting_.push_back(std::move(candidate));
  }
  std::size_t pending() const override { return waiting_.size(); }
  std::vector<evaluation::EvaluationEvent> wait(std::chrono::milliseconds) override {
    std::vector<evaluation::EvaluationEvent> events;
    if (waiting_.empty()) return events;
    const evaluation::Candidate candidate = waiting_.front();
    waiting_.pop_front();
    elapsed_s_ += seconds_each;
    if (!lose_counters) uncounted_.push_back({candidate.id, count(candidate.configuration)});
    events.emplace_back(evaluation::MeasurementEvent{candidate.id, answer(candidate.configuration)});
    while (uncounted_.size() > counters_after) {
      events.emplace_back(uncounted_.front());
      uncounted_.pop_front();
    }
    return events;
  }
  void drop_waiting() override {
    const std::size_t kept = std::min(begun, waiting_.size());
    dropped += waiting_.size() - kept;
    waiting_.resize(kept);
  }
  void set_incumbent(double median_ns) override { incumbents.push_back(median_ns); }
  void withdraw_incumbent() override { ++withdrawn; }
  std::vector<evaluation::CounterEvent> close_counters() override {
    on_close_counters();
    const std::deque<evaluation::CounterEvent> rest = std::exchange(uncounted_, {});
    return {rest.begin(), rest.end()};
  }
  std::vector<profiling::timing::FinalistTiming> time_interleaved(
      const std::vector<model::NamedValues>& finalists, int) override {
    final_rounds.push_back(finalists);
    std::vector<profiling::timing::FinalistTiming> timings;
    if (!interleaved) return timings;
    for (const model::NamedValues& finalist : finalists) {
      timings.push_back({interleaved(finalist), std::nullopt});
      if (errors_in_finals) timings.back().errors = errors_in_finals(finalist);
      if (bits_in_finals) timings.back().bits = bits_in_finals(finalist);
      if (fault_in_finals) timings.back().fault = fault_in_finals(finalist);
    }
    return timings;
  }
  bool measures_again() const override { return again; }
  std::optional<profiling::timing::Confirmation> confirm(const model::NamedValues& configuration) override {
    confirmed.push_back(configuration);
    on_confirm();
    if (!confirmation) return std::nullopt;
    return confirmation(configuration);
  }
  const model::Roofs& roofs() const override { return roofs_; }
  void set_roofs(const model::Roofs& roofs) { roofs_ = roofs; }
  std::vector<model::RoofReading> new_roofs() const override { return measured_roofs; }
  const model::Environment& environment() const override { return environment_; }
  double elapsed_s() const override { return elapsed_s_; }
  std::vector<std::string> take_warnings() override { return std::exchange(warnings, {}); }

 private:
  std::deque<evaluation::Candidate> waiting_;
  std::deque<evaluation::CounterEvent> uncounted_;
  double elapsed_s_ = 0.0;
  model::Roofs roofs_{4.2e12, 60e12};
  model::Environment environment_{"0.1.0", 13000, 13000, 1980, 3201, "0x0"};
};

/// A test of sessions, with a plan, a fake evaluator and a database of its own.
class SessionTest : public ::testing::Test {
 protected:
  session::SessionResult run(const session::SessionPlan& plan) {
    return session::run_session(plan, evaluator_, store_, listener_, cancellation_);
  }
  /// X of the rows that a session stored, in the order stored.
  std::vector<std::int64_t> rows_of(const session::SessionResult& result) const {
    std::vector<std::int64_t> xs;
    for (const db::StoredMeasurement& row : store_.session_measurements(result.session_id))
      xs.push_back(x_of(row.measurement.configuration));
    return xs;
  }

  TemporaryFolder folder_;
  db::Store store_{folder_ / "warptune.db"};
  FakeEvaluator evaluator_;
  RecordingListener listener_;
  base::Cancellation cancellation_;
};

}  // namespace warptune::tuner::testing
