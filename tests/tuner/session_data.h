#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"
#include "tests/temporary_folder.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::testing {

using tests::TemporaryFolder;

/// Sets an environment variable as long as the object lives.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value);
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable();

 private:
  std::string name_;
  std::optional<std::string> before_;
};

/// A space of one parameter X = 1 .. `size`.
model::Space line_space(std::int64_t size);
model::NamedValues at(std::int64_t x);
std::int64_t x_of(const model::NamedValues& configuration);
model::Measurement measured(const model::NamedValues& configuration, double median_ns);
/// A measurement that was dropped after one launch that took `estimate_ns`. Its lower bound is 0.9 times
/// that.
model::Measurement dropped(const model::NamedValues& configuration, double estimate_ns);
model::Measurement failed(const model::NamedValues& configuration, model::Status status,
                          const std::string& reason);
/// A plan over X = 1 .. `size` whose default is X = `size`, exhaustive and without final rounds.
session::SessionPlan line_plan(std::int64_t size, const std::string& budget = "all");

/// Writes a small kernel definition `toy.cu`: parameters A = 1 .. `a_values` and B = false, true; default
/// A=1 B=false; problem N.
std::filesystem::path write_toy_kernel(const TemporaryFolder& folder, int a_values = 4);
/// Its recording on the fictional GPU: every configuration, A=2 B=true fastest, A=3 B=false failed.
model::Recording toy_recording(const std::filesystem::path& kernel);

/// Records what a session reports.
class RecordingListener : public session::SessionListener {
 public:
  void on_event(const session::SessionEvent& event) override;

  std::vector<session::SessionProgress> reports;
  std::vector<session::FinalsBegan> finals;
  std::vector<std::string> warnings;
  std::vector<std::int64_t> began;     ///< Ids of sessions.
  std::vector<std::int64_t> measured;  ///< Ids of rows.
  std::vector<std::int64_t> counted;   ///< Ids of rows.
  std::vector<profiling::timing::Confirmation> confirmations;
  std::vector<session::SessionEnded> ended;
  std::vector<session::MeasurementRejected> rejected;
  std::vector<profiling::verification::WorkContradiction> doubts;
  std::vector<session::FinalistImprecise> imprecise;
};

}  // namespace warptune::tuner::testing
