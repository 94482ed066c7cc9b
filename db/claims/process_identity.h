#pragma once

#include <string>
#include <string_view>

namespace warptune::db::claims {

/// A text by which other processes of this machine recognise this process, also after its number was given to
/// another one. It has a hash of the running system and its PID namespace, the number of the process, and its
/// start time (proc_pid_stat(5)). It names neither the machine nor the user. Empty if /proc cannot be read.
std::string process_identity();

/// Whether the process with this identity has certainly ended. False if this cannot be known, for example for
/// a process of another machine or another PID namespace.
bool has_ended(std::string_view identity);

}  // namespace warptune::db::claims
