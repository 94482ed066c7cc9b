#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::base {

/// From the level that logs most to the one that logs nothing: trace, debug, info, warn, error, off.
std::vector<std::string> log_levels();

/// Sets up the log of the process: one line for each message. `level` is one of `log_levels`. `process` names
/// the process in each line ("", "compile 3", "gpu 0"). `file` receives the lines. Throws `InputError` for an
/// unknown level.
void set_up_log(std::string_view level, const std::string& process = "", std::FILE* file = stderr);

/// A message may contain any bytes. Characters that must not reach a terminal are escaped by `printable`.
void log_debug(const std::string& message);
void log_info(const std::string& message);
void log_warning(const std::string& message);

}  // namespace warptune::base
