#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace warptune::base {

/// Sets up the log of the process: one line for each message. `level` is one of trace, debug, info, warn,
/// error and off. `process` names the process in each line ("", "compile 3", "gpu 0"). `file` receives the
/// lines. Throws `InputError` for an unknown level.
void set_up_log(std::string_view level, const std::string& process = "", std::FILE* file = stderr);

/// A message may contain any bytes. Characters that must not reach a terminal are escaped by `printable`.
void log_debug(const std::string& message);
void log_info(const std::string& message);
void log_warning(const std::string& message);

}  // namespace warptune::base
