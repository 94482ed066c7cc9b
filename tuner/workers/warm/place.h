#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace warptune::tuner::workers::warm {

/// For how long compile workers wait for the next session of their definition: WARPTUNE_WARM_WORKERS in
/// seconds. 0, the default: they end with their session. Throws `base::InputError` if the variable is not a
/// whole number from 0 to 3600.
std::chrono::seconds kept_time();

/// The files of a pool: `NAME.socket`, where it listens, and `NAME.lock`, which it locks as long as it runs
/// and which has its process id.
struct Place {
  base::Descriptor folder;  ///< Opened with O_PATH. It belongs to this user, and only to this user.
  std::filesystem::path path;
  std::string name;
  std::filesystem::path temporary;  ///< The scratch folders of its workers are made below this folder.

  std::string socket() const { return name + ".socket"; }
  std::string lock() const { return name + ".lock"; }
};

/// The place of the pool that this process may use. Pools with other names are never used. The name is a hash
/// of everything that makes a worker of the pool equal to a worker that this process would start. That is the
/// worker program and its version, NVRTC's file, and the machine since its last start. It is also what a
/// worker inherits: namespaces, root folder, control group, CPUs, scheduling, groups, capabilities, system
/// calls, umask and limits of resources. The folder of temporary files belongs to it, too.
///
/// std::nullopt if something of that is unknown, or if there is no folder that only this user can open. The
/// folder is warptune/ in XDG_RUNTIME_DIR, or else warm-workers/ beside the compile cache.
std::optional<Place> find_place();

/// The text of a pool's lock file: the process id, and what says to which processes this number applies.
std::string lock_text(pid_t pool);
/// The process ids of this user's pools, of every name. Pools in other containers, whose process ids mean
/// other processes here, are left out.
std::vector<pid_t> running_pools();

}  // namespace warptune::tuner::workers::warm
