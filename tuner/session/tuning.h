#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"
#include "profiling/measuring_options.h"
#include "tuner/gpus/device_choice.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// All that somebody asks for who wants a kernel tuned.
struct TuningRequest {
  std::string kernel;        ///< A shipped name, or the path of a `.cu` or `.toml`.
  model::NamedValues sizes;  ///< Problem entries that differ from the definition's.
  std::vector<std::filesystem::path> readable_folders;  ///< What the definition may read beyond its own.
  gpus::DeviceChoice devices;
  SearchRequest search;
  profiling::MeasuringOptions measuring;
  /// `measuring.cache` was asked for: a recording of another cache state will not do.
  bool cache_is_named = false;
  std::size_t compile_workers = 0;  ///< 0: by cores and memory.
  /// Of one evaluation; nothing: it follows what the best takes.
  std::optional<std::chrono::milliseconds> timeout{};
  std::filesystem::path database;
  std::optional<std::filesystem::path> recording;  ///< Answers instead of a GPU.
};

/// What a session of a request was about, and what it found.
struct TuningOutcome {
  SessionPlan plan;
  std::vector<int> ordinals;     ///< The GPUs; empty for a recording.
  model::NamedValues constants;  ///< Of the kernel, for a recording of the session.
  model::Roofs roofs;
  model::Environment environment;
  SessionResult result;
};

/// A request that is ready to run: its kernel is read, its GPUs are known. It needs no command line, prints
/// nothing and ends no program.
class Tuning {
 public:
  /// Throws `base::InputError` for a kernel that cannot be read and a wrong size, `base::MachineError` when
  /// there is no such GPU and nothing to replay.
  explicit Tuning(TuningRequest request);
  ~Tuning();
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  /// One for each model among the GPUs chosen, or one from a recording.
  std::size_t session_count() const;
  /// Sets session `index` up, runs it and stores it in the request's database, which is made where there is
  /// none. Throws `base::InputError` (a check that fails, a goal without a roof), `base::MachineError` (a GPU
  /// or a database that cannot be used).
  TuningOutcome run(std::size_t index, SessionListener& listener, const base::Cancellation& cancellation);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All that the database holds of an outcome's workload, as a recording.
model::Recording recording_of(const TuningOutcome& outcome, const db::Store& store);

}  // namespace warptune::tuner::session
