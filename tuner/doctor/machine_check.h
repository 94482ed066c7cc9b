#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiling/gpu.h"

namespace warptune::tuner::doctor {

/// A folder that sessions write.
struct FolderObservation {
  std::string purpose;  ///< "database", "compile cache".
  std::filesystem::path path;
  bool writable = false;
};

/// What this machine has, without a judgement.
struct MachineObservations {
  profiling::GpuList gpus;
  std::optional<int> nvrtc_version = {};         ///< As CUDA encodes it: 13000 is 13.0.
  std::vector<int> architectures = {};           ///< Those for which NVRTC compiles.
  std::string nvrtc_file = {};                   ///< The file that was loaded; empty if unknown.
  std::string cupti_file = {};                   ///< The file that was loaded; empty if unknown.
  std::string linker_file = {};                  ///< nvJitLink in `cuda_folders`; empty if it is in none.
  std::string nvrtc_problem = {};                ///< Why NVRTC does not load; empty if it does.
  bool cuda_headers = false;                     ///< CUDA's include folders exist.
  std::vector<std::string> cuda_folders = {};    ///< Where NVRTC and CUPTI are looked for, in order.
  std::string cupti_problem = {};                ///< Why CUPTI does not load; empty if it does.
  std::optional<bool> counters_restricted = {};  ///< Only administrators may read them; no value: unknown.
  bool administrator = false;                    ///< This process has CAP_SYS_ADMIN.
  /// Processes with a compute context on each GPU.
  std::vector<std::optional<std::size_t>> processes = {};
  /// The parts of the compile workers' sandbox that the operating system cannot enforce; empty if it enforces
  /// all.
  std::string sandbox_problem = {};
  std::vector<FolderObservation> folders = {};
  /// The process ids of the user's pools of warm compile workers.
  std::vector<int> warm_pools = {};
};

/// Observes this machine. The folders need not exist: a folder is writable if it can be made.
MachineObservations observe_machine(std::vector<FolderObservation> folders);

/// Whether `/proc/driver/nvidia/params` restricts counters to administrators. Returns std::nullopt if the
/// text does not have the parameter.
std::optional<bool> restricts_counters(const std::string& driver_parameters);

enum class Health {
  kGood,
  kWarning,  ///< Sessions run, but less well: `MachineFact::text` says in which way.
  kFault     ///< Sessions cannot run.
};
/// The name of a state in output: `good`, `warning`, `fault`.
std::string_view to_string(Health health);

/// One line of the output of `warptune doctor`.
struct MachineFact {
  std::string subject;  ///< "GPU", "NVRTC", ...
  Health health = Health::kGood;
  std::string text;
  std::string remedy;  ///< What to do; empty if nothing.
};

/// Judges what was observed, one fact for each subject.
std::vector<MachineFact> judge(const MachineObservations& observed);

/// Whether a session can run: no fact is a fault.
bool can_run(const std::vector<MachineFact>& facts);

}  // namespace warptune::tuner::doctor
