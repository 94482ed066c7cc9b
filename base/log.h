#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::base {

/// From the most to nothing: trace, debug, info, warn, error, off.
std::vector<std::string> log_levels();

/// Sets up the process's log: standard error, one line a message, `level` one of `log_levels`. `process`
/// names the process in each line ("", "compile 3", "gpu 0"); `file` is where lines go. Throws `InputError`
/// on an unknown level.
void set_up_log(std::string_view level, const std::string& process = "", std::FILE* file = stderr);

/// A message may hold anything: what must not reach a terminal is escaped (`printable`).
void log_debug(const std::string& message);
void log_info(const std::string& message);
void log_warning(const std::string& message);

}  // namespace warptune::base
