// Measures how many evaluations two sessions of one workload make twice if they run at the same time, each in
// a process of its own. They replay a recording at a multiple of the recorded time. Usage:
// bench_shared_sessions RECORDING [EVALUATIONS=200] [PACE=0.05] [REPETITIONS=3]
//
// Each session has a budget of so many evaluations. Pairs of sessions have the same seed or different ones.
// With `fresh`, a session neither sees nor shares the rows of others, as a comparison. Only pairs count whose
// sessions overlapped: "at once" is the share of the shorter session during which both ran.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/recording_file.h"
#include "db/store.h"
#include "tuner/evaluation/paced_evaluator.h"
#include "tuner/session/tuning_session.h"

namespace {

using namespace warptune;
namespace fs = std::filesystem;

struct Options {
  std::string evaluations = "200";
  double pace = 0.05;
  int repetitions = 3;
};

tuner::session::SessionPlan plan_of(const model::Recording& recording, const Options& options,
                                    std::uint64_t seed, bool fresh) {
  tuner::session::SearchRequest search;
  search.budget = tuner::session::Budget::parse(options.evaluations);
  search.seed = seed;
  search.fresh = fresh;
  return {
      search, recording.workload, recording.space(), recording.default_configuration, recording.work, true,
      0};
}

int run_session(const model::Recording& recording, const Options& options, const fs::path& database,
                std::uint64_t seed, bool fresh) {
  try {
    db::Store store(database);
    tuner::evaluation::PacedEvaluator evaluator(recording, {options.pace, 2});
    tuner::session::SilentListener listener;
    const base::Cancellation never;
    tuner::session::run_session(plan_of(recording, options, seed, fresh), evaluator, store, listener, never);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

struct Outcome {
  std::size_t evaluations = 0;
  std::size_t twice = 0;
  double overlap = 0.0;
  double best_us = 0.0;
};

Outcome outcome_of(const fs::path& database) {
  const db::Store store = db::Store::open_existing(database);
  Outcome outcome;
  std::set<std::string> known;
  std::vector<double> begins;
  std::vector<double> ends;
  for (const db::Session& session : store.sessions()) {
    const std::vector<db::StoredMeasurement> rows = store.session_measurements(session.id);
    if (rows.empty()) continue;
    begins.push_back(static_cast<double>(rows.front().measurement.time_stamp_ms));
    ends.push_back(static_cast<double>(rows.back().measurement.time_stamp_ms));
    for (const db::StoredMeasurement& row : rows) {
      ++outcome.evaluations;
      if (!known.insert(model::to_text(row.measurement.configuration)).second) ++outcome.twice;
      const std::optional<double> median_ns = model::median_ns_of(row.measurement);
      if (row.measurement.status != model::Status::kMeasured || !median_ns) continue;
      const double us = *median_ns / 1e3;
      if (outcome.best_us == 0.0 || us < outcome.best_us) outcome.best_us = us;
    }
  }
  if (begins.size() < 2) return outcome;
  const double both = std::min(ends[0], ends[1]) - std::max(begins[0], begins[1]);
  const double shorter = std::min(ends[0] - begins[0], ends[1] - begins[1]);
  outcome.overlap = shorter > 0.0 ? std::max(both, 0.0) / shorter : 0.0;
  return outcome;
}

// Returns false if a session failed.
bool run_pair(const model::Recording& recording, const Options& options, std::uint64_t second_seed,
              bool fresh) {
  std::string folder = (fs::temp_directory_path() / "warptune-shared-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return false;
  const fs::path database = fs::path(folder) / "warptune.db";
  { const db::Store made(database); }
  for (const std::uint64_t seed : {std::uint64_t{1}, second_seed}) {
    if (::fork() == 0) ::_exit(run_session(recording, options, database, seed, fresh));
  }
  bool succeeded = true;
  int status = 0;
  while (::wait(&status) > 0) succeeded = succeeded && status == 0;
  const Outcome outcome = outcome_of(database);
  fmt::print("{:<6}  1 and {}  {:>11}  {:>10}  {:>7.1f}%  {:>7.0f}%  {:>7.1f}\n", fresh ? "fresh" : "claims",
             second_seed, outcome.evaluations, outcome.twice,
             100.0 * static_cast<double>(outcome.twice) / static_cast<double>(outcome.evaluations),
             100.0 * outcome.overlap, outcome.best_us);
  std::fflush(stdout);
  fs::remove_all(folder);
  return succeeded;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "bench_shared_sessions: expected a recording\n");
    return 2;
  }
  Options options;
  if (count > 2) options.evaluations = arguments[2];
  if (count > 3) options.pace = std::atof(arguments[3]);
  if (count > 4) options.repetitions = std::atoi(arguments[4]);
  const model::Recording recording = db::read_recording(arguments[1]);
  fmt::print("mode    seeds    evaluations  made twice     share  at once  best us\n");
  bool succeeded = true;
  for (int i = 0; i < options.repetitions; ++i) {
    for (const bool fresh : {true, false}) {
      for (const std::uint64_t second_seed : {1, 2})
        succeeded = run_pair(recording, options, second_seed, fresh) && succeeded;
    }
  }
  return succeeded ? 0 : 1;
}
