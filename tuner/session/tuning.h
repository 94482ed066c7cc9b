#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel_templates/given_contents.h"
#include "kernel_templates/read_scope.h"
#include "model/recording.h"
#include "profiling/measuring_options.h"
#include "tuner/gpus/device_choice.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// Everything that a caller specifies to have a kernel tuned.
struct TuningRequest {
  std::string kernel;        ///< A shipped name, or the path of a `.cu` or `.toml` file.
  model::NamedValues sizes;  ///< Problem entries that differ from the definition's.
  /// Folders that the definition may read, in addition to its own.
  kernel_templates::Permissions permissions;
  gpus::DeviceChoice devices;
  SearchRequest search;
  profiling::MeasuringOptions measuring;
  /// `measuring.cache` was given by the user: a recording of another cache state is refused.
  bool cache_is_named = false;
  std::size_t compile_workers = 0;  ///< 0: as many as cores and memory allow.
  /// The limit of one evaluation. Without it, the limit follows from the time of the best configuration so
  /// far.
  std::optional<std::chrono::milliseconds> timeout{};
  std::filesystem::path database;
  /// Contents of buffers that replace those of the definition (`use_given_contents`). Their files must last
  /// until the end of the session.
  std::vector<kernel_templates::GivenContents> contents{};
  /// Decides whether results are right, if `contents` has files into which results are written. Returns why
  /// they are wrong, or std::nullopt. It is called on the session's thread, after the worker has written the
  /// files. Needs `devices` to be one GPU.
  std::function<std::optional<std::string>()> judge{};
  std::optional<std::filesystem::path> recording;  ///< Replayed, instead of measuring on a GPU.
  double pace = 0.0;  ///< A replay takes this multiple of the recorded time. 0: it answers at once.
  /// Never replays a shipped recording: on a machine without a GPU, the request fails.
  bool measure_only = false;
  /// Stores digests of the code at the end (`carrying::note_code`). They are of use only if the database
  /// lasts.
  bool stores_digests = true;
};

/// The plan of one session of a request, and its result.
struct TuningOutcome {
  SessionPlan plan;
  std::vector<int> ordinals;     ///< The GPUs' ordinals; empty if a recording was replayed.
  model::NamedValues constants;  ///< The kernel's constants, for a recording of the session.
  model::Roofs roofs;
  model::Environment environment;
  SessionResult result;
  std::string recording{};       ///< The file name of the replayed recording; empty if GPUs measured.
  std::size_t failed_cases = 0;  ///< Cases of `[check]` that the best configuration fails.
};

/// A request that is ready to run: its kernel is read and its GPUs are known. It needs no command line,
/// prints nothing and never ends the program.
class Tuning {
 public:
  /// Throws `base::InputError` for a kernel that cannot be read and for a wrong size. Throws
  /// `base::MachineError` when the GPU does not exist. On a machine without any GPU, a shipped recording is
  /// replayed if it holds exactly what is asked for. Otherwise this is a `base::MachineError`, too. Contents
  /// that do not fit their arguments are a `base::InputError`.
  explicit Tuning(TuningRequest request);
  ~Tuning();
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  /// The number of sessions: one for each model among the chosen GPUs, or one with a recording.
  std::size_t session_count() const;
  /// Sets up session `index`, runs it and stores it in the request's database, which is created if necessary.
  /// First waits until no other session of this process uses these GPUs (`gpus::GpuTurn`). Throws
  /// `base::InputError` when a check of the definition fails or a goal has no roof. Throws
  /// `base::MachineError` when a GPU or the database cannot be used.
  TuningOutcome run(std::size_t index, SessionListener& listener, const base::Cancellation& cancellation);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws `base::InputError` if the goal is a share of the roof and the objective is not the time.
void require_time_for_roof_goal(const SearchRequest& search);

/// The error of a session whose best configuration fails cases of `[check]`.
base::WorkError failed_cases_error(std::size_t failed_cases);

/// All rows that the database holds for an outcome's workload, as a recording. Rows that the session does not
/// rank are left out (`SessionPlan::source`), because a recording does not say where a row comes from.
model::Recording recording_of(const TuningOutcome& outcome, const db::Store& store);

}  // namespace warptune::tuner::session
