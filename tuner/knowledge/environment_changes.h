// Whether the conditions under which a row was measured still hold: driver, NVRTC, clocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "model/measurement.h"
#include "tuner/gpus/present_machine.h"

namespace warptune::tuner::knowledge {

/// A part of the environment that differs between two sessions, or between a session and this machine.
struct EnvironmentChange {
  std::string_view name;           ///< As in JSON: `driver_release`, `driver_version`, `sm_clock_mhz`, ...
  std::string_view title;          ///< For people: `driver`, `NVRTC`, `warptune`, `SM clock`, `memory clock`.
  std::string before;              ///< As text: `12.8`, `1980 MHz`, `580.65.06`.
  std::string after;               ///< In the same form.
  std::int64_t before_number = 0;  ///< As stored: 12080, 1980. 0 for what is stored as text.
  std::int64_t after_number = 0;   ///< In the same form.
};

/// The parts that are known of both and differ. Clocks differ if they differ by more than 1 %, because they
/// vary.
std::vector<EnvironmentChange> environment_changes(const model::Environment& before,
                                                   const model::Environment& after);

/// What differs between the session that measured a winner and the present.
struct EnvironmentDifferences {
  std::vector<EnvironmentChange> here;    ///< This machine differs.
  std::vector<EnvironmentChange> newest;  ///< The newest session on the winner's GPU differs.
  std::int64_t newest_session = 0;        ///< The id of that session.
  bool is_gpu_here = false;               ///< The winner's GPU is that of this machine.

  bool is_empty() const { return here.empty() && newest.empty(); }
};

/// Compares the environment of a measured winner with the present one. Its version of warptune is not
/// compared. A clock is compared only if the GPU was neither idle nor throttled at both readings.
/// * On a machine with the winner's GPU, everything that is known of the machine is compared.
/// * On a machine without a GPU, NVRTC is compared.
/// * What is unknown of the machine is compared with `newest`, the newest session that measured on the
///   winner's GPU.
/// A winner that was replayed or imported has no differences.
EnvironmentDifferences environment_differences(const db::Winner& winner,
                                               const std::optional<db::Session>& newest,
                                               const gpus::PresentMachine& here);

/// What differs, as a part of a sentence: `driver 12.8 (here 13.0) and NVRTC 12.8 (here 13.0)`.
std::string differences_text(const EnvironmentDifferences& differences);

/// One sentence: what differs, and which command finds out whether the winner still holds. Empty if nothing
/// differs. `kernel` is the name as the user gave it. `recheck` measures only winners by time, of the user's
/// database; `by_time` says whether this one is.
std::string environment_note(const EnvironmentDifferences& differences, const db::Winner& winner,
                             const std::string& kernel, bool by_time);

/// The same sentences about several winners of a kernel, which say how many of them a sentence is about.
std::vector<std::string> environment_notes(const std::vector<db::Winner>& winners, const db::Store& store,
                                           const std::string& kernel, const gpus::PresentMachine& here);

}  // namespace warptune::tuner::knowledge
